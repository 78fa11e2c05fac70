"""The audit trail of this machine: sealed lines in a file, which is rotated by size and age and deleted by age.

All processes write to one trail, one after the other under a lock of the operating system. An event that cannot be
written at once waits in memory; what does not fit there is counted, and the count becomes an event.
"""

import logging
import os
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from assay.errors import ToolError
from assay.local.audit_head import CURRENT, HEAD, LOCK, ROTATED, list_rotated, read_head, read_last_line, write_head
from assay.state.audit import Call
from assay.state.audit_seal import Head, parse_line, seal_line

log = logging.getLogger("assay")
WAIT_SECONDS = 0.5  # the longest time for which an event waits for other writers before it stays in memory
CHECK_SECONDS = 3_600.0  # between two deletions of old files
AGE_PARTS = 6  # a file is rotated after a sixth of the retention, so that events go soon after their time
LOST, REBUILT = "audit.lost", "audit.head_missing"


class AuditTrail:
    """An observer that appends sealed events to the trail in `home`."""

    def __init__(
        self,
        home: Path,
        load_keys: Callable[[], Sequence[bytes]],
        *,
        max_bytes: int,
        retention_seconds: float,
        buffer: int,
        clock: Callable[[], float] = time.time,
        note_creation: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._home, self._load_keys, self._clock = home, load_keys, clock
        self._path, self._head_path, self._lock_path = home / CURRENT, home / HEAD, home / LOCK
        self._max_bytes, self._retention, self._buffer = max_bytes, retention_seconds, buffer
        self._note_creation = note_creation  # notes the stream of a new trail outside of it
        self._waiting: deque[dict[str, Any]] = deque()
        self._lost = 0
        self._lock, self._count_lock = Lock(), Lock()
        self._next_check = 0.0
        self._written: tuple[bytes, Head] | None = None  # the content and the head that were last written

    def __call__(self, call: Call) -> None:
        if len(self._waiting) < self._buffer:
            self._waiting.append(call.event())
        else:
            with self._count_lock:
                self._lost += 1
        self.flush()

    def flush(self) -> None:
        """Write the waiting events, unless other writers or the disk prevent it: then they go on waiting."""
        if not self._lock.acquire(timeout=WAIT_SECONDS):
            return  # the thread that has the lock, the next event or the end of the services writes this one
        try:
            if self._waiting or self._lost:
                self._write()
        except (OSError, ToolError) as failure:
            log.warning(
                "The audit trail in %s cannot be written: %s. %d events wait, %d are lost.",
                self._home,
                failure,
                len(self._waiting),
                self._lost,
            )
        finally:
            self._lock.release()

    def _write(self) -> None:
        if not os.path.isdir(self._home):  # noqa: PTH112  # each call does this
            self._home.mkdir(parents=True, mode=0o700, exist_ok=True)
        keys = self._load_keys()
        with lock_trail(self._lock_path):
            head, is_rebuilt = self._find_head(keys)
            count, lost = len(self._waiting), self._lost
            events = [self._waiting[number] for number in range(count)]  # other threads append meanwhile
            if is_rebuilt:
                events.insert(0, self._build_notice(REBUILT))
            if lost:
                events.append(self._build_notice(LOST, count=lost))
            self._append(keys, self._tidy(keys, head), events)
            for _ in range(count):
                self._waiting.popleft()
            with self._count_lock:
                self._lost -= lost

    def _append(self, keys: Sequence[bytes], head: Head, events: list[dict[str, Any]]) -> None:
        """Append the events and write the new head; a failure leaves the trail as it was."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            state = os.fstat(descriptor)
            if os.name == "posix" and state.st_mode & 0o077:  # an earlier version, or another program
                os.fchmod(descriptor, 0o600)
            size, lines = state.st_size, []
            head = head._replace(size=size, began=head.began or self._clock())
            for event in events:
                line, head = seal_line(keys, head, event)
                lines.append(line)
            try:
                rest = b"".join(lines)
                while rest:  # a write may be partial
                    rest = rest[os.write(descriptor, rest) :]
                self._written = write_head(keys, self._head_path, head)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)

    def _find_head(self, keys: Sequence[bytes]) -> tuple[Head, bool]:
        """Return the head of the files as they are, and whether it was missing although there are sealed lines."""
        path = self._path
        try:
            size = os.stat(path).st_size  # noqa: PTH116  # each call does this
        except FileNotFoundError:
            size = 0
        head = read_head(keys, self._head_path, self._written)
        if head is not None:
            return (self._read_on(keys, head, path) if size > head.size else head), False
        rotated = list_rotated(self._home)
        last = read_last_line(path) if size else b""
        event = parse_line(keys, last) or next((parse_line(keys, read_last_line(each)) for each in rotated[::-1]), None)
        if event is None:
            if size:  # written by an earlier version, without seals
                path.rename(self._home / f"audit.unsealed-{secrets.token_hex(4)}.jsonl")
            head = Head(secrets.token_hex(8))
            self._note_creation(head.stream)
            return head, bool(rotated)
        head = Head(event["stream"], event["number"], event["hash"], size, self._clock())
        return head, True

    def _read_on(self, keys: Sequence[bytes], head: Head, path: Path) -> Head:
        """Return the head after the lines of a writer that died before it wrote the head; cut off half a line."""
        with path.open("rb+") as file:
            file.seek(head.size)
            for line in file:
                event = parse_line(keys, line)
                if event is None or event["prev_hash"] != head.seal:
                    break
                head = head._replace(number=event["number"], seal=event["hash"], size=head.size + len(line))
            if read_last_line(path) == b"" or not line.endswith(b"\n"):
                file.truncate(head.size)
            else:  # foreign lines stay, as evidence
                head = head._replace(size=file.seek(0, os.SEEK_END))
        return head

    def _tidy(self, keys: Sequence[bytes], head: Head) -> Head:
        """Rotate the current file if it is full or old, and delete what is older than the retention."""
        now = self._clock()
        is_old = bool(self._retention and head.began) and now - head.began > self._retention / AGE_PARTS
        if head.size and (head.size > self._max_bytes or is_old) and self._path.exists():
            self._path.rename(self._home / ROTATED.format(head.number))
            head = head._replace(size=0, began=0.0)
            self._written = write_head(keys, self._head_path, head)
        elif now < self._next_check:
            return head
        self._next_check = now + CHECK_SECONDS
        for path in list_rotated(self._home) if self._retention else ():
            if path.stat().st_mtime >= now - self._retention:
                break
            event = parse_line(keys, read_last_line(path))
            if event is None:
                break  # a changed file stays, as evidence
            head = head._replace(first=event["number"] + 1, first_after=event["hash"])
            # First, because a missing file is evidence unless the head says so.
            self._written = write_head(keys, self._head_path, head)
            path.unlink()
        return head

    def _build_notice(self, kind: str, **metadata: int) -> dict[str, Any]:
        at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")
        return {"timestamp": at, "event_type": kind, "metadata": metadata}


@contextmanager
def lock_trail(path: Path, seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of all processes on the trail. Raises BlockingIOError if others hold it too long."""
    try:
        import fcntl
    except ImportError:  # Windows: threads of one process have a lock of their own
        yield
        return
    until, pause = time.monotonic() + seconds, 0.0005
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
                time.sleep(pause)
        yield
    finally:
        os.close(descriptor)  # which gives the lock back
