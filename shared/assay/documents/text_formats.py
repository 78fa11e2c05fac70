"""Parsers for plain text, with captions of videos, JSON (RFC 8259), with notebooks, and CSV (RFC 4180)."""

import csv
import json
import re
from io import StringIO

from assay.documents.cell_markdown import format_cell
from assay.documents.document import Document, truncate_text
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.office_emphasis import strip_foreign_marks
from assay.text.captions import build_paragraphs, format_paragraph, parse_cues
from assay.text.code_fence import fence_code
from assay.text.decode import decode
from assay.text.notebook import render_notebook
from assay.text.strict_json import refuse_constant

ROWS = 1_000  # maximum number of rows shown
SNIFFED = 50  # lines
DELIMITERS = ",\t;|"
PRETTY = 1_000_000  # characters; longer JSON is not indented
SHORT = 100  # characters; shorter JSON is not indented
PIECES = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
STRAY = "Some bytes are no text in any encoding the file may be in; they show as \ufffd."


def prepare() -> None:
    """Import nothing: this parser has no late imports."""


def parse(body: bytes, kind: str) -> Document:
    """Convert text, JSON or CSV to Markdown; bytes that cannot be decoded are noted."""
    text = decode(body, "utf-8")  # mostly valid UTF-8 is treated as UTF-8 with errors
    notes = (STRAY,) if "\ufffd" in text and "\ufffd".encode() not in body else ()
    document = {"json": _format_json, "csv": _format_csv}.get(kind, _read_text)(text)
    return Document(
        document.kind, document.markdown, truncated=document.truncated, notes=(*notes, *document.notes)
    )  # fmt: skip


def _read_text(text: str) -> Document:
    paragraphs = build_paragraphs(parse_cues(text))
    markdown, was_cut = truncate_text("\n\n".join(map(format_paragraph, paragraphs)) or text)
    return Document("text", markdown, truncated=was_cut)


def _format_json(text: str) -> Document:
    """Put JSON in a fenced block; a single long line is indented, with numbers and strings unchanged.

    Of a Jupyter notebook, the cells are shown.
    """
    problem = _describe_problem(text)
    if problem:
        document = _read_text(text)
        return Document("json", document.markdown, truncated=document.truncated, notes=(problem,))
    if '"nbformat"' in text and (cells := render_notebook(json.loads(text))):
        markdown, was_cut = truncate_text(cells)
        return Document("json", markdown, truncated=was_cut)
    text = text.strip()
    if "\n" not in text and SHORT < len(text) <= PRETTY:
        text = _indent(text)
    text, was_cut = truncate_text(text)
    return Document("json", fence_code(text, "json"), truncated=was_cut)


def _describe_problem(text: str) -> str:
    """The reason why the text is not valid JSON, "" if it is valid."""
    try:
        json.loads(text, parse_constant=refuse_constant, parse_int=len, parse_float=len)
    except RecursionError:
        return "The JSON is nested too deeply to be checked; it is shown as it came."
    except ValueError as failure:
        return f"This is not valid JSON ({failure}); it is shown as it came."
    return ""


def _indent(text: str) -> str:
    lines, line, depth = [], "", 0
    for piece in PIECES.findall(text):
        if piece in "}]":
            depth -= 1
        if piece in "}]" and line.strip() not in {"{", "["} and not line.endswith(("{", "[")):
            lines.append(line)
            line = "  " * depth
        line += piece + (" " if piece == ":" else "")
        if piece in "{[":
            depth += 1
        if piece in "{[,":
            lines.append(line)
            line = "  " * depth
    return "\n".join([*lines, line])


def _format_csv(text: str) -> Document:
    """Convert CSV to a table of the first rows; plain text if it cannot be parsed."""
    try:
        rows = csv.reader(StringIO(text, newline=""), delimiter=_detect_delimiter(text))
        shown, count = [], 0
        for row in rows:
            count += any(row)
            if count <= ROWS and any(row):
                shown.append(row)
    except csv.Error as failure:
        document = _read_text(text)
        return Document("csv", document.markdown, truncated=document.truncated, notes=(f"No table: {failure}.",))
    cells = [[format_cell(strip_foreign_marks(cell)) for cell in row[:COLUMNS]] for row in shown]
    markdown, was_cut = truncate_text(format_table(cells))
    width = max((place for row in shown for place, cell in enumerate(row, 1) if cell), default=0)
    notes = {
        f"The first {ROWS:,} of {count:,} rows are shown.": count > ROWS,
        f"The first {COLUMNS:,} of {width:,} columns are shown.": width > COLUMNS,
    }
    told = tuple(note for note, applies in notes.items() if applies)
    return Document("csv", markdown, truncated=was_cut or bool(told), notes=told)


def _detect_delimiter(text: str) -> str:
    """Guess the delimiter: the one that splits the first lines into most columns, consistently."""
    lines = [line for line in text[:100_000].splitlines()[:SNIFFED] if line.strip()]
    best, found = 0.0, ","
    for delimiter in DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(widths), key=widths.count, default=1)
        score = (usual - 1) * widths.count(usual) / max(1, len(widths))
        if score > best:
            best, found = score, delimiter
    return found
