"""A cited work, whatever notation it came in: the words of CSL-JSON, plain text, dates as ISO 8601 in whole or part."""

import re
from dataclasses import dataclass

from assay.bibliography import doi as dois
from assay.bibliography.person_names import Name

SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")
RESOLVER = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/", re.IGNORECASE)
LINK = re.compile(r"https?://[^\s{}<>\"\\]+", re.IGNORECASE)
LONGEST = 20_000  # characters of a value that are read


@dataclass(frozen=True)
class CitedWork:
    """One entry. `kind` is a type of CSL; `number` counts the document's entries from 1, `line` its lines from 1.

    `doi` is bare and lower case; what is "" is not said. `unread` tells in sentences what was not understood.
    """

    kind: str = "document"
    title: str = ""
    authors: tuple[Name, ...] = ()
    date: str = ""
    container: str = ""
    publisher: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    doi: str = ""
    url: str = ""
    isbn: str = ""
    key: str = ""
    number: int = 0
    line: int = 0
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unread:
    """A stretch of a document that is no entry, or a broken one: the line it begins in, its beginning, the reason."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True)
class Bibliography:
    """What a document holds. `total` counts entries also past those that were asked for."""

    format: str
    entries: tuple[CitedWork, ...]
    unread: tuple[Unread, ...] = ()
    total: int = 0


def one_line(text: str) -> str:
    """The text without breaks and control characters, cut where nobody reads on."""
    return SPACE.sub(" ", text[:LONGEST]).strip()


def excerpt(text: str) -> str:
    line = one_line(text[:200])
    return line if len(line) <= 80 else line[:79] + "…"


def normalize_identifiers(doi: str, url: str) -> tuple[str, str, tuple[str, ...]]:
    """A DOI and an address as they are said: bare, http(s), and what cannot be one told apart."""
    doi, url, notes = one_line(doi), one_line(url).strip("<> "), []
    bare = dois.normal(doi) if doi else None
    if doi and bare is None:
        notes.append(f"This is no DOI: {excerpt(doi)}")
    link = LINK.match(url)
    if url and link is None:
        notes.append(f"This is no web address: {excerpt(url)}")
    address = link[0].rstrip(".,;") if link else ""
    if bare is None and RESOLVER.match(address):
        bare = dois.in_url(address)
    return bare or "", address, tuple(notes)


def numbered_date(parts: list[int]) -> str:
    """`2024-05-01` of [2024, 5, 1]; as much of it as is a date."""
    if not parts or not 0 < parts[0] <= 9999:
        return ""
    said = f"{parts[0]:04}"
    if len(parts) > 1 and 1 <= parts[1] <= 12:
        said += f"-{parts[1]:02}"
        if len(parts) > 2 and 1 <= parts[2] <= 31:
            said += f"-{parts[2]:02}"
    return said
