"""`assay crawl URL`: crawls in the foreground, with a progress bar and a final table of pages."""

import argparse
import asyncio
import json
import shutil
from typing import TYPE_CHECKING, Any

from assay.entrypoints.cli.foreground_work import (
    FAILED,
    INTERRUPTED,
    FollowedWork,
    ToolCall,
    command_context,
    follow_work,
    invoke_tool,
)
from assay.entrypoints.cli.terminal import printable

if TYPE_CHECKING:
    from assay.context import Context

WAIT = 20.0  # seconds that one status request waits
PAGES = 100  # per status request


def crawl(options: argparse.Namespace) -> int:
    if (options.url is None) == (options.resume is None):
        from assay.errors import InvalidInput

        raise InvalidInput("Give a start URL, or --resume with the id of a crawl.", field="url")
    return asyncio.run(run_crawl(options))


async def run_crawl(options: argparse.Namespace) -> int:
    """Crawl until done or stopped by a signal, then print the pages read so far."""
    async with command_context() as (ctx, stop):
        started = None if options.resume else await invoke_tool(ctx, ToolCall("cinder_crawl", arguments(options)))
        identity = started["crawlId"] if started else options.resume
        await follow_work(ctx, to_work(identity), stop)
        status = await read_all_pages(ctx, identity, content=options.json)
    print(json.dumps(status, ensure_ascii=False) if options.json else format_status(status))
    if stop.is_set():
        return INTERRUPTED
    return 0 if status["status"] == "completed" else FAILED


def to_work(identity: str) -> FollowedWork:
    return FollowedWork(
        "pages",
        ToolCall("cinder_get_crawl_status", {"id": identity, "limit": 1, "waitSeconds": WAIT}),
        ToolCall("cinder_cancel_crawl", {"id": identity}),
        "crawl",
        f"assay crawl --resume {identity}",
    )


def arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The tool's arguments, without the options that were not given."""
    values = {
        "url": options.url,
        "maxPages": options.max_pages,
        "maxDepth": options.max_depth,
        "includePatterns": options.include,
        "excludePatterns": options.exclude,
        "render": options.render or None,
        "sitemaps": options.sitemaps or None,
    }
    return {name: value for name, value in values.items() if value is not None}


async def read_all_pages(ctx: "Context", identity: str, *, content: bool) -> dict[str, Any]:
    """The status of the crawl with all its pages, and the notes on any of them."""
    pages: list[dict[str, Any]] = []
    notes: dict[str, None] = {}
    while True:
        query = {"id": identity, "offset": len(pages), "limit": PAGES, "includeContent": content}
        status = await invoke_tool(ctx, ToolCall("cinder_get_crawl_status", query))
        pages += status["pages"]
        notes |= dict.fromkeys(status.get("notes", ()))
        if not status["hasMore"] or not status["pages"]:
            return {**status, "pages": pages, **({"notes": list(notes)} if notes else {})}


def format_status(status: dict[str, Any]) -> str:
    """Format the status as a table with one line per page, and a summary."""
    width = shutil.get_terminal_size((120, 24)).columns
    lines = [f"{'status':>6} {'length':>8}  page"]
    for page in status["pages"]:
        note = page.get("error") or page.get("title") or ""
        line = f"{page['statusCode'] or '-':>6} {page.get('contentLength', '-'):>8}  {page['url']}  {note}"
        lines.append(printable(line)[: max(40, width)].rstrip())
    failed = sum(not 0 < page["statusCode"] < 400 for page in status["pages"])
    lines += ["", f"{status['status']}: {status['pagesCrawled']} pages crawled, {failed} failed ({status['crawlId']})"]
    lines += [printable(status["error"])] if "error" in status else []
    lines += [printable(note) for note in status.get("notes", [])]
    return "\n".join(lines)
