"""monitor_query_save: a watch begins with a check, and is refused where its search or a limit is wrong."""

import asyncio

from tests.support.watch_fixtures import ADA, DAY, OLD, OTTERS, environ, grant, serve_news  # noqa: F401

from assay.caller import Caller
from assay.settings import Settings


async def test_a_watch_is_not_stored_when_its_first_look_fails(ask, grant, serve_news):  # noqa: F811
    await grant()
    serve_news(status=503)
    assert (await ask("monitor_query_save", ADA, **OTTERS, feed="new")).error is not None
    assert (await ask("monitor_list", ADA)).wire["total"] == 0


async def test_a_wrong_search_is_refused_with_the_words_of_its_tool(ask, grant, site):  # noqa: F811
    await grant()
    error = (await ask("monitor_query_save", ADA, **OTTERS, filters={"time_range": "century"})).error
    assert (error.kind, error.field) == ("validation", "time_range")
    assert (await ask("monitor_query_save", ADA, **OTTERS, filters={"query": "x"})).error.field == "filters"
    scoped = Caller("acme", "ada", frozenset({"tool:monitor_query_save"}))
    assert (await ask("monitor_query_save", scoped, **OTTERS)).error.kind == "forbidden"
    assert site.requests == []


async def test_limits_are_said_and_hold_for_concurrent_writers(ask, grant, serve_news, services, environ, clock):  # noqa: F811
    services.settings = Settings.read(environ | {"MONITORING_MAX": "3"})
    await grant()
    serve_news(OLD)
    saves = [ask("monitor_query_save", ADA, query=f"otters {n}", kind="news", ttlDays=1) for n in range(6)]
    statuses = [reply.wire["status"] for reply in await asyncio.gather(*saves)]
    assert sorted(statuses) == ["limit_reached"] * 3 + ["ok"] * 3
    refused = (await ask("monitor_query_save", ADA, query="more", kind="news")).wire
    assert "3 watches" in refused["reason"]
    clock.forward(DAY + 1)
    assert (await ask("monitor_list", ADA)).wire["total"] == 0
    assert (await ask("monitor_query_save", ADA, query="more", kind="news")).wire["status"] == "ok"
    for wrong in ({"ttlDays": 91}, {"ttlDays": 0}, {"everyHours": 2161}, {"query": "x" * 501}, {"kind": "weather"}):
        error = (await ask("monitor_query_save", ADA, **(OTTERS | wrong))).error
        assert error.kind == "validation"
        assert error.field == next(iter(wrong))


class DistantTable:
    """A table whose operations take a moment, in which others go on."""

    def __init__(self, table):
        self._table = table

    def __getattr__(self, name):
        operation = getattr(self._table, name)

        async def run(*names, **more):
            await asyncio.sleep(0.001)
            return await operation(*names, **more)

        return run


async def test_equal_calls_at_once_all_succeed(ask, grant, serve_news, services):  # noqa: F811
    await grant()
    services.table = DistantTable(services.table)
    serve_news(OLD)
    replies = await asyncio.gather(*(ask("monitor_query_save", ADA, **OTTERS, feed="new") for _ in range(40)))
    assert [reply.error for reply in replies] == [None] * 40
    assert len({reply.wire["feed"]["atom"] for reply in replies}) == 40
    assert (await ask("monitor_list", ADA)).wire["total"] == 1
