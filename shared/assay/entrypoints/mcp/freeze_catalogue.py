"""Generates the list of tools at build time, so that a process can list tools without importing them.

`python -m assay.entrypoints.mcp.freeze_catalogue OUT` writes the file that `tool_catalogue.load_catalogue` reads in a
Lambda layer; without OUT it fills the cache of this installation.
"""

import sys
from pathlib import Path

from assay.entrypoints.mcp import list_cache
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue, serialize_entries
from assay.settings import Settings


def freeze(out: Path, catalogue: ToolCatalogue | None = None) -> int:
    """Write the tools' cards to `out` and return the number of tools."""
    entries = (catalogue or ToolCatalogue()).entries()
    out.write_text(serialize_entries(entries), encoding="utf-8")
    return len(entries)


def main(arguments: list[str]) -> int:
    if arguments:
        sys.stderr.write(f"{freeze(Path(arguments[0]))} tools frozen in {arguments[0]}\n")
    else:
        list_cache.load_cached(Settings.read().home).entries()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
