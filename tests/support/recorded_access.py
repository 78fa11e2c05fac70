"""What calls ask of the table, the bucket and the queue, as the actions and resources that their role must allow."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from assay.services import Services
from assay.state.ports import COUNTER_MARK

ACTIONS = {
    "table.get": ("dynamodb:GetItem",),
    "table.get_many": ("dynamodb:BatchGetItem",),
    "table.put": ("dynamodb:PutItem", "dynamodb:GetItem"),  # it reads what a repeated request wrote
    "table.delete": ("dynamodb:DeleteItem", "dynamodb:GetItem"),
    "table.query": ("dynamodb:Query",),
    "table.add": ("dynamodb:UpdateItem", "dynamodb:PutItem"),
    "bucket.put": ("s3:PutObject",),
    "bucket.get": ("s3:GetObject", "s3:ListBucket"),
    "bucket.delete": ("s3:DeleteObject",),
    "queue.send": ("sqs:SendMessage",),
    "upload_target.open": ("s3:PutObject",),  # by the URL that it signs
}


class Access(NamedTuple):
    """An action, and the key of the table or the name of the object that it concerns; "" for the queue."""

    action: str
    name: str


# Background tasks of earlier calls have their own context, so that nothing of them is recorded.
_RECORD: ContextVar[set[Access] | None] = ContextVar("record", default=None)


@contextmanager
def record_access() -> Iterator[set[Access]]:
    """A set to which every access inside this context is added."""
    accesses: set[Access] = set()
    token = _RECORD.set(accesses)
    try:
        yield accesses
    finally:
        _RECORD.reset(token)


class RecordingPort:
    """A port that adds each operation on it to the record of the current context."""

    def __init__(self, name: str, port: Any) -> None:
        self._name, self._port = name, port

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        if not callable(method):
            return method

        def record(*arguments: Any, **more: Any) -> Any:
            if (accesses := _RECORD.get()) is not None:
                operation = f"{self._name}.{name}"
                mark = COUNTER_MARK if operation == "table.add" else ""
                key = "" if self._name == "queue" else mark + str(arguments[0])
                accesses.update(Access(action, key) for action in ACTIONS[operation])
            return method(*arguments, **more)

        return record


def record_services(services: Services) -> None:
    """Wrap the ports of the services."""
    services.table = RecordingPort("table", services.table)
    services.bucket = RecordingPort("bucket", services.bucket)
    services.queue = RecordingPort("queue", services.queue)
    if services.upload_target is not None:
        services.upload_target = RecordingPort("upload_target", services.upload_target)
