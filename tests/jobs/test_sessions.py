"""The sources of a session: checked and archived for as long as it lives, and what was found is told with it."""

import pytest

from assay.jobs.job_timing import DAY
from assay.sessions.session_keys import build_key
from assay.sessions.watchlist import list_watched

STEP = {"stepNumber": 1, "description": "look", "timestamp": "2026-11-22T00:00:00Z"}
A, B = "http://a.example/paper", "http://b.example/paper"


@pytest.fixture
def begin_session(sessions, fake_hosts):
    """A session with two sources, one of which is gone."""

    async def begin(*, watch=True, archive=False):
        fake_hosts.says("a.example", "/paper", "text")
        fake_hosts.says("b.example", "/paper", "gone", 404)
        session = (await sessions.begin("Otters", STEP, completed=False, head={})).id
        await sessions.note(session, [{"url": A, "title": "A"}, {"url": B, "title": "B"}, {"url": "doi:10.1/x"}])
        if watch:
            await sessions.watch(session, archive=archive)
        return session

    return begin


async def test_the_links_of_a_session_that_asked_are_checked_and_reported_with_it(begin_session, sessions, passes):
    session = await begin_session()
    done = await passes()
    assert dict(done.outcomes) == {"live": 1, "dead": 1}
    sources = {source["url"]: source for source in (await sessions.read(session)).sources}
    assert (sources[A]["linkOutcome"], sources[A]["verified"], sources[A]["httpStatus"]) == ("live", True, 200)
    assert (sources[B]["linkOutcome"], sources[B]["verified"]) == ("dead", False)
    assert "linkOutcome" not in sources["doi:10.1/x"]  # unchecked is not clean


async def test_the_export_shows_it(begin_session, sessions, passes, services):
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke

    session = await begin_session()
    await passes()
    reply = await invoke("research_export", {"sessionId": session}, Context(services, Caller("acme", "ada")))
    assert "✓ live" in reply.wire["document"]
    assert "dead link" in reply.wire["document"]


async def test_a_session_that_did_not_ask_is_left_alone(begin_session, passes, fake_hosts):
    await begin_session(watch=False)
    assert (await passes()).done == 0
    assert fake_hosts.visits == []


async def test_an_operator_may_have_every_session_watched(environ, clock, fake_hosts):
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke
    from assay.jobs.runner import run
    from assay.settings import Settings

    services = local_services(Settings.read(environ | {"WATCH_SESSIONS": "links"}), clock)
    services.web_overrides |= fake_hosts.seams
    fake_hosts.says("a.example", "/paper", "text")
    ctx = Context(services, Caller("acme", "ada"))
    first = {"searchStep": "look", "stepNumber": 1, "totalStepsEstimate": 3, "nextStepNeeded": True}
    reply = await invoke("sequential_search", first, ctx)
    assert reply.error is None, reply.error
    await ctx.own.sessions.note(reply.wire["sessionId"], [{"url": A}])
    assert dict((await run("link_check", services)).outcomes) == {"live": 1}
    assert (await run("archive", services)).done == 0
    await services.close()


def test_a_wrong_word_for_it_is_refused(environ):
    from assay.errors import ConfigError
    from assay.settings import Settings

    with pytest.raises(ConfigError, match="links or archive"):
        Settings.read(environ | {"WATCH_SESSIONS": "always"})


async def test_sources_met_later_are_checked_too(begin_session, sessions, passes, fake_hosts, clock, timing):
    session = await begin_session()
    await passes()
    fake_hosts.says("c.example", "/", "text")
    await sessions.note(session, [{"url": "http://c.example/"}])
    clock.forward(timing.sessions + 1)
    done = await passes()
    assert dict(done.outcomes) == {"live": 1}
    assert fake_hosts.list_requests("HEAD")[-1] == "c.example/"


async def test_when_the_session_is_over_its_links_are_checked_no_more(
    begin_session, passes, clock, services, states, fake_hosts
):
    await begin_session()
    await passes()
    request = len(fake_hosts.visits)
    clock.forward(2 * DAY)
    assert (await passes()).done == 0
    assert len(fake_hosts.visits) == request
    assert await states() == {}
    assert await list_watched(services.table) == []


async def test_a_job_gives_a_session_no_longer_life(begin_session, passes, clock, services, sessions):
    session = await begin_session()
    clock.forward(services.settings.session_seconds - 60)
    await passes()
    clock.forward(120)
    assert await services.table.get(build_key("acme", "ada", session), "head") is None


async def test_two_sessions_with_one_source_have_it_checked_once_and_both_receive_the_result(
    begin_session, sessions, passes, fake_hosts
):
    first, second = await begin_session(), await begin_session()
    await passes()
    assert fake_hosts.list_requests("HEAD").count("a.example/paper") == 1
    for session in (first, second):
        sources = {source["url"]: source for source in (await sessions.read(session)).sources}
        assert sources[A]["linkOutcome"] == "live"


async def test_a_session_that_comes_later_is_told_what_is_known_already(begin_session, sessions, passes, fake_hosts):
    await begin_session()
    await passes()
    second = await begin_session()
    await passes()
    sources = {source["url"]: source for source in (await sessions.read(second)).sources}
    assert sources[A]["linkOutcome"] == "live"
    assert fake_hosts.list_requests("HEAD").count("a.example/paper") == 1


async def test_what_was_found_dead_and_lives_again_is_dead_no_more(
    begin_session, sessions, passes, fake_hosts, clock, watch_urls
):
    session = await begin_session()
    await watch_urls(B)
    await passes()
    for _ in range(9):  # a day in which the session is used
        clock.forward(3 * 3600)
        await sessions.read(session)
    fake_hosts.says("b.example", "/paper", "text")
    await passes()
    sources = {source["url"]: source for source in (await sessions.read(session)).sources}
    assert sources[B]["linkOutcome"] == "live"


async def test_sources_are_archived_where_that_was_asked_for_and_reported_with_the_session(
    sessions, passes, archive, fake_hosts
):
    url = "http://93.184.215.14/paper"
    session = (await sessions.begin("Otters", STEP, completed=False, head={})).id
    await sessions.note(session, [{"url": url, "title": "A"}])
    await sessions.watch(session, archive=True)
    assert dict((await passes("archive")).outcomes) == {"archived": 1}
    [source] = (await sessions.read(session)).sources
    assert source["archivedUrl"].startswith("https://web.archive.org/web/")


async def test_anothers_session_cannot_be_watched(begin_session, services):
    from assay.caller import Caller
    from assay.errors import SessionNotFound
    from assay.own_stores import OwnStores

    session = await begin_session(watch=False)
    with pytest.raises(SessionNotFound):
        await OwnStores(services, Caller("other", "ada")).sessions.read(session)
