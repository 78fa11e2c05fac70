"""Freeze the catalogue at build, so that a cold start lists the tools without importing one.

`python -m assay.doors.mcp.freeze OUT` writes the file that `catalogue.built` reads; beside that module by default.
"""

import sys
from pathlib import Path

from assay.doors.mcp.catalogue import FROZEN, Catalogue, packed


def freeze(out: Path, catalogue: Catalogue | None = None) -> int:
    """Write the tools' cards to `out`; the number of tools."""
    entries = (catalogue or Catalogue()).entries()
    out.write_text(packed(entries), encoding="utf-8")
    return len(entries)


def main(arguments: list[str]) -> int:
    out = Path(arguments[0]) if arguments else FROZEN
    sys.stderr.write(f"{freeze(out)} tools frozen in {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
