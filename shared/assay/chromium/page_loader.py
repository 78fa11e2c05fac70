"""From an address to a rendered page: going there, waiting until it is quiet, and reading what it holds."""

import asyncio
import base64
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from assay.chromium.cdp import PipeClosed, Refusal
from assay.chromium.page_events import MOST_HOPS, MainResponse
from assay.chromium.proxy import Proxy
from assay.chromium.tab import ScriptsBlocked, Tab
from assay.errors import ContentEmpty, InvalidInput, ToolError, UpstreamFailed
from assay.net.exceptions import Reason, TooManyRedirects, Unreachable
from assay.net.urls import canonical
from assay.state.ports import Rendered
from assay.text.url_parts import split_url

MOST_LINKS = 2000
MOST_ROUNDS = 10  # of a page that grows as one scrolls
MOST_STEPS = 30
LOOK = 0.5  # seconds after which a page that is not loaded yet is looked at all the same


@dataclass(frozen=True)
class Patience:
    """Seconds."""

    stuck: float = 5.0  # for a page's scripts to let us in
    hung: float = 4.0  # for requests that go on while nothing changes
    restless: float = 10.0  # for a page that is loaded and changes on and on
    growing: float = 5.0  # for a page that grows as one scrolls
    reading: float = 2.0  # of what a render may take, kept for the end
    pause: float = 0.15  # of quiet between two steps down a page


