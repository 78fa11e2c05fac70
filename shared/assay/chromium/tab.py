"""One page in a context of its own: opened, told where to go, asked what it holds, and forgotten."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from assay.chromium.cdp import Params, Pipe, PipeClosed, Refusal
from assay.chromium.page_events import PageEvents
from assay.errors import UpstreamFailed

WORLD = "assay"
BEGIN_SECONDS = 6.0
COMMAND_SECONDS = 10.0  # for what a healthy browser does at once
CLOSING_SECONDS = 3.0
BUFFER = 1 << 20  # bytes of answers that the browser keeps for us, who never ask for them


@cache
def world() -> str:
    return Path(__file__).with_name("page_script.js").read_text()


class ScriptsBlocked(Exception):
    """The page's scripts let nobody in."""


class BrowserUnresponsive(Exception):
    """The browser does not answer; whatever it has of us, it is of no more use."""


class Tab:
    """A page. Its `watch` is what happens there."""

    def __init__(self, pipe: Pipe, session: str, watch: PageEvents) -> None:
        self.watch = watch
        self._pipe, self._session = pipe, session
        self._place: int | None = None  # our world in the present document
        self._seen = -1  # navigations when that was found

    def tell(self, method: str, /, **params: Any) -> asyncio.Future[Params]:
        return self._pipe.tell(method, self._session, **params)

    async def prepare(self, agent: Params, *, console: bool) -> None:
        """Everything that must be in place before the page begins. Waited for, since what the renderer is told does
        not otherwise come before what the browser is told.
        """
        self.watch.answer = lambda kind: self.tell("Page.handleJavaScriptDialog", accept=kind == "beforeunload")
        commands = [
            self.tell("Page.enable"),
            self.tell("Network.enable", maxTotalBufferSize=BUFFER, maxResourceBufferSize=BUFFER),
            self.tell("Page.addScriptToEvaluateOnNewDocument", source=world(), worldName=WORLD),
            self.tell("Network.setUserAgentOverride", **agent),
        ]
        if console:
            commands += [self.tell("Runtime.enable"), self.tell("Log.enable")]
        done = asyncio.gather(*commands)
        done.add_done_callback(lambda _: self.watch.moved.set())
        await promptly(self._unless_over(done))

    async def _unless_over(self, work: asyncio.Future[Any]) -> None:
        """Wait for the work of a page that may end before it is done."""
        while not work.done():
            if self.watch.over:
                raise UpstreamFailed("The page's renderer ended before the page began. Call again.")
            self.watch.moved.clear()
            await self.watch.moved.wait()
        work.result()

    async def ask(self, call: str, seconds: float, *, later: bool = False) -> Any:
        """What `assay.<call>` says in our world of the present document. Raises Stuck; Refusal where it just left."""
        try:
            async with asyncio.timeout(seconds):
                told = await self._evaluate(f"assay.{call}", later=later)
        except TimeoutError:
            raise ScriptsBlocked from None
        if "exceptionDetails" in told:
            raise Refusal(str(told["exceptionDetails"].get("text", "")))
        return told["result"].get("value")

    async def still(self, seconds: float) -> None:
        """Stop the page's scripts, so that what they made can be read."""
        self.tell("Emulation.setScriptExecutionDisabled", value=True)
        stopped = self.tell("Runtime.terminateExecution")
        with suppress(TimeoutError, Refusal):
            async with asyncio.timeout(seconds):
                await stopped

    async def _evaluate(self, expression: str, *, later: bool = False) -> Params:
        before = self._seen
        place = await self._world()
        if before != self._seen:  # a document without scripts has not heard of us
            expression = f"{world()}\n{expression}"
        return await self.tell(
            "Runtime.evaluate",
            expression=expression,
            contextId=place,
            returnByValue=True,
            awaitPromise=later,
        )

    async def _world(self) -> int:
        if self._place is None or self._seen != self.watch.navigations:
            seen = self.watch.navigations
            made = await self.tell("Page.createIsolatedWorld", frameId=self.watch.frame, worldName=WORLD)
            self._place, self._seen = int(made["executionContextId"]), seen
        return self._place


class PageNotStarted(BrowserUnresponsive):
    """It does not even begin a page."""


async def promptly[T](work: Awaitable[T], seconds: float = COMMAND_SECONDS) -> T:
    """What the browser itself does at once. Raises Unwell when it does not, UpstreamFailed when it will not."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except (TimeoutError, PipeClosed) as silence:
        raise BrowserUnresponsive from silence
    except Refusal as refusal:
        raise UpstreamFailed(f"The browser refused to open a page: {refusal}") from refusal


@asynccontextmanager
async def open_tab(
    pipe: Pipe, proxy: int, agent: Params, lost: Callable[[], None], *, console: bool = False
) -> AsyncIterator[Tab]:
    """A blank page in a new context whose only way out is the proxy at that port of loopback. Raises Unbegun.

    `lost` is called when the browser does not forget it afterwards.
    """
    context = await _context(pipe, proxy)
    session = ""
    try:
        pipe.tell("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
        target = (await promptly(pipe.tell("Target.createTarget", url="about:blank", browserContextId=context)))[
            "targetId"
        ]
        session = (await promptly(pipe.tell("Target.attachToTarget", targetId=target, flatten=True)))["sessionId"]
        watch = PageEvents(frame=target)
        pipe.hearers[session] = watch.handle
        tab = Tab(pipe, session, watch)
        await tab.prepare(agent, console=console)
        yield tab
    finally:
        pipe.hearers.pop(session, None)
        _forget(pipe, context, lost)


async def _context(pipe: Pipe, proxy: int) -> str:
    way = {"proxyServer": f"http://127.0.0.1:{proxy}", "proxyBypassList": "<-loopback>"}
    making = pipe.tell("Target.createBrowserContext", disposeOnDetach=True, **way)
    try:
        made = await promptly(asyncio.shield(making), BEGIN_SECONDS)
    except BrowserUnresponsive as silence:
        raise PageNotStarted from silence
    except asyncio.CancelledError:  # nobody waits any more, and it will be made all the same
        making.add_done_callback(lambda done: _drop(pipe, done))
        raise
    return str(made["browserContextId"])


def _drop(pipe: Pipe, made: asyncio.Future[Params]) -> None:
    if not made.cancelled() and not made.exception():
        pipe.tell("Target.disposeBrowserContext", **made.result())


def _forget(pipe: Pipe, context: str, lost: Callable[[], None]) -> None:
    """All that the page left goes with its context. Nobody waits for it but the clock."""
    forgotten = pipe.tell("Target.disposeBrowserContext", browserContextId=context)
    late = asyncio.get_running_loop().call_later(CLOSING_SECONDS, lost)

    def on_done(done: asyncio.Future[Params]) -> None:
        late.cancel()
        if done.cancelled() or done.exception():
            lost()

    forgotten.add_done_callback(on_done)
