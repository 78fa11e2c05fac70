"""Finds the other versions of a cited work, such as the publication of a preprint, and their integrity notices."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import Field

from assay.bibliography.identifiers import ARXIV_DOI, identify_doi
from assay.context import Context
from assay.errors import ToolError
from assay.models.common import Output, RecordedRetraction
from assay.models.papers import Paper
from assay.models.work_record import WorkRecord
from assay.providers.arxiv import Arxiv
from assay.providers.crossref import Crossref
from assay.scholarship.provider_call import call_provider
from assay.verification.registry_records import classify_integrity
from assay.verification.venue_comparison import is_preprint_server

MAX_VERSIONS = 8  # of one work


class WorkVersion(Output):
    """Another version of a cited work, on record as such."""

    kind: Annotated[Literal["preprint", "published"], Field(description="What this version is.")]
    doi: Annotated[str | None, Field(description="DOI of this version; absent if it is not known.")] = None
    reference: Annotated[str | None, Field(description="Publication as the authors of the preprint name it.")] = None
    basis: Annotated[
        Literal["linked", "same_title"],
        Field(description="linked: the index links them; same_title: equal title and an author in common."),
    ]
    source: Annotated[str, Field(description="Index whose record shows it.")]
    retraction_check: Annotated[
        Literal["clear", "retracted", "flagged", "unchecked"],
        Field(description="Result of the retraction check of this version; unchecked is not clear."),
    ] = "unchecked"
    retraction_status: RecordedRetraction = None


def find_versions(doi: str, records: Sequence[WorkRecord], candidates: Iterable[Paper] = ()) -> list[WorkVersion]:
    """Return the versions other than `doi`. `candidates` are works of the same title that share an author.

    A candidate counts if it is the publication of a cited preprint, or the preprint of a cited publication.
    """
    versions = _list_linked(doi, records)
    cited_is_preprint = is_preprint(doi, records)
    for paper in candidates:
        is_other = is_preprint(paper.doi or "", paper.records)
        if paper.doi and paper.doi != doi and is_other != cited_is_preprint:
            kind = "preprint" if is_other else "published"
            version = WorkVersion(kind=kind, doi=paper.doi, basis="same_title", source=paper.source)
            versions.setdefault(paper.doi, version)
    return list(versions.values())[:MAX_VERSIONS]


def _list_linked(doi: str, records: Sequence[WorkRecord]) -> dict[str, WorkVersion]:
    """Return the versions that the records link to each other, by DOI or by the name of the publication."""
    versions: dict[str, WorkVersion] = {}
    for record in records:
        if record.preprint_dois and record.published_dois:
            kinds = dict.fromkeys(record.preprint_dois, "preprint") | dict.fromkeys(record.published_dois, "published")
            for name in sorted(kinds.keys() - {doi}):
                version = {"kind": kinds[name], "doi": name, "basis": "linked", "source": record.source}
                versions.setdefault(name, WorkVersion.model_validate(version))
    for record in records:
        if record.published_as and not any(version.kind == "published" for version in versions.values()):
            named, source = record.published_as, record.source
            versions[named] = WorkVersion(kind="published", reference=named, basis="linked", source=source)
    return versions


def is_preprint(doi: str, records: Sequence[WorkRecord]) -> bool:
    """Whether the version with this DOI is a preprint."""
    if doi.startswith(ARXIV_DOI) or any(doi in record.preprint_dois for record in records):
        return True
    own = [record for record in records if doi in record.dois or not doi]
    return any(record.is_preprint or any(map(is_preprint_server, record.venues[:1])) for record in own)


async def check_versions(ctx: Context, versions: Sequence[WorkVersion], *, seconds: float) -> None:
    """Record the integrity notices of the versions; those that Crossref does not have stay unchecked."""
    if not any(version.doi for version in versions):
        return
    crossref = Crossref(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        async with asyncio.timeout(seconds):
            known = await crossref.readable(crossref.integrity_of(version.doi for version in versions if version.doi))
    except (ToolError, TimeoutError):  # they stay unchecked
        return
    for version in versions:
        if version.doi in known:
            integrity = classify_integrity(known[version.doi])
            version.retraction_check, version.retraction_status = integrity.check, integrity.status


async def fetch_preprints(ctx: Context, names: Iterable[str], *, seconds: float) -> dict[str, tuple[WorkRecord, ...]]:
    """Return arXiv's records of those of the DOIs that are arXiv's; none if it does not answer in time."""
    wanted = [found.value for name in names if (found := identify_doi(name)).kind == "arxiv"]
    if not wanted:
        return {}
    try:
        async with asyncio.timeout(seconds):
            papers = await call_provider(ctx.search, Arxiv, lambda arxiv: arxiv.find_preprints(wanted))
    except (ToolError, TimeoutError):
        return {}
    return {paper.doi: paper.records for paper in papers if paper.doi}
