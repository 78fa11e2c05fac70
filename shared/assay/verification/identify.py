"""Finds what identifies the work in a citation: a DOI or a URL."""

import re

from assay.bibliography import doi
from assay.evaluation import source_type
from assay.text.url_parts import split_url
from assay.verification import title_matching

URL = re.compile(r"https?://\S+", re.IGNORECASE)
RESOLVERS = ("doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net")


def find_identifiers(citation: str) -> tuple[str | None, str | None]:
    """Return the DOI and the URL in a citation, each None if absent.

    A DOI inside a URL counts only if the host is a resolver or a journal, since any page's URL may contain one.
    """
    url_match = URL.search(citation)
    if url_match is None:
        return doi.normalize(citation), None
    url = url_match[0].rstrip(".,;")
    resolver = host_of(url) in RESOLVERS
    link = None if resolver else url
    if (resolver or source_type.is_journal(url)) and (name := doi.find_in_url(url)):
        return name, link
    if url == citation.strip():
        return None, url
    return doi.normalize(citation.replace(url, " ")), link


def extract_remainder(citation: str, doi_name: str, url: str | None) -> str:
    """Return the citation without its DOI and URL: the title if it can be separated, else all of the remaining text."""
    rest = citation.replace(url, " ") if url else citation
    rest = URL.sub(" ", rest)
    rest = re.sub(re.escape(doi_name), " ", rest, flags=re.IGNORECASE)
    rest = re.sub(r"\b(?:doi|https?)\b[:\s/.]*", " ", rest, flags=re.IGNORECASE)
    return title_matching.extract_title(rest) or " ".join(rest.split()).strip(" .,;:()[]")


def host_of(url: str) -> str:
    try:
        return (split_url(url).hostname or "").lower()
    except ValueError:
        return ""
