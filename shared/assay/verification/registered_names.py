"""Resolves identifiers that are no DOIs but lead to one: PMID and PMCID by PubMed, RFC numbers by their own DOIs."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from assay.bibliography.identifiers import Identifier
from assay.context import Context
from assay.errors import NotFound, ToolError
from assay.models.papers import Paper
from assay.providers.pubmed import UID, PubMed
from assay.verification.bounded_gather import with_deadline

PMID = re.compile(
    r"(?:\bPMID\s?:?\s{0,3}|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)([1-9]\d{0,8})\b", re.IGNORECASE
)
PMCID = re.compile(r"\bPMC(?:ID:?\s{0,3}(?:PMC)?)?([1-9]\d{3,8})\b", re.IGNORECASE)
LINK = re.compile(r"https?://\S+", re.IGNORECASE)
RFC = re.compile(r"\bRFC[\s-]{0,2}([1-9]\d{0,4})\b", re.IGNORECASE)


class NamedWork(NamedTuple):
    """What PubMed says of an identifier: `exists` is None if it did not answer or cannot know."""

    identifier: Identifier
    exists: bool | None
    paper: Paper | None
    note: str


def find_pubmed_identifier(citation: str) -> Identifier | None:
    """Return the PMID, or else the PMCID, that a citation states."""
    if found := PMID.search(citation):
        return Identifier("pmid", found[1])
    found = PMCID.search(citation)
    return Identifier("pmcid", f"PMC{found[1]}") if found else None


def find_rfc_doi(citation: str) -> str | None:
    """Return the DOI of the one RFC that a citation names; None if it names none or several."""
    numbers = {int(number) for number in RFC.findall(citation)}
    return f"10.17487/rfc{numbers.pop():04}" if len(numbers) == 1 else None


def remove_identifiers(citation: str) -> str:
    """Return the citation without its PMID, PMCID and links."""
    return PMCID.sub(" ", PMID.sub(" ", LINK.sub(" ", citation))).strip(" .,;:()[]")


class PubMedAnswer(NamedTuple):
    """The works that PubMed has for PMIDs; `failure` says why it did not answer."""

    works: dict[str, Paper]
    failure: str = ""

    def find_doi(self, pmid: str) -> str:
        paper = self.works.get(pmid)
        return (paper.doi or "") if paper else ""

    def describe(self, pmid: str) -> str:
        if self.failure:
            return f"The PubMed look-up of PMID {pmid} failed: {self.failure}"
        paper = self.works.get(pmid)
        if paper is None:
            return f"PubMed has no work with the PMID {pmid}."
        return f"PubMed has {paper.title[:200]!r} for the PMID {pmid}."


async def find_by_pmid(ctx: Context, pmids: Iterable[str]) -> PubMedAnswer:
    """Look up many PMIDs with one request."""
    pubmed = PubMed(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    numbers = [pmid for pmid in dict.fromkeys(pmids) if UID.fullmatch(pmid)]
    if not numbers:
        return PubMedAnswer({})
    try:
        papers = await with_deadline(ctx, pubmed.readable(pubmed.find_by_pmid(numbers)))
    except ToolError as failure:
        return PubMedAnswer({}, failure.sentence())
    return PubMedAnswer({paper.pmid: paper for paper in papers if paper.pmid})


async def look_up_in_pubmed(ctx: Context, identifier: Identifier) -> NamedWork:
    """Look up a PMID or PMCID. PubMed has every PMID, but not every work of PubMed Central."""
    label = f"{identifier.kind.upper()} {identifier.value}"
    pubmed = PubMed(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        paper = await with_deadline(ctx, pubmed.readable(pubmed.work(identifier)))
    except NotFound:
        if identifier.kind == "pmid":
            return NamedWork(identifier, False, None, f"PubMed has no work with the {label}.")
        return NamedWork(identifier, None, None, f"PubMed has no work with the {label}; some works have none there.")
    except ToolError as failure:
        return NamedWork(identifier, None, None, f"The PubMed look-up of the {label} failed: {failure.sentence()}")
    return NamedWork(identifier, True, paper, f"PubMed has a record of the {label}.")
