"""A cited work, independent of its notation: CSL-JSON types, plain text, complete or partial ISO 8601 dates."""

import re
from dataclasses import dataclass

from assay.bibliography import doi as dois
from assay.bibliography.identifiers import identify_url
from assay.bibliography.person_names import Name
from assay.text.url_text import add_scheme, trim_url
from assay.text.user_info import remove_prose_user_info, remove_url_user_info

SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")
RESOLVER = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/", re.IGNORECASE)
LINK = re.compile(r"https?://[^\s{}<>\"\\]+", re.IGNORECASE)
ET_AL = "et al."
LONGEST = 20_000  # characters read of a value


@dataclass(frozen=True)
class CitedWork:
    """One entry. `kind` is a CSL type; `number` (of the entry) and `line` (where it begins) count from 1.

    `doi` is bare and lower case; "" means not stated. `unread` lists, as sentences, what was not understood.
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
    place: str = ""  # of the event or the publisher
    arxiv_id: str = ""
    pmid: str = ""  # of PubMed
    pmcid: str = ""  # of PubMed Central, with "PMC"
    is_author_list_cut: bool = False  # the list ends in "and others" or "et al."
    printed: str = ""  # the reference as printed, if the fields were found in it by the parser of references
    key: str = ""
    number: int = 0
    line: int = 0
    unread: tuple[str, ...] = ()

    @property
    def printed_authors(self) -> tuple[str, ...]:
        """The names as `Family, Given`, which leaves no doubt about their parts; "et al." ends a list that is cut."""
        names = tuple(name.format_inverted() for name in self.authors)
        return (*names, ET_AL) if self.is_author_list_cut and names else names


@dataclass(frozen=True)
class UnparsedPassage:
    """A passage that is not an entry, or a malformed one: its first line number, an excerpt and the reason."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True)
class Bibliography:
    """A parsed bibliography. `total` also counts the entries beyond the requested number."""

    format: str
    entries: tuple[CitedWork, ...]
    unread: tuple[UnparsedPassage, ...] = ()
    total: int = 0


def is_recognized(work: CitedWork) -> bool:
    """Whether a passage has what names a work: a title, an identifier or an address."""
    return any((work.title, work.doi, work.url, work.arxiv_id, work.pmid, work.pmcid, work.isbn))


def collapse_spaces(text: str) -> str:
    """Replace line breaks and control characters by spaces; the text is cut at `LONGEST` characters."""
    return SPACE.sub(" ", text[:LONGEST]).strip()


def cut_excerpt(text: str) -> str:
    line = collapse_spaces(remove_prose_user_info(text[:400]))
    return line if len(line) <= 80 else line[:79] + "…"


def normalize_identifiers(doi: str, url: str) -> tuple[str, str, tuple[str, ...]]:
    """Normalize a stated DOI and URL; return the bare DOI, the http(s) URL and notes on invalid ones.

    The URL is without user name and password, since references are published.
    """
    doi, url, notes = collapse_spaces(doi), collapse_spaces(url).strip("<> "), []
    bare = dois.normalize(doi) if doi else None
    if doi and bare is None:
        notes.append(f"This is not a DOI: {cut_excerpt(doi)}")
    link = LINK.match(add_scheme(url))
    if url and link is None:
        notes.append(f"This is not a web address: {cut_excerpt(url)}")
    address = remove_url_user_info(trim_url(link[0])) if link else ""
    if bare is None and RESOLVER.match(address):
        bare = dois.find_in_url(address)
    return bare or "", address, tuple(notes)


def find_arxiv_id(url: str) -> str:
    """Return the arXiv id that a URL names, "" if it names none."""
    found = identify_url(url) if url else None
    return found.value if found and found.kind == "arxiv" else ""


def format_partial_date(parts: list[int]) -> str:
    """Format [2024, 5, 1] as `2024-05-01`; invalid month or day parts are left out."""
    if not parts or not 0 < parts[0] <= 9999:
        return ""
    date = f"{parts[0]:04}"
    if len(parts) > 1 and 1 <= parts[1] <= 12:
        date += f"-{parts[1]:02}"
        if len(parts) > 2 and 1 <= parts[2] <= 31:
            date += f"-{parts[2]:02}"
    return date
