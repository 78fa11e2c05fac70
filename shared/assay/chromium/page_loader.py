"""Rendering of one page: navigation, waiting until it settles, scrolling, and extraction."""

import asyncio
import base64
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from assay.chromium.cdp import PipeClosed, Refusal
from assay.chromium.page_events import MAX_HOPS, MainResponse
from assay.chromium.proxy import Proxy
from assay.chromium.tab import ScriptsBlocked, Tab
from assay.errors import ContentEmpty, InvalidInput, ToolError, UpstreamFailed
from assay.net.exceptions import Reason, TooManyRedirects, Unreachable
from assay.net.urls import canonicalize_url
from assay.state.ports import Rendered
from assay.text.url_parts import split_url

MAX_LINKS = 2000
MAX_ROUNDS = 10  # scroll rounds of a page that loads more on scrolling
MAX_STEPS = 30
LOOK = 0.5  # seconds to wait for the load event before the page is examined anyway


@dataclass(frozen=True)
class Patience:
    """Time limits in seconds."""

    stuck: float = 5.0  # until scripts that block ours are stopped
    hung: float = 4.0  # for pending requests while the page does not change
    restless: float = 10.0  # for a loaded page that keeps changing
    growing: float = 5.0  # for scrolling
    reading: float = 2.0  # reserved for extraction
    pause: float = 0.15  # of quiet between two scroll steps


