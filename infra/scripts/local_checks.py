"""The checks of `local_api.py` beyond those of any deployment: tools that read the web, a crawl and a job.

The web is a server of this machine at an address that containers reach. SAM's local API has no queue that invokes a
function, so that `sam local invoke` hands each message to its function, as the queue would.
"""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import boto3
from infra.scripts.smoke import CheckFailed, Smoke

LONG = "".join(f"<p>Otters hold hands while they sleep, as {number} of them did.</p>" for number in range(3_000))
OTTERS = "Otters hold hands while they sleep, so that the river does not part them, and teach their young to do so."
STONES = "Otters keep a favourite stone in a pocket under the arm, and open shells with it, as their mothers did."
PAGES = {
    "/otters": f'<title>Otters</title><article><p>{OTTERS}</p><p><a href="/stones">Stones</a></p></article>',
    "/stones": f"<title>Stones</title><article><p>{STONES}</p></article>",
    "/long": f"<title>Long</title><article>{LONG}</article>",
}
MAX_TURNS, MESSAGE_SECONDS = 5, 2


@contextmanager
def serve_web(host: str) -> Iterator[str]:
    """Serve a SearXNG and some pages; yield their address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            kind, status, body = "text/html; charset=utf-8", 200, PAGES.get(path, "")
            if path == "/searxng/search":
                found = {"url": f"{url}/otters", "title": "Otters", "content": "Otters hold hands.", "engine": "test"}
                kind, body = "application/json", json.dumps({"results": [found]})
            elif not body:
                status, body = 404, "<title>No such page</title>"
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer((host, 0), Handler) as server:
        url = f"http://{host}:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield url
        server.shutdown()


class LocalChecks(Smoke):
    """The checks of any deployment, and those of `web`, of `queue` and of functions without a route."""

    def __init__(
        self, url: str, key: str, *, web: str, queue: str, invoke: Callable[[str, Any], Any], seconds: float
    ) -> None:
        super().__init__(url, key, seconds=seconds)
        self._web, self._queue, self._invoke = web, queue, invoke

    def list_checks(self) -> dict[str, Callable[[], str]]:
        return super().list_checks() | {
            "a search finds a page": self.check_search,
            "a page is read": self.check_page,
            "a long page is an artifact": self.check_artifact,
            "a crawl runs to its end": self.check_crawl,
            "a job runs": self.check_job,
        }

    def check_search(self) -> str:
        found = self._call("web_search", query="otters")["results"]
        return _expect(found, [each for each in found if each["url"] == f"{self._web}/otters"])

    def check_page(self) -> str:
        page = self._call("scrape_page", url=f"{self._web}/otters")
        return _expect(page, "hold hands" in json.dumps(page))

    def check_artifact(self) -> str:
        page = self._call("scrape_page", url=f"{self._web}/long", mode="raw")
        part = self._call("read_artifact", id=page["resource"])
        return _expect(part, "hold hands" in json.dumps(part))

    def check_crawl(self) -> str:
        begun = self._request("POST", "/v1/crawl", url=f"{self._web}/otters", maxPages=5)
        if begun.status_code != 202:
            raise CheckFailed(f"status {begun.status_code}: {begun.text[:200]}")
        path = f"/v1/crawl/{begun.json()['crawlId']}"
        for turn in range(MAX_TURNS):
            status = self._request("GET", path).json()
            if status["status"] == "completed":
                _expect(status, status["pagesCrawled"] == 2)
                return f"{status['pagesCrawled']} pages in {turn} turns"
            self._deliver_messages()
        raise CheckFailed(f"the crawl is {status['status']} after {MAX_TURNS} turns")

    def check_job(self) -> str:
        summary = self._invoke("Jobs", {"job": "link_check"})
        return _expect(summary, summary.get("done") == 0)

    def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self._request("POST", f"/tools/{tool}", **arguments)
        if answer.status_code != 200:
            raise CheckFailed(f"status {answer.status_code}: {answer.text[:200]}")
        body: dict[str, Any] = answer.json()
        return body

    def _deliver_messages(self) -> None:
        """Hand what waits in the queue to its function, and delete what it has done."""
        sqs = boto3.client("sqs")
        waiting = sqs.receive_message(
            QueueUrl=self._queue,
            MaxNumberOfMessages=10,
            MessageSystemAttributeNames=["All"],
            WaitTimeSeconds=MESSAGE_SECONDS,
        )
        for message in waiting.get("Messages", []):
            record = {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message["Attributes"],
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:assay",
                "awsRegion": "us-east-1",
            }
            outcome = self._invoke("Crawl", {"Records": [record]})
            if outcome.get("batchItemFailures") != []:
                raise CheckFailed(f"the function returned the message: {outcome}")
            sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])


def _expect(found: Any, holds: Any) -> str:
    if not holds:
        raise CheckFailed(f"found {str(found)[:300]}")
    return "as expected"


def build_invoker(
    build_command: Callable[[str], list[str]], environ: dict[str, str], folder: Path
) -> Callable[[str, Any], Any]:
    """`invoke(name, event)`: what the function answers under `sam local invoke`."""

    def invoke(name: str, event: Any) -> Any:
        (path := folder / f"{name}-{time.monotonic_ns()}.json").write_text(json.dumps(event))
        command = [*build_command(name), "-e", str(path)]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
        try:
            return json.loads(done.stdout.strip().splitlines()[-1])
        except (ValueError, IndexError):
            raise CheckFailed(f"{name} did not answer: {done.stdout[-300:]} {done.stderr[-700:]}") from None

    return invoke
