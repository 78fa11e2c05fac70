"""A person's memories: search, edit, forget, export."""

from collections.abc import AsyncGenerator
from typing import Any

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit
from assay.entrypoints.console.tool_refusals import check_done, read_personal
from assay.errors import InvalidInput

PATH = "/console/memory"
SHOWN = "20"
CONFIRMED = "yes"


async def show_memory(visit: PageVisit) -> Response:
    """The memories that match the query, the newest where there is none."""
    asked = {name: visit.query[name] for name in ("query", "topic", "offset") if visit.query.get(name)}
    found, refusal, status = await read_personal(visit, "memory_recall", {"limit": SHOWN, **asked})
    return visit.show(
        "memory.html",
        status=status,
        asked=asked,
        found=found,
        refusal=refusal,
        memories=found.get("memories", []),
    )


async def save_memory(visit: PageVisit) -> Response:
    """Save a note, or change one."""
    fields: dict[str, Any] = {name: visit.form.get(name, "") for name in ("note", "topic", "url", "id")}
    fields["note"] = fields["note"].replace("\r\n", "\n")  # as it was before browsers made it longer
    tags = [tag.strip() for tag in visit.form.get("tags", "").split(",") if tag.strip()]
    check_done(await visit.read_tool("memory_save", {**fields, **({"tags": tags} if tags or fields["id"] else {})}))
    return visit.redirect(PATH)


async def forget_memory(visit: PageVisit) -> Response:
    """Delete one memory, or all of them after a confirmation."""
    if visit.form.get("everything"):
        if visit.form.get("confirmed") != CONFIRMED:
            raise InvalidInput("Nothing was deleted. Tick the box beside the button first.", field="confirmed")
        chosen: dict[str, Any] = {"everything": True}
    else:
        chosen = {"ids": [visit.form.get("id", "")]}
    check_done(await visit.read_tool("memory_forget", {**chosen, "dryRun": False}))
    return visit.redirect(PATH)


async def export_memory(visit: PageVisit) -> Response:
    """All memories as a markdown file."""
    first = await _export_part(visit, "")
    return await visit.download_parts("memories.md", "text/markdown; charset=utf-8", _iterate_documents(visit, first))


async def _iterate_documents(visit: PageVisit, part: dict[str, Any]) -> AsyncGenerator[str]:
    yield part["document"]
    while cursor := part.get("nextCursor"):
        part = await _export_part(visit, cursor)
        yield f"\n{part['document']}"


async def _export_part(visit: PageVisit, cursor: str) -> dict[str, Any]:
    wire = await visit.read_tool("memory_export", {"format": "markdown", "cursor": cursor})
    check_done(wire)
    return wire
