"""Return the state of a research session."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.errors import InvalidInput
from assay.models.common import Cleared, Input, Output
from assay.sessions.call_outcomes import count_by_provider, find_patterns
from assay.sessions.research import Research, format_numbers
from assay.sessions.session_views import ResearchStep, SessionAnswer, build_state, format_time
from assay.toolkit.tool import tool


class GetResearchSessionInput(Input):
    session: Annotated[
        str,
        Field(
            alias="sessionId", min_length=1, max_length=128, description="sessionId that sequential_search returned."
        ),
    ]
    step_id: Annotated[
        Cleared[Annotated[int, Field(ge=1)]],
        Field(alias="stepId", description="Number of one step to return in full, in place of the overview."),
    ] = None


class ErrorPattern(Output):
    """Failures of one kind that occurred three times or more in the session."""

    kind: Annotated[str, Field(description="Kind of failure, such as rate_limited or not_found.")]
    count: Annotated[int, Field(description="How often it happened.")]
    affected_urls: Annotated[list[str], Field(description="URLs that failed.")]
    suggestion: Annotated[str, Field(description="What to do about it.")]
    last_seen: Annotated[str, Field(description="RFC 3339, UTC.")]


class ProviderStats(Output):
    attempts: Annotated[int, Field(description="Number of calls.")]
    successes: Annotated[int, Field(description="Number of calls that succeeded.")]


class GetResearchSessionOutput(SessionAnswer):
    step_count: int
    error_patterns: Annotated[
        list[ErrorPattern] | None, Field(description="Failures that happened three times or more.")
    ] = None
    provider_stats: Annotated[
        dict[str, ProviderStats] | None, Field(description="Calls and successes of each provider.")
    ] = None
    step: Annotated[ResearchStep | None, Field(description="The step asked for, in full.")] = None
    other_steps: Annotated[
        list[ResearchStep] | None, Field(description="Earlier steps with the same number, as on branches.")
    ] = None


@tool(open_world=False, toolsets=("core", "research"))
async def get_research_session(ask: GetResearchSessionInput, ctx: Context) -> GetResearchSessionOutput:
    """Recover a sequential_search session after context loss: goal, summary, step index, last steps, gaps, sources,
    repeated failures. Titles and URLs are outside data."""
    research = await ctx.own.sessions.read(ask.session)
    if ask.step_id is not None:
        return one_step(research, ask.step_id)
    outcomes = await ctx.own.sessions.outcomes(ask.session)
    repeated = [{**pattern, "lastSeen": format_time(pattern["lastSeen"])} for pattern in find_patterns(outcomes)]
    return GetResearchSessionOutput(
        **build_state(research, "summary"),
        step_count=len(research.steps),
        error_patterns=repeated or None,
        provider_stats=count_by_provider(outcomes) or None,
    )


def one_step(research: Research, number: int) -> GetResearchSessionOutput:
    """Return the step with this number in full, without the overview."""
    found = research.find_steps(number)
    if not found:
        there = format_numbers(research.steps)
        raise InvalidInput(f"There is no step {number} in this session; it has {there}.", field="stepId")
    document = build_state(research, "summary", number)
    rest = ("summary", "step_index", "last_steps", "gaps", "sources", "warning")
    fields = {name: value for name, value in document.items() if name not in rest}
    return GetResearchSessionOutput(
        **{**fields, "response_mode": "step"},
        step_count=len(research.steps),
        step=found[0],
        other_steps=found[1:] or None,
    )
