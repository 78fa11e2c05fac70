"""Finds retracted works among the candidates for a citation that none of them matches surely.

A citation of a retracted work with a word exchanged must not look clean: the retracted work is named.
"""

from collections.abc import Sequence

from assay.context import Context
from assay.models.papers import Paper
from assay.verification.reference_matching import Match, Matches
from assay.verification.registry_records import Integrity, classify_integrity, fetch_records
from assay.verification.title_location import locate_title
from assay.verification.title_matching import has_retraction_mark

MAX_CANDIDATES = 3  # candidates looked up for one citation
SECONDS = 10.0


def list_similar(matches: Matches | None, reference: str) -> list[Paper]:
    """Return the candidates with a DOI that may be meant, if no candidate is surely meant.

    Where the reference has the whole title of some of them, the others are not meant.
    """
    if matches is None or (matches.best and matches.best.confidence == "high"):
        return []
    ranked: Sequence[Match] = sorted(matches.candidates, key=lambda match: match is not matches.best)
    similar = [match.paper for match in ranked if match.confidence == "medium" and match.paper.doi]
    whole = [paper for paper in similar if locate_title(reference, paper.title).presence == "whole"]
    return list({paper.doi: paper for paper in whole or similar}.values())[:MAX_CANDIDATES]


async def find_retracted(ctx: Context, papers: Sequence[Paper], *, seconds: float = SECONDS) -> dict[str, Paper]:
    """Return those of the works that are on record as retracted, by DOI."""
    unknown = [paper.doi for paper in papers if paper.doi and not _is_retracted(paper, None)]
    records = await fetch_records(ctx, unknown, seconds=min(seconds, ctx.time_left() / 2))
    found: dict[str, Paper] = {}
    for paper in papers:
        record = records.get(paper.doi or "")
        if paper.doi and _is_retracted(paper, record.integrity if record else None):
            found[paper.doi] = record.paper if record and record.paper else paper
    return found


def describe_retracted(paper: Paper) -> str:
    return (
        f"A work with a similar title is retracted: {paper.title[:200]!r} (DOI {paper.doi}). The citation may mean it."
    )


def _is_retracted(paper: Paper, integrity: Integrity | None) -> bool:
    own = classify_integrity(paper.retraction_status)
    return "retracted" in (own.check, integrity.check if integrity else "") or has_retraction_mark(paper.title)
