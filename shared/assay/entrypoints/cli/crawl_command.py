"""`assay crawl URL`: crawls in the foreground, with a progress bar and a final table of pages."""

import argparse
import asyncio
import json
import shutil
import signal
import sys
from typing import TYPE_CHECKING, Any

from assay.entrypoints.cli.terminal import ERASE, confirm, printable
from assay.entrypoints.http.signals import on_signal

if TYPE_CHECKING:
    from assay.context import Context

FAILED, INTERRUPTED = 1, 130
BAR, WAIT = 30, 20.0  # characters; seconds that one status request waits
PAGES = 100  # per status request


def crawl(options: argparse.Namespace) -> int:
    if (options.url is None) == (options.resume is None):
        from assay.errors import InvalidInput

        raise InvalidInput("Give a start URL, or --resume with the id of a crawl.", field="url")
    return asyncio.run(run_crawl(options))


async def run_crawl(options: argparse.Namespace) -> int:
    """Crawl until done or stopped by a signal, then print the pages read so far."""
    from assay.bootstrap import build_services
    from assay.context import Caller, Context

    services = build_services()
    ctx = Context(services, Caller(), entrypoint="cli", allow_large=True)
    stop = StopEvent()
    on_signal(stop.interrupt, signal.SIGINT)
    on_signal(stop.set, signal.SIGTERM)
    try:
        identity = options.resume or (await tool(ctx, "cinder_crawl", arguments(options)))["crawlId"]
        await follow_crawl(ctx, identity, stop)
        status = await read_all_pages(ctx, identity, content=options.json)
    finally:
        await services.close()
    print(json.dumps(status, ensure_ascii=False) if options.json else format_status(status))
    if stop.is_set():
        return INTERRUPTED
    return 0 if status["status"] == "completed" else FAILED


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


async def tool(ctx: "Context", name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Invoke the tool and return its result. Raises its ToolError."""
    from dataclasses import replace

    from assay.invoke import invoke

    reply = await invoke(name, arguments, replace(ctx, meta={}, deadline=None))
    if reply.error is not None:
        raise reply.error
    return reply.wire


async def follow_crawl(ctx: "Context", identity: str, stop: "StopEvent") -> None:
    """Wait for the end of the crawl and show its progress; cancel the crawl when `stop` is set."""
    shown = ProgressBar() if sys.stderr.isatty() else None
    ctx.report = shown.report if shown else None
    stopping = asyncio.ensure_future(stop.wait())
    try:
        while True:
            query = {"id": identity, "limit": 1, "waitSeconds": WAIT}
            looking = asyncio.ensure_future(tool(ctx, "cinder_get_crawl_status", query))
            await asyncio.wait({looking, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not looking.done():
                looking.cancel()
                ctx.report = None
                if not (stop.by_hand and await confirm_keeping(identity, stop)):
                    await tool(ctx, "cinder_cancel_crawl", {"id": identity})
                return
            if looking.result()["status"] not in ("queued", "running"):
                return
    finally:
        stopping.cancel()
        ctx.report = None
        if shown:
            shown.erase()


class StopEvent(asyncio.Event):
    """Set when the crawl must stop. `by_hand` is true if Ctrl-C came from a terminal, where the CLI can ask back."""

    by_hand = False

    def interrupt(self) -> None:
        self.by_hand = sys.stdin.isatty() and sys.stderr.isatty()
        self.set()


async def confirm_keeping(identity: str, stop: StopEvent) -> bool:
    """Ask whether to keep the crawl for later. A second Ctrl-C means no."""
    stop.clear()
    question = f"Keep the crawl for later? A server or `assay crawl --resume {identity}` can resume it. [y/N] "
    try:
        return await confirm(question, stop)
    finally:
        stop.set()


class ProgressBar:
    """A progress bar on standard error."""

    async def report(self, tried: float, found: float | None, _: str | None) -> None:
        done = int(BAR * tried / (found or 1))
        line = f"[{'#' * done}{'.' * (BAR - done)}] {tried:.0f} of {found or 0:.0f} pages"
        print(f"{ERASE}{line}", end="", file=sys.stderr, flush=True)

    def erase(self) -> None:
        print(ERASE, end="", file=sys.stderr, flush=True)


async def read_all_pages(ctx: "Context", identity: str, *, content: bool) -> dict[str, Any]:
    """The status of the crawl with all its pages."""
    pages: list[dict[str, Any]] = []
    while True:
        query = {"id": identity, "offset": len(pages), "limit": PAGES, "includeContent": content}
        status = await tool(ctx, "cinder_get_crawl_status", query)
        pages += status["pages"]
        if not status["hasMore"] or not status["pages"]:
            return {**status, "pages": pages}


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
