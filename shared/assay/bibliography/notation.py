"""Parses bibliographies in CSL-JSON, RIS, BibTeX or plain text, and reports the passages that cannot be parsed."""

import re
from collections.abc import Callable
from typing import Literal

from assay.bibliography.work import Bibliography, CitedWork, UnparsedPassage
from assay.errors import InvalidInput

type Format = Literal["csl-json", "ris", "bibtex", "text"]

RIS = re.compile(r"(?:^|\r)\ufeff?TY  ?-", re.MULTILINE)
BIBTEX = re.compile(r"@[ \t]*[A-Za-z][\w-]*\s{0,20}[{(]")
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
    if first in ("[", "{"):
        return "csl-json"
    if RIS.search(text):
        return "ris"
    if BIBTEX.search(text):
        return "bibtex"
    from assay.bibliography.plain_list import is_reference_list

    if is_reference_list(text):
        return "text"
    raise InvalidInput(
        "The bibliography is neither CSL-JSON (a list of items), nor RIS (lines such as `TY  - JOUR`), nor BibTeX "
        "(`@article{…}`), nor a list of references with years or DOIs. Name its format, or send entries.",
        field="bibliography",
    )


def _find_parser(name: Format) -> Callable[[str, int], tuple[list[CitedWork], list[UnparsedPassage], int]]:
    """Return the parser of one format; the other parsers are not imported."""
    if name == "ris":
        from assay.bibliography import ris

        return ris.parse_ris
    if name == "bibtex":
        from assay.bibliography import bibtex_fields

        return bibtex_fields.parse_bibtex
    if name == "text":
        from assay.bibliography import plain_list

        return plain_list.parse_plain_list
    from assay.bibliography import csl_json

    return csl_json.parse_csl_json
