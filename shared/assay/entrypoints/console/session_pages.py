"""Research sessions: those of the person, and one with its steps, open questions, sources and the graph of them."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from fastapi import Response

from assay.entrypoints.console.item_addresses import open_by_id
from assay.entrypoints.console.page_templates import FOLDED
from assay.entrypoints.console.page_visit import PageVisit
from assay.entrypoints.console.session_graph import ClaimEdges, Document, build_graph, find_marks, gather_claims

PATH = "/console/sessions"
STEP_CHARACTERS = 400_000  # of all steps in one of their texts: Lambda answers with 6 MB at most
LEAST_FOLDED = 2_000
MOST_SOURCES, MOST_COMPARISONS = 1_000, 300  # on the page


async def list_sessions(visit: PageVisit) -> Response:
    """The person's sessions, those used last first; or the session whose id was filled in."""
    if opened := open_by_id(visit):
        return opened
    found: Any = await visit.run_own_endpoint("list-research-sessions")
    return visit.show("sessions.html", sessions=found.sessions)


async def show_session(visit: PageVisit) -> Response:
    """A session: its steps in order, what they left open, the sources and the claims compared with them."""
    document = await _read_session(visit, "json")
    steps, sources = document["steps"], document["sources"]
    shown = choose_sources(sources)
    claims = gather_claims(sources)
    shown_claims = cut_claims(claims)
    return visit.show(
        "session.html",
        session=document,
        steps=[(step, find_line(step)) for step in steps],
        sources=[(source, find_marks(source)) for source in shown],
        sources_left_out=len(sources) - len(shown),
        claims=shown_claims,
        claims_left_out=sum(len(claim.compared) for claim in claims)
        - sum(len(claim.compared) for claim in shown_claims),
        graph=build_graph(steps, sources),
        folded=max(LEAST_FOLDED, min(FOLDED, STEP_CHARACTERS // max(1, len(steps)))),
    )


async def download_session(visit: PageVisit) -> Response:
    """The session as a file: a report in markdown, or JSON."""
    if visit.form.get("format") == "json":
        document = await _read_session(visit, "json")
        return visit.download("session.json", "application/json", json.dumps(document, ensure_ascii=False, indent=2))
    return visit.download("session.md", "text/markdown; charset=utf-8", str(await _read_session(visit, "markdown")))


def choose_sources(sources: Sequence[Document]) -> list[Document]:
    """The sources that the page shows, in order: all, or those to look at and the first of the others."""
    places = sorted(range(len(sources)), key=lambda place: not find_marks(sources[place]))
    return [sources[place] for place in sorted(places[:MOST_SOURCES])]


def cut_claims(claims: Iterable[ClaimEdges]) -> list[ClaimEdges]:
    """The claims with as many comparisons as the page shows."""
    shown, left = [], MOST_COMPARISONS
    for claim in claims:
        if left > 0:
            shown.append(claim._replace(compared=claim.compared[:left]))
        left -= len(claim.compared)
    return shown


def find_line(step: dict[str, Any]) -> str:
    """Where a step stands: on the main line, on a branch, or in place of another."""
    words = []
    if step.get("branchId"):
        begin = f" from step {step['branchFromStep']}" if step.get("branchFromStep") else ""
        words.append(f"branch {step['branchId']}{begin}")
    if step.get("revisesStep"):
        words.append(f"revises step {step['revisesStep']}")
    if step.get("supersededBy"):
        words.append(f"revised by step {step['supersededBy']}")
    return ", ".join(words)


async def _read_session(visit: PageVisit, kind: str) -> Any:
    asked = {"sessionId": visit.parameters["id"], "format": kind}
    return (await visit.read_tool("research_export", asked))["document"]
