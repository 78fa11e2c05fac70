"""Verifies the audit trail: that no line was changed, inserted, reordered or deleted, also not at its end."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.local.audit_head import CURRENT, HEAD, LOCK, list_rotated, read_head
from assay.local.audit_trail import LOST, REBUILT, lock_trail
from assay.local.sqlite_table import SqliteTable
from assay.state import json_documents
from assay.state.audit_seal import Head, parse_line
from assay.state.ports import Conflict, TableStore

CHECKPOINT = "audit-checkpoint"
MAX_PROBLEMS = 20
LOCK_SECONDS = 30.0  # to wait for the writers, which hold the lock for less than a millisecond each


def note_creation(table: SqliteTable, stream: str) -> None:
    """Make the beginning of the stream the first checkpoint, unless there is one, so that a replacement is detected."""
    document = {"stream": stream, "number": 0, "seal": ""}
    with suppress(Conflict):
        table.put_alone(CHECKPOINT, "-", json_documents.encode(document), expect=0)


async def verify_trail(home: Path, keys: Sequence[bytes], table: TableStore) -> dict[str, Any]:
    """Verify the trail and return the report. A trail that is intact becomes the checkpoint of later verifications."""
    checkpoint = await json_documents.load(table, CHECKPOINT)
    check = _TrailCheck(keys, checkpoint)
    with lock_trail(home / LOCK, LOCK_SECONDS):
        head = read_head(keys, home / HEAD)
        files = [*list_rotated(home), *([home / CURRENT] if (home / CURRENT).exists() else [])]
        opened = [(path.name, path.open("rb"), path.stat().st_size) for path in files]
    for name, file, size in opened:
        with file:
            check.read_lines(name, _cut(file, size), head)
    check.finish(head)
    report = {
        "intact": not check.problems,
        "events": check.events,
        "first": check.first,
        "last": check.number,
        "lost": check.lost,
        "checkpoint": f"{check.number}:{check.seal}",
        "problems": check.problems,
    }
    if report["intact"] and check.events:
        document = {"stream": check.stream, "number": check.number, "seal": check.seal}
        await json_documents.save(table, CHECKPOINT, "-", document)
    return report


def _cut(file: Any, size: int) -> Iterator[bytes]:
    """Yield the lines of the first `size` bytes, without half a line at the end, which its writer died over."""
    read = 0
    for line in file:
        read += len(line)
        if read > size or not line.endswith(b"\n"):
            return
        yield line


class _TrailCheck:
    """What was read of the trail so far."""

    def __init__(self, keys: Sequence[bytes], checkpoint: dict[str, Any] | None) -> None:
        self._keys, self._checkpoint = keys, checkpoint
        self.stream = self.seal = ""
        self.first = self.number = self.events = self.lost = 0
        self.problems: list[str] = []

    def add(self, problem: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def read_lines(self, name: str, lines: Any, head: Head | None) -> None:
        for count, line in enumerate(lines, 1):
            self.events += 1
            event = parse_line(self._keys, line)
            if event is None:
                self.add(f"{name}, line {count}: the line was changed, or not written by this installation.")
            else:
                self._follow(f"{name}, line {count}", event, head)

    def _follow(self, place: str, event: dict[str, Any], head: Head | None) -> None:
        number = event["number"]
        if not self.stream:
            self.stream, self.first = event["stream"], number
            before = (head.stream, head.first, head.first_after) if head else (event["stream"], 1, "")
            if (event["stream"], number, event["prev_hash"]) != before:
                self.add(f"{place}: the trail begins with event {number}, and events before it are missing.")
        elif (event["stream"], event["prev_hash"]) != (self.stream, self.seal) or number != self.number + 1:
            self.add(f"{place}: event {number} follows event {self.number}: events are missing or out of order.")
        self.number, self.seal = number, event["hash"]
        if event.get("event_type") == LOST:
            self.lost += event["metadata"]["count"]
        elif event.get("event_type") == REBUILT:
            self.add(f"{place}: the head was missing or forged; events before this one may have been deleted.")
        known = self._checkpoint
        if known and known["stream"] == self.stream and known["number"] == number and known["seal"] != self.seal:
            self.add(f"{place}: event {number} is another one than at the last verification.")

    def finish(self, head: Head | None) -> None:
        known = self._checkpoint
        if head is None:
            if self.events or known:
                self.add("audit.head is missing or forged, so events at the end may have been deleted.")
        elif self.number < head.number or (self.number == head.number and self.seal != head.seal):
            self.add(f"The trail ends with event {self.number}, but {head.number} were written.")
        if known and ((head and head.stream != known["stream"]) or (head.number if head else 0) < known["number"]):
            seen = (
                f"The last verification saw event {known['number']}" if known["number"] else "Another trail was begun"
            )
            self.add(f"{seen}; the trail was replaced or set back.")
