"""get_research_session: where a research stands, for whoever lost the thread."""

import json
from dataclasses import replace

import pytest

from assay.caller import Caller
from assay.sessions import session_sources
from assay.sessions.session_keys import build_key

GONE = "Session not found or expired. Sessions last 4 hours from last activity."


@pytest.fixture
def begin_session(ask):
    async def steps(*descriptions, **more):
        session = None
        for number, response in enumerate(descriptions, 1):
            arguments = {"searchStep": response, "stepNumber": number, "nextStepNeeded": True, **more}
            arguments |= {"sessionId": session} if session else {}
            reply = await ask("sequential_search", **arguments)
            session = reply.wire["sessionId"]
        return session

    return steps


async def test_it_tells_where_the_research_stands(ask, begin_session, article):
    session = await begin_session("One", "Two", "Three", "Four", researchGoal="Otters", knowledgeGap="counts")
    await ask("scrape_page", url=article, sessionId=session)
    wire = (await ask("get_research_session", sessionId=session)).wire
    assert (wire["researchGoal"], wire["stepCount"], wire["currentStep"]) == ("Otters", 4, 4)
    assert wire["summary"] == "Otters. Progress: One; Two; Three; Four"
    assert [entry["oneLiner"] for entry in wire["stepIndex"]] == ["One", "Two", "Three", "Four"]
    assert [step["description"] for step in wire["lastSteps"]] == ["Two", "Three", "Four"]
    assert wire["gaps"] == [{"description": "counts", "foundInStep": 1}]
    [source] = wire["sources"]
    assert (source["url"], source["relevance"], source["author"]) == (article, "scraped", "Ada Brook")
    assert source["metAfterStep"] == 4
    assert "foundInStep" not in source
    assert wire["trust"] == "untrusted-external-content"
    assert {"errorPatterns", "providerStats"}.isdisjoint(wire)


async def test_what_was_found_out_about_a_link_is_reported_with_its_source(ask, begin_session, article, services):
    session = await begin_session("One")
    await ask("scrape_page", url=article, sessionId=session)
    fate = {"linkOutcome": "dead", "httpStatus": 404, "verified": False, "verifiedAt": "2026-01-01T00:00:00Z"}
    key, until = build_key("local", "local", session), services.clock() + 3600
    await session_sources.tell(services.table, key, article, fate, until=until)
    [source] = (await ask("get_research_session", sessionId=session)).wire["sources"]
    assert source.items() >= fate.items()
    report = (await ask("research_export", sessionId=session)).wire["document"]
    assert "⚠️ dead link (HTTP 404)" in report
    checked = await ask("research_export", sessionId=session, format="json", verify_links=True)
    [source] = checked.wire["document"]["sources"]
    assert (source["linkOutcome"], source["httpStatus"], source["verified"]) == ("live", 200, True)


async def test_a_step_is_reported_in_full(ask, begin_session):
    session = await begin_session("One", "Two", reasoning="Because")
    wire = (await ask("get_research_session", sessionId=session, stepId=1)).wire
    assert wire["responseMode"] == "step"
    assert wire["step"].items() >= {"stepNumber": 1, "description": "One", "reasoning": "Because"}.items()
    assert {"summary", "stepIndex", "lastSteps", "sources"}.isdisjoint(wire)


async def test_branches_may_have_a_step_of_one_number_each(ask, begin_session):
    session = await begin_session("One", "Two")
    again = {
        "searchStep": "Two otherwise",
        "stepNumber": 2,
        "nextStepNeeded": True,
        "branchId": "b",
        "branchFromStep": 1,
    }
    await ask("sequential_search", sessionId=session, **again)
    wire = (await ask("get_research_session", sessionId=session, stepId=2)).wire
    assert wire["step"]["description"] == "Two otherwise"
    assert [step["description"] for step in wire["otherSteps"]] == ["Two"]


async def test_a_step_that_is_not_there_is_reported_with_those_that_are(ask, begin_session):
    reply = await ask("get_research_session", sessionId=await begin_session("One", "Two"), stepId=5)
    assert reply.error.kind == "validation"
    assert "There is no step 5" in reply.error.sentence()
    assert "1-2" in reply.error.sentence()


async def test_another_persons_session_is_as_one_that_never_was(ask, begin_session, clock):
    session = await begin_session("One")
    strangers = (Caller("local", "eve"), Caller("evil", "local"))
    reply = [(await ask("get_research_session", caller, sessionId=session)).error.text() for caller in strangers]
    reply.append((await ask("get_research_session", sessionId=session + " x")).error.text())
    clock.forward(4 * 3600 + 1)
    reply.append((await ask("get_research_session", sessionId=session)).error.text())
    assert len(set(reply)) == 1
    assert reply[0].startswith(GONE)
    assert '"kind":"session_not_found"' in reply[0]


async def test_asking_keeps_the_session_alive(ask, begin_session, clock):
    session = await begin_session("One")
    for _ in range(4):
        clock.forward(3 * 3600)
        assert (await ask("get_research_session", sessionId=session)).error is None


async def test_failures_of_a_kind_are_a_pattern_from_the_third_on(ask, begin_session, site):
    session = await begin_session("One")
    urls = [site.says(f"/{number}", "No", 403) for number in range(3)]
    for url in urls[:2]:
        await ask("scrape_page", url=url, sessionId=session)
    assert "errorPatterns" not in (await ask("get_research_session", sessionId=session)).wire
    await ask("scrape_page", url=urls[2], sessionId=session)
    await ask("scrape_page", url=site.url + "/missing", sessionId=session)
    [pattern] = (await ask("get_research_session", sessionId=session)).wire["errorPatterns"]
    assert (pattern["kind"], pattern["count"], pattern["affectedUrls"]) == ("blocked", 3, urls)
    assert pattern["suggestion"]
    assert pattern["lastSeen"].endswith("Z")


async def test_providers_are_counted_with_their_failures(ask, begin_session, site, services, at_once):
    services.settings = replace(services.settings, search_provider="searxng")
    session = await begin_session("One")
    site.says("/searxng/search", "down", 503)
    await ask("web_search", query="otters", sessionId=session)
    row = {"url": "https://river.example/", "title": "Otters", "content": "x", "engine": "x"}
    site.says("/searxng/search", json.dumps({"results": [row]}), kind="application/json")
    for _ in range(2):  # the second comes from the cache: nobody was asked
        await ask("web_search", query="otters", sessionId=session)
    stats = (await ask("get_research_session", sessionId=session)).wire["providerStats"]
    assert stats == {"searxng": {"attempts": 2, "successes": 1}}


@pytest.mark.parametrize("wrong", [{}, {"sessionId": ""}, {"sessionId": "x", "stepId": 0}, {"sessionId": "x" * 129}])
async def test_what_is_out_of_bounds_is_the_callers_fault(ask, wrong):
    assert (await ask("get_research_session", **wrong)).error.kind == "validation"
