"""Watches of queries: what is new is reported once, an outage is no change, and limits are said."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.support.watch_fixtures import ADA, DAY, NEW, OLD, OTTERS

from assay.caller import Caller
from assay.monitoring.watch_store import STATE, WATCH
from assay.own_stores import OwnStores
from assay.settings import Settings

STORY = "The council of the town voted last night to close the old bridge over the river until spring because of cracks"


async def urls_of(ask, caller=ADA, **arguments):
    reply = await ask("monitor_query_check", caller, **(arguments or OTTERS))
    assert reply.error is None, reply.error
    return [result["url"] for result in reply.wire["newResults"]]


async def test_without_consent_nothing_is_stored_or_read(ask, services, serve_news, site):
    serve_news(OLD)
    for tool, arguments in (("monitor_query_save", OTTERS), ("monitor_query_check", OTTERS), ("monitor_list", {})):
        wire = (await ask(tool, ADA, **arguments)).wire
        assert wire["status"] == "no_consent"
        assert "assay consent grant monitoring" in wire["reason"]
    assert site.requests == []
    assert (await ask("monitor_list", Caller("acme", "anonymous"))).wire["status"] == "unavailable"


async def test_a_scheduled_check_finds_and_the_next_call_returns_what_it_found(ask, grant, serve_news, passes, clock):
    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS)
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert datetime.fromisoformat(listed["nextRunAt"]) - datetime.fromisoformat(listed["lastRunAt"]) == timedelta(1)
    assert (await passes()).done == 0  # saving it was the first check, which may have cost something
    clock.forward(DAY)
    assert dict((await passes()).outcomes) == {"checked": 1}
    assert (await passes()).done == 0
    serve_news(OLD, NEW)
    clock.forward(DAY + 60)
    assert (await passes()).done == 1
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert (listed["unreadCount"], listed["state"]) == (1, "due")
    serve_news(OLD)
    assert await urls_of(ask) == [NEW[0]]
    assert await urls_of(ask) == []


async def test_the_same_address_in_another_form_is_not_new(ask, grant, serve_news):
    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS)
    serve_news(("http://WWW.river.example:80/old/?utm_source=feed#top", "Another headline entirely", "Other words."))
    assert await urls_of(ask) == []


async def test_a_story_under_another_address_is_counted_and_not_new(ask, grant, serve_news):
    await grant()
    serve_news(("https://a.example/1", "Town closes bridge", STORY))
    await ask("monitor_query_save", ADA, **OTTERS)
    serve_news(("https://b.example/2", "Town closes bridge", f"{STORY}, an engineer says"))
    checked = (await ask("monitor_query_check", ADA, **OTTERS)).wire
    assert (checked["newCount"], checked["nearDuplicateCount"]) == (0, 1)
    serve_news(("https://b.example/3", "Town opens a bridge", "A new one, which cost four million and took two years."))
    assert await urls_of(ask) == ["https://b.example/3"]


async def test_records_that_differ_in_one_word_are_all_new(services, grant):
    """Filings of one company have nearly the same titles."""
    from assay.monitoring.novelty import WatchResult, merge_results
    from assay.monitoring.watch_records import WatchState

    state = merge_results(WatchState(), [WatchResult("https://sec.example/1", "Otter Corp 10-K")], 1.0, by_text=False)
    state = merge_results(state, [WatchResult("https://sec.example/2", "Otter Corp 10-K")], 2.0, by_text=False)
    assert [item.url for item in state.items] == ["https://sec.example/2"]


async def test_an_outage_is_no_change(ask, grant, serve_news, passes, clock):
    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS)
    await passes()
    serve_news(status=503)
    clock.forward(DAY + 60)
    done = await passes()
    assert (dict(done.outcomes), done.retried) == ({"failed": 1}, 1)
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert listed["failure"]
    assert (await ask("monitor_query_check", ADA, **OTTERS)).error is not None
    serve_news(OLD, NEW)
    clock.forward(DAY)
    await passes()
    assert await urls_of(ask) == [NEW[0]]
    assert "failure" not in (await ask("monitor_list", ADA)).wire["watches"][0]


async def test_checks_at_the_same_time_return_each_result_once(ask, grant, serve_news, passes):
    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS)
    fresh = [(f"https://river.example/{n}", f"{word} {n}", f"{word} {word}.") for n, word in enumerate("abcdefg")]
    serve_news(*fresh)
    *answers, _ = await asyncio.gather(*(urls_of(ask) for _ in range(8)), passes())
    assert sorted(url for urls in answers for url in urls) == sorted(url for url, _, _ in fresh)


class DeletingTable:
    """A table that deletes Ada's watches before the first of them is stored, as another call may."""

    def __init__(self, services, ask):
        self._table, self._services, self._ask = services.table, services, ask

    def __getattr__(self, name):
        return getattr(self._table, name)

    async def put(self, key, sort, *rest, **more):
        if sort.startswith(WATCH) and self._services.table is self:
            self._services.table = self._table
            await self._ask("monitor_delete", ADA, everything=True)
        return await self._table.put(key, sort, *rest, **more)


async def test_a_watch_that_is_deleted_while_it_is_saved_again_is_gone_or_works(
    ask, grant, serve_news, services, passes, clock
):
    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS)
    services.table = DeletingTable(services, ask)
    assert (await ask("monitor_query_save", ADA, **OTTERS)).wire["status"] == "ok"
    assert (await ask("monitor_list", ADA)).wire["total"] == 1
    clock.forward(DAY)
    assert dict((await passes()).outcomes) == {"checked": 1}
    serve_news(OLD, NEW)
    assert await urls_of(ask) == [NEW[0]]


