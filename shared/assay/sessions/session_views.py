"""What answers say of a research session, for every tool that tells of one."""

from typing import Annotated, Any, Literal

from pydantic import Field

from assay.models.common import TRUST, Output, Trust
from assay.sessions.research import FULL, LAST, Research
from assay.text.timestamps import format_utc

SHOWN = 100  # sources of an answer

type Confidence = Literal["high", "medium", "low"]
type Mode = Literal["full", "summary"]


class StepIndexEntry(Output):
    step_number: int
    one_liner: str
    branch_id: str = ""
    confidence: str = ""


class ResearchStep(Output):
    """A step as the researcher recorded it. `superseded_by` is the number of the step that revises it."""

    step_number: int
    description: str
    reasoning: str | None = None
    confidence: str | None = None
    rejected_approaches: list[str] | None = None
    is_revision: bool | None = None
    revises_step: int | None = None
    branch_from_step: int | None = None
    branch_id: str | None = None
    timestamp: str
    superseded_by: int | None = None


class KnowledgeGap(Output):
    description: str
    found_in_step: int | None = None


class ResearchSource(Output):
    """A page the session met. `found_in_step` only where one step met it; the rest once its link was checked."""

    url: str
    title: str | None = None
    relevance: str | None = None
    author: str | None = None
    date: str | None = None
    doi: str | None = None
    found_in_step: int | None = None
    link_outcome: str | None = None
    http_status: int | None = None
    verified: bool | None = None
    verified_at: str | None = None
    archived_url: str | None = None


class SessionAnswer(Output):
    """A session's state. Full mode has `steps`; summary mode has `summary` and `stepIndex` in their place."""

    session_id: str
    response_mode: Annotated[str, Field(description="full, summary or step")]
    research_goal: str
    current_step: int
    total_steps_estimate: int
    is_complete: bool
    started_at: str
    completed_at: str | None = None
    warning: str | None = None
    trust: Trust = TRUST
    steps: list[StepIndexEntry] | None = None
    summary: str | None = None
    step_index: list[StepIndexEntry] | None = None
    last_steps: list[ResearchStep] | None = None
    gaps: list[KnowledgeGap] | None = None
    seen: Annotated[list[ResearchSource] | None, Field(alias="sources")] = None


def state(research: Research, mode: Mode | None, current: int | None = None) -> dict[str, Any]:
    """The fields of SessionAnswer, those of the fitting mode where none is asked for."""
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
        "started_at": stamp(research.begun),
        "completed_at": stamp(research.completed) if research.completed is not None else None,
        "warning": crowd(research),
        "steps": research.index if full else None,
        "summary": None if full else research.in_short(),
        "step_index": None if full else research.index,
        "last_steps": research.told_steps[-LAST:] or None,
        "gaps": research.gaps or None,
        "sources": research.sources[-SHOWN:] or None,
    }


def crowd(research: Research) -> str | None:
    count = len(research.sources)
    if count <= SHOWN:
        return None
    return f"The latest {SHOWN} of {count} sources are shown; research_export has all of them."


def stamp(moment: float) -> str:
    """An epoch second as RFC 3339, UTC."""
    return format_utc(moment)
