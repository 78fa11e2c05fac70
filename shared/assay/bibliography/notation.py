"""Bibliographies read: CSL-JSON, RIS and BibTeX to works, with what could not be read and where it stands."""

import re
from collections.abc import Callable
from typing import Literal

from assay.bibliography.work import Bibliography, CitedWork, Unread
from assay.errors import InvalidInput

type Format = Literal["csl-json", "ris", "bibtex"]

RIS = re.compile(r"(?:^|\r)\ufeff?TY  ?-", re.MULTILINE)
BIBTEX = re.compile(r"@[ \t]*[A-Za-z][\w-]*\s{0,20}[{(]")
MOST = 10_000  # works of a document


def parse(text: str, format: Format | None = None, *, most: int = MOST) -> Bibliography:  # noqa: A002  # the tools' word
    """The works of a document, the first `most` of them, in its order; `total` counts all that there are.

    `format` None tells it by the text. Nothing is fetched, run or expanded without bound; the time is linear in the
    text. Raises InvalidInput where the text is in no format we read.
    """
    told = format or format_of(text)
    entries, unread, total = _reader(told)(text.replace("\r\n", "\n").replace("\r", "\n"), most)
    return Bibliography(told, tuple(entries), tuple(unread), total)


def format_of(text: str) -> Format:
    """The format a document is in, by its first signs. Raises InvalidInput."""
    begun = text.lstrip("\ufeff \t\r\n")[:1]
    if begun in ("[", "{"):
        return "csl-json"
    if RIS.search(text):
        return "ris"
    if BIBTEX.search(text):
        return "bibtex"
    raise InvalidInput(
        "The bibliography is neither CSL-JSON (a list of items), nor RIS (lines such as `TY  - JOUR`), nor BibTeX "
        "(`@article{…}`). Name its format, or send entries.",
        field="bibliography",
    )


def _reader(told: Format) -> Callable[[str, int], tuple[list[CitedWork], list[Unread], int]]:
    """The reader of one format: the others are not imported."""
    if told == "ris":
        from assay.bibliography import ris

        return ris.read
    if told == "bibtex":
        from assay.bibliography import bibtex_fields

        return bibtex_fields.read
    from assay.bibliography import csl_json

    return csl_json.read
