"""A host of MCP Apps: shows a view in a sandboxed frame of a page in Chromium, and speaks the protocol with it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from assay.chromium.cdp import Params, Pipe

type CallTool = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]

# The policy that hosts have to set where a server declares none. A frame with `srcdoc` is under it, too.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; connect-src 'none'"
)
PAGE = """
(html, width, policy) => {
  document.head.innerHTML = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.width = width;
  frame.height = 600;
  frame.srcdoc = html;
  addEventListener("message", (event) => {
    if (event.source === frame.contentWindow) toHost(JSON.stringify({ origin: event.origin, data: event.data }));
  });
  globalThis.deliver = (message) => frame.contentWindow.postMessage(message, "*");
  document.body.append(frame);
}
"""
# In every document: violations of its policy are recorded, and the pauses between two looks of a view are short.
EVERYWHERE = """
globalThis.violations = [];
addEventListener("securitypolicyviolation", (event) => violations.push(`${event.effectiveDirective} ${event.blockedURI}`));
globalThis.failures = [];
addEventListener("error", (event) => failures.push(event.message));
addEventListener("unhandledrejection", (event) => failures.push(String(event.reason)));
const later = setTimeout;
globalThis.setTimeout = (act, pause, ...more) => later(act, pause >= 1_000 && pause <= 60_000 ? pause / 100 : pause, ...more);
"""


class ViewHost:
    """One shown view. `calls` are the calls of tools that it made, `links` the addresses it wanted to be opened."""

    def __init__(self, pipe: Pipe, session: str, call_tool: CallTool | None) -> None:
        self._pipe, self._session, self.call_tool = pipe, session, call_tool
        self._tasks: list[asyncio.Task[None]] = []
        self._contexts: dict[str, int] = {}  # by frame
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._main = ""
        self.initialized = asyncio.Event()
        self.requests: list[Params] = []
        self.calls: list[Params] = []
        self.links: list[str] = []
        self.sizes: list[Params] = []
        self.origins: set[str] = set()

    async def show(self, html: str, *, theme: str = "light", width: int = 900, **context: Any) -> None:
        """Show the page of a view and wait until it is initialized."""
        self._context = {"theme": theme} | context
        self._main = (await self.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        arguments = ", ".join(json.dumps(each) for each in (html, width, POLICY))
        await self.evaluate(f"({PAGE})({arguments})", frame=self._main)
        async with asyncio.timeout(60):
            await self.initialized.wait()

    async def send(self, method: str, /, **params: Any) -> Params:
        return await self._pipe.send(method, self._session, **params)

    def handle(self, method: str, params: Params) -> None:
        """Take an event of the browser."""
        if method == "Runtime.executionContextCreated":
            known = params["context"]
            if known["auxData"].get("isDefault"):
                self._contexts[known["auxData"]["frameId"]] = known["id"]
        elif method == "Runtime.bindingCalled":
            message = json.loads(params["payload"])
            self.origins.add(message["origin"])
            self._tasks.append(asyncio.ensure_future(self._receive(message["data"])))

    async def _receive(self, message: Params) -> None:
        assert message["jsonrpc"] == "2.0"
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            self._answers.pop(message["id"]).set_result(message.get("result", message.get("error")))
        elif method == "ui/notifications/initialized":
            self.initialized.set()
        elif method == "ui/notifications/size-changed":
            self.sizes.append(params)
        else:
            self.requests.append(message)
            await self.deliver({"id": message["id"], **await self._answer(method, params)})

    async def _answer(self, method: str, params: Params) -> Params:
        if method == "ui/initialize":
            able = {"openLinks": {}} | ({"serverTools": {}} if self.call_tool else {})
            info = {"name": "host", "version": "1"}
            known = {"hostCapabilities": able, "hostInfo": info, "hostContext": self._context}
            return {"result": {"protocolVersion": params["protocolVersion"]} | known}
        if method == "ui/open-link":
            self.links.append(params["url"])
            return {"result": {}}
        if method == "tools/call" and self.call_tool:
            self.calls.append(params)
            return {"result": await self.call_tool(params["name"], params["arguments"])}
        return {"error": {"code": -32601, "message": "Method not found"}}

    async def deliver(self, message: Params) -> None:
        await self.evaluate(f"deliver({json.dumps({'jsonrpc': '2.0'} | message)})", frame=self._main)

    async def notify(self, method: str, params: Params) -> None:
        await self.deliver({"method": method, "params": params})

    async def give(self, arguments: dict[str, Any], result: dict[str, Any]) -> None:
        """Send the input and the result of the tool, as a host does after the call."""
        await self.notify("ui/notifications/tool-input", {"arguments": arguments})
        await self.notify("ui/notifications/tool-result", result)

    async def request(self, method: str, params: Params) -> Any:
        """Send a request to the view and wait for its answer."""
        number = 1_000 + len(self._answers)
        self._answers[number] = answer = asyncio.get_running_loop().create_future()
        await self.deliver({"id": number, "method": method, "params": params})
        async with asyncio.timeout(60):
            return await answer

    async def evaluate(self, expression: str, *, frame: str = "") -> Any:
        """The value of the expression in the view, or in another frame."""
        place = self._contexts[frame] if frame else self._contexts[self._find_view()]
        done = await self.send(
            "Runtime.evaluate", expression=expression, contextId=place, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def _find_view(self) -> str:
        [view] = self._contexts.keys() - {self._main}
        return view

    async def wait_until(self, expression: str, seconds: float = 10) -> None:
        """Wait until the expression is true in the view."""
        async with asyncio.timeout(seconds):
            while not await self.evaluate(expression):
                await asyncio.sleep(0.02)

    async def read_text(self, selector: str = "body") -> str:
        """The text that a person sees."""
        return str(await self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))

    async def read_texts(self, selector: str) -> list[str]:
        expression = f"[...document.querySelectorAll({json.dumps(selector)})].map((node) => node.textContent)"
        return list(await self.evaluate(expression))

    async def read_rows(self, table: str = "table") -> list[list[str]]:
        """The cells of the table's body, as a person sees them."""
        rows = f"[...document.querySelectorAll({json.dumps(table + ' > tbody > tr')})]"
        return list(await self.evaluate(f"{rows}.map((row) => [...row.cells].map((cell) => cell.innerText))"))

    async def choose(self, selector: str, value: str) -> None:
        """Choose an option."""
        find = f"document.querySelector({json.dumps(selector)})"
        await self.evaluate(f"{find}.value = {json.dumps(value)}; {find}.dispatchEvent(new Event('change'))")

    async def wait_for_calls(self, most: int) -> None:
        """Wait until the view has called tools so often."""
        async with asyncio.timeout(60):
            while len(self.calls) < most:
                await asyncio.sleep(0.02)

    async def click(self, selector: str, text: str = "") -> None:
        """Click the first element of the selector that has the text, once there is one."""
        find = f"[...document.querySelectorAll({json.dumps(selector)})].find((n) => n.textContent.includes({json.dumps(text)}) && !n.disabled)"
        await self.wait_until(f"Boolean({find})")
        await self.evaluate(f"{find}.click()")

    async def find_faults(self) -> list[str]:
        """Violations of the policy and uncaught errors in the view so far."""
        return list(await self.evaluate("[...violations, ...failures]"))

    async def close(self) -> None:
        """End the answers that are still being made. Raises what went wrong in one of them."""
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended


@asynccontextmanager
async def open_host(pipe: Pipe, call_tool: CallTool | None = None) -> AsyncIterator[ViewHost]:
    """A blank page of a browser without network, for one view."""
    context = (await pipe.send("Target.createBrowserContext", disposeOnDetach=True))["browserContextId"]
    target = (await pipe.send("Target.createTarget", url="about:blank", browserContextId=context))["targetId"]
    session = (await pipe.send("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
    host = ViewHost(pipe, session, call_tool)
    pipe.listeners[session] = host.handle
    await host.send("Page.enable")
    await host.send("Page.addScriptToEvaluateOnNewDocument", source=EVERYWHERE)
    await host.send("Runtime.enable")
    await host.send("Runtime.addBinding", name="toHost")
    try:
        yield host
    finally:
        await host.close()
        pipe.listeners.pop(session)
        pipe.send("Target.disposeBrowserContext", browserContextId=context)  # not awaited: a page that hangs would, too
