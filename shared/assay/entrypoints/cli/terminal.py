"""What people see on a terminal and programs do not: a line while a call works, and failures as sentences."""

import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from assay.context import Context
    from assay.errors import ToolError

ERASE = "\r\x1b[K"
FIRST, EVERY = 0.5, 1.0  # seconds before the first line, and between two


def print_failure(failure: "ToolError") -> None:
    """On a terminal a sentence and what to do; one JSON line for a program."""
    if not sys.stderr.isatty():
        print(json.dumps(failure.wire(), ensure_ascii=False), file=sys.stderr)
        return
    lines = [f"assay: {failure.sentence()}"]
    if failure.retryable and failure.retry_after:
        lines.append(f"  Try again in {failure.retry_after} seconds.")
    if failure.alternatives:
        lines.append(f"  Available: {', '.join(failure.alternatives)}")
    print(printable("\n".join(lines)), file=sys.stderr)


def printable(text: str) -> str:
    """Without what would move a terminal's cursor or colour it; line ends stay."""
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)


async def confirm(question: str, no: "asyncio.Event") -> bool:
    """Whether the person at the terminal answers yes, before `no` is set."""
    import asyncio

    print(ERASE + question, end="", file=sys.stderr, flush=True)
    loop = asyncio.get_running_loop()
    answered = asyncio.Event()
    try:
        loop.add_reader(sys.stdin.fileno(), answered.set)
    except NotImplementedError:  # Windows
        return False
    waiting = [asyncio.ensure_future(each.wait()) for each in (answered, no)]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        loop.remove_reader(sys.stdin.fileno())
        for each in waiting:
            each.cancel()
    return answered.is_set() and sys.stdin.readline().strip().lower() in ("y", "yes")


class ProgressLine:
    """A line on standard error: what works, for how long, and what it reports of itself."""

    def __init__(self, name: str) -> None:
        self._name, self._began, self._said = name, time.monotonic(), ""
        self._is_shown = False

    async def report(self, done: float, total: float | None, message: str | None) -> None:
        share = f"{done:g} of {total:g}" if total else f"{done:g}"
        self._said = f", {message or share}"

    async def show(self) -> None:
        import asyncio

        await asyncio.sleep(FIRST)
        self._is_shown = True
        while True:
            line = f"{self._name} is working, {time.monotonic() - self._began:.0f} s{self._said}"
            print(ERASE + printable(line)[:100], end="", file=sys.stderr, flush=True)
            await asyncio.sleep(EVERY)

    def erase(self) -> None:
        if self._is_shown:
            print(ERASE, end="", file=sys.stderr, flush=True)


@asynccontextmanager
async def progress_shown(name: str, ctx: "Context") -> AsyncIterator[None]:
    """Show the call's progress while it works, where standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    import asyncio

    progress = ProgressLine(name)
    ctx.report = progress.report
    showing = asyncio.ensure_future(progress.show())
    try:
        yield
    finally:
        showing.cancel()
        with suppress(asyncio.CancelledError):
            await showing
        progress.erase()
