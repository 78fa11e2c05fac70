"""Record the steps of a research session."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from assay.context import Context
from assay.errors import InvalidInput, SessionNotFound, ToolError
from assay.models.common import Cleared, Input, Output
from assay.sessions.call_outcomes import build_outcomes
from assay.sessions.research import Research, format_numbers, truncate_bytes
from assay.sessions.session_views import Confidence, Mode, SessionAnswer, build_state, format_time
from assay.sessions.store import SessionFull
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document
from assay.toolkit.tool import tool

GOAL_BYTES, MAX_SEARCHES, RESULTS_PER_SEARCH = 200, 3, 5
MAX_STEP_NUMBER = 9_999
RESERVED_SECONDS = 3.0  # to store the results of refinement

MAX_TEXT_CHARS, MAX_NAME_CHARS, MAX_APPROACHES = 10_000, 128, 50


class SequentialSearchInput(Input):
    search_step: Annotated[str, Field(alias="searchStep", min_length=1, description="What this step does or found.")]
    step_number: Annotated[int, Field(alias="stepNumber", ge=1, description="Number of this step, from 1.")]
    next_step_needed: Annotated[bool, Field(alias="nextStepNeeded", description="false ends the research.")]
    session: Annotated[Cleared[str], Field(alias="sessionId", description="From step 1; required after it.")] = None
    research_goal: Annotated[
        Cleared[str], Field(alias="researchGoal", description="Overall question; read in step 1.")
    ] = None
    reasoning: Annotated[Cleared[str], Field(description="Why this step is taken.")] = None
    confidence: Annotated[Cleared[Confidence], Field(description="Confidence in the findings.")] = None
    rejected_approaches: Annotated[
        list[str] | None, Field(alias="rejectedApproaches", description="Approaches ruled out, with reasons.")
    ] = None
    session_summary: Annotated[
        Cleared[str], Field(alias="sessionSummary", description="Summary of all findings so far.")
    ] = None
    response_mode: Annotated[Cleared[Mode], Field(alias="responseMode", description="full lists every step.")] = None
    total_steps_estimate: Annotated[
        Cleared[int], Field(alias="totalStepsEstimate", description="Number of steps expected.")
    ] = None
    is_revision: Annotated[bool | None, Field(alias="isRevision", description="This step corrects another.")] = None
    revises_step: Annotated[Cleared[int], Field(alias="revisesStep", description="Number of the corrected step.")] = (
        None
    )
    branch_from_step: Annotated[
        Cleared[int], Field(alias="branchFromStep", description="Step this branch starts from.")
    ] = None
    branch_id: Annotated[Cleared[str], Field(alias="branchId", description="Name of this branch.")] = None
    knowledge_gap: Annotated[Cleared[str], Field(alias="knowledgeGap", description="What is still unknown.")] = None
    depth: Annotated[
        Literal["quick", "standard", "thorough"], Field(description="standard suggests searches; thorough runs them.")
    ] = "quick"

    @field_validator("*")
    @classmethod
    def _within_bounds(cls, given: Any, info: ValidationInfo) -> Any:
        """Enforce bounds that are not in the schema, which models read at every turn: callers rarely reach them."""
        if isinstance(given, list) and len(given) > MAX_APPROACHES:
            raise ValueError(f"takes at most {MAX_APPROACHES} approaches")
        limit = MAX_NAME_CHARS if info.field_name in ("session", "branch_id") else MAX_TEXT_CHARS
        if any(len(text) > limit for text in (given if isinstance(given, list) else [given]) if isinstance(text, str)):
            raise ValueError(f"takes at most {limit} characters")
        if isinstance(given, int) and not isinstance(given, bool) and not 1 <= given <= MAX_STEP_NUMBER:
            raise ValueError(f"is a number from 1 to {MAX_STEP_NUMBER}")
        return given


class SequentialSearchCoverage(Output):
    """Coverage of the sources of a session."""

    source_count: Annotated[int, Field(description="Number of sources noted.")]
    unique_domains: Annotated[int, Field(description="Number of different domains.")]
    domain_spread: Annotated[float, Field(description="Domains divided by sources.")]
    dominant_domain: Annotated[str | None, Field(description="Domain with the most sources, if it dominates.")] = None
    source_types: Annotated[dict[str, int], Field(description="Number of sources of each type.")]
    gaps: Annotated[list[str], Field(description="Where the sources are thin.")]


class RefinementHit(Output):
    title: str
    url: str
    snippet: str = ""


class Refinement(Output):
    """Result of one suggested search, or the reason it failed."""

    query: str
    result_count: Annotated[int | None, Field(description="Number of results in this answer.")] = None
    results: list[RefinementHit] | None = None
    error: Annotated[str | None, Field(description="Why the search was not made.")] = None


class SequentialSearchOutput(SessionAnswer):
    depth: Annotated[str | None, Field(description="Depth of this step, if not quick.")] = None
    coverage: Annotated[SequentialSearchCoverage | None, Field(description="What the sources cover so far.")] = None
    refinement_queries: Annotated[list[str] | None, Field(description="Searches that would widen the sources.")] = None
    refinement_results: Annotated[
        list[Refinement] | None, Field(description="Results of the searches that were made.")
    ] = None
    refinement_note: Annotated[str | None, Field(description="Which searches were not made.")] = None
    refinement_warning: Annotated[str | None, Field(description="Present if searches found nothing.")] = None


@tool(read_only=False, idempotent=False, toolsets=("core", "research"))
async def sequential_search(ask: SequentialSearchInput, ctx: Context) -> SequentialSearchOutput:
    """Record a research step. Step 1 returns the sessionId; pass it to later steps and other tools, which record
    their sources there."""
    research, warning = await record_step(ask, ctx)
    more: dict[str, Any] = {}
    if ask.depth != "quick":
        more = await suggest_refinements(ask, research, ctx)
        research = await ctx.own.sessions.read(research.id)
    fields = build_state(research, ask.response_mode, ask.step_number)
    fields["is_complete"] = fields["is_complete"] or warning is not None
    return SequentialSearchOutput(**{**fields, "warning": warning or fields["warning"]}, **more)


async def record_step(ask: SequentialSearchInput, ctx: Context) -> tuple[Research, str | None]:
    """Store the step. Returns the session and, if the session is full, a warning."""
    sessions, done = ctx.own.sessions, not ask.next_step_needed
    head = {"summary": ask.session_summary, "estimate": ask.total_steps_estimate}
    step = build_step(ask, ctx.services.clock())
    if ask.step_number == 1:
        check(ask, [])
        goal = " ".join((ask.research_goal or truncate_bytes(ask.search_step, GOAL_BYTES)).split())
        return await sessions.begin(goal, step, completed=done, head=head), None
    if ask.session is None:
        raise InvalidInput(
            f"Step {ask.step_number} needs the sessionId that step 1 returned. If it is lost, look for it in earlier "
            "answers and recover with get_research_session, or begin anew with stepNumber 1.",
            field="sessionId",
        )
    try:
        if ask.revises_step or ask.branch_from_step:
            check(ask, (await sessions.read(ask.session)).steps)
        return await sessions.add(ask.session, step, completed=done, head=head), None
    except SessionNotFound:
        raise sessions.missing(last_step=ask.step_number - 1) from None
    except SessionFull:
        return await sessions.finish(ask.session), "session_limit_reached"


def check(ask: SequentialSearchInput, steps: Sequence[Document]) -> None:
    """Raise InvalidInput if the step revises, or branches from, a step that does not exist."""
    there = {step["stepNumber"] for step in steps}
    for name, number in (("revisesStep", ask.revises_step), ("branchFromStep", ask.branch_from_step)):
        if number is not None and number not in there:
            known = f"there are {format_numbers(steps)}" if there else "this is the first one"
            raise InvalidInput(f"There is no step {number}; {known}.", field=name)


def build_step(ask: SequentialSearchInput, now: float) -> dict[str, Any]:
    """Build the stored form of the step, without unset fields."""
    fields = {
        "stepNumber": ask.step_number,
        "description": ask.search_step,
        "reasoning": ask.reasoning,
        "confidence": ask.confidence,
        "rejectedApproaches": ask.rejected_approaches or None,
        "isRevision": ask.is_revision or ask.revises_step is not None or None,
        "revisesStep": ask.revises_step,
        "branchFromStep": ask.branch_from_step,
        "branchId": ask.branch_id,
        "knowledgeGap": ask.knowledge_gap,
        "timestamp": format_time(now),
    }
    return {name: value for name, value in fields.items() if value is not None}


async def suggest_refinements(ask: SequentialSearchInput, research: Research, ctx: Context) -> dict[str, Any]:
    """Suggest searches that would widen the sources; for a thorough step also run them."""
    from assay.sessions.source_coverage import measure_coverage, suggest_queries

    covered = measure_coverage(research.sources)
    year = datetime.fromtimestamp(ctx.services.clock(), UTC).year
    queries = suggest_queries(research.goal, [gap["description"] for gap in research.gaps], covered, year)
    fields: dict[str, Any] = {"depth": ask.depth, "coverage": covered, "refinement_queries": queries}
    if ask.depth != "thorough":
        return fields
    dominant = covered["dominantDomain"]
    made = await map_concurrently(
        lambda query: run_refinement(query, dominant, ask, research, ctx), queries[:MAX_SEARCHES]
    )
    found = [one for one, _ in made]
    failed = [{"kind": failure.kind} for _, failure in made if failure]
    outcomes = build_outcomes(ctx.services.clock(), requests=ctx.budget.requests, missed=failed)
    await ctx.own.sessions.note(research.id, [], outcomes)
    fields["refinement_results"] = found
    if len(queries) > MAX_SEARCHES:
        fields["refinement_note"] = (
            f"{MAX_SEARCHES} of {len(queries)} suggested searches were made; the others are yours to make."
        )
    if empty := [one for one in found if not one.results]:
        fields["refinement_warning"] = (
            f"{len(empty)} of {len(found)} searches gave nothing, which proves nothing: ask in other words."
        )
    return fields


async def run_refinement(
    query: str, dominant: str | None, ask: SequentialSearchInput, research: Research, ctx: Context
) -> tuple[Refinement, ToolError | None]:
    """Run one suggested search as a call of its own and record its sources. Returns result and failure, if any."""
    from assay.base_tools.web_search import web_search
    from assay.evaluation.known_hosts import parse_host
    from assay.sessions.source_coverage import AFTER

    asked: dict[str, Any] = {"query": AFTER.sub("", query), "num_results": RESULTS_PER_SEARCH}
    after, year = AFTER.search(query), datetime.fromtimestamp(ctx.services.clock(), UTC).year
    asked |= {"time_range": "year"} if after and int(after[1]) >= year - 1 else {}
    try:
        await ctx.charge()
        async with asyncio.timeout(max(0.1, ctx.time_left() - RESERVED_SECONDS)):
            document = await ctx.child().document(web_search, web_search.parse(asked))
    except ToolError as failure:
        return Refinement(query=query, error=failure.sentence()), failure
    except TimeoutError:
        return Refinement(query=query, error="There was no answer in time; run it with web_search."), None
    excluded = dominant if "-site:" in query else None
    hits = [hit for hit in document["wire"]["results"] if not excluded or parse_host(hit["url"]) != excluded]
    met = [{"url": hit["url"], "title": hit["title"], "relevance": "search"} for hit in hits]
    await ctx.own.sessions.note(research.id, [{**one, "foundInStep": ask.step_number} for one in met])
    return Refinement(query=query, result_count=len(hits), results=hits), None
