"""The whole report of an audit, by calls of its tool, which returns references page by page."""

from collections.abc import Awaitable, Callable
from typing import Any

PAGE_SIZE = 200  # references, the tool's maximum

type AskTool = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


async def load_whole_report(ask_tool: AskTool, audit: str, form: str) -> dict[str, Any]:
    """The answer of `audit_document` with the report in this form; as JSON, with the references of all pages.

    `ask_tool` calls the tool with arguments.
    """
    asked = {"audit_id": audit, "wait_seconds": 0, "format": form, "page_size": PAGE_SIZE}
    first = await ask_tool(asked | {"page": 1})
    if form != "json":
        return first
    others = [await ask_tool(asked | {"page": page}) for page in range(2, first["pageCount"] + 1)]
    references = [each for answer in (first, *others) for each in answer.get("references", ())]
    return {**first, "references": references, "pageCount": 1}
