"""The list of tools, kept between starts of a process so that no start imports every tool to show it.

It lies beside this module's bytecode, or in the home where that folder cannot be written, and is read only where
nothing of what it was made from has changed since.
"""

import hashlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import cache_from_source, find_spec
from pathlib import Path

from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue, ToolEntry, parse_entries, serialize_entries

log = logging.getLogger("assay")
PACKAGE = Path(__file__).parents[2]
LIBRARIES = ("pydantic", "pydantic_core")  # they make the schemas


def load_cached(home: Path) -> ToolCatalogue:
    """The catalogue of our own tools, its list read from the cache when it is first asked for.

    The signature is taken now, since a process that lives on keeps the modules it has read whatever becomes of them.
    """
    return ToolCatalogue(load=partial(load, places(home), signature()))


def places(home: Path) -> tuple[Path, ...]:
    """Where the list may lie, best first: one file for each installation."""
    installation = hashlib.sha256(str(PACKAGE).encode()).hexdigest()[:16]
    return Path(cache_from_source(__file__)).with_name("tools.json"), home / f"tools-{installation}.json"


def load(paths: Sequence[Path], current: str) -> Sequence[ToolEntry]:
    """The entries from the first path that has them as they are now; made from the tools and kept where none has."""
    for path in paths:
        if (found := read(path, current)) is not None:
            return found
    made = ToolCatalogue().entries()
    if signature() == current:  # else some tools were read before a change and some after it
        any(write(path, current, made) for path in paths)
    return made


def signature(package: Path | None = None) -> str:
    """A digest of what the list is made from: every file's name, size and time of change, Python, and pydantic."""
    facts = hashlib.sha256(sys.version.encode())
    for line in sorted(files(str(package or PACKAGE))):
        facts.update(line.encode())
    for name in LIBRARIES:
        if (spec := find_spec(name)) and spec.origin:
            facts.update(line_of(spec.origin, Path(spec.origin).stat()).encode())
    return facts.hexdigest()


def files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from files(entry.path)
            else:
                yield line_of(entry.path, entry.stat())


def line_of(path: str, stat: os.stat_result) -> str:
    return f"{path} {stat.st_size} {stat.st_mtime_ns}\n"


def read(path: Path, current: str) -> list[ToolEntry] | None:
    """The entries kept at `path`; None where there are none, or of another signature."""
    try:
        known, _, text = path.read_text(encoding="utf-8").partition("\n")
        return parse_entries(text) if known == current else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def write(path: Path, current: str, entries: Sequence[ToolEntry]) -> bool:
    """Keep the entries, whole or not at all; False where this place cannot be written."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(f"{current}\n{serialize_entries(entries)}", encoding="utf-8")
        fresh.replace(path)
    except OSError as failure:
        log.debug("the list of tools cannot be kept at %s: %s", path, failure)
        return False
    return True
