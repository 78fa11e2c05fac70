"""Reads the audit trail of this machine on from a position, for its delivery to the operator's webhook."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from assay.local.audit_head import CURRENT, LOCK, list_rotated
from assay.local.audit_trail import lock_trail
from assay.state.audit_seal import parse_line
from assay.state.audit_source import AuditBatch
from assay.state.json_documents import Document


class AuditFiles:
    """audit_source.AuditSource over the files in `home`. A position names the last event and where its line begins."""

    def __init__(self, home: Path, load_keys: Callable[[], Sequence[bytes]]) -> None:
        self._home, self._load_keys = home, load_keys

    async def read_batch(self, position: Document, most: int, max_bytes: int) -> AuditBatch:
        import asyncio

        return await asyncio.to_thread(self._read, position, most, max_bytes)

    async def forget(self, batch: AuditBatch) -> None:
        """Keep the events, because the trail is deleted by age alone."""

    def _read(self, position: Document, most: int, max_bytes: int) -> AuditBatch:
        batch = AuditBatch([], position)
        if not (self._home / CURRENT).exists():
            return batch
        keys, size = self._load_keys(), 0
        with ExitStack() as stack:
            with lock_trail(self._home / LOCK):
                paths = [*list_rotated(self._home), *([path] if (path := self._home / CURRENT).exists() else [])]
                files = [stack.enter_context(path.open("rb")) for path in paths]
            for place, line in _iter_lines(keys, files, position):
                event = parse_line(keys, line)
                if event is None or not (missing := _count_step(batch.position, event)):
                    continue
                size += len(line)
                if batch.events and (len(batch.events) == most or size > max_bytes):
                    break
                reached = {"stream": event["stream"], "number": event["number"], "place": place}
                batch = AuditBatch([*batch.events, event], reached, batch.missing + missing - 1)
        return batch


def _count_step(position: Document, event: dict[str, Any]) -> int:
    """Return by how many events this one follows the position, 0 for one that does not."""
    before = position.get("number", 0) if position.get("stream") == event["stream"] else 0
    return max(0, int(event["number"] - before))


def _iter_lines(
    keys: Sequence[bytes], files: Sequence[BinaryIO], position: Document
) -> Iterator[tuple[list[int], bytes]]:
    """Yield the complete lines, from the one at the position on if it is still there, with the place of each."""
    first, offset = _find_line(keys, files, position)
    for file in files[first:]:
        file.seek(offset)
        for line in file:
            if not line.endswith(b"\n"):
                break
            yield [_identify(file), offset], line
            offset += len(line)
        offset = 0


def _find_line(keys: Sequence[bytes], files: Sequence[BinaryIO], position: Document) -> tuple[int, int]:
    """Return the file and the offset of the line at the position; the beginning if the line is elsewhere now."""
    identity, offset = position.get("place", (0, 0))
    for index, file in enumerate(files):
        if _identify(file) == identity:
            file.seek(offset)
            event = parse_line(keys, file.readline())
            if event and (event["stream"], event["number"]) == (position["stream"], position["number"]):
                return index, offset
    return 0, 0


def _identify(file: BinaryIO) -> int:
    """Return what stays the same when the file is renamed."""
    return os.fstat(file.fileno()).st_ino
