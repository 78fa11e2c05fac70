"""Output models of research sessions, shared by the research tools."""

from typing import Annotated, Any, Literal

from pydantic import Field

from assay.models.common import TRUST, Output, Trust
from assay.sessions.research import FULL, LAST, Research
from assay.text.timestamps import format_utc
from assay.toolkit.base import SourceClaim

SHOWN = 100  # sources per answer

type Confidence = Literal["high", "medium", "low"]
type Mode = Literal["full", "summary"]


class StepIndexEntry(Output):
    step_number: int
    one_liner: Annotated[str, Field(description="First words of the step.")]
    branch_id: Annotated[str, Field(description="Name of the branch; empty on the main line.")] = ""
    confidence: Annotated[
        str, Field(description="Confidence in the findings: high, medium or low; empty if not stated.")
    ] = ""


class ResearchStep(Output):
    """A step as the researcher recorded it. `superseded_by` is the number of the step that revises it."""

    step_number: int
    description: str
    reasoning: str | None = None
    confidence: Annotated[str | None, Field(description="Confidence in the findings: high, medium or low.")] = None
    rejected_approaches: Annotated[list[str] | None, Field(description="Approaches ruled out, with reasons.")] = None
    is_revision: Annotated[bool | None, Field(description="Whether the step corrects another.")] = None
    revises_step: Annotated[int | None, Field(description="Number of the corrected step.")] = None
    branch_from_step: Annotated[int | None, Field(description="Number of the step that this branch starts from.")] = (
        None
    )
    branch_id: Annotated[str | None, Field(description="Name of the branch.")] = None
    timestamp: Annotated[str, Field(description="When the step was recorded, RFC 3339, UTC.")]
    superseded_by: Annotated[int | None, Field(description="Number of the step that revises this one.")] = None


class KnowledgeGap(Output):
    description: str
    found_in_step: Annotated[int | None, Field(description="Number of the step that recorded it.")] = None


class ResearchSource(Output):
    """A page the session met. `found_in_step` only where one step met it; the rest once its link was checked."""

    url: str
    title: str | None = None
    relevance: Annotated[
        str | None, Field(description="How the session met the page: search, scraped, cited and others.")
    ] = None
    author: str | None = None
    date: Annotated[str | None, Field(description="Date of publication.")] = None
    doi: str | None = None
    found_in_step: Annotated[
        int | None, Field(description="Number of the step that met it first; absent if unclear.")
    ] = None
    link_outcome: Annotated[
        str | None, Field(description="live, dead, soft_404, blocked, redirected_to_root or unreachable.")
    ] = None
    http_status: Annotated[
        int | None, Field(description="HTTP status of the link; absent if there was no response.")
    ] = None
    verified: Annotated[bool | None, Field(description="Whether the link was live when checked.")] = None
    verified_at: Annotated[str | None, Field(description="When the link was checked, RFC 3339, UTC.")] = None
    archived_url: Annotated[str | None, Field(description="Archived copy of a dead link.")] = None
    met_after_step: Annotated[
        int | None, Field(description="Number of the latest step when it was met, where found_in_step is unclear.")
    ] = None
    retraction_check: Annotated[
        str | None, Field(description="clear, retracted, flagged or unchecked, by an audit with this sessionId.")
    ] = None
    claims: Annotated[
        list[SourceClaim] | None, Field(description="Claims that audits with this sessionId compared with it.")
    ] = None


class SessionAnswer(Output):
    """A session's state. Full mode has `steps`; summary mode has `summary` and `stepIndex` in their place."""

    session_id: Annotated[str, Field(description="Pass it to later steps and to other tools.")]
    response_mode: Annotated[
        str, Field(description="full: steps is present; summary: summary and stepIndex are; step: one step.")
    ]
    research_goal: str
    current_step: Annotated[int, Field(description="Number of the current step.")]
    total_steps_estimate: Annotated[int, Field(description="Number of steps expected.")]
    is_complete: Annotated[bool, Field(description="Whether the research has ended.")]
    started_at: Annotated[str, Field(description="RFC 3339, UTC.")]
    completed_at: Annotated[str | None, Field(description="When it ended, RFC 3339, UTC.")] = None
    warning: Annotated[str | None, Field(description="What may be wrong with the answer.")] = None
    trust: Trust = TRUST
    steps: Annotated[list[StepIndexEntry] | None, Field(description="All steps in short, in full mode.")] = None
    summary: Annotated[str | None, Field(description="Summary of the session, in summary mode.")] = None
    step_index: Annotated[list[StepIndexEntry] | None, Field(description="All steps in short, in summary mode.")] = None
    last_steps: Annotated[list[ResearchStep] | None, Field(description="The latest steps in full.")] = None
    gaps: Annotated[list[KnowledgeGap] | None, Field(description="Open questions that steps recorded.")] = None
    seen: Annotated[
        list[ResearchSource] | None, Field(alias="sources", description="Pages the session met, the latest last.")
    ] = None


def build_state(research: Research, mode: Mode | None, current: int | None = None) -> dict[str, Any]:
    """Return the fields of SessionAnswer, in the mode that fits the session if none is requested."""
    mode = mode or ("full" if len(research.steps) <= FULL else "summary")
    full = mode == "full"
    last = research.steps[-1]["stepNumber"] if research.steps else 0
    return {
        "session_id": research.id,
        "response_mode": mode,
        "research_goal": research.goal,
        "current_step": last if current is None else current,
        "total_steps_estimate": max(research.estimate, len(research.steps)),
        "is_complete": research.completed is not None,
        "started_at": format_time(research.started),
        "completed_at": format_time(research.completed) if research.completed is not None else None,
        "warning": hidden_sources_warning(research),
        "steps": research.index if full else None,
        "summary": None if full else research.summarize(),
        "step_index": None if full else research.index,
        "last_steps": research.steps_with_revisions[-LAST:] or None,
        "gaps": research.gaps or None,
        "sources": research.sources[-SHOWN:] or None,
    }


def hidden_sources_warning(research: Research) -> str | None:
    count = len(research.sources)
    if count <= SHOWN:
        return None
    return f"The latest {SHOWN} of {count} sources are shown; call research_export for all of them."


def format_time(moment: float) -> str:
    """Format an epoch second as RFC 3339, UTC."""
    return format_utc(moment)
