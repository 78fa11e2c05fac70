"""Renders a Jupyter notebook (nbformat 4) as markdown: text, code and output. https://nbformat.readthedocs.io"""

import re
from typing import Any

from assay.text.code_fence import fence_code
from assay.text.markdown_comments import without_comments
from assay.text.sanitize import sanitise

MAX_CELLS = 2_000
MAX_OUTPUT = 2_000  # characters per output
LANGUAGE = re.compile(r"[A-Za-z0-9+#-]{1,20}")


def render_notebook(notebook: Any) -> str:
    """Return the cells in order; "" if `notebook` is not one. Only the text form of outputs is kept."""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        return ""
    language = _language(notebook.get("metadata"))
    blocks = [block for cell in cells[:MAX_CELLS] if isinstance(cell, dict) for block in _render_cell(cell, language)]
    return "\n\n".join(blocks)


def _render_cell(cell: dict[str, Any], language: str) -> list[str]:
    source = _text(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        return [text] if (text := without_comments(source).strip()) else []
    if not source.strip():
        return []
    outputs = cell.get("outputs")
    printed = [_format_output(one) for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
    is_code = cell.get("cell_type") == "code"
    return [
        fence_code(source.strip("\n"), language if is_code else ""),
        *(fence_code(text.strip("\n"), "text") for text in printed if text.strip()),
    ]


def _format_output(output: dict[str, Any]) -> str:
    held = output.get("data")
    text = _text(output.get("text")) or _text(held.get("text/plain") if isinstance(held, dict) else "")
    return text if len(text) <= MAX_OUTPUT else text[:MAX_OUTPUT] + "…"


def _text(value: Any) -> str:
    """Return a text given as a string or a list of lines."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return sanitise(value) if isinstance(value, str) else ""


def _language(metadata: Any) -> str:
    sections = metadata if isinstance(metadata, dict) else {}
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        section = sections.get(key)
        language = section.get(name) if isinstance(section, dict) else None
        if isinstance(language, str) and LANGUAGE.fullmatch(language):
            return language.lower()
    return "python"
