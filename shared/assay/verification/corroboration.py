"""Searches independent journalism for other opinions on a recommendation."""

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from assay.context import Context
from assay.errors import ToolError
from assay.evaluation.claim_evidence import ADDRESSED, has_negation, measure_support
from assay.models.common import LongField, Output, WebHit, WebQuery
from assay.verification.self_promotion import brand_of, mentions_brand

DEFAULT_LENSES = ("news", "tech")
RECORDS_LENS = "investigative_records"  # for subjects such as companies, states and courts
RECORD_SUBJECTS = re.compile(
    r"\b(?:compan(?:y|ies)|corporat\w+|government|federal|agenc(?:y|ies)|lawsuit|court|legal|regulat\w+|fraud|sanction\w*|"
    r"filing|audit\w*|tax|antitrust|settlement|fined?)\b",
    re.IGNORECASE,
)
MAX_SHOWN, MAX_SNIPPET_CHARS = 5, 300

type Stance = Literal["agree", "disagree", "silent"]


class TopResult(Output):
    title: str
    url: str
    snippet: str
    stance: Annotated[Stance, Field(description="Guess by shared words and negations; read the page.")]


class Corroboration(Output):
    query: str
    lens: Annotated[str, Field(description="List of trusted sites that was searched.")]
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    agree_count: Annotated[int, Field(description="Results that seem to agree.")]
    disagree_count: Annotated[int, Field(description="Results that seem to disagree.")]
    silent_count: Annotated[int, Field(description="Results that do not speak of it.")]
    top_results: Annotated[list[TopResult] | None, LongField(), Field(description="The first results.")] = None


def choose_lenses(claim: str, title: str) -> tuple[str, ...]:
    return (*DEFAULT_LENSES, RECORDS_LENS) if RECORD_SUBJECTS.search(f"{title} {claim}") else DEFAULT_LENSES


async def find_corroboration(
    ctx: Context, title: str, claim: str, url: str, count: int
) -> tuple[list[Corroboration], list[str]]:
    """Search each lens concurrently; return the results, and one note for each lens that failed."""
    lenses = choose_lenses(claim, title)
    results = await asyncio.gather(*(_search_lens(ctx, name, title, claim, url, count) for name in lenses))
    searches = [each for each in results if isinstance(each, Corroboration)]
    return searches, [each for each in results if isinstance(each, str)]


async def _search_lens(ctx: Context, lens: str, title: str, claim: str, url: str, count: int) -> Corroboration | str:
    query = f"{title} {claim}"[:500]
    try:
        results = await ctx.search.web(WebQuery(query=query, num_results=count), lens=lens, single_pass=True)
    except ToolError as failure:
        return f"The lens {lens} could not be searched: {failure.sentence()}"
    stances = [classify_stance(hit, title, claim, url) for hit in results.hits]
    return Corroboration(
        query=query,
        lens=lens,
        result_count=len(stances),
        agree_count=stances.count("agree"),
        disagree_count=stances.count("disagree"),
        silent_count=stances.count("silent"),
        top_results=_top_results(results.hits, stances),
    )


def classify_stance(hit: WebHit, title: str, claim: str, url: str) -> Stance:
    """Classify a result by its words. A result from the recommended site, or about something else, is `silent`."""
    text = " ".join([hit.title, hit.snippet, *(hit.extra_snippets or ())])
    own_brand = brand_of(url) if url else ""
    if own_brand and brand_of(hit.url) == own_brand:
        return "silent"
    subjects = [word for word in re.findall(r"[^\W_]{3,}", title) if word[0].isupper() or word[0].isdigit()] or [title]
    if not any(mentions_brand(text, word) for word in subjects):
        return "silent"
    if has_negation([text]):
        return "disagree"
    return "agree" if measure_support(claim, text).share >= ADDRESSED else "silent"


def _top_results(hits: Sequence[WebHit], stances: Sequence[Stance]) -> list[TopResult]:
    return [
        TopResult(title=hit.title, url=hit.url, snippet=hit.snippet[:MAX_SNIPPET_CHARS], stance=stance)
        for hit, stance in list(zip(hits, stances, strict=True))[:MAX_SHOWN]
    ]
