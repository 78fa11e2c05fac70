"""A person's watches: what is watched and when, what was new, changed passages, and new watches."""

from typing import Any, Literal, NamedTuple

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit
from assay.entrypoints.console.tool_refusals import check_done, read_personal
from assay.errors import InvalidInput

PATH = "/console/watches"
SHOWN = "20"
CONFIRMED = "yes"
KINDS = {
    "web": "results of a web search",
    "news": "news",
    "academic": "papers",
    "patent": "patents",
    "filing": "filings of companies",
    "case": "court decisions",
    "trial": "clinical trials",
    "author": "new works of an author",
    "page": "changes of a page",
}
STATES = {
    "due": "Checked on schedule",
    "parked": "Parked: checks failed too often. Save it again to go on.",
    "stopped": "Not scheduled. Save it again to go on.",
}

type PassageChange = Literal["removed", "added", "unchanged", "gap", "note"]
DIFF_SIGNS: dict[str, PassageChange] = {"-": "removed", "+": "added", " ": "unchanged"}


class DiffPassage(NamedTuple):
    """One passage of a unified diff."""

    change: PassageChange
    text: str


async def show_watches(visit: PageVisit) -> Response:
    """One page of the person's watches."""
    return await _show(visit)


async def save_watch(visit: PageVisit) -> Response:
    """Watch something, or renew a watch; its secret addresses are shown this once."""
    fields = {name: visit.form.get(name, "").strip() for name in ("query", "kind", "everyHours", "ttlDays", "feed")}
    wire = await visit.read_tool("monitor_query_save", {name: value for name, value in fields.items() if value})
    check_done(wire)
    return await _show(visit, saved=wire)


async def check_now(visit: PageVisit) -> Response:
    """Check a watch, and show what is new; each result is shown once."""
    wire = await visit.read_tool("monitor_query_check", {"id": visit.form.get("id", "")})
    check_done(wire)
    results = [(result, parse_diff(result.get("diff", ""))) for result in wire["newResults"]]
    return visit.show("watch_results.html", checked=wire, results=results)


async def delete_watch(visit: PageVisit) -> Response:
    """Delete one watch, or all of them, after a confirmation."""
    if visit.form.get("confirmed") != CONFIRMED:
        raise InvalidInput("Nothing was deleted. Tick the box beside the button first.", field="confirmed")
    chosen = {"everything": True} if visit.form.get("everything") else {"ids": [visit.form.get("id", "")]}
    check_done(await visit.read_tool("monitor_delete", chosen))
    return visit.redirect(PATH)


async def _show(visit: PageVisit, saved: dict[str, Any] | None = None) -> Response:
    offset = visit.query.get("offset")
    asked = {"limit": SHOWN, **({"offset": offset} if offset else {})}
    found, refusal, status = await read_personal(visit, "monitor_list", asked)
    return visit.show(
        "watches.html",
        status=status,
        found=found,
        refusal=refusal,
        watches=found.get("watches", []),
        kinds=KINDS,
        states=STATES,
        saved=saved,
    )


def parse_diff(diff: str) -> list[DiffPassage]:
    """The passages of a unified diff. A gap stands for passages that did not change."""
    return [_parse_line(line) for line in diff.split("\n") if line]


def _parse_line(line: str) -> DiffPassage:
    if line.startswith("@@ "):
        return DiffPassage("gap", "")
    if line[0] in DIFF_SIGNS:
        return DiffPassage(DIFF_SIGNS[line[0]], line[1:])
    return DiffPassage("note", line)
