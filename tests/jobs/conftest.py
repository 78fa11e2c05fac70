"""Jobs over a town of hosts by name, with an archive, and a clock that a test moves."""

import json
import time
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.fake_hosts import FakeHosts

from assay.caller import Caller
from assay.jobs.job_timing import JobTiming
from assay.jobs.runner import RunSummary, run
from assay.jobs.watched_urls import list_watched, watch
from assay.own_stores import OwnStores
from assay.services import Services

ADA = Caller("acme", "ada")
TIMING = JobTiming(patience=5.0, saving=0.0)


@pytest.fixture
def fake_hosts(fake_hosts: FakeHosts, services: Services) -> FakeHosts:
    """Every public host there is, and nobody who looks on."""
    fake_hosts.says("there.example", "/", "here")
    services.observers = []
    return fake_hosts


class Archive:
    """The Internet Archive at `site`: what it captured, and what it says to the next requests."""

    def __init__(self, site: Any) -> None:
        self.captured: Counter[str] = Counter()
        self.refusals: list[int] = []
        self.is_known = True  # whether its index tells of a capture
        self.index_status = 200
        self._site = site
        site.pages = ArchivePages(self._respond, site.pages)

    def _respond(self, path: str) -> Any:
        from tests.conftest import CannedResponse

        at = urlsplit(path)
        [page] = parse_qs(at.query).get("url", [""])
        stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(time.time() + 20 * 86_400))
        copy = f"/web/{stamp}/{page}"
        if at.path == "/archive/save/":
            if self.refusals:
                return CannedResponse(b"no", self.refusals.pop(0), {"retry-after": "600"})
            self.captured[page] += 1
            return CannedResponse(b"<html>the copy", headers={"content-location": copy})
        known = self.captured[page] and self.is_known
        snapshot = {"closest": {"available": True, "url": f"http://web.archive.org{copy}", "timestamp": stamp}}
        body = {"archived_snapshots": snapshot if known else {}}
        return CannedResponse(json.dumps(body).encode(), self.index_status, {"content-type": "application/json"})


class ArchivePages(dict):
    def __init__(self, respond: Callable[[str], Any], others: dict[str, Any]) -> None:
        super().__init__(others)
        self._respond = respond

    def get(self, path: str, default: Any = None) -> Any:
        return self._respond(path) if path.startswith("/archive/") and "?" in path else super().get(path, default)


@pytest.fixture
def environ(environ: dict[str, str], site: Any) -> dict[str, str]:
    return environ | {"WAYBACK_BASE_URL": site.url + "/archive"}


@pytest.fixture
def archive(site: Any) -> Archive:
    return Archive(site)


@pytest.fixture
def passes(services: Services) -> Callable[..., Any]:
    """`await passes("link_check")`: what one pass did."""

    async def run_pass(
        name: str = "link_check", timing: JobTiming = TIMING, seconds: float | None = None
    ) -> RunSummary:
        return await run(name, services, timing=timing, seconds=seconds)

    return run_pass


@pytest.fixture
def watch_urls(services: Services) -> Callable[..., Any]:
    """`await watched(url, …)` puts addresses under watch."""

    async def watch_all(*urls: str, jobs: tuple[str, ...] = ("link_check",), caller: Caller = ADA, **more: Any) -> None:
        await watch(services, caller, urls, jobs=jobs, **more)

    return watch_all


@pytest.fixture
def states(services: Services) -> Callable[..., Any]:
    """`await states()`: what is kept of the caller's addresses, by address."""

    async def list_states(job: str = "link_check", caller: Caller = ADA) -> dict[str, dict[str, Any]]:
        return {one["url"]: one for one in await list_watched(services, caller, [job])}

    return list_states


@pytest.fixture
def sessions(services: Services) -> Any:
    """Ada's research sessions."""
    return OwnStores(services, ADA).sessions


@pytest.fixture
def timing() -> JobTiming:
    return TIMING
