"""Terminal output for people: a progress line during a call, and errors as sentences."""

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
FIRST, EVERY = 0.5, 1.0  # seconds until the first line, and between updates


def print_failure(failure: "ToolError") -> None:
    """Print the error to standard error: on a terminal a sentence with the next step, otherwise one JSON line."""
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
    """Replace control characters, which could move the cursor or change colours, by spaces. Keep line ends."""
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)


async def confirm(question: str, no: "asyncio.Event") -> bool:
    """Ask a question on the terminal. Returns True if the answer is yes and arrives before `no` is set."""
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
    """A status line on standard error: the tool, the elapsed time and its latest progress report."""

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
            line = f"{self._name} is running, {time.monotonic() - self._began:.0f} s{self._said}"
            print(ERASE + printable(line)[:100], end="", file=sys.stderr, flush=True)
            await asyncio.sleep(EVERY)

    def erase(self) -> None:
        if self._is_shown:
            print(ERASE, end="", file=sys.stderr, flush=True)


@asynccontextmanager
async def progress_shown(name: str, ctx: "Context") -> AsyncIterator[None]:
    """Show the call's progress while it runs, if standard error is a terminal."""
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
