"""Finds what identifies the work in a citation: a DOI or a URL."""

import re

from assay.bibliography import doi
from assay.bibliography.identifiers import identify
from assay.evaluation import source_type
from assay.text.url_parts import split_url
from assay.text.url_text import add_scheme, find_url
from assay.verification import title_matching
from assay.verification.citation_notes import IDENTIFIER, remove_notes

URL = re.compile(r"https?://\S+", re.IGNORECASE)
ARXIV = re.compile(
    r"\barxiv(?:\.org/(?:abs|pdf)/|\s*:\s*)((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)", re.IGNORECASE
)
OLD_ARXIV = re.compile(r"([a-z]+(?:-[a-z]+)?(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)")  # alone; new ones look like numbers
RESOLVERS = ("doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net")


def find_identifiers(citation: str) -> tuple[str | None, str | None]:
    """Return the DOI and the URL in a citation, each None if absent.

    A DOI inside a URL counts only if the host is a resolver or a journal, since any page's URL may contain one.
    """
    printed = find_url(citation)
    if printed is None:
        return doi.normalize(citation) or _find_arxiv_doi(citation), None
    url = add_scheme(printed)
    resolver = host_of(url) in RESOLVERS
    link = None if resolver else url
    if (resolver or source_type.is_journal(url)) and (name := doi.find_in_url(url)):
        return name, link
    return doi.normalize(citation.replace(printed, " ")) or _find_arxiv_doi(citation), link


def find_other_doi(citation: str, doi_name: str) -> str | None:
    """Return the first DOI of a citation other than `doi_name`; None if it has none."""
    return doi.find(re.sub(re.escape(doi_name), " ", doi.unify_spelling(citation), flags=re.IGNORECASE))


def is_url_alone(citation: str, url: str) -> bool:
    """Whether a citation has nothing but notes on access beside a URL."""
    rest = _remove_url(citation, url)
    return not has_words(remove_notes(rest)) and not IDENTIFIER.search(rest)


def _remove_url(citation: str, url: str) -> str:
    """Return a citation without a URL, which it may have without its scheme."""
    return citation.replace(url if url in citation else url.removeprefix("http://"), " ")


def _find_arxiv_doi(citation: str) -> str | None:
    """Return the DOI of the arXiv id that a citation is, or that it names with its label or as a link to arXiv."""
    labelled = ARXIV.search(citation) or OLD_ARXIV.fullmatch(citation.strip(" .,;()[]"))
    found = identify(f"arXiv:{labelled[1]}") if labelled else None
    return found.doi if found else None


def extract_remainder(citation: str, doi_name: str, url: str | None) -> str:
    """Return the citation without its DOI and URL: the title if it can be separated, else all of the remaining text."""
    rest = _remove_url(citation, url) if url else citation
    rest = doi.unify_spelling(URL.sub(" ", rest))
    rest = re.sub(re.escape(doi_name), " ", rest, flags=re.IGNORECASE)
    rest = re.sub(r"\b(?:doi|https?)\b[:\s/.]*", " ", rest, flags=re.IGNORECASE)
    return title_matching.extract_title(rest) or " ".join(rest.split()).strip(" .,;:()[]")


def has_words(text: str) -> bool:
    """Whether a text has anything beside marks."""
    return any(map(str.isalnum, text))


def host_of(url: str) -> str:
    try:
        return (split_url(url).hostname or "").lower()
    except ValueError:
        return ""