class PageLoader:
    """Loads one URL in one tab. `until` is the deadline on the event loop's clock."""

    def __init__(self, tab: Tab, proxy: Proxy, url: str, until: float, patience: Patience) -> None:
        self._tab, self._proxy, self._url = tab, proxy, url
        self._watch = tab.watch
        self._until, self._patience = until, patience
        self._stopped = False
        self._most = 0
        self._page: dict[str, Any] | None = None  # the content of a page that cannot change any more
        self._clock = asyncio.get_running_loop().time

    async def render(self, settle: float, most: int, *, screenshot: bool) -> Rendered:
        """Load the page, wait for `settle` seconds without change, and extract at most `most` characters of HTML.

        Raises Unreachable, TooManyRedirects, ContentEmpty, InvalidInput or UpstreamFailed.
        """
        document = await self._navigate()
        self._most = most
        settled = await self._wait_until_settled(settle, self._until - self._patience.reading)
        if settled and self._page is None and not self._stopped:
            await self._reveal(settle)
        await self._raise_if_over()
        read = self._page or await self._read(most)
        document = self._watch.document or document
        return Rendered(
            url=canonicalize_url(document.url),
            status=document.status,
            html=read["html"],
            headers=document.headers,
            title=read["title"],
            links=tuple(read["links"]),
            screenshot=await self._take_screenshot() if screenshot else None,
            console=tuple(self._watch.console),
            truncated=read["cut"] or self._proxy.spent,
            settled=settled and not self._stopped,
        )

    async def _navigate(self) -> MainResponse:
        """Navigate and return the main response. Raises the error that prevented it."""
        navigation = self._tab.send("Page.navigate", url=self._url)
        navigation.add_done_callback(lambda _: self._watch.moved.set())
        while not navigation.done():
            await self._raise_if_over()
            if self._watch.hops > MAX_HOPS:
                raise TooManyRedirects(f"The URL redirects more than {MAX_HOPS} times.", "other")
            if not await self._wait_for_event(self._until):
                raise Unreachable("The URL's host did not respond in time.", "timeout")
        try:
            result = navigation.result()
        except (PipeClosed, Refusal) as failure:
            raise _browser_ended_error() from failure
        if error := result.get("errorText"):
            raise await self._failure(self._watch.requested or self._url, error)
        return self._watch.document or MainResponse(self._url)

    async def _wait_until_settled(self, settle: float, until: float) -> bool:
        """Wait until the page is loaded, idle and unchanged for `settle` seconds; False if it does not settle."""
        started = self._clock()
        loaded = None
        await self._wait_for_load(min(until, started + LOOK))
        while self._clock() < until and not self._watch.looping and not self._watch.over:
            now = await self._state()
            if now is None:
                return False
            if now["complete"] or self._watch.loaded:
                loaded = loaded or self._clock()
            if now["page"]:
                self._page = now["page"]
                return True
            quiet = now["quiet"] / 1000
            busy = bool(self._watch.filling) or not loaded
            if quiet >= (settle + self._patience.hung if busy else settle):
                return True
            if self._clock() - (loaded or started + settle) > self._patience.restless + settle:
                return False
            rest = settle + (self._patience.hung if busy else 0.0) - quiet
            await self._wait_for_event(min(until, self._clock() + max(rest, 0.01)))
        return False

    async def _wait_for_load(self, until: float) -> None:
        """Wait for the load event until the deadline; some pages never fire it."""
        while not (self._watch.loaded or self._watch.over or self._watch.unreachable):
            if not await self._wait_for_event(until):
                return

    async def _state(self) -> dict[str, Any] | None:
        """The page's state (time since the last change); None if its scripts had to be stopped."""
        blank = {"quiet": 0.0, "complete": False, "page": None}
        try:
            state: dict[str, Any] = await self._tab.call(f"quiet({self._most}, {MAX_LINKS})", self._script_timeout())
        except Refusal:  # the page navigated during the call
            await asyncio.sleep(0.02)
            return blank
        except ScriptsBlocked:
            await self._stop()
            return None
        except PipeClosed:
            return blank
        return state or blank

    async def _reveal(self, settle: float) -> None:
        """Dismiss consent dialogs, and scroll down while the page loads more content."""
        with suppress(ScriptsBlocked, Refusal, PipeClosed):
            until = min(self._until - self._patience.reading, self._clock() + self._patience.growing + settle)
            if await self._tab.call("consent()", self._script_timeout()):
                await self._wait_until_settled(self._patience.pause, until)
            await self._scroll_down(until)

    async def _scroll_down(self, until: float) -> None:
        requests, passed, height, stalls = self._watch.requests, False, 0, 0
        for _ in range(MAX_ROUNDS):
            state = await self._tab.call("further()", self._script_timeout(), later=True)
            moved = state["changed"] or self._watch.requests > requests or bool(self._watch.filling)
            if not state["able"] or not (moved or passed) or self._clock() >= until:
                return
            if not passed:
                passed = True
                await self._tab.call(f"past({MAX_STEPS})", self._script_timeout(), later=True)
            requests = self._watch.requests
            # A page under load reacts late to scrolling: wait longer after a round without growth.
            await self._wait_until_settled(self._patience.pause * (1 + 2 * stalls), until)
            stalls = stalls + 1 if state["height"] <= height else 0
            if stalls > 1:
                return
            height = max(height, state["height"])

    async def _read(self, most: int) -> dict[str, Any]:
        """Extract markup, title and links; scripts that block the extraction are stopped."""
        for _ in range(3):
            try:
                read: dict[str, Any] | None = await self._tab.call(f"read({most}, {MAX_LINKS})", self._script_timeout())
            except Refusal:
                await asyncio.sleep(0.05)
            except ScriptsBlocked:
                await self._stop()
            except PipeClosed as gone:
                raise _browser_ended_error() from gone
            else:
                if read:
                    return read
            await self._raise_if_over()
        raise UpstreamFailed(f"The page at {self._url} blocks the browser and could not be read.")

    async def _stop(self) -> None:
        self._stopped = True
        await self._tab.stop_scripts(self._patience.stuck)

    async def _take_screenshot(self) -> bytes | None:
        with suppress(TimeoutError, Refusal, PipeClosed):
            async with asyncio.timeout(max(0.5, self._until - self._clock())):
                drawn = await self._tab.send("Page.captureScreenshot", format="png", optimizeForSpeed=True)
                return base64.b64decode(drawn["data"])
        return None

    async def _wait_for_event(self, until: float) -> bool:
        """Wait for the next event; False if there is none until the deadline."""
        self._watch.moved.clear()
        try:
            async with asyncio.timeout_at(until):
                await self._watch.moved.wait()
        except TimeoutError:
            return False
        return True

    def _script_timeout(self) -> float:
        return max(0.2, min(self._patience.stuck, self._until - self._clock()))

    async def _raise_if_over(self) -> None:
        if self._watch.crashed:
            raise UpstreamFailed(
                f"The page at {self._url} crashed its renderer; it needs too much memory or is malicious."
            )
        if self._watch.gone:
            raise _browser_ended_error()
        if self._watch.unreachable:
            raise await self._failure(self._watch.unreachable, "net::ERR_FAILED")

    async def _failure(self, url: str, error_text: str) -> ToolError:
        """The error for a failed navigation: that of the proxy for this host, or else the browser's."""
        fault = await self._proxy.fault(url)
        if fault is not None:
            return fault
        if split_url(url).scheme not in ("http", "https"):
            return InvalidInput("The page redirects to a scheme other than http or https.", field="url")
        code = error_text.removeprefix("net::ERR_")
        if code in ("ABORTED", "INVALID_RESPONSE") and not self._watch.unreachable:
            return ContentEmpty(f"No content extracted from {self._url}: it is a download, or has no content.")
        if code == "TOO_MANY_REDIRECTS":
            return TooManyRedirects("The URL redirects in a circle; give the address it should lead to.", "other")
        host = split_url(url).hostname or "the host"
        return Unreachable(
            f"{host} could not be reached by the browser ({code.lower().replace('_', ' ')}).", _reason(code)
        )


def _reason(code: str) -> Reason:
    if code.startswith(("CERT", "SSL", "BAD_SSL")):
        return "tls"
    if "TIMED_OUT" in code:
        return "timeout"
    return "protocol" if code.startswith(("INVALID", "RESPONSE", "CONTENT_DECODING", "HTTP2")) else "reset"


def _browser_ended_error() -> ToolError:
    return Unreachable("The browser ended while rendering this page; call again.", "reset")
