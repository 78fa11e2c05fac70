"""The steps that each client's script runs, and their report. Standard library only: each has its own environment."""

import asyncio
import json
import sys
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from importlib import metadata
from typing import Any
from urllib.request import urlopen

URL, SITE = sys.argv[1], sys.argv[2]
SECONDS = 40.0  # for each step
CANCEL_SECONDS = 3.0  # less than after which the server gives a page up by itself
ARTICLE = {"url": f"{SITE}/article"}
LONG = {"url": f"{SITE}/long", "mode": "raw"}  # larger than what an answer contains
QUERY = {"query": "weirs", "num_results": 1}

type Arguments = dict[str, Any]


@dataclass
class Answer:
    """What a client gives of the answer to a call."""

    text: str
    structured: Any
    links: list[str]


@dataclass
class Client:
    """What a client can do; None where it has no interface for it. `follow` returns the number of progress reports."""

    list_names: Callable[[], Awaitable[set[str]]]
    call: Callable[[str, Arguments], Coroutine[Any, Any, Answer]]
    read: Callable[[str], Awaitable[object]]
    follow: Callable[[str, Arguments], Awaitable[int]] | None = None
    call_as_task: Callable[[str, Arguments], Awaitable[Any]] | None = None
    can_cancel: bool = True


def read_content(content: list[Any], structured: Any) -> Answer:
    """Read the content of a result, whose items are objects of an SDK."""
    links = [str(item.uri) for item in content if item.type == "resource_link"]
    return Answer("".join(item.text for item in content if item.type == "text"), structured, links)


def check(value: object, what: str) -> None:
    if not value:
        raise ValueError(what)


async def wait_for_site(path: str) -> None:
    """Wait until the site says yes."""

    def read() -> Any:
        with urlopen(f"{SITE}{path}", timeout=5) as reply:
            return json.loads(reply.read())

    while not await asyncio.to_thread(read):  # noqa: ASYNC110  the site is another process
        await asyncio.sleep(0.05)


class Steps:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def list(self) -> None:
        check("academic_search" in await self._client.list_names(), "a tool is not listed")

    async def call(self) -> None:
        check("weir" in (await self._client.call("scrape_page", ARTICLE)).text, "no text")

    async def structured(self) -> None:
        answer = await self._client.call("scrape_page", ARTICLE)
        check(answer.structured["url"] == ARTICLE["url"], "another structure")

    async def artifact(self) -> None:
        links = (await self._client.call("scrape_page", LONG)).links
        check(links and links[0].startswith("research://artifact/"), "no link")
        check(await self._client.read(links[0]), "no artifact")

    async def progress(self) -> None:
        assert self._client.follow is not None
        check(await self._client.follow("scrape_page", {"url": f"{SITE}/slow/{uuid.uuid4().hex}"}), "no progress")

    async def cancel(self) -> None:
        """Cancel a call that reads a page without end: the server has to close its connection to the site."""
        name = uuid.uuid4().hex
        task = asyncio.create_task(self._client.call("scrape_page", {"url": f"{SITE}/endless/{name}"}))
        await wait_for_site(f"/is-open/{name}")
        task.cancel()
        await asyncio.wait([task])
        async with asyncio.timeout(CANCEL_SECONDS):
            await wait_for_site(f"/is-closed/{name}")

    async def task(self) -> None:
        assert self._client.call_as_task is not None
        check((await self._client.call_as_task("search_and_scrape", QUERY))["sources"], "no sources")

    def select(self) -> dict[str, Callable[[], Awaitable[None]]]:
        """The steps that the client has an interface for."""
        client = self._client
        steps = {"list": self.list, "call": self.call, "structured": self.structured, "artifact": self.artifact}
        more = {
            "progress": (self.progress, client.follow is not None),
            "cancel": (self.cancel, client.can_cancel),
            "task": (self.task, client.call_as_task is not None),
        }
        return steps | {name: step for name, (step, has) in more.items() if has}


async def run_steps(package: str, client: Client, version: str = "") -> None:
    """Run the steps, and print what came of each as a line of JSON."""
    results = {}
    for name, step in Steps(client).select().items():
        try:
            async with asyncio.timeout(SECONDS):
                await step()
            results[name] = "works"
        except Exception as failure:  # noqa: BLE001  it is what the report says
            results[name] = f"{type(failure).__name__}: {failure}"[:300]
    print("\n" + json.dumps({"client": f"{package} {version or metadata.version(package)}", "results": results}))