class PageLoader:
    """One tab's way to one address. `until` is of the loop's clock."""

    def __init__(self, tab: Tab, proxy: Proxy, url: str, until: float, patience: Patience) -> None:
        self._tab, self._proxy, self._url = tab, proxy, url
        self._watch = tab.watch
        self._until, self._patience = until, patience
        self._stopped = False
        self._most = 0
        self._page: dict[str, Any] | None = None  # what a page holds that nothing can change
        self._clock = asyncio.get_running_loop().time

    async def render(self, settle: float, most: int, *, screenshot: bool) -> Rendered:
        document = await self._gone_there()
        self._most = most
        settled = await self._wait_until_settled(settle, self._until - self._patience.reading)
        if settled and self._page is None and not self._stopped:
            await self._seen_through(settle)
        await self._raise_if_over()
        read = self._page or await self._read(most)
        document = self._watch.document or document
        return Rendered(
            url=canonical(document.url),
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

    async def _gone_there(self) -> MainResponse:
        """The document that was sent. Raises what kept it from being."""
        going = self._tab.tell("Page.navigate", url=self._url)
        going.add_done_callback(lambda _: self._watch.moved.set())
        while not going.done():
            await self._raise_if_over()
            if self._watch.hops > MOST_HOPS:
                raise TooManyRedirects(f"The URL redirects more than {MOST_HOPS} times.", "other")
            if not await self._movement(self._until):
                raise Unreachable("The URL's host did not begin its answer in time.", "timeout")
        try:
            told = going.result()
        except (PipeClosed, Refusal) as failure:
            raise _browser_ended_error() from failure
        if wrong := told.get("errorText"):
            raise await self._failure(self._watch.asked or self._url, wrong)
        return self._watch.document or MainResponse(self._url)

    async def _wait_until_settled(self, settle: float, until: float) -> bool:
        """Wait until the page is loaded, asks for nothing and has not changed for `settle` seconds; false: never."""
        began = self._clock()
        loaded = None
        await self._loading(min(until, began + LOOK))
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
            if self._clock() - (loaded or began + settle) > self._patience.restless + settle:
                return False
            rest = settle + (self._patience.hung if busy else 0.0) - quiet
            await self._movement(min(until, self._clock() + max(rest, 0.01)))
        return False

    async def _loading(self, until: float) -> None:
        """Wait for the page to be loaded, a moment at most: it may never be, or only seem to."""
        while not (self._watch.loaded or self._watch.over or self._watch.unreachable):
            if not await self._movement(until):
                return

    async def _state(self) -> dict[str, Any] | None:
        """How quiet the page is; None where its scripts had to be stopped."""
        blank = {"quiet": 0.0, "complete": False, "page": None}
        try:
            found: dict[str, Any] = await self._tab.ask(f"quiet({self._most}, {MOST_LINKS})", self._wait())
        except Refusal:  # it went on to another document while we asked
            await asyncio.sleep(0.02)
            return blank
        except ScriptsBlocked:
            await self._stop()
            return None
        except PipeClosed:
            return blank
        return found or blank

    async def _seen_through(self, settle: float) -> None:
        """Send away who asks for consent, and go down the page as long as there is more of it."""
        with suppress(ScriptsBlocked, Refusal, PipeClosed):
            until = min(self._until - self._patience.reading, self._clock() + self._patience.growing + settle)
            if await self._tab.ask("consent()", self._wait()):
                await self._wait_until_settled(self._patience.pause, until)
            await self._down(until)

    async def _down(self, until: float) -> None:
        requests, passed, height, stalls = self._watch.requests, False, 0, 0
        for _ in range(MOST_ROUNDS):
            found = await self._tab.ask("further()", self._wait(), later=True)
            moved = found["changed"] or self._watch.requests > requests or bool(self._watch.filling)
            if not found["able"] or not (moved or passed) or self._clock() >= until:
                return
            if not passed:
                passed = True
                await self._tab.ask(f"past({MOST_STEPS})", self._wait(), later=True)
            requests = self._watch.requests
            await self._wait_until_settled(self._patience.pause, until)
            stalls = stalls + 1 if found["height"] <= height else 0
            if stalls > 1:
                return
            height = max(height, found["height"])

    async def _read(self, most: int) -> dict[str, Any]:
        """The page's markup, title and links, its scripts stopped if they would not let us in otherwise."""
        for _ in range(3):
            try:
                read: dict[str, Any] | None = await self._tab.ask(f"read({most}, {MOST_LINKS})", self._wait())
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
        raise UpstreamFailed(f"The page at {self._url} keeps its browser busy and could not be read.")

    async def _stop(self) -> None:
        self._stopped = True
        await self._tab.still(self._patience.stuck)

    async def _take_screenshot(self) -> bytes | None:
        with suppress(TimeoutError, Refusal, PipeClosed):
            async with asyncio.timeout(max(0.5, self._until - self._clock())):
                drawn = await self._tab.tell("Page.captureScreenshot", format="png", optimizeForSpeed=True)
                return base64.b64decode(drawn["data"])
        return None

    async def _movement(self, until: float) -> bool:
        """Wait for something to happen; false when nothing did until then."""
        self._watch.moved.clear()
        try:
            async with asyncio.timeout_at(until):
                await self._watch.moved.wait()
        except TimeoutError:
            return False
        return True

    def _wait(self) -> float:
        return max(0.2, min(self._patience.stuck, self._until - self._clock()))

    async def _raise_if_over(self) -> None:
        if self._watch.crashed:
            raise UpstreamFailed(f"The page at {self._url} ended its renderer; it asks for too much, or is hostile.")
        if self._watch.gone:
            raise _browser_ended_error()
        if self._watch.unreachable:
            raise await self._failure(self._watch.unreachable, "net::ERR_FAILED")

    async def _failure(self, url: str, said: str) -> ToolError:
        """Why there is no page: what the gate or the network said of the host, else what the browser says."""
        fault = await self._proxy.fault(url)
        if fault is not None:
            return fault
        if split_url(url).scheme not in ("http", "https"):
            return InvalidInput("The page leads to another scheme than http or https.", field="url")
        word = said.removeprefix("net::ERR_")
        if word in ("ABORTED", "INVALID_RESPONSE") and not self._watch.unreachable:
            return ContentEmpty(f"No content extracted from {self._url}: it is a file to be stored, or nothing at all.")
        if word == "TOO_MANY_REDIRECTS":
            return TooManyRedirects("The URL redirects in a circle; give the address it should lead to.", "other")
        host = split_url(url).hostname or "the host"
        return Unreachable(
            f"{host} could not be reached by the browser ({word.lower().replace('_', ' ')}).", _reason(word)
        )


def _reason(word: str) -> Reason:
    if word.startswith(("CERT", "SSL", "BAD_SSL")):
        return "tls"
    if "TIMED_OUT" in word:
        return "timeout"
    return "protocol" if word.startswith(("INVALID", "RESPONSE", "CONTENT_DECODING", "HTTP2")) else "reset"


def _browser_ended_error() -> ToolError:
    return Unreachable("The browser ended while it rendered this page; call again.", "reset")
