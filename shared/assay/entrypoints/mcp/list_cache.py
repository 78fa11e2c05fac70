"""Caches the list of tools on disk, so that a process can list tools without importing all of them.

The file is next to this module's bytecode, or in the home folder if that is not writable. A signature of the sources
invalidates it when they change.
"""

import hashlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache, partial
from importlib.util import cache_from_source, find_spec
from pathlib import Path

from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue, ToolEntry, parse_entries, serialize_entries

log = logging.getLogger("assay")
PACKAGE = Path(__file__).parents[2]
LIBRARIES = ("pydantic", "pydantic_core")  # they generate the schemas


def load_cached(home: Path) -> ToolCatalogue:
    """The catalogue of the package's tools, which reads its list from the cache when first needed.

    The signature is that of the first call, because a running process keeps the modules it has imported when files
    change.
    """
    return ToolCatalogue(load=partial(load, places(home), first_signature()))


def places(home: Path) -> tuple[Path, ...]:
    """The paths of the cache file for this installation, in order of preference."""
    installation = hashlib.sha256(str(PACKAGE).encode()).hexdigest()[:16]
    return Path(cache_from_source(__file__)).with_name("tools.json"), home / f"tools-{installation}.json"


def load(paths: Sequence[Path], current: str) -> Sequence[ToolEntry]:
    """Read the entries from the first path with a current copy; else build them from the tools and cache them."""
    for path in paths:
        if (cached := read(path, current)) is not None:
            return cached
    built = ToolCatalogue().entries()
    if signature() == current:  # else the sources changed while the tools were imported
        any(write(path, current, built) for path in paths)
    return built


@cache
def first_signature() -> str:
    return signature()


def signature(package: Path | None = None) -> str:
    """A digest of the list's sources: name, size and modification time of every file, and the versions of Python and
    pydantic."""
    facts = hashlib.sha256(sys.version.encode())
    for line in sorted(files(str(package or PACKAGE))):
        facts.update(line.encode())
    for name in LIBRARIES:
        if (spec := find_spec(name)) and spec.origin:
            facts.update(line_of(spec.origin, Path(spec.origin).stat()).encode())
    return facts.hexdigest()


def files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from files(entry.path)
            else:
                yield line_of(entry.path, entry.stat())


def line_of(path: str, stat: os.stat_result) -> str:
    return f"{path} {stat.st_size} {stat.st_mtime_ns}\n"


def read(path: Path, current: str) -> list[ToolEntry] | None:
    """The entries cached at `path`; None if there is no valid copy with this signature."""
    try:
        known, _, text = path.read_text(encoding="utf-8").partition("\n")
        return parse_entries(text) if known == current else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def write(path: Path, current: str, entries: Sequence[ToolEntry]) -> bool:
    """Write the entries atomically. Returns False if the path is not writable."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(f"{current}\n{serialize_entries(entries)}", encoding="utf-8")
        fresh.replace(path)
    except OSError as failure:
        log.debug("Cannot cache the list of tools at %s: %s", path, failure)
        return False
    return True
