"""One page in its own browser context: creation, commands, script evaluation and disposal."""

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
COMMAND_SECONDS = 10.0  # for commands that a healthy browser completes at once
CLOSING_SECONDS = 3.0
BUFFER = 1 << 20  # bytes of response bodies kept by the browser, which are never requested


@cache
def world() -> str:
    """The source of the script that is injected into the isolated world of each document."""
    return Path(__file__).with_name("page_script.js").read_text()


class ScriptsBlocked(Exception):
    """The page's scripts block the evaluation of ours."""


class BrowserUnresponsive(Exception):
    """The browser does not respond and must be restarted."""


class Tab:
    """A page; `watch` holds its state."""

    def __init__(self, pipe: Pipe, session: str, watch: PageEvents) -> None:
        self.watch = watch
        self._pipe, self._session = pipe, session
        self._place: int | None = None  # id of our isolated world in the current document
        self._seen = -1  # number of navigations when it was created

    def send(self, method: str, /, **params: Any) -> asyncio.Future[Params]:
        """Send a DevTools command to the page's session."""
        return self._pipe.send(method, self._session, **params)

    async def prepare(self, agent: Params, *, console: bool) -> None:
        """Configure the page before navigation.

        Waits for completion, because commands to the renderer and to the browser process are not ordered otherwise.
        """
        self.watch.answer = lambda kind: self.send("Page.handleJavaScriptDialog", accept=kind == "beforeunload")
        commands = [
            self.send("Page.enable"),
            self.send("Network.enable", maxTotalBufferSize=BUFFER, maxResourceBufferSize=BUFFER),
            self.send("Page.addScriptToEvaluateOnNewDocument", source=world(), worldName=WORLD),
            self.send("Network.setUserAgentOverride", **agent),
        ]
        if console:
            commands += [self.send("Runtime.enable"), self.send("Log.enable")]
        done = asyncio.gather(*commands)
        done.add_done_callback(lambda _: self.watch.moved.set())
        await promptly(self._unless_over(done))

    async def _unless_over(self, work: asyncio.Future[Any]) -> None:
        """Wait for commands to a page. Raises UpstreamFailed if the page ends before."""
        while not work.done():
            if self.watch.over:
                raise UpstreamFailed("The page's renderer ended before the page was loaded. Call again.")
            self.watch.moved.clear()
            await self.watch.moved.wait()
        work.result()

    async def call(self, expression: str, seconds: float, *, later: bool = False) -> Any:
        """Evaluate `assay.<expression>` in the isolated world. Raises ScriptsBlocked; Refusal on navigation."""
        try:
            async with asyncio.timeout(seconds):
                response = await self._evaluate(f"assay.{expression}", later=later)
        except TimeoutError:
            raise ScriptsBlocked from None
        if "exceptionDetails" in response:
            raise Refusal(str(response["exceptionDetails"].get("text", "")))
        return response["result"].get("value")

    async def stop_scripts(self, seconds: float) -> None:
        """Stop the page's scripts, so that the resulting document can be read."""
        self.send("Emulation.setScriptExecutionDisabled", value=True)
        stopped = self.send("Runtime.terminateExecution")
        with suppress(TimeoutError, Refusal):
            async with asyncio.timeout(seconds):
                await stopped

    async def _evaluate(self, expression: str, *, later: bool = False) -> Params:
        before = self._seen
        place = await self._world()
        if before != self._seen:  # a document with scripts disabled lacks our script
            expression = f"{world()}\n{expression}"
        return await self.send(
            "Runtime.evaluate",
            expression=expression,
            contextId=place,
            returnByValue=True,
            awaitPromise=later,
        )

    async def _world(self) -> int:
        if self._place is None or self._seen != self.watch.navigations:
            seen = self.watch.navigations
            made = await self.send("Page.createIsolatedWorld", frameId=self.watch.frame, worldName=WORLD)
            self._place, self._seen = int(made["executionContextId"]), seen
        return self._place


class PageNotStarted(BrowserUnresponsive):
    """The browser does not even create a page."""


async def promptly[T](work: Awaitable[T], seconds: float = COMMAND_SECONDS) -> T:
    """Await a browser command. Raises BrowserUnresponsive after `seconds`, UpstreamFailed if it is rejected."""
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
    """Open a blank page in a new context whose only network access is the loopback proxy at that port.

    Raises PageNotStarted. `lost` is called if the browser does not dispose of the context afterwards.
    """
    context = await _context(pipe, proxy)
    session = ""
    try:
        pipe.send("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
        target = (await promptly(pipe.send("Target.createTarget", url="about:blank", browserContextId=context)))[
            "targetId"
        ]
        session = (await promptly(pipe.send("Target.attachToTarget", targetId=target, flatten=True)))["sessionId"]
        watch = PageEvents(frame=target)
        pipe.listeners[session] = watch.handle
        tab = Tab(pipe, session, watch)
        await tab.prepare(agent, console=console)
        yield tab
    finally:
        pipe.listeners.pop(session, None)
        _dispose(pipe, context, lost)


async def _context(pipe: Pipe, proxy: int) -> str:
    way = {"proxyServer": f"http://127.0.0.1:{proxy}", "proxyBypassList": "<-loopback>"}
    making = pipe.send("Target.createBrowserContext", disposeOnDetach=True, **way)
    try:
        made = await promptly(asyncio.shield(making), BEGIN_SECONDS)
    except BrowserUnresponsive as silence:
        raise PageNotStarted from silence
    except asyncio.CancelledError:  # the browser creates the context anyway
        making.add_done_callback(lambda done: _drop(pipe, done))
        raise
    return str(made["browserContextId"])


def _drop(pipe: Pipe, made: asyncio.Future[Params]) -> None:
    if not made.cancelled() and not made.exception():
        pipe.send("Target.disposeBrowserContext", **made.result())


def _dispose(pipe: Pipe, context: str, lost: Callable[[], None]) -> None:
    """Dispose of the context without waiting; call `lost` if that takes longer than CLOSING_SECONDS."""
    forgotten = pipe.send("Target.disposeBrowserContext", browserContextId=context)
    late = asyncio.get_running_loop().call_later(CLOSING_SECONDS, lost)

    def on_done(done: asyncio.Future[Params]) -> None:
        late.cancel()
        if done.cancelled() or done.exception():
            lost()

    forgotten.add_done_callback(on_done)