async def test_people_do_not_see_or_delete_each_others_watches(ask, grant, serve_news):
    bob, eve = Caller("acme", "bob"), Caller("evil", "ada")
    serve_news(OLD)
    for caller in (ADA, bob, eve):
        await grant(caller)
    saved = (await ask("monitor_query_save", ADA, **OTTERS)).wire
    for caller in (bob, eve):
        assert (await ask("monitor_query_check", caller, id=saved["id"])).wire["status"] == "not_found"
        assert (await ask("monitor_delete", caller, ids=[saved["id"]])).wire["status"] == "not_found"
        assert (await ask("monitor_list", caller)).wire["total"] == 0
    await ask("monitor_query_save", eve, **OTTERS)
    await ask("monitor_delete", ADA, everything=True)
    assert (await ask("monitor_list", eve)).wire["total"] == 1
    serve_news(OLD, NEW)
    assert await urls_of(ask, eve) == [NEW[0]]


async def test_a_watch_that_an_earlier_version_stored_goes_on_with_what_it_has_seen(ask, grant, services, serve_news):
    await grant()
    serve_news(OLD)
    watch = (await ask("monitor_query_save", ADA, **OTTERS)).wire["id"]
    store = OwnStores(services, ADA).watches
    row = await services.table.get(store._key, STATE + watch)
    assert b'"checks":1' in row.value
    await services.table.put(store._key, STATE + watch, row.value.replace(b'"checks"', b'"looks"'))
    serve_news(OLD, NEW)
    assert await urls_of(ask) == [NEW[0]]


async def test_a_place_whose_writer_died_is_free_after_a_while(grant, services, environ, clock):
    services.settings = Settings.read(environ | {"MONITORING_MAX": "1"})
    from assay.monitoring.watch_store import WatchLimit

    store = OwnStores(services, ADA).watches
    await store.reserve("a" * 32, clock() + 90 * DAY)
    with pytest.raises(WatchLimit):
        await store.reserve("b" * 32, clock() + DAY)
    clock.forward(600)
    await store.reserve("b" * 32, clock() + DAY)


async def test_a_key_cannot_search_through_a_watch_beyond_its_scopes(ask, grant, serve_news, site):
    serve_news(OLD)
    await grant()
    watch = (await ask("monitor_query_save", ADA, **OTTERS)).wire["id"]
    site.requests.clear()
    narrow = replace(ADA, scopes=frozenset({"tool:monitor_query_check", "tool:monitor_query_save"}))
    reply = await ask("monitor_query_check", narrow, id=watch)
    assert (reply.error.kind, site.requests) == ("forbidden", [])
    assert "newResults" in (await ask("monitor_query_check", ADA, id=watch)).wire


async def test_an_expired_watch_is_pruned_by_the_schedule(ask, grant, serve_news, passes, clock, list_rows, site):
    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS, ttlDays=1, feed="new")
    clock.forward(DAY + 60)
    asked = len(site.requests)
    assert (await passes()).done == 0
    assert len(site.requests) == asked
    assert not {row for row in list_rows() if row[0].partition("/")[0] in ("errands", "due")}


async def test_withdrawn_consent_stops_the_watches(ask, grant, serve_news, passes, site, clock):
    await grant()
    serve_news(OLD)
    saved = (await ask("monitor_query_save", ADA, **OTTERS)).wire
    await grant(granted=False)
    clock.forward(DAY)
    asked = len(site.requests)
    assert (await passes()).done == 0
    assert len(site.requests) == asked
    await grant()
    assert (await ask("monitor_list", ADA)).wire["watches"][0]["state"] == "stopped"
    await ask("monitor_query_save", ADA, **OTTERS)
    assert (await passes()).done == 1
    await grant(granted=False)
    assert (await ask("monitor_delete", ADA, ids=[saved["id"]])).wire["status"] == "ok"


async def test_a_check_of_a_stopped_watch_schedules_the_next_one_after_its_interval(
    ask, grant, serve_news, passes, clock
):
    await grant()
    serve_news(OLD)
    saved = (await ask("monitor_query_save", ADA, **OTTERS)).wire
    await grant(granted=False)
    clock.forward(DAY)
    await passes()
    await grant()
    await ask("monitor_query_check", ADA, id=saved["id"])
    assert (await ask("monitor_list", ADA)).wire["watches"][0]["state"] == "due"
    assert (await passes()).done == 0
    clock.forward(DAY)
    assert (await passes()).done == 1


async def test_the_research_session_receives_new_results_as_sources(ask, grant, serve_news, passes, clock):
    await grant()
    serve_news(OLD)
    step = {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": "Otters"}
    session = (await ask("sequential_search", ADA, **step)).wire["sessionId"]
    await ask("monitor_query_save", ADA, **OTTERS, sessionId=session, everyHours=1)
    serve_news(OLD, NEW)
    clock.forward(3_700)
    await passes()
    sources = (await ask("get_research_session", ADA, sessionId=session)).wire["sources"]
    assert [source["url"] for source in sources] == [NEW[0]]
    missing = await ask("monitor_query_save", ADA, query="x", kind="news", sessionId="nobody's")
    assert missing.error.kind == "session_not_found"
