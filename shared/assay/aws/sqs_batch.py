"""Messages as SQS hands them to Lambda: several at a time, each with a fate of its own."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from assay.state.ports import QueueMessage

log = logging.getLogger("assay")


class Stays(Exception):
    """The message is not done: SQS shall deliver it again."""


def each(event: Mapping[str, Any], work: Callable[[QueueMessage], None]) -> dict[str, Any]:
    """Do `work` for each message of the event. The answer names those over which it raised; only they come again."""
    from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

    def one(record: SQSRecord) -> None:
        receives = int(record.attributes.approximate_receive_count)
        work(QueueMessage(record.body, record.receipt_handle, receives))

    processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
    answer = process_partial_response(event=dict(event), record_handler=one, processor=processor)
    for failure in processor.exceptions:
        if failure[0] is not Stays:
            log.error("a message broke its work; it comes again, until it is a dead letter", exc_info=failure[1])
    return dict(answer)
