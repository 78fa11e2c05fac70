"""What is kept: of one tenant for one tenant, counted once, never an error or a wall as an answer, never a word of us."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.errors import ConfigError
from assay.invoke import invoke
from assay.models.common import Input, Output
from assay.sessions import recording, session_sources
from assay.sessions.session_keys import build_key
from assay.settings import Settings
from assay.toolkit import tool_registry
from assay.toolkit.tool import tool

ADA, EVE = Caller("acme", "ada"), Caller("evil", "eve")
LONG = (
    "<article><h1>Otters</h1>"
    + "".join(f"<p>Otters hold hands while they sleep, as {n} of them did.</p>" for n in range(3000))
    + "</article>"
)


class Ask(Input):
    query: str = ""


class Answer(Output):
    said: str = ""


@tool(cache=timedelta(minutes=1))
async def breaks(ask: Ask, ctx: Context) -> Answer:
    """Break."""
    raise RuntimeError("/home/ada/secret.txt on db.internal:5432 with sk-0123456789abcdefghijklmnop")


async def test_what_breaks_is_reported_without_a_word_of_where(services, caplog):
    ctx = Context(services, Caller(), request_id="request-7")
    reply = await invoke("breaks", {}, ctx, find=lambda _: breaks)
    text = reply.error.text()
    assert reply.error.kind == "internal"
    for word in ("secret", "internal:5432", "Traceback", "RuntimeError", "/home", "sk-"):
        assert word not in text
    assert "request-7" in text
    assert "request-7" in caplog.text


async def test_a_store_that_cannot_be_used_is_reported_without_its_path(services, ask, tmp_path):
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "assay.sqlite3").write_bytes(b"no database" * 1000)
    reply = await ask("web_search", query="otters")
    assert reply.error.kind == "internal"
    assert str(tmp_path) not in reply.error.text()


@pytest.mark.parametrize("level", ["verbose", "10", "INFO\n"])
def test_a_level_that_is_invalid_is_reported_at_the_start(level):
    if level.strip() == "INFO":
        assert Settings.read({"LOG_LEVEL": level}).log_level == "INFO"
    else:
        with pytest.raises(ConfigError, match="LOG_LEVEL"):
            Settings.read({"LOG_LEVEL": level})


async def test_another_tenants_artifact_is_not_found(ask, site):
    site.says("/long", LONG)
    mine = await ask("scrape_page", ADA, url="http://river.example/long", mode="raw")
    uri = mine.wire["resource"]
    assert (await ask("read_artifact", ADA, id=uri)).error is None
    for spelling in (uri, uri.rpartition("/")[2], uri.replace("artifact/", "artifact/../artifact/"), uri.upper()):
        assert (await ask("read_artifact", EVE, id=spelling)).error.kind == "not_found"


async def test_another_tenants_cache_is_not_seen(ask, site):
    site.says("/otters", f"<article><h1>Otters</h1>{LONG[:4000]}</article>")
    await ask("scrape_page", ADA, url="http://river.example/otters")
    request = len(site.requests)
    assert (await ask("scrape_page", ADA, url="http://river.example/otters")).meta["cached"] is True
    other = await ask("scrape_page", EVE, url="http://river.example/otters")
    assert other.error is None
    assert not other.meta.get("cached")
    assert len(site.requests) > request


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"query": "a|provider=x"}, {"query": "a", "provider": "x"}),
        ({"query": "a", "site": "b"}, {"query": "a site:b"}),
        ({"query": 'a","site":"b'}, {"query": "a", "site": "b"}),
        ({"query": "a/b"}, {"query": "a", "lens": "b"}),
    ],
)
def test_no_text_forges_another_questions_key(one, other):
    search = tool_registry.find_tool("web_search")
    assert search.key(search.parse(one)) != search.key(search.parse(other))


@pytest.mark.parametrize("odd", ["x#STEP#1", "a/b", "../x", "x\nSTEP", "*", "session/x", "%2e%2e", "x" * 128])
async def test_an_odd_session_is_its_own_and_nobody_elses(odd, services):
    source = [{"url": "https://river.example/"}]
    now = services.clock()
    await session_sources.put(services.table, build_key("acme", "ada", odd), source, now=now, until=now + 60)
    assert await recording.list_sources(services.table, "acme", "ada", odd) == source
    for tenant, user, name in [
        ("acme", "eve", odd),
        ("evil", "ada", odd),
        ("acme", "ada", odd[:-1]),
        ("acme", "ada", odd + "/"),
    ]:
        assert await recording.list_sources(services.table, tenant, user, name) == []
    assert await recording.list_sources(services.table, "acme/ada", "", odd) == []


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("<html><title>Just a moment</title><form action='/captcha'>Are you a robot?</form></html>", "text/html", 200),
        (json.dumps({"results": []}), "application/json", 200),
        ("{", "application/json", 200),
        ("", "application/json", 503),
    ],
)
async def test_a_wall_an_outage_and_an_empty_answer_are_not_kept(body, kind, status, ask, site, services):
    services.settings = replace(services.settings, search_provider="searxng")
    site.says("/searxng/search", body, status, kind)
    await ask("web_search", query="otters")
    row = {"url": "https://river.example/", "title": "Otters", "content": "Otters hold hands", "engine": "x"}
    site.says("/searxng/search", json.dumps({"results": [row]}), kind="application/json")
    again = await ask("web_search", query="otters")
    assert again.error is None
    assert again.wire["urls"] == ["https://river.example/"]


async def test_of_a_hundred_calls_at_once_only_the_last_allowed_passes(services):
    services.settings = replace(services.settings, rate_limit_per_tenant=0, daily_quota_per_tenant=10)

    async def call() -> str:
        return (await invoke("read_artifact", {"id": "x"}, Context(services, ADA))).error.kind

    first = [await call() for _ in range(9)]
    rest = await asyncio.gather(*(call() for _ in range(100)))
    assert first == ["not_found"] * 9
    assert sorted(rest) == ["not_found"] + ["rate_limited"] * 99
    other = await invoke("read_artifact", {"id": "x"}, Context(services, EVE))
    assert other.error.kind == "not_found"


async def test_the_flights_and_the_caches_do_not_grow_with_the_calls(services, ask, site):
    services.settings = replace(services.settings, cache_memory_mb=1)
    for number in range(20):
        site.says(f"/{number}", LONG)
    await asyncio.gather(*(ask("scrape_page", url=f"http://river.example/{number % 20}") for number in range(40)))
    assert services.flights._in_flight == {}
    assert sum(size for _, size in services.cache._memory.values()) <= 1024 * 1024


@pytest.mark.parametrize(("level", "read"), [("warn", "WARNING"), ("WARN", "WARNING"), ("fatal", "CRITICAL")])
def test_other_spellings_of_a_level_are_understood(level, read):
    assert Settings.read({"LOG_LEVEL": level}).log_level == read
