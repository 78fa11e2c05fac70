"""The browser as a whole: begun when it is first needed, begun anew when it is spent or unwell, ended when idle."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

from assay import __version__
from assay.chromium.browser_process import START_SECONDS, Process, connect
from assay.chromium.cdp import Params
from assay.chromium.launch_options import UNAVAILABLE, Spawned, Told, arguments, spawn_browser
from assay.chromium.page_loader import PageLoader, Patience
from assay.chromium.proxy import Dial, Proxy
from assay.chromium.tab import BrowserUnresponsive, PageNotStarted, open_tab
from assay.errors import BrowserUnavailable, Network
from assay.net.dns import Resolve, system_resolve
from assay.net.exceptions import Unreachable
from assay.net.ssrf_guard import SsrfGuard
from assay.settings import Settings
from assay.state.ports import Rendered

MOST_RENDERS = 100  # of one process, which forgets little by little to forget
MOST_MEMORY = 600 << 20  # of all its processes while no page is open
HUNG = "The browser ended or hung over this page; call again."
HONEST = f"Mozilla/5.0 (compatible; Assay/{__version__}; headless)"
OVER = 4.0  # seconds beyond its time in which a render must have ended, or its browser is ended


@dataclass
class BrowserInstance:
    """One process and who is in it."""

    process: Process
    agent: Params
    product: str
    renders: int = 0
    inside: int = 0
    spent: bool = False

    def lose(self) -> None:
        """Never open a page in it again."""
        self.spent = True


class RenderRequest(NamedTuple):
    """What is asked of a render; `until` is of the loop's clock."""

    url: str
    settle: float
    until: float
    screenshot: bool
    console: bool


