"""`assay crawl URL`: crawl here and now, with a bar while it lasts and a table at its end."""

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
BAR, WAIT = 30, 20.0  # characters; seconds of one look
PAGES = 100  # of one question


def crawl(asked: argparse.Namespace) -> int:
    if (asked.url is None) == (asked.resume is None):
        from assay.errors import InvalidInput

        raise InvalidInput("Give the address to begin at, or --resume with the id of a crawl.", field="url")
    return asyncio.run(run_crawl(asked))


async def run_crawl(asked: argparse.Namespace) -> int:
    """Crawl to the end, or until told to stop: then what was read so far is shown."""
    from assay.bootstrap import build_services
    from assay.context import Caller, Context

    services = build_services()
    ctx = Context(services, Caller(), door="cli", allow_large=True)
    stop = Stop()
    on_signal(stop.interrupt, signal.SIGINT)
    on_signal(stop.set, signal.SIGTERM)
    try:
        identity = asked.resume or (await tool(ctx, "cinder_crawl", arguments(asked)))["crawlId"]
        await follow_crawl(ctx, identity, stop)
        status = await everything(ctx, identity, content=asked.json)
    finally:
        await services.close()
    print(json.dumps(status, ensure_ascii=False) if asked.json else format_status(status))
    if stop.is_set():
        return INTERRUPTED
    return 0 if status["status"] == "completed" else FAILED


def arguments(asked: argparse.Namespace) -> dict[str, Any]:
    """The tool's arguments, what was not said left out."""
    said = {
        "url": asked.url,
        "maxPages": asked.max_pages,
        "maxDepth": asked.max_depth,
        "includePatterns": asked.include,
        "excludePatterns": asked.exclude,
        "render": asked.render or None,
        "sitemaps": asked.sitemaps or None,
    }
    return {name: value for name, value in said.items() if value is not None}


async def tool(ctx: "Context", name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The tool's answer. Raises its failure."""
    from dataclasses import replace

    from assay.invoke import invoke

    reply = await invoke(name, given, replace(ctx, meta={}, deadline=None))
    if reply.error is not None:
        raise reply.error
    return reply.wire


async def follow_crawl(ctx: "Context", identity: str, stop: "Stop") -> None:
    """Watch the crawl to its end; when told to stop, cancel it."""
    shown = Bar() if sys.stderr.isatty() else None
    ctx.report = shown.report if shown else None
    stopping = asyncio.ensure_future(stop.wait())
    try:
        while True:
            given = {"id": identity, "limit": 1, "waitSeconds": WAIT}
            looking = asyncio.ensure_future(tool(ctx, "cinder_get_crawl_status", given))
            await asyncio.wait({looking, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not looking.done():
                looking.cancel()
                ctx.report = None
                if not (stop.by_hand and await stays(identity, stop)):
                    await tool(ctx, "cinder_cancel_crawl", {"id": identity})
                return
            if looking.result()["status"] not in ("queued", "running"):
                return
    finally:
        stopping.cancel()
        ctx.report = None
        if shown:
            shown.erase()


class Stop(asyncio.Event):
    """Set when the crawl shall stop; `by_hand` where somebody at a terminal pressed Ctrl-C and can be asked why."""

    by_hand = False

    def interrupt(self) -> None:
        self.by_hand = sys.stdin.isatty() and sys.stderr.isatty()
        self.set()


async def stays(identity: str, stop: Stop) -> bool:
    """Whether the crawl shall stay, for later. A second Ctrl-C says no."""
    stop.clear()
    question = f"Leave the crawl for later? A server goes on with it, or `assay crawl --resume {identity}`. [y/N] "
    try:
        return await confirm(question, stop)
    finally:
        stop.set()


class Bar:
    """A line on standard error that says how far the crawl is."""

    async def report(self, tried: float, found: float | None, _: str | None) -> None:
        done = int(BAR * tried / (found or 1))
        told = f"[{'#' * done}{'.' * (BAR - done)}] {tried:.0f} of {found or 0:.0f} pages"
        print(f"{ERASE}{told}", end="", file=sys.stderr, flush=True)

    def erase(self) -> None:
        print(ERASE, end="", file=sys.stderr, flush=True)


async def everything(ctx: "Context", identity: str, *, content: bool) -> dict[str, Any]:
    """The status with all pages."""
    pages: list[dict[str, Any]] = []
    while True:
        given = {"id": identity, "offset": len(pages), "limit": PAGES, "includeContent": content}
        status = await tool(ctx, "cinder_get_crawl_status", given)
        pages += status["pages"]
        if not status["hasMore"] or not status["pages"]:
            return {**status, "pages": pages}


def format_status(status: dict[str, Any]) -> str:
    """A line for each page, and the sum below."""
    width = shutil.get_terminal_size((120, 24)).columns
    lines = [f"{'status':>6} {'length':>8}  page"]
    for page in status["pages"]:
        told = page.get("error") or page.get("title") or ""
        line = f"{page['statusCode'] or '-':>6} {page.get('contentLength', '-'):>8}  {page['url']}  {told}"
        lines.append(printable(line)[: max(40, width)].rstrip())
    failed = sum(not 0 < page["statusCode"] < 400 for page in status["pages"])
    lines += ["", f"{status['status']}: {status['pagesCrawled']} pages crawled, {failed} failed ({status['crawlId']})"]
    lines += [printable(status["error"])] if "error" in status else []
    lines += [printable(note) for note in status.get("notes", [])]
    return "\n".join(lines)
