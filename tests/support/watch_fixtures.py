"""Fixtures of watches over a search engine and pages on loopback, with a clock that a test moves."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from assay.caller import Caller
from assay.jobs.job_timing import JobTiming
from assay.jobs.runner import RunSummary, run
from assay.net.provider_client import ProviderClient
from assay.own_stores import OwnStores
from assay.services import Services

ADA = Caller("acme", "ada")
TIMING = JobTiming(patience=5.0)
DAY = 86_400
OTTERS = {"query": "otters", "kind": "news"}
OLD = ("https://river.example/old", "Otters return to the river", "They were last seen in 1950.")
NEW = ("https://river.example/new", "Beavers build a dam upstream", "It is two metres high.")


@pytest.fixture
def environ(environ: dict[str, str]) -> dict[str, str]:
    return environ | {"MONITORING_ENABLED": "true"}


@pytest.fixture
def grant(services: Services) -> Callable[..., Any]:
    """`await grant(caller)`: the person consents to monitoring."""
    services.http = ProviderClient(services.settings, pause=0)
    services.observers = []

    async def decide(caller: Caller = ADA, *, granted: bool = True) -> None:
        await OwnStores(services, caller).consents.decide("monitoring", granted=granted, decided_from="test")

    return decide


@pytest.fixture
def serve_news(site: Any) -> Callable[..., None]:
    """`serve_news((url, title, text), …)`: what the search engine answers."""

    def says(*results: tuple[str, str, str], status: int = 200) -> None:
        found = [{"title": title, "url": url, "content": text} for url, title, text in results]
        site.says("/searxng/search", json.dumps({"results": found}), status, "application/json")

    return says


@pytest.fixture
def passes(services: Services) -> Callable[..., Any]:
    """`await passes()`: one run of the job."""

    async def run_pass(seconds: float | None = None, timing: JobTiming = TIMING) -> RunSummary:
        return await run("query_watch", services, timing=timing, seconds=seconds)

    return run_pass


@pytest.fixture
def list_rows(services: Services) -> Callable[[], set[tuple[str, str]]]:
    """`list_rows()`: the keys of all rows."""

    def list_keys() -> set[tuple[str, str]]:
        with closing(sqlite3.connect(services.settings.home / "assay.sqlite3")) as database:
            return {(key.decode(), sort.decode()) for key, sort in database.execute("SELECT key, sort FROM rows")}

    return list_keys
