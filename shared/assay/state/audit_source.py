"""Port: where the audit events are read that are delivered to the operator's webhook."""

from typing import Any, NamedTuple, Protocol

from assay.state.json_documents import Document


class AuditBatch(NamedTuple):
    """Events in their order, the position after them, and how many before them are no longer there."""

    events: list[dict[str, Any]]
    position: Document
    missing: int = 0


class AuditSource(Protocol):
    """The audit events that this installation has written."""

    async def read_batch(self, position: Document, most: int, max_bytes: int) -> AuditBatch:
        """Return the next events after the position ({} is the beginning), at most `most` and about `max_bytes`."""
        ...

    async def forget(self, batch: AuditBatch) -> None:
        """Delete what only waited for this delivery."""
        ...
