"""Parses bibliographies in several formats or as plain text, and reports the passages that cannot be parsed."""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Literal

from assay.bibliography.work import Bibliography, CitedWork, UnparsedPassage
from assay.errors import InvalidInput

type Format = Literal["csl-json", "ris", "bibtex", "nbib", "endnote-xml", "hayagriva", "bbl", "text"]

RIS = re.compile(r"(?:^|\r)\ufeff?TY  ?-", re.MULTILINE)
BIBTEX = re.compile(r"@[ \t]*[A-Za-z][\w-]*\s{0,20}[{(]")
NBIB = re.compile(r"^PMID- ?\d", re.MULTILINE)
ENDNOTE = re.compile(r"<record[\s>]")
BBL = re.compile(r"\\begin\{thebibliography\}|^\s*\\bibitem\b", re.MULTILINE)
HAYAGRIVA = re.compile(
    r"^[^\s#:{}\[\]][^:\n]{0,200}:[ \t]*(?:#[^\n]*)?\n[ \t]+(?:type|title|author|editor|date|parent|url):(?:\s|$)",
    re.MULTILINE,
)
SIGNS: tuple[tuple[re.Pattern[str], Format], ...] = (
    (RIS, "ris"),
    (NBIB, "nbib"),
    (BBL, "bbl"),
    (BIBTEX, "bibtex"),
    (HAYAGRIVA, "hayagriva"),
)
PARSERS: dict[Format, tuple[str, str]] = {
    "csl-json": ("csl_json", "parse_csl_json"),
    "ris": ("ris", "parse_ris"),
    "bibtex": ("bibtex_fields", "parse_bibtex"),
    "nbib": ("medline", "parse_medline"),
    "endnote-xml": ("endnote_xml", "parse_endnote_xml"),
    "hayagriva": ("hayagriva", "parse_hayagriva"),
    "bbl": ("bibitems", "parse_bibitems"),
    "text": ("plain_list", "parse_plain_list"),
}
HEAD = 100_000  # characters that show the format
NUMBERED = re.compile(r"[\ufeff\s]*\[\s*\d{1,4}\s*\]")  # begins a printed list, not a JSON array
MAX_WORKS = 10_000  # per document


def parse_bibliography(text: str, format: Format | None = None, *, limit: int = MAX_WORKS) -> Bibliography:  # noqa: A002  # the tools' field name
    """Parse a bibliography into its first `limit` works, in document order; `total` counts all entries.

    With `format` None the format is detected. Macro expansion is bounded, nothing is fetched, and the time is linear in
    the length of the text. Raises InvalidInput if the format is not recognized.
    """
    detected = format or detect_format(text)
    entries, unread, total = _find_parser(detected)(text.replace("\r\n", "\n").replace("\r", "\n"), limit)
    return Bibliography(detected, tuple(entries), tuple(unread), total)


def detect_format(text: str) -> Format:
    """Detect the format of a document from its content. Raises InvalidInput if it is none of these."""
    first = text.lstrip("\ufeff \t\r\n")[:1]
    if first in ("[", "{") and not NUMBERED.match(text):
        return "csl-json"
    if first == "<" and ENDNOTE.search(text, 0, HEAD):
        return "endnote-xml"
    if found := next((name for pattern, name in SIGNS if pattern.search(text)), None):
        return found
    from assay.bibliography.plain_list import is_reference_list

    if is_reference_list(text):
        return "text"
    raise InvalidInput(
        "The bibliography is neither CSL-JSON (a list of items), nor RIS (lines such as `TY  - JOUR`), nor BibTeX "
        "(`@article{…}`), nor an export of PubMed (`PMID- …`) or EndNote (XML), nor Hayagriva (YAML), "
        "nor `thebibliography` of LaTeX, nor a list of references with years or DOIs. "
        "Name its format, or send entries.",
        field="bibliography",
    )


def _find_parser(name: Format) -> Callable[[str, int], tuple[list[CitedWork], list[UnparsedPassage], int]]:
    """Return the parser of one format; the modules of the others are not imported."""
    module, function = PARSERS[name]
    parser: Callable[[str, int], tuple[list[CitedWork], list[UnparsedPassage], int]] = getattr(
        import_module(f"assay.bibliography.{module}"), function
    )
    return parser
