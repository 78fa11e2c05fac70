"""Check a deployment from outside: `python infra/scripts/smoke.py URL KEY [MCP_URL [--streams]]`.

URL is the address of the HTTP API (or of a local server), MCP_URL that of the Function URL; without it /mcp of URL is
used. Prints one line per check; the exit status is 1 if any failed. It stores a research session. With --streams it
also searches the web, to see progress arrive before the answer.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import httpx

SECONDS = 35.0  # the longest answer of the HTTP API and some
LEAST_AHEAD = 0.2  # seconds between the first event of a stream and its answer
MCP_HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


class CheckFailed(Exception):
    """What a check found instead."""


class Smoke:
    """The checks of one deployment."""

    def __init__(
        self, url: str, key: str, mcp_url: str | None = None, *, seconds: float = SECONDS, streams: bool = False
    ) -> None:
        self._url, self._mcp = url.rstrip("/"), mcp_url or f"{url.rstrip('/')}/mcp"
        self._headers = {"authorization": f"Bearer {key}"}
        self._streams = streams
        self._http = httpx.Client(timeout=seconds)

    def list_checks(self) -> dict[str, Callable[[], str]]:
        return {
            "the service is alive": lambda: self._expect(200, "GET", "/health/live"),
            "a call without a key is refused": self.check_refusal,
            "the list of tools": self.check_list,
            "a tool without state": self.check_tool,
            "a research session is stored": self.check_session,
            "an unknown artifact is not found": lambda: self._expect(404, "POST", "/tools/read_artifact", id="0" * 64),
            "invalid input is named": lambda: self._expect(400, "POST", "/tools/scrape_page", url="no address"),
            "MCP without a key is refused": self.check_mcp_refusal,
            "MCP lists the tools": self.check_mcp_list,
            "MCP calls a tool": self.check_mcp_call,
            **({"MCP reports progress during a call": self.check_mcp_stream} if self._streams else {}),
        }

    def check_refusal(self) -> str:
        answer = self._http.post(f"{self._url}/tools/dedupe_rank", json={"docs": []})
        return _expect_status(answer, 401)

    def check_list(self) -> str:
        answer = self._request("GET", "/tools")
        _expect_status(answer, 200)
        return f"{len(answer.json()['tools'])} tools"

    def check_tool(self) -> str:
        documents = [{"id": "a", "text": "Otters hold hands"}, {"id": "b", "text": "Otters hold hands"}]
        answer = self._request("POST", "/tools/dedupe_rank", docs=documents)
        _expect_status(answer, 200)
        return f"{len(answer.json()['groups'])} group"

    def check_session(self) -> str:
        step = {"searchStep": "smoke check", "stepNumber": 1, "totalStepsEstimate": 1, "nextStepNeeded": False}
        answer = self._request("POST", "/tools/sequential_search", **step)
        _expect_status(answer, 200)
        session = answer.json()["sessionId"]
        self._expect(200, "POST", "/tools/get_research_session", sessionId=session)
        return session[:8]

    def check_mcp_refusal(self) -> str:
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        return _expect_status(self._http.post(self._mcp, json=request, headers=MCP_HEADERS), 401)

    def check_mcp_list(self) -> str:
        return f"{len(self._call_mcp('tools/list')['tools'])} tools"

    def check_mcp_call(self) -> str:
        arguments = {"docs": [{"id": "a", "text": "Otters hold hands"}]}
        result = self._call_mcp("tools/call", name="dedupe_rank", arguments=arguments)
        if result.get("isError"):
            raise CheckFailed(result["content"][0]["text"][:200])
        return "answered"

    def check_mcp_stream(self) -> str:
        """Progress comes before the end of the call: what holds a stream back delivers all its events at once."""
        arguments = {"query": "sea otters and kelp", "num_results": 3}
        params = {"name": "search_and_scrape", "arguments": arguments, "_meta": {"progressToken": 1}}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = self._headers | MCP_HEADERS | {"mcp-protocol-version": "2025-11-25"}
        with self._http.stream("POST", self._mcp, json=request, headers=headers) as answer:
            kind = answer.headers.get("content-type", "")
            if not kind.startswith("text/event-stream"):
                raise CheckFailed(f"the answer is no stream of events but {kind}")
            times = [time.monotonic() for line in answer.iter_lines() if line.startswith("data: ")]
        if len(times) < 2 or times[-1] - times[0] < LEAST_AHEAD:
            raise CheckFailed(f"{len(times)} events arrived together")
        return f"{times[-1] - times[0]:.1f} s before the answer"

    def _call_mcp(self, method: str, **params: Any) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = self._headers | MCP_HEADERS | {"mcp-protocol-version": "2025-11-25"}
        answer = self._http.post(self._mcp, json=request, headers=headers)
        _expect_status(answer, 200)
        text = answer.text
        if answer.headers["content-type"].startswith("text/event-stream"):
            text = next(line[6:] for line in text.splitlines() if line.startswith("data: {"))
        message: dict[str, Any] = json.loads(text)
        if "error" in message:
            raise CheckFailed(str(message["error"]))
        result: dict[str, Any] = message["result"]
        return result

    def _expect(self, status: int, method: str, path: str, **arguments: Any) -> str:
        return _expect_status(self._request(method, path, **arguments), status)

    def _request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        body = {"json": arguments} if method == "POST" else {}
        return self._http.request(method, self._url + path, headers=self._headers, **body)

    def close(self) -> None:
        self._http.close()


def _expect_status(answer: httpx.Response, status: int) -> str:
    if answer.status_code != status:
        raise CheckFailed(f"status {answer.status_code} instead of {status}: {answer.text[:200]}")
    return str(status)


def run_checks(smoke: Smoke) -> int:
    """Run all checks, print their results and return the number of failures."""
    failures = 0
    for name, check in smoke.list_checks().items():
        began = time.monotonic()
        try:
            result = check()
        except (CheckFailed, httpx.HTTPError, ValueError, KeyError, StopIteration) as failure:
            failures += 1
            result = f"FAILED: {failure or type(failure).__name__}"
        print(f"{name:36} {time.monotonic() - began:5.2f} s  {result}")
    return failures


def main() -> int:
    arguments = [each for each in sys.argv[1:] if each != "--streams"]
    if len(arguments) not in {2, 3}:
        print(__doc__, file=sys.stderr)
        return 2
    smoke = Smoke(*arguments, streams="--streams" in sys.argv)
    try:
        return 1 if run_checks(smoke) else 0
    finally:
        smoke.close()


if __name__ == "__main__":
    sys.exit(main())
