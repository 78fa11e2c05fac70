"""Text, JSON and CSV: kept as they are, made readable where that costs nothing."""

import csv
import json
import re
from io import StringIO

from assay.documents.document import Document, cut
from assay.documents.gfm_table import gfm
from assay.text.decode import decode
from assay.text.strict_json import refuse_constant

ROWS = 1_000
SNIFFED = 50  # lines
DELIMITERS = ",\t;|"
PRETTY = 1_000_000  # letters; a longer one is kept as it came
SHORT = 100  # letters that stay on one line
PIECES = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
STRAY = "Some bytes are no text in any encoding the file may be in; they show as \ufffd."


def prepare() -> None:
    """Nothing is imported late."""


def parse(body: bytes, kind: str) -> Document:
    text = decode(body, "utf-8")  # what is nearly UTF-8 is UTF-8 with accidents
    notes = (STRAY,) if "\ufffd" in text and "\ufffd".encode() not in body else ()
    document = {"json": _json, "csv": _csv}.get(kind, _text)(text)
    return Document(
        document.kind, document.markdown, truncated=document.truncated, notes=(*notes, *document.notes)
    )  # fmt: skip


def _text(text: str) -> Document:
    markdown, was_cut = cut(text)
    return Document("text", markdown, truncated=was_cut)


def _json(text: str) -> Document:
    """In a fence; a single long line is broken and indented, every number and string left as it is written."""
    problem = _problem(text)
    if problem:
        document = _text(text)
        return Document("json", document.markdown, truncated=document.truncated, notes=(problem,))
    text = text.strip()
    if "\n" not in text and SHORT < len(text) <= PRETTY:
        text = _indent(text)
    text, was_cut = cut(text)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return Document("json", f"{fence}json\n{text}\n{fence}", truncated=was_cut)


def _problem(text: str) -> str:
    """Why it is not JSON, "" when it is."""
    try:
        json.loads(text, parse_constant=refuse_constant, parse_int=len, parse_float=len)
    except RecursionError:
        return "The JSON is nested too deeply to be checked; it is shown as it came."
    except ValueError as wrong:
        return f"This is not valid JSON ({wrong}); it is shown as it came."
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


def _csv(text: str) -> Document:
    """A table of the first rows. Text when it is no table, or a field never ends."""
    try:
        rows = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text))
        shown, count = [], 0
        for row in rows:
            count += any(row)
            if count <= ROWS and any(row):
                shown.append(row)
    except csv.Error as wrong:
        document = _text(text)
        return Document("csv", document.markdown, truncated=document.truncated, notes=(f"No table: {wrong}.",))
    markdown, was_cut = cut(gfm(shown))
    notes = (f"The first {ROWS:,} of {count:,} rows are shown.",) if count > ROWS else ()
    return Document("csv", markdown, truncated=was_cut or count > ROWS, notes=notes)


def _delimiter(text: str) -> str:
    """The one that cuts the first lines into most columns, equally many in each."""
    lines = [line for line in text[:100_000].splitlines()[:SNIFFED] if line.strip()]
    best, found = 0.0, ","
    for delimiter in DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(widths), key=widths.count, default=1)
        score = (usual - 1) * widths.count(usual) / max(1, len(widths))
        if score > best:
            best, found = score, delimiter
    return found
