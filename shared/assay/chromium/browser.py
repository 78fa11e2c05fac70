"""Lifecycle of the browser: starts on first use, restarts when worn out or unresponsive, stops when idle."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

from assay import __version__
from assay.chromium.browser_process import START_SECONDS, Process, connect
from assay.chromium.cdp import Params
from assay.chromium.launch_options import UNAVAILABLE, BuildArguments, Spawned, arguments, spawn_browser
from assay.chromium.page_loader import PageLoader, Patience
from assay.chromium.proxy import Dial, Proxy
from assay.chromium.tab import BrowserUnresponsive, PageNotStarted, open_tab
from assay.errors import BrowserUnavailable, Network
from assay.net.dns import Resolve, system_resolve
from assay.net.exceptions import Unreachable
from assay.net.ssrf_guard import SsrfGuard
from assay.settings import Settings
from assay.state.ports import Rendered

MAX_RENDERS = 100  # per browser process, which leaks memory over time
MAX_MEMORY = 600 << 20  # bytes of all its processes while no page is open
HUNG = "The browser crashed or hung on this page; call again."
HONEST = f"Mozilla/5.0 (compatible; Assay/{__version__}; headless)"
OVER = 4.0  # seconds; a render that exceeds its time limit by more restarts the browser


@dataclass
class BrowserInstance:
    """One browser process, the number of renders so far, and the number of open pages."""

    process: Process
    agent: Params
    product: str
    renders: int = 0
    open_pages: int = 0
    worn_out: bool = False

    def retire(self) -> None:
        """Mark the process as unusable for further pages."""
        self.worn_out = True


class RenderRequest(NamedTuple):
    """A request to render a page; times are in seconds, `until` is on the event loop's clock."""

    url: str
    settle: float
    until: float
    screenshot: bool
    console: bool


