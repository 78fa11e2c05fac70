"""A Jupyter notebook as markdown: its text, its code, and what that printed. https://nbformat.readthedocs.io"""

import re
from typing import Any

from assay.text.markdown_comments import without_comments
from assay.text.sanitize import sanitise

CELLS = 2_000
PRINTED = 2_000  # characters of an output
LANGUAGE = re.compile(r"[A-Za-z0-9+#-]{1,20}")
TICKS = re.compile(r"`{3,}")


def markdown(notebook: Any) -> str:
    """The cells in order; "" where `notebook` is none. Of pictures and tables only the text forms are kept."""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        return ""
    language = _language(notebook.get("metadata"))
    blocks = [block for cell in cells[:CELLS] if isinstance(cell, dict) for block in _cell(cell, language)]
    return "\n\n".join(blocks)


def _cell(cell: dict[str, Any], language: str) -> list[str]:
    source = _text(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        return [text] if (text := without_comments(source).strip()) else []
    if not source.strip():
        return []
    outputs = cell.get("outputs")
    printed = [_format_output(one) for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
    is_code = cell.get("cell_type") == "code"
    return [
        _fence_code(source, language if is_code else ""),
        *(_fence_code(text, "text") for text in printed if text.strip()),
    ]


def _format_output(output: dict[str, Any]) -> str:
    held = output.get("data")
    text = _text(output.get("text")) or _text(held.get("text/plain") if isinstance(held, dict) else "")
    return text if len(text) <= PRINTED else text[:PRINTED] + "…"


def _text(value: Any) -> str:
    """A text, or the lines that make it."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return sanitise(value) if isinstance(value, str) else ""


def _language(metadata: Any) -> str:
    told = metadata if isinstance(metadata, dict) else {}
    for place, name in (("language_info", "name"), ("kernelspec", "language")):
        said = told.get(place)
        language = said.get(name) if isinstance(said, dict) else None
        if isinstance(language, str) and LANGUAGE.fullmatch(language):
            return language.lower()
    return "python"


def _fence_code(text: str, language: str) -> str:
    mark = "`" * (max((len(found) for found in TICKS.findall(text)), default=2) + 1)
    body = text.strip("\n")
    return f"{mark}{language}\n{body}\n{mark}"
