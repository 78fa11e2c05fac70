"""README's table of tools, written from the registry: `words.py` writes it, `words.py --check` only compares."""

import sys
from pathlib import Path

from assay.toolkit import tool_registry

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- tools: written by infra/scripts/generate_readme.py -->", "<!-- tools end -->"


def table() -> str:
    """One row a tool: its name and the first sentence of its description."""
    rows = [
        f"| `{name}` | {_first(tool_registry.find_tool(name).description)} |" for name in tool_registry.tool_names()
    ]
    return "\n".join(["| tool | what it does |", "| --- | --- |", *rows])


def _first(description: str) -> str:
    return " ".join(description.partition("\n\n")[0].split())


def written(readme: str) -> str:
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main() -> int:
    said = README.read_text()
    wanted = written(said)
    if said == wanted:
        return 0
    if "--check" in sys.argv:
        print(
            "README's tool table is behind the registry: run `uv run infra/scripts/generate_readme.py`.",
            file=sys.stderr,
        )
        return 1
    README.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
