"""State of a page, updated by DevTools events: document, pending requests, dialogs, crashes, console."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.chromium.cdp import PIPE_CLOSED, Params

# Resource types that may still change the text. Images do not, and streams never end.
FILLING = {"XHR", "Fetch", "Script", "Stylesheet"}
MAX_DIALOGS = 8  # more dialogs indicate a loop
MAX_NAVIGATIONS = 12
MAX_HOPS = 5
MAX_LINES, LINE = 20, 300


@dataclass
class MainResponse:
    """The HTTP response of the main document."""

    url: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class PageEvents:
    """Handles the events of one page. `moved` is set after each relevant event."""

    frame: str = ""
    document: MainResponse | None = None
    requested: str = ""  # URL of the last document request
    hops: int = 0
    loaded: bool = False
    navigations: int = 0
    unreachable: str = ""  # URL of a failed navigation
    crashed: bool = False
    gone: bool = False
    dialogs: int = 0
    requests: int = 0
    filling: dict[str, str] = field(default_factory=dict)
    console: list[str] = field(default_factory=list)
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    answer: Callable[[str], object] = lambda _: None  # called with the type of a dialog

    def handle(self, method: str, params: Params) -> None:
        """Update the state by an event."""
        handler = HANDLERS.get(method)
        if handler:
            handler(self, params)
            self.moved.set()

    @property
    def over(self) -> bool:
        """Whether the page crashed or was closed."""
        return self.gone or self.crashed

    @property
    def looping(self) -> bool:
        """Whether the page opens dialogs or navigates without end."""
        return self.dialogs > MAX_DIALOGS or self.navigations > MAX_NAVIGATIONS

    def on_request(self, params: Params) -> None:
        kind = params.get("type", "")
        if kind == "Document":
            if params.get("frameId") == self.frame:
                self.hops = self.hops + 1 if "redirectResponse" in params else 0
                self.requested = params["request"]["url"]
        elif kind in FILLING:
            self.requests += 1
            self.filling[params["requestId"]] = kind

    def on_response(self, params: Params) -> None:
        if params.get("type") == "Document" and params.get("frameId") == self.frame:
            response = params["response"]
            headers = {name.lower(): str(value) for name, value in response.get("headers", {}).items()}
            self.document = MainResponse(response["url"], int(response["status"]), headers)

    def on_finished(self, params: Params) -> None:
        self.filling.pop(params["requestId"], None)

    def on_navigated(self, params: Params) -> None:
        frame = params["frame"]
        if frame.get("parentId") or frame["id"] != self.frame:
            return
        self.loaded = False
        self.navigations += 1
        self.unreachable = frame.get("unreachableUrl", "")
        self.filling.clear()

    def on_load(self, _: Params) -> None:
        self.loaded = True

    def on_dialog(self, params: Params) -> None:
        self.dialogs += 1
        self.answer(params.get("type", ""))

    def on_crash(self, _: Params) -> None:
        self.crashed = True

    def on_detached(self, _: Params) -> None:
        self.gone = True

    def on_console(self, params: Params) -> None:
        if params.get("type") in ("error", "assert"):
            self._note(" ".join(_format_argument(one) for one in params.get("args", [])))

    def on_exception(self, params: Params) -> None:
        details = params.get("exceptionDetails", {})
        self._note(details.get("exception", {}).get("description") or details.get("text", ""))

    def on_log_entry(self, params: Params) -> None:
        entry = params.get("entry", {})
        if entry.get("level") == "error":
            self._note(f"{entry.get('text', '')} {entry.get('url', '')}")

    def _note(self, line: str) -> None:
        if len(self.console) < MAX_LINES and line.strip():
            self.console.append(" ".join(line.split())[:LINE])


def _format_argument(argument: Mapping[str, Any]) -> str:
    return str(argument.get("value", argument.get("description", "")))


HANDLERS: Mapping[str, Callable[[PageEvents, Params], None]] = {
    "Network.requestWillBeSent": PageEvents.on_request,
    "Network.responseReceived": PageEvents.on_response,
    "Network.loadingFinished": PageEvents.on_finished,
    "Network.loadingFailed": PageEvents.on_finished,
    "Page.frameNavigated": PageEvents.on_navigated,
    "Page.loadEventFired": PageEvents.on_load,
    "Page.javascriptDialogOpening": PageEvents.on_dialog,
    "Inspector.targetCrashed": PageEvents.on_crash,
    "Inspector.detached": PageEvents.on_detached,
    PIPE_CLOSED: PageEvents.on_detached,
    "Runtime.consoleAPICalled": PageEvents.on_console,
    "Runtime.exceptionThrown": PageEvents.on_exception,
    "Log.entryAdded": PageEvents.on_log_entry,
}
