"""A site to walk through, a crawl that is over in a moment, and its end."""

from collections.abc import Callable
from typing import Any

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.services import Services
from assay.work_queue.work_timing import WorkTiming
from assay.work_queue.worker import Worker

QUICK = WorkTiming(
    idle=0.05, pauses=(0.01, 0.01), lease=2.0, beat=0.2, slot=5.0, delay=0.01, longest_delay=2.0, sweep=0.2, busy=0.1
)
WORDS = (
    "The otter of number {n} holds its {n} stones, and keeps the finest under its left arm while it swims upstream. "
)


def page(links: Any = (), title: str = "", n: object = 0) -> str:
    """A page of some text with links."""
    anchors = "".join(f'<li><a href="{link}">to {link}</a></li>' for link in links)
    text = WORDS.format(n=n) * 3
    return f"<html><head><title>{title or n}</title></head><body><article><h1>{n}</h1><p>{text}</p></article><ul>{anchors}</ul></body></html>"


@pytest.fixture
def tree(site) -> Callable[[dict[str, list[str]]], str]:
    """Serve pages with these links; the address of the first."""

    def serve(links: dict[str, list[str]]) -> str:
        for path, leads in links.items():
            site.says(path, page(leads, n=path))
        return site.url + next(iter(links))

    return serve


@pytest.fixture
def crawl(services: Services) -> Callable[..., Any]:
    """`await crawl(url, …)`: the status with all its pages, after a worker has done its work."""
    services.runs_workers = False  # no other worker than the one that is run here

    async def run_crawl(url: str, *, timing: WorkTiming = QUICK, caller: Caller | None = None, **options: Any) -> Any:
        started = await invoke("cinder_crawl", {"url": url, **options}, Context(services, caller or Caller()))
        assert started.error is None, started.error
        await Worker(services, services.queue, timing).run()
        arguments = {"id": started.wire["crawlId"], "limit": 100}
        return (await invoke("cinder_get_crawl_status", arguments, Context(services, caller or Caller()))).wire

    return run_crawl


@pytest.fixture
def visited_paths(site) -> Callable[[], list[str]]:
    """The paths that were asked for, robots.txt apart."""
    return lambda: [request.path for request in site.requests if request.path != "/robots.txt"]


def paths(status: Any) -> list[str]:
    return [row["url"].split("/", 3)[3] for row in status["pages"]]


@pytest.fixture(name="paths")
def paths_of() -> Callable[[Any], list[str]]:
    return paths


@pytest.fixture(name="page")
def page_of() -> Callable[..., str]:
    return page


@pytest.fixture
def quick() -> WorkTiming:
    return QUICK
