"""Batches of SQS messages delivered to Lambda, with partial batch responses."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from assay.state.ports import QueueMessage

log = logging.getLogger("assay")


class Stays(Exception):
    """Raised by a handler to have SQS deliver the message again."""


def each(event: Mapping[str, Any], work: Callable[[QueueMessage], None]) -> dict[str, Any]:
    """Call `work` with each message of the event.

    The response lists the messages whose `work` raised (batchItemFailures); SQS delivers only these again.
    """
    from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

    def handle_record(record: SQSRecord) -> None:
        receives = int(record.attributes.approximate_receive_count)
        work(QueueMessage(record.body, record.receipt_handle, receives))

    processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
    answer = process_partial_response(event=dict(event), record_handler=handle_record, processor=processor)
    for failure in processor.exceptions:
        if failure[0] is not Stays:
            log.error(
                "processing a message failed; SQS delivers it again until it is a dead letter", exc_info=failure[1]
            )
    return dict(answer)
