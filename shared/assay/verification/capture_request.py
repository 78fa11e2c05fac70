"""One request to archive a page: its state while it runs, and its result."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from assay.errors import ToolError
from assay.providers.wayback import Snapshot, Wayback
from assay.state.json_documents import Document

RECAPTURE_SECONDS = 300  # seconds in which a captured page is not captured again
PENDING_TTL = 1_800  # seconds during which a pending capture is polled instead of restarted
SINCE_TTL = 30 * 86_400  # seconds that a request with `since` is remembered
CLOCK_SKEW = 90  # tolerated clock difference between the archive and this host, in seconds

# Makes a context manager from the seconds that it may wait.
type AcquireSlot = Callable[[float], AbstractAsyncContextManager[Any]]
type Status = Literal["archived", "existing", "pending", "unavailable"]


class ArchiveResult(NamedTuple):
    """The result of an archive request. Only `archived` means a fresh capture; times are RFC 3339.

    `is_own_capture`: this deployment requested the capture, in this call or an earlier one.
    """

    status: Status
    snapshot_url: str | None = None
    archived_at: str | None = None
    http_status: int | None = None
    reason: str | None = None
    poll_url: str | None = None
    provenance: tuple[str, ...] = ()
    is_own_capture: bool = False


@dataclass
class CaptureRequest:
    """The state of one archive request."""

    url: str
    wayback: Wayback
    began: float  # wall clock; taken over from an earlier process that may have died
    until: float  # event loop clock
    pauses: Sequence[float]
    poll: float
    acquire_slot: AcquireSlot
    since: float | None  # a capture begun after this time satisfies the request
    report_step: Callable[[str], Awaitable[None]]
    status: int = 0
    fault: ToolError | None = None
    job: str | None = None
    index_failed: bool = False  # the archive's index did not answer
    requests_sent: int = 0  # requests sent to Save Page Now
    is_requested_elsewhere: bool = False  # another call is requesting the same capture
    notes: list[str] = field(default_factory=list)

    def record_status(self, status: int) -> None:
        self.status = status

    def is_usable(self, row: Document, now: float) -> bool:
        """Return whether the stored row belongs to this request or is recent enough to serve it."""
        if self.since is not None and row["began"] >= self.since:
            return True
        return bool(
            now - (row["at"] if "at" in row else row["began"])
            < (RECAPTURE_SECONDS if "snapshot" in row else PENDING_TTL)
        )

    def expires_at(self, now: float, seconds: float) -> float:
        """Return the expiry time of a row that is kept for `seconds`."""
        return now + (seconds if self.since is None else SINCE_TTL)

    @property
    def left(self) -> float:
        return self.until - asyncio.get_running_loop().time()

    def is_fresh(self, snapshot: Snapshot | None) -> bool:
        moment = snapshot.moment if snapshot else None
        return moment is not None and moment.timestamp() >= self.began - CLOCK_SKEW
