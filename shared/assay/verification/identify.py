"""What a citation names: a DOI, an address, or a work in words."""

import re

from assay.bibliography import doi
from assay.evaluation import source_type
from assay.text.url_parts import split_url
from assay.verification import title_matching

ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
RESOLVERS = ("doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net")


def find_identifiers(citation: str) -> tuple[str | None, str | None]:
    """The DOI and the address that a citation holds. Of addresses only a resolver's or a journal's names a DOI: any
    page may have one in its address.
    """
    address = ADDRESS.search(citation)
    if address is None:
        return doi.normal(citation), None
    url = address[0].rstrip(".,;")
    resolver = host(url) in RESOLVERS
    kept = None if resolver else url
    if (resolver or source_type.is_journal(url)) and (found := doi.in_url(url)):
        return found, kept
    if url == citation.strip():
        return None, url
    return doi.normal(citation.replace(url, " ")), kept


def beside(citation: str, name: str, address: str | None) -> str:
    """What is said besides the DOI: its title where that can be told, else all of it."""
    rest = citation.replace(address, " ") if address else citation
    rest = ADDRESS.sub(" ", rest)
    rest = re.sub(re.escape(name), " ", rest, flags=re.IGNORECASE)
    rest = re.sub(r"\b(?:doi|https?)\b[:\s/.]*", " ", rest, flags=re.IGNORECASE)
    return title_matching.title_in(rest) or " ".join(rest.split()).strip(" .,;:()[]")


def host(url: str) -> str:
    try:
        return (split_url(url).hostname or "").lower()
    except ValueError:
        return ""
