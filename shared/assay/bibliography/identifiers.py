"""Parses identifiers of scholarly works: DOI, arXiv, PubMed, PubMed Central, OpenAlex, Semantic Scholar."""

import re
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

from assay.bibliography import doi
from assay.text.url_text import parse_http_url

type Kind = Literal["doi", "arxiv", "pmid", "pmcid", "openalex", "s2"]

NEW_ARXIV = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"  # since April 2007
OLD_ARXIV = r"[a-z]+(?:-[a-z]+)?(?:\.[A-Z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3}"  # math.GT/0309136, hep-th/9901001
ARXIV = re.compile(rf"({NEW_ARXIV}|{OLD_ARXIV})(?:v\d{{1,3}})?", re.ASCII)
ARXIV_DOI = "10.48550/arxiv."
NAMED = re.compile(r"(doi|arxiv|pmid|pmc|pmcid|openalex|s2|corpusid)\s*(?::|\s)\s*", re.IGNORECASE)
DIGITS = re.compile(r"[1-9]\d{0,9}", re.ASCII)
PMCID = re.compile(r"PMC([1-9]\d{0,9})(?:\.\d+)?", re.ASCII | re.IGNORECASE)
OPENALEX = re.compile(r"W[1-9]\d{0,17}", re.ASCII | re.IGNORECASE)
MIN_BARE_LENGTH = 8  # characters of a bare OpenAlex id in a search query
S2 = re.compile(r"[0-9a-f]{40}", re.ASCII | re.IGNORECASE)
PMC_HOSTS = ("pmc.ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov", "europepmc.org")


class Identifier(NamedTuple):
    """A normalized identifier: DOIs in lower case, arXiv ids without version, PMCIDs with `PMC`."""

    kind: Kind
    value: str

    @property
    def doi(self) -> str | None:
        if self.kind == "arxiv":
            return ARXIV_DOI + self.value.lower()
        return self.value if self.kind == "doi" else None

    @property
    def pdf_url(self) -> str | None:
        """The URL of the open-access PDF if the identifier implies one (arXiv), else None."""
        return f"https://arxiv.org/pdf/{self.value}" if self.kind == "arxiv" else None


def identify(text: str, *, in_search: bool = False) -> Identifier | None:
    """Parse a text that is one identifier: bare, labelled (`PMID: 123`) or a URL; None for any other text.

    With `in_search`, short bare OpenAlex ids are not recognized: W3110 is also a strain of bacteria.
    """
    text = text.strip()
    if re.match(r"https?://", text, re.IGNORECASE):
        return identify_url(text)
    named = NAMED.match(text)
    bare = text[named.end() :] if named else text
    if not bare or re.search(r"\s", bare):
        return None
    if in_search and not named and OPENALEX.fullmatch(bare) and len(bare) < MIN_BARE_LENGTH:
        return None
    return _identify_by_name(named[1].lower(), bare) if named else _identify_bare(bare)


def identify_url(url: str) -> Identifier | None:
    """Return the identifier in a URL; None if it has none."""
    at = parse_http_url(url)
    if at is None:
        return None
    host, path = at.host.removeprefix("www."), unquote(at.path)
    last = path.rstrip("/").rpartition("/")[2]
    if host == "arxiv.org" and (found := re.match(r"/(?:abs|pdf|html)/(.+?)(?:\.pdf)?/?$", path)):
        return identify_arxiv(found[1])
    if host == "pubmed.ncbi.nlm.nih.gov" and DIGITS.fullmatch(last):
        return Identifier("pmid", last)
    if at.host in PMC_HOSTS and (found := re.search(rf"/({PMCID.pattern})(?:/|$)", path, re.IGNORECASE)):
        return Identifier("pmcid", f"PMC{found[2]}")
    if host.endswith("openalex.org") and OPENALEX.fullmatch(last):
        return Identifier("openalex", last.upper())
    if host.endswith("semanticscholar.org") and S2.fullmatch(last):
        return Identifier("s2", last.lower())
    found_doi = doi.find_in_url(url)
    return identify_doi(found_doi) if found_doi else None


def identify_doi(name: str) -> Identifier:
    """Return the identifier of a lower-case DOI; a DOI that arXiv assigned becomes an arXiv id."""
    if name.startswith(ARXIV_DOI) and (found := identify_arxiv(name.removeprefix(ARXIV_DOI))):
        return found
    return Identifier("doi", name)


def identify_arxiv(text: str) -> Identifier | None:
    """Parse an arXiv id in the old or new scheme, without its version."""
    found = ARXIV.fullmatch(text) or ARXIV.fullmatch(text.lower())
    return Identifier("arxiv", found[1]) if found else None


def build_doi_url(name: str) -> str:
    """Build the https://doi.org URL of a DOI; characters not allowed in paths (SICIs have `<>`) are percent-encoded."""
    return "https://doi.org/" + quote(name, safe="/:;()[]@!$&'*+,=._~-")


def _identify_by_name(name: str, bare: str) -> Identifier | None:
    if name == "doi":
        return _identify_doi(bare)
    if name == "arxiv":
        return identify_arxiv(bare)
    if name == "pmid":
        return Identifier("pmid", bare) if DIGITS.fullmatch(bare) else None
    if name in ("pmc", "pmcid"):
        bare = bare if bare.upper().startswith("PMC") else f"PMC{bare}"
    return (
        Identifier("s2", f"CorpusId:{bare}") if name == "corpusid" and DIGITS.fullmatch(bare) else _identify_bare(bare)
    )


def _identify_bare(text: str) -> Identifier | None:
    if found := PMCID.fullmatch(text):
        return Identifier("pmcid", f"PMC{found[1]}")
    if OPENALEX.fullmatch(text):
        return Identifier("openalex", text.upper())
    if S2.fullmatch(text):
        return Identifier("s2", text.lower())
    return identify_arxiv(text) or _identify_doi(text)


def _identify_doi(text: str) -> Identifier | None:
    """Return the DOI if it is the whole text; None if it is only part of it."""
    found = doi.normalize(text)
    whole = found and unquote(text).lower().startswith(found)
    return identify_doi(found) if found and whole else None
