"""Message queue in Amazon SQS."""

import json
import math
from typing import TYPE_CHECKING

from assay.aws.service_calls import ServiceCalls, read_error_code
from assay.state.ports import QueueMessage

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

EXPIRED_RECEIPT = {
    "InvalidParameterValue",
    "ReceiptHandleIsInvalid",
    "MessageNotInflight",
}  # error codes for an expired receipt handle
EXPIRED_RECEIPT |= {f"AWS.SimpleQueueService.{code}" for code in EXPIRED_RECEIPT}
MAX_DELAY, MAX_WAIT, MAX_VISIBILITY = 900, 20, 43_200  # seconds; quotas of SQS


class SqsQueue:
    """ports.Queue over the queue at `url`; the queue's redrive policy decides when a message becomes a dead letter."""

    def __init__(self, url: str, client: "SQSClient | None" = None) -> None:
        self._url = url
        self._remote: ServiceCalls[SQSClient] = ServiceCalls("sqs", client)

    async def send(self, body: str, *, delay: float = 0.0) -> None:
        seconds = _whole_seconds(delay, MAX_DELAY)
        await self._remote.ask(lambda sqs: sqs.send_message(QueueUrl=self._url, MessageBody=body, DelaySeconds=seconds))

    async def receive(self, *, visible: float, wait: float = 0.0, most: int = 1) -> list[QueueMessage]:
        hidden, waited = _whole_seconds(visible, MAX_VISIBILITY), min(int(wait), MAX_WAIT)
        return await self._remote.ask(lambda sqs: _receive_messages(sqs, self._url, hidden, waited, most))

    async def extend(self, receipt: str, seconds: float) -> None:
        hidden = _whole_seconds(seconds, MAX_VISIBILITY)
        await self._remote.ask(lambda sqs: _extend_visibility(sqs, self._url, receipt, hidden))

    async def delete(self, receipt: str) -> None:
        await self._remote.ask(lambda sqs: _delete_message(sqs, self._url, receipt))

    async def dead(self, most: int = 10) -> list[QueueMessage]:
        return await self._remote.ask(lambda sqs: _receive_dead(sqs, self._url, most))

    async def delete_dead(self, receipt: str) -> None:
        await self._remote.ask(lambda sqs: _delete_dead(sqs, self._url, receipt))

    async def close(self) -> None:
        await self._remote.close()


def _receive_messages(sqs: "SQSClient", url: str, hidden: int, waited: int, most: int) -> list[QueueMessage]:
    answer = sqs.receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=most,
        VisibilityTimeout=hidden,
        WaitTimeSeconds=waited,
        MessageSystemAttributeNames=["ApproximateReceiveCount"],
    )
    return [
        QueueMessage(each["Body"], each["ReceiptHandle"], int(each["Attributes"]["ApproximateReceiveCount"]))
        for each in answer.get("Messages", [])
    ]


def _extend_visibility(sqs: "SQSClient", url: str, receipt: str, hidden: int) -> None:
    try:
        sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=receipt, VisibilityTimeout=hidden)
    except Exception as refusal:
        if read_error_code(refusal) not in EXPIRED_RECEIPT:
            raise


def _delete_message(sqs: "SQSClient", url: str, receipt: str) -> None:
    try:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=receipt)
    except Exception as refusal:
        if read_error_code(refusal) not in EXPIRED_RECEIPT:
            raise


def _receive_dead(sqs: "SQSClient", url: str, most: int) -> list[QueueMessage]:
    dead = _find_dead_letters(sqs, url)
    return _receive_messages(sqs, dead, 0, 0, most) if dead else []


def _delete_dead(sqs: "SQSClient", url: str, receipt: str) -> None:
    if dead := _find_dead_letters(sqs, url):
        _delete_message(sqs, dead, receipt)


def _find_dead_letters(sqs: "SQSClient", url: str) -> str:
    """The address of the queue of dead letters; "" if there is none."""
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["RedrivePolicy"])
    policy = json.loads(attributes.get("Attributes", {}).get("RedrivePolicy", "{}"))
    if not policy:
        return ""
    name = policy["deadLetterTargetArn"].rpartition(":")[2]
    return str(sqs.get_queue_url(QueueName=name)["QueueUrl"])


def _whole_seconds(seconds: float, limit: int) -> int:
    return min(math.ceil(seconds), limit)
