"""Scheduled checks in both stores: workers may die at any write, run at the same time, and serve all tenants in turn."""

import asyncio
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.lambda_context import FakeLambdaContext
from tests.support.table_factories import create_engine_table, open_engine_table
from tests.support.watch_fixtures import ADA, DAY, NEW, OLD, OTTERS

from assay.caller import Caller
from assay.entrypoints.lambda_schedule import run_job
from assay.jobs.job_timing import JobTiming

PATIENT = JobTiming(patience=5.0, max_crashes=1_000)
STEP = {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": "Otters"}
OTHER = ("https://river.example/third", "Salmon pass the weir again", "Two hundred fish were counted.")


@pytest.fixture(params=["sqlite", "dynamodb"])
async def store(request, services):
    """The table of the services is in SQLite, or in an engine that speaks DynamoDB."""
    if request.param == "sqlite":
        yield
        return
    local = services.table
    url = request.getfixturevalue("engine_url")
    services.table = open_engine_table(url, create_engine_table(url), services.clock)
    yield
    await services.table.close()
    services.table = local


class Killed(BaseException):
    """The process died."""


class DyingTable:
    """A table whose process dies at a write, when the number of writes is used up."""

    def __init__(self, inner, writes):
        self._inner, self._writes = inner, writes

    def __getattr__(self, name):
        method = getattr(self._inner, name)
        if name not in ("put", "delete", "add"):
            return method

        async def write(*arguments, **more):
            if self._writes <= 0:
                raise Killed
            self._writes -= 1
            return await method(*arguments, **more)

        return write


async def test_a_look_that_is_killed_at_any_write_is_repeated_and_reports_once(
    ask, grant, serve_news, passes, clock, services, store
):
    await grant()
    serve_news(OLD)
    session = (await ask("sequential_search", ADA, **STEP)).wire["sessionId"]
    await ask("monitor_query_save", ADA, **OTTERS, sessionId=session, everyHours=1)
    await passes()
    serve_news(OLD, NEW, OTHER)
    table, kills = services.table, 0
    for writes in range(40):
        clock.forward((3_600 if writes == 0 else 240) + 60)
        await ask("get_research_session", ADA, sessionId=session)  # keeps it alive
        services.table = DyingTable(table, writes)
        try:
            done = await passes(timing=PATIENT)
        except BaseException as failure:  # a group, where other tasks were cancelled
            assert isinstance(failure, Killed) or failure.split(Killed)[1] is None, failure
            kills += 1
            continue
        finally:
            services.table = table
        break
    assert kills > 3
    assert done.retried == 0
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert (listed["state"], listed["unreadCount"]) == ("due", 2)
    sources = (await ask("get_research_session", ADA, sessionId=session)).wire["sources"]
    assert sorted(source["url"] for source in sources) == sorted([NEW[0], OTHER[0]])
    results = (await ask("monitor_query_check", ADA, **OTTERS)).wire["newResults"]
    assert sorted(result["url"] for result in results) == sorted([NEW[0], OTHER[0]])


async def test_runs_and_checks_at_the_same_time_report_each_result_once(ask, grant, serve_news, passes, clock, store):
    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS)
    await passes()
    serve_news(OLD, NEW, OTHER)
    clock.forward(DAY + 60)
    checks = [ask("monitor_query_check", ADA, **OTTERS) for _ in range(4)]
    *replies, first, second = await asyncio.gather(*checks, passes(), passes())
    assert first.done + second.done == 1
    replies.append(await ask("monitor_query_check", ADA, **OTTERS))
    urls = [result["url"] for reply in replies for result in reply.wire["newResults"]]
    assert sorted(urls) == sorted([NEW[0], OTHER[0]])


async def test_tenants_and_their_people_take_turns(ask, grant, serve_news, passes, clock, site):
    busy, colleague, other = Caller("busy", "ada"), Caller("busy", "bob"), Caller("other", "eve")
    serve_news(OLD)
    for caller in (busy, colleague, other):
        await grant(caller)
    for number in range(20):
        await ask("monitor_query_save", busy, query=f"busy {number}", kind="news")
    clock.forward(60)
    await ask("monitor_query_save", colleague, query="colleague", kind="news")
    await ask("monitor_query_save", other, query="other", kind="news")
    clock.forward(DAY)
    asked = len(site.requests)
    assert (await passes()).done == 22
    queries = [parse_qs(urlsplit(each.path).query)["q"][0] for each in site.requests[asked:]]
    assert queries.index("other") < 10
    assert queries.index("colleague") < 12


async def test_a_schedule_of_aws_runs_the_checks_that_are_due_and_leaves_the_rest(
    ask, grant, serve_news, services, site, clock
):
    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS)
    clock.forward(DAY)

    asked = len(site.requests)
    late = (await run_job({"job": "query_watch"}, FakeLambdaContext(20), services)).wire
    assert (late["done"], late["leftForNextTime"], len(site.requests)) == (0, True, asked)
    done = (await run_job({"job": "query_watch"}, FakeLambdaContext(300), services)).wire
    assert (done["done"], done["outcomes"]) == (1, {"checked": 1})


async def test_the_report_of_a_day_has_no_deleted_watch(ask, grant, serve_news, services, passes, list_rows, clock):
    await grant()
    serve_news(OLD)
    first = (await ask("monitor_query_save", ADA, **OTTERS)).wire["id"]
    second = (await ask("monitor_query_save", ADA, query="salmon", kind="news")).wire["id"]
    clock.forward(DAY)
    [markdown, _] = (await passes()).reports
    assert b"otters" in await services.bucket.get(markdown)
    await ask("monitor_delete", ADA, ids=[first])
    await passes()
    report = await services.bucket.get(markdown)
    assert b"salmon" in report
    assert b"otters" not in report
    await ask("monitor_delete", ADA, ids=[second])
    await passes()
    assert await services.bucket.get(markdown) is None
    personal = ("watches", "watch-feed", "errands", "due", "journal", "reports")
    assert not [row for row in list_rows() if row[0].partition("/")[0] in personal]


async def test_a_job_that_is_off_does_nothing(ask, grant, serve_news, services, environ, passes, clock):
    from assay.settings import Settings

    await grant()
    serve_news(OLD)
    await ask("monitor_query_save", ADA, **OTTERS)
    clock.forward(DAY)
    services.settings = Settings.read(environ | {"MONITORING_ENABLED": "false"})
    assert (await passes()).done == 0
    services.settings = Settings.read(environ)
    assert (await passes()).done == 1
