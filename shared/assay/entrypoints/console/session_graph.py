"""The graph of a research session: steps, the sources that they found, and the claims that were compared with these.

It is drawn by the template as SVG, and says nothing that the tables of the page do not say.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MOST_SOURCES, MOST_CLAIMS = 60, 40
WIDTH, BOX_WIDTH, BOX_HEIGHT, ROW_HEIGHT, TOP = 960, 250, 40, 52, 34
COLUMNS = {"step": 10, "source": 355, "claim": 700}
LABEL, DETAIL = 34, 44  # characters that fit into a box
AGREES, DISAGREES = {"entailment", "addressed"}, {"contradiction"}

type Document = Mapping[str, Any]


class SourceMark(NamedTuple):
    """What a reader has to know of a source. `kind` is "bad" or "doubt"."""

    words: str
    kind: str


class Box(NamedTuple):
    x: int
    y: int
    text: str
    detail: str = ""
    kind: str = ""


class Edge(NamedTuple):
    """A line from the right of one box to the left of another."""

    path: str
    label: str
    kind: str


class SourceGraph(NamedTuple):
    boxes: list[Box]
    edges: list[Edge]
    height: int
    left_out: int  # sources and claims that only the tables have


class ClaimEdges(NamedTuple):
    """A claim with the sources that were compared with it: (source, outcome, evidence)."""

    text: str
    compared: list[tuple[Document, str, list[str]]]


def find_marks(source: Document) -> list[SourceMark]:
    """What speaks against relying on the source, or has to be looked at."""
    marks = []
    if source.get("retractionCheck") == "retracted":
        marks.append(SourceMark("retracted", "bad"))
    if source.get("retractionCheck") == "flagged":
        marks.append(SourceMark("a notice is on record", "doubt"))
    outcome = source.get("linkOutcome")
    if outcome == "dead":
        marks.append(SourceMark("dead link", "bad"))
    elif outcome and outcome != "live":
        marks.append(SourceMark(str(outcome).replace("_", " "), "doubt"))
    return marks


def gather_claims(sources: Sequence[Document]) -> list[ClaimEdges]:
    """The claims of all sources, each once."""
    claims: dict[str, list[tuple[Document, str, list[str]]]] = {}
    for source in sources:
        for each in source.get("claims") or ():
            relation = each.get("relation")
            outcome = relation if relation and relation != "neutral" else each["support"]
            claims.setdefault(each["claim"], []).append((source, outcome, each.get("evidence") or []))
    return [ClaimEdges(text, compared) for text, compared in claims.items()]


def build_graph(steps: Sequence[Document], sources: Sequence[Document]) -> SourceGraph | None:
    """Place the boxes and lines; None for a session without sources."""
    if not sources:
        return None
    claims = gather_claims(sources)
    chosen = _choose_sources(sources)
    met = {_get_step(source) for source in chosen}
    shown = {step["stepNumber"]: step for step in steps if step["stepNumber"] in met}
    step_places = {number: _place(index, "step") for index, number in enumerate(shown)}
    source_places = {id(source): _place(index, "source") for index, source in enumerate(chosen)}
    boxes = [
        Box(*step_places[number], _clip(f"{number}. {step['description']}", LABEL)) for number, step in shown.items()
    ]
    edges = []
    for source in chosen:
        marks = find_marks(source)
        kind = "bad" if any(mark.kind == "bad" for mark in marks) else ""
        detail = _clip(", ".join(mark.words for mark in marks), DETAIL)
        place = source_places[id(source)]
        boxes.append(Box(*place, _clip(source.get("title") or source["url"], LABEL), detail, kind))
        if (begin := step_places.get(_get_step(source))) is not None:
            is_found = bool(source.get("foundInStep"))
            edges.append(Edge(_draw(begin, place), "found" if is_found else "met after", "" if is_found else "later"))
    for index, claim in enumerate(claims[:MOST_CLAIMS]):
        place = _place(index, "claim")
        boxes.append(Box(*place, _clip(claim.text, LABEL)))
        edges += [
            Edge(_draw(source_places[id(source)], place), outcome.replace("_", " "), _get_kind(outcome))
            for source, outcome, _ in claim.compared
            if id(source) in source_places
        ]
    rows = max(len(shown), len(chosen), min(len(claims), MOST_CLAIMS))
    left_out = len(sources) - len(chosen) + max(0, len(claims) - MOST_CLAIMS)
    return SourceGraph(boxes, edges, TOP + rows * ROW_HEIGHT, left_out)


def _choose_sources(sources: Sequence[Document]) -> list[Document]:
    """Those with claims or marks first, as many as a graph can show, in the order of the session."""
    order = sorted(sources, key=lambda source: 0 if source.get("claims") else 1 if find_marks(source) else 2)
    chosen = {id(source) for source in order[:MOST_SOURCES]}
    return [source for source in sources if id(source) in chosen]


def _get_step(source: Document) -> Any:
    return source.get("foundInStep") or source.get("metAfterStep")


def _get_kind(outcome: str) -> str:
    return "fine" if outcome in AGREES else "bad" if outcome in DISAGREES else "doubt"


def _place(index: int, column: str) -> tuple[int, int]:
    return COLUMNS[column], TOP + index * ROW_HEIGHT


def _draw(begin: tuple[int, int], end: tuple[int, int]) -> str:
    left, top = begin[0] + BOX_WIDTH, begin[1] + BOX_HEIGHT // 2
    right, bottom = end[0], end[1] + BOX_HEIGHT // 2
    middle = (left + right) // 2
    return f"M{left},{top} C{middle},{top} {middle},{bottom} {right},{bottom}"


def _clip(text: str, most: int) -> str:
    line = " ".join(text[: most * 8].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
