"""A person's events in the audit files of this machine, the latest first, read from the end in bounded pages."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import InvalidInput
from assay.personal_data.namespaces import Person

BLOCK = 256 * 1024
SCANNED = 8 * 1024 * 1024  # bytes that one page looks at


class EventPage(NamedTuple):
    """Events, and the place to go on from; None at the end."""

    events: list[dict[str, Any]]
    after: str | None


def list_audit_files(home: Path) -> list[Path]:
    """The files of the trail, the oldest first."""
    current = home / "audit.jsonl"
    return sorted(home.glob("audit*.jsonl"), key=lambda path: (path == current, path.name))


def parse_event(line: bytes, person: Person) -> dict[str, Any] | None:
    """The event of the line, if it is one of the person."""
    try:
        event = json.loads(line)
    except ValueError:  # a line that a crash cut off
        return None
    is_own = isinstance(event, dict) and (event.get("tenant_id"), event.get("user_id")) == person
    return event if is_own else None


def read_latest_events(home: Path, person: Person, after: str | None, most: int) -> EventPage:
    """Return the person's latest events, or those before a place. A page may be short though there are more."""
    found: list[dict[str, Any]] = []
    scanned = 0
    for path, end in _list_from(home, after):
        for line, begin in _read_backwards(path, end):
            scanned += len(line)
            if (event := parse_event(line, person)) is not None:
                found.append(event)
            if len(found) == most or scanned >= SCANNED:
                return EventPage(found, f"{path.name}:{begin}")
    return EventPage(found, None)


def _list_from(home: Path, after: str | None) -> Iterator[tuple[Path, int]]:
    """The files from the latest on, each with where to begin, backwards. Raises InvalidInput for another place."""
    files = list_audit_files(home)[::-1]
    name, _, place = (after or "").partition(":")
    if after is not None:
        names = [path.name for path in files]
        if name not in names or not place.isascii() or not place.isdigit() or len(place) > 15:
            raise InvalidInput("`after` is not the `next` of a list. Leave it out to begin again.", field="after")
        files = files[names.index(name) :]
    for path in files:
        size = path.stat().st_size
        yield path, min(int(place), size) if path.name == name else size


def _read_backwards(path: Path, end: int) -> Iterator[tuple[bytes, int]]:
    """The lines before `end`, the last one first, each with where it begins."""
    with path.open("rb") as file:
        rest = b""
        while end > 0:
            begin = max(0, end - BLOCK)
            file.seek(begin, os.SEEK_SET)
            lines = (file.read(end - begin) + rest).split(b"\n")
            rest, place = lines[0], end + len(rest)
            for line in lines[:0:-1]:
                place -= len(line)
                yield line, place
                place -= 1  # the end of the line before
            end = begin
        if rest:
            yield rest, 0