class Chromium:
    """Implements ports.Browser with a local Chromium, which belongs to the event loop of the first request.

    `resolve` and `connect` replace name resolution and connections (for tests), `build_arguments` the command line;
    `early` is a browser process that was started in advance.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        resolve: Resolve = system_resolve,
        connect: Dial | None = None,
        patience: Patience | None = None,
        build_arguments: BuildArguments = arguments,
        early: Spawned | None = None,
        max_renders: int = MAX_RENDERS,
        max_memory: int = MAX_MEMORY,
    ) -> None:
        self._settings = settings
        self._gate = SsrfGuard(settings, resolve=resolve)
        self._connect = connect
        self._patience = patience or Patience()
        self._build_arguments, self._early = build_arguments, early
        self._max_renders, self._max_memory = max_renders, max_memory
        self._engine: BrowserInstance | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._ends: set[asyncio.Task[None]] = set()

    async def render(
        self, url: str, *, settle: float, seconds: float, screenshot: bool = False, console: bool = False
    ) -> Rendered:
        """See ports.Browser."""
        until = asyncio.get_running_loop().time() + seconds
        at = (await self._gate.check(url)).parsed_url.url
        request = RenderRequest(at, settle, until, screenshot, console)
        try:
            return await self._render_once(request)
        except PageNotStarted:  # the browser hung or crashed before this page: retry with a new one
            try:
                return await self._render_once(request)
            except PageNotStarted as again:
                raise BrowserUnavailable(f"{UNAVAILABLE} The browser starts, but cannot open a page.") from again

    async def _render_once(self, request: RenderRequest) -> Rendered:
        async with self._acquire(request.until) as engine:
            try:
                async with (
                    asyncio.timeout_at(request.until + OVER),
                    Proxy(self._gate, self._connect) as proxy,
                    open_tab(
                        engine.process.pipe, proxy.port, engine.agent, engine.retire, console=request.console
                    ) as tab,
                ):
                    loader = PageLoader(tab, proxy, request.url, request.until, self._patience)
                    max_bytes = self._settings.max_html_bytes
                    return await loader.render(request.settle, max_bytes, screenshot=request.screenshot)
            except PageNotStarted:
                engine.retire()
                raise
            except (BrowserUnresponsive, TimeoutError) as silence:
                engine.retire()
                raise Unreachable(HUNG, "reset") from silence

    async def version(self) -> str:
        """The browser's name and version. Raises BrowserUnavailable if it does not start."""
        async with self._acquire(asyncio.get_running_loop().time() + START_SECONDS) as engine:
            return engine.product.replace("HeadlessChrome", "Chromium headless").replace("/", " ")

    async def close(self) -> None:
        """Stop the browser and wait for its processes to end."""
        self._cancel_idle_timer()
        engine, self._engine = self._engine, None
        if engine is not None and self._loop is asyncio.get_running_loop():
            await engine.process.end()
        await asyncio.gather(*self._ends, return_exceptions=True)

    @asynccontextmanager
    async def _acquire(self, until: float) -> AsyncIterator[BrowserInstance]:
        """Wait for a free slot and yield a working browser; `until` is on the event loop's clock."""
        self._bind_to_loop()
        try:
            async with asyncio.timeout_at(until):
                await self._slots.acquire()
        except TimeoutError:
            raise Network("All browser slots are busy; call again.", retry_after=5) from None
        try:
            async with self._starting:
                engine = await self._usable_instance()
                engine.open_pages += 1
                engine.renders += 1
            try:
                yield engine
            finally:
                engine.open_pages -= 1
                self._on_page_closed(engine)
        finally:
            self._slots.release()

    def _bind_to_loop(self) -> None:
        """Reset the state if a new event loop is running; the state of the previous loop is unusable."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._engine, self._idle = loop, None, None
            self._slots = asyncio.Semaphore(self._settings.browser_concurrency)
            self._starting = asyncio.Lock()
            self._ends = set()

    async def _usable_instance(self) -> BrowserInstance:
        self._cancel_idle_timer()
        engine = self._engine
        if engine is not None and (engine.worn_out or not engine.process.alive):
            engine.worn_out = True
            self._on_page_closed(engine)
            engine = None
        if engine is None:
            engine = self._engine = await self._start()
        return engine

    async def _start(self) -> BrowserInstance:
        early, self._early = self._early, None
        process = await connect(early or spawn_browser(self._settings, self._build_arguments))
        process.pipe.listeners[""] = lambda method, params: _close_popup(process, method, params)
        process.pipe.send("Target.setDiscoverTargets", discover=True)
        return BrowserInstance(process, agent(self._settings, process.version), process.version["product"])

    def _on_page_closed(self, engine: BrowserInstance) -> None:
        """After each page, stop a worn-out browser, or start the idle timer."""
        if engine.renders >= self._max_renders or not engine.process.alive:
            engine.worn_out = True
        if engine.open_pages:
            return
        if not engine.worn_out and engine.renders % 10 == 0 and engine.process.memory() > self._max_memory:
            engine.worn_out = True
        if engine.worn_out:
            if self._engine is engine:
                self._engine = None
            self._end(engine)
        else:
            loop = asyncio.get_running_loop()
            self._cancel_idle_timer()
            self._idle = loop.call_later(self._settings.browser_idle_seconds, self._on_idle, engine)

    def _on_idle(self, engine: BrowserInstance) -> None:
        if not engine.open_pages:
            engine.worn_out = True
            self._on_page_closed(engine)

    def _end(self, engine: BrowserInstance) -> None:
        task = asyncio.get_running_loop().create_task(engine.process.end())
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)

    def _cancel_idle_timer(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None


def agent(settings: Settings, version: Params) -> Params:
    """The user agent override: that of a desktop browser, or the configured one (Network.setUserAgentOverride)."""
    configured = settings.browser_agent
    if configured:
        return {"userAgent": HONEST if configured == "assay" else configured}
    named = version["userAgent"].replace("Headless", "")
    major = version["product"].partition("/")[2].partition(".")[0]
    brands = [{"brand": name, "version": major} for name in ("Chromium", "Google Chrome")]
    hints = {"platform": "Linux", "platformVersion": "", "architecture": "x86", "model": "", "mobile": False}
    return {
        "userAgent": named,
        "acceptLanguage": "en-US,en;q=0.9",
        "userAgentMetadata": {"brands": [*brands, {"brand": "Not=A?Brand", "version": "24"}], **hints},
    }


def _close_popup(process: Process, method: str, params: Params) -> None:
    """Close windows that the page opens: only the page itself is rendered."""
    target = params.get("targetInfo", {})
    if method == "Target.targetCreated" and target.get("type") == "page" and target.get("openerId"):
        process.pipe.send("Target.closeTarget", targetId=target["targetId"])