class Chromium:
    """ports.Browser by a Chromium of this machine. One a process; it lives on the loop that first asks it.

    `resolve` and `connect` are the seams of net.web; `told` says what Chromium is told when it starts;
    `early` is one that was begun before anything was asked.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        resolve: Resolve = system_resolve,
        connect: Dial | None = None,
        patience: Patience | None = None,
        told: Told = arguments,
        early: Spawned | None = None,
        most_renders: int = MOST_RENDERS,
        most_memory: int = MOST_MEMORY,
    ) -> None:
        self._settings = settings
        self._gate = SsrfGuard(settings, resolve=resolve)
        self._connect = connect
        self._patience = patience or Patience()
        self._told, self._early = told, early
        self._most_renders, self._most_memory = most_renders, most_memory
        self._engine: BrowserInstance | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._ends: set[asyncio.Task[None]] = set()

    async def render(
        self, url: str, *, settle: float, seconds: float, screenshot: bool = False, console: bool = False
    ) -> Rendered:
        """See ports.Browser."""
        until = asyncio.get_running_loop().time() + seconds
        at = (await self._gate.check(url)).place.url
        asked = RenderRequest(at, settle, until, screenshot, console)
        try:
            return await self._render_once(asked)
        except PageNotStarted:  # it hung or died since the last page: this one knows nothing of it
            try:
                return await self._render_once(asked)
            except PageNotStarted as again:
                raise BrowserUnavailable(f"{UNAVAILABLE} It begins, and opens no page.") from again

    async def _render_once(self, asked: RenderRequest) -> Rendered:
        async with self._place(asked.until) as engine:
            try:
                async with (
                    asyncio.timeout_at(asked.until + OVER),
                    Proxy(self._gate, self._connect) as proxy,
                    open_tab(engine.process.pipe, proxy.port, engine.agent, engine.lose, console=asked.console) as tab,
                ):
                    visit = PageLoader(tab, proxy, asked.url, asked.until, self._patience)
                    most = self._settings.max_html_bytes
                    return await visit.render(asked.settle, most, screenshot=asked.screenshot)
            except PageNotStarted:
                engine.lose()
                raise
            except (BrowserUnresponsive, TimeoutError) as silence:
                engine.lose()
                raise Unreachable(HUNG, "reset") from silence

    async def version(self) -> str:
        """The product's name and version, from the running browser. Raises BrowserUnavailable."""
        async with self._place(asyncio.get_running_loop().time() + START_SECONDS) as engine:
            return engine.product.replace("HeadlessChrome", "Chromium headless").replace("/", " ")

    async def close(self) -> None:
        self._cancel_idle_timer()
        engine, self._engine = self._engine, None
        if engine is not None and self._loop is asyncio.get_running_loop():
            await engine.process.end()
        await asyncio.gather(*self._ends, return_exceptions=True)

    @asynccontextmanager
    async def _place(self, until: float) -> AsyncIterator[BrowserInstance]:
        """A browser that is well, with room for one more page."""
        self._join()
        try:
            async with asyncio.timeout_at(until):
                await self._room.acquire()
        except TimeoutError:
            raise Network("The browser has no room for this page; call again.", retry_after=5) from None
        try:
            async with self._starting:
                engine = await self._well()
                engine.inside += 1
                engine.renders += 1
            try:
                yield engine
            finally:
                engine.inside -= 1
                self._left(engine)
        finally:
            self._room.release()

    def _join(self) -> None:
        """Belong to the loop that runs; what another one began ended with it."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._engine, self._idle = loop, None, None
            self._room = asyncio.Semaphore(self._settings.browser_concurrency)
            self._starting = asyncio.Lock()
            self._ends = set()

    async def _well(self) -> BrowserInstance:
        self._cancel_idle_timer()
        engine = self._engine
        if engine is not None and (engine.spent or not engine.process.alive):
            engine.spent = True
            self._left(engine)
            engine = None
        if engine is None:
            engine = self._engine = await self._start()
        return engine

    async def _start(self) -> BrowserInstance:
        early, self._early = self._early, None
        process = await connect(early or spawn_browser(self._settings, self._told))
        process.pipe.hearers[""] = lambda method, params: _shut(process, method, params)
        process.pipe.tell("Target.setDiscoverTargets", discover=True)
        return BrowserInstance(process, agent(self._settings, process.version), process.version["product"])

    def _left(self, engine: BrowserInstance) -> None:
        """After each page: end a browser that is spent, and one that nobody has asked for long."""
        if engine.renders >= self._most_renders or not engine.process.alive:
            engine.spent = True
        if engine.inside:
            return
        if not engine.spent and engine.renders % 10 == 0 and engine.process.memory() > self._most_memory:
            engine.spent = True
        if engine.spent:
            if self._engine is engine:
                self._engine = None
            self._end(engine)
        else:
            loop = asyncio.get_running_loop()
            self._cancel_idle_timer()
            self._idle = loop.call_later(self._settings.browser_idle_seconds, self._on_idle, engine)

    def _on_idle(self, engine: BrowserInstance) -> None:
        if not engine.inside:
            engine.spent = True
            self._left(engine)

    def _end(self, engine: BrowserInstance) -> None:
        task = asyncio.get_running_loop().create_task(engine.process.end())
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)

    def _cancel_idle_timer(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None


def agent(settings: Settings, version: Params) -> Params:
    """What the browser says it is: what browsers say, or what the operator wants said."""
    given = settings.browser_agent
    if given:
        return {"userAgent": HONEST if given == "assay" else given}
    named = version["userAgent"].replace("Headless", "")
    major = version["product"].partition("/")[2].partition(".")[0]
    brands = [{"brand": name, "version": major} for name in ("Chromium", "Google Chrome")]
    hints = {"platform": "Linux", "platformVersion": "", "architecture": "x86", "model": "", "mobile": False}
    return {
        "userAgent": named,
        "acceptLanguage": "en-US,en;q=0.9",
        "userAgentMetadata": {"brands": [*brands, {"brand": "Not=A?Brand", "version": "24"}], **hints},
    }


def _shut(process: Process, method: str, params: Params) -> None:
    """Close the windows that pages open: one page is rendered, and nobody looks at others."""
    target = params.get("targetInfo", {})
    if method == "Target.targetCreated" and target.get("type") == "page" and target.get("openerId"):
        process.pipe.tell("Target.closeTarget", targetId=target["targetId"])
