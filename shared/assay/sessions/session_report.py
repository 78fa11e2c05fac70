"""Exports a session as Markdown or as an object; the same session gives the same text."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from assay.sessions.research import Research
from assay.sessions.session_sources import MAX_SOURCES
from assay.sessions.session_views import format_time
from assay.state.json_documents import Document
from assay.text.sanitize import sanitise

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!$])|^[+\-=:]|(?<!\S)(?:[+\-=]|\d{1,9}[.)])(?!\S)")
LINK = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
UNSAFE = str.maketrans({"(": "%28", ")": "%29", "[": "%5B", "]": "%5D", "\\": "%5C", "`": "%60", "|": "%7C"})
OUTCOMES = {
    "live": "✓ live",
    "dead": "⚠️ dead link",
    "soft_404": "⚠️ answers that there is no such page",
    "blocked": "refuses automated checks",
    "redirected_to_root": "leads to a front page",
    "unreachable": "could not be checked",
}


def build_document(research: Research, sources: Iterable[Document]) -> dict[str, Any]:
    """Return the whole session as an object. `sources` include their link status."""
    whole = {
        "sessionId": research.id,
        "researchGoal": research.goal,
        "startedAt": format_time(research.started),
        "completedAt": format_time(research.completed) if research.completed is not None else None,
        "isComplete": research.completed is not None,
        "totalStepsEstimate": max(research.estimate, len(research.steps)),
        "summary": research.summary,
        "steps": research.steps_with_revisions,
        "gaps": research.gaps,
        "sources": [dict(sorted(source.items())) for source in sources],
    }
    return {name: value for name, value in whole.items() if value is not None}


def render_markdown(research: Research, sources: list[Document], *, exported: str, tenant: str) -> str:
    """Render the session as Markdown; quoted text is escaped so that it cannot add markup."""
    lines = [
        f"# {escape_line(research.goal)}",
        "",
        f"- Session: {escape_line(research.id)}",
        f"- Started: {format_time(research.started)}",
    ]
    lines += [f"- Completed: {format_time(research.completed)}"] if research.completed is not None else []
    lines += [f"- Steps: {len(research.steps)}", f"- Sources: {len(sources)}"]
    lines += ["", escape_line(research.summary)] if research.summary else []
    lines += ["", "## Research Steps"]
    for step in research.steps_with_revisions:
        lines += ["", *_render_step(step)]
    if research.gaps:
        lines += ["", "## Open Questions", ""]
        lines += [f"- {escape_line(gap['description'])} (step {gap['foundInStep']})" for gap in research.gaps]
    if sources:
        lines += ["", "## Sources", ""]
        lines += [f"{number}. {_render_source(source)}" for number, source in enumerate(sources, 1)]
        lines += (
            ["", f"A session keeps {MAX_SOURCES} sources; the others were not recorded."]
            if len(sources) >= MAX_SOURCES
            else []
        )
    lines += ["", "---", "", f"*Exported {exported} by Assay for tenant {escape_line(tenant)}.*", ""]
    return "\n".join(lines)


def _render_step(step: Mapping[str, Any]) -> list[str]:
    marks = [f" (revises step {step['revisesStep']})"] if step.get("revisesStep") else []
    marks += [f" (superseded by step {step['supersededBy']})"] if step.get("supersededBy") else []
    branch = f" [branch: {escape_line(step['branchId'])}]" if step.get("branchId") else ""
    branch += f" (from step {step['branchFromStep']})" if step.get("branchFromStep") else ""
    lines = [f"### Step {step['stepNumber']}{''.join(marks)}{branch}", "", escape_line(step["description"]), ""]
    for label, name in (("Reasoning", "reasoning"), ("Confidence", "confidence")):
        lines += [f"- {label}: {escape_line(step[name])}"] if step.get(name) else []
    rejected = "; ".join(escape_line(one) for one in step.get("rejectedApproaches") or ())
    lines += [f"- Rejected: {rejected}"] if rejected else []
    return [*lines, f"- Recorded: {step['timestamp']}"]


def _render_source(source: Mapping[str, Any]) -> str:
    url = source["url"]
    label = escape_line(source.get("title") or url)
    parts = [f"[{label}]({url.translate(UNSAFE)})" if LINK.fullmatch(url) else f"{label} ({escape_line(url)})"]
    parts += [escape_line(source["relevance"])] if source.get("relevance") else []
    parts += [f"step {source['foundInStep']}"] if source.get("foundInStep") else []
    parts += [f"doi:{escape_line(source['doi'])}"] if source.get("doi") else []
    if outcome := source.get("linkOutcome"):
        parts.append(OUTCOMES[outcome] + (f" (HTTP {source['httpStatus']})" if source.get("httpStatus") else ""))
    parts += ["⚠️ retracted"] if source.get("retractionCheck") == "retracted" else []
    if copy := source.get("archivedUrl"):
        parts.append(f"[archived copy]({copy.translate(UNSAFE)})")
    return " · ".join(parts)


def escape_line(text: str) -> str:
    """Escape the text for Markdown, on one line."""
    line = " ".join(sanitise(text).split()).replace("&", "&amp;")
    return SPECIAL.sub(_escape_match, line)


def _escape_match(found: re.Match[str]) -> str:
    sign = found[0]
    if sign in "<>":
        return "&lt;" if sign == "<" else "&gt;"
    return sign[:-1] + "\\" + sign[-1] if sign[0].isdigit() else "\\" + sign
