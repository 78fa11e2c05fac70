"""sequential_search: steps on record, branches and revisions told, coverage described, refinement really searched."""

import json
from dataclasses import replace

import pytest

from assay.caller import Caller

FIRST = {"searchStep": "Find counts of otters", "stepNumber": 1, "nextStepNeeded": True}
ADA, BOB = Caller("acme", "ada"), Caller("acme", "bob")


async def take_step(ask, session=None, number=1, caller=None, **more):
    arguments = {"searchStep": f"Step {number}", "stepNumber": number, "nextStepNeeded": True} | more
    reply = await ask("sequential_search", caller, **arguments, **({"sessionId": session} if session else {}))
    assert reply.error is None, reply.error
    return reply.wire


def finds(site, *rows):
    results = [{"url": url, "title": title, "content": "What it says", "engine": "x"} for url, title in rows]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")


@pytest.fixture
def search_results(services, site):
    services.settings = replace(services.settings, search_provider="searxng")
    finds(site, ("https://river.example/a", "A"), ("https://lake.example/b", "B"), ("https://sea.example/c", "C"))
    return site


async def test_the_first_step_opens_a_session(ask):
    wire = await take_step(ask, researchGoal="Why do otters hold hands?", totalStepsEstimate=4)
    assert wire["researchGoal"] == "Why do otters hold hands?"
    assert (wire["currentStep"], wire["totalStepsEstimate"], wire["isComplete"]) == (1, 4, False)
    assert wire["responseMode"] == "full"
    assert wire["steps"] == [{"stepNumber": 1, "oneLiner": "Step 1", "branchId": "", "confidence": ""}]
    assert wire["trust"] == "untrusted-external-content"
    assert {"completedAt", "summary", "stepIndex", "depth", "coverage", "_meta"}.isdisjoint(wire)
    version, variant = wire["sessionId"][14], wire["sessionId"][19]
    assert (version, variant in "89ab") == ("4", True)


async def test_a_first_step_always_opens_a_new_session(ask):
    first = await take_step(ask)
    again = await take_step(ask, first["sessionId"])
    assert again["sessionId"] != first["sessionId"]
    assert len(again["steps"]) == 1


async def test_without_a_goal_the_first_200_bytes_of_the_step_are_it(ask):
    wire = await take_step(ask, searchStep="ö" * 150)
    assert wire["researchGoal"] == "ö" * 100


async def test_steps_are_reported_with_all_that_was_said_of_them(ask):
    session = (await take_step(ask))["sessionId"]
    response = {
        "reasoning": "It is the newest",
        "confidence": "low",
        "rejectedApproaches": ["asking otters"],
        "branchFromStep": 1,
        "branchId": "sea",
        "knowledgeGap": "No count since 2019",
    }
    wire = await take_step(ask, session, 2, revisesStep=1, **response)
    first, second = wire["lastSteps"]
    gap = response.pop("knowledgeGap")
    assert response.items() <= second.items()
    assert (second["isRevision"], second["revisesStep"], first["supersededBy"]) == (True, 1, 2)
    assert wire["gaps"] == [{"description": gap, "foundInStep": 2}]
    assert wire["steps"][1] == {"stepNumber": 2, "oneLiner": "Step 2", "branchId": "sea", "confidence": "low"}


async def test_past_eight_steps_a_summary_stands_for_them(ask):
    session = (await take_step(ask, researchGoal="Otters"))["sessionId"]
    for number in range(2, 9):
        wire = await take_step(ask, session, number, searchStep=f"Step {number} " + "x" * 200)
    assert (wire["responseMode"], len(wire["steps"])) == ("full", 8)
    wire = await take_step(ask, session, 9)
    assert wire["responseMode"] == "summary"
    assert "steps" not in wire
    assert len(wire["stepIndex"]) == 9
    assert all(len(entry["oneLiner"]) <= 120 for entry in wire["stepIndex"])
    assert [step["stepNumber"] for step in wire["lastSteps"]] == [7, 8, 9]
    assert wire["summary"].startswith("Otters. Progress: Step 5 xxx")
    assert wire["summary"].count("; ") == 4
    wire = await take_step(ask, session, 10, sessionSummary="All told", responseMode="summary")
    assert wire["summary"] == "All told"
    assert (await take_step(ask, session, 11, responseMode="full"))["steps"]


async def test_the_last_step_completes_and_another_reopens(ask):
    session = (await take_step(ask))["sessionId"]
    wire = await take_step(ask, session, 2, nextStepNeeded=False)
    assert wire["isComplete"] is True
    assert wire["completedAt"] >= wire["startedAt"]
    wire = await take_step(ask, session, 3)
    assert wire["isComplete"] is False
    assert "completedAt" not in wire


async def test_a_later_step_without_a_session_is_refused_with_the_way_back(ask):
    reply = await ask("sequential_search", searchStep="On", stepNumber=3, nextStepNeeded=True)
    assert (reply.error.kind, reply.error.envelope()["error"]["field"]) == ("validation", "sessionId")
    for way in ("sessionId", "get_research_session", "stepNumber 1"):
        assert way in reply.error.sentence()


async def test_a_lost_session_is_reported_with_the_step_that_was_reached(ask, clock):
    session = (await take_step(ask))["sessionId"]
    clock.forward(4 * 3600 + 1)
    for lost in (session, "no such session", "x#STEP#1"):
        reply = await ask("sequential_search", searchStep="On", stepNumber=3, nextStepNeeded=True, sessionId=lost)
        error = reply.error.envelope()["error"]
        assert error["kind"] == "session_not_found"
        assert error["recoveryHint"] == {"lastKnownStep": 2, "canResume": False}
        assert reply.error.sentence().startswith(
            "Session not found or expired. Sessions last 4 hours from last activity."
        )


async def test_nobody_writes_in_anothers_session(ask):
    session = (await take_step(ask, caller=ADA))["sessionId"]
    arguments = {"searchStep": "On", "stepNumber": 2, "nextStepNeeded": True}
    stolen = await ask("sequential_search", BOB, **arguments, sessionId=session)
    guessed = await ask("sequential_search", BOB, **arguments, sessionId="11111111-1111-4111-8111-111111111111")
    assert stolen.error.text() == guessed.error.text()
    assert len((await take_step(ask, session, 2, ADA))["steps"]) == 2


@pytest.mark.parametrize("field", ["revisesStep", "branchFromStep"])
async def test_a_step_that_is_not_there_cannot_be_revised_or_left(ask, field):
    session = (await take_step(ask))["sessionId"]
    reply = await ask("sequential_search", **{**FIRST, "stepNumber": 2, "sessionId": session, field: 7})
    assert reply.error.kind == "validation"
    assert "There is no step 7; there are steps 1-1." in reply.error.sentence()


@pytest.mark.parametrize(
    "wrong",
    [
        {"searchStep": ""},
        {"searchStep": "x" * 10_001},
        {"stepNumber": 0},
        {"stepNumber": 10_000},
        {"confidence": "certain"},
        {"depth": "deep"},
        {"responseMode": "long"},
        {"rejectedApproaches": ["x"] * 51},
        {"sessionId": "x" * 129},
        {"searchSteps": "x"},
    ],
)
async def test_what_is_out_of_bounds_is_the_callers_fault(ask, wrong):
    reply = await ask("sequential_search", **{**FIRST, **wrong})
    assert reply.error.kind == "validation"
    assert next(iter(wrong)) in reply.error.text()


async def test_two_hundred_steps_are_enough(ask, services):
    services.settings = replace(services.settings, session_max_steps=3)
    session = (await take_step(ask))["sessionId"]
    for number in (2, 3):
        await take_step(ask, session, number)
    wire = await take_step(ask, session, 4)
    assert wire["warning"] == "session_limit_reached"
    assert wire["isComplete"] is True
    assert [step["stepNumber"] for step in wire["steps"]] == [1, 2, 3]


async def test_standard_depth_describes_and_suggests_but_searches_nothing(ask, search_results):
    session = (await take_step(ask, researchGoal="Otters", knowledgeGap="latest counts in Norway"))["sessionId"]
    wire = await take_step(ask, session, 2, depth="standard")
    assert wire["coverage"]["sourceCount"] == 0
    assert wire["coverage"]["gaps"]
    [gap, *_] = wire["refinementQueries"]
    assert gap.startswith("Otters latest counts norway after:20")
    assert "refinementResults" not in wire
    assert search_results.requests == []


async def test_thorough_depth_runs_three_searches_and_notes_what_they_find(ask, search_results, services):
    session = (await take_step(ask, researchGoal="Otters", knowledgeGap="gap one"))["sessionId"]
    for number in (2, 3):
        await take_step(ask, session, number, knowledgeGap=f"gap number {number}")
    wire = await take_step(ask, session, 4, depth="thorough", knowledgeGap="gap four")
    assert [one["query"] for one in wire["refinementResults"]] == wire["refinementQueries"][:3]
    assert wire["refinementQueries"][0] == "Otters gap four"
    for one in wire["refinementResults"]:
        assert one["resultCount"] == 3
        assert one["results"][0] == {"title": "A", "url": "https://river.example/a", "snippet": "What it says"}
    assert len(wire["refinementQueries"]) > 3
    assert "refinementNote" in wire
    assert len([request for request in search_results.requests if "searxng" in request.path]) == 3
    assert {source["url"]: source["foundInStep"] for source in wire["sources"]} == {
        "https://river.example/a": 4,
        "https://lake.example/b": 4,
        "https://sea.example/c": 4,
    }
    stats = (await ask("get_research_session", sessionId=session)).wire["providerStats"]
    assert stats == {"searxng": {"attempts": 3, "successes": 3}}


async def test_away_from_a_dominant_domain_its_pages_are_left_out(ask, search_results):
    session = (await take_step(ask, researchGoal="Otters"))["sessionId"]
    for path in "abc":
        await ask(
            "scrape_page",
            url=search_results.says(f"/{path}", f"<p>{'Otters hold hands. ' * 40}</p>"),
            sessionId=session,
        )
    finds(search_results, (f"{search_results.url}/d", "Same host"), ("https://lake.example/b", "B"))
    wire = await take_step(ask, session, 2, depth="thorough")
    assert wire["coverage"]["dominantDomain"] == "127.0.0.1"
    [away] = [one for one in wire["refinementResults"] if "-site:127.0.0.1" in one["query"]]
    assert [hit["url"] for hit in away["results"]] == ["https://lake.example/b"]


async def test_an_outage_of_a_refinement_is_not_an_empty_answer(ask, search_results, at_once):
    search_results.says("/searxng/search", "down", 503)
    session = (await take_step(ask, researchGoal="Otters"))["sessionId"]
    wire = await take_step(ask, session, 2, depth="thorough")
    [one] = wire["refinementResults"]
    assert one["error"]
    assert "results" not in one
    assert "proves nothing" in wire["refinementWarning"]


async def test_refinement_takes_no_more_calls_than_the_tenant_has(ask, search_results, services):
    session = (await take_step(ask, researchGoal="Otters", knowledgeGap="gap one"))["sessionId"]
    await take_step(ask, session, 2, knowledgeGap="gap two")
    services.settings = replace(services.settings, daily_quota_per_tenant=3)
    await take_step(ask, session, 3)
    wire = await take_step(ask, session, 4, depth="thorough")
    assert sorted("error" in one for one in wire["refinementResults"]) == [False, True, True]


async def test_the_second_of_two_refinements_comes_from_the_cache_and_is_noted_all_the_same(ask, search_results):
    for _ in range(2):
        session = (await take_step(ask, researchGoal="Otters"))["sessionId"]
        wire = await take_step(ask, session, 2, depth="thorough")
        assert len(wire["sources"]) == 3
    assert len(search_results.requests) == 1


async def test_only_the_latest_hundred_sources_are_shown(ask, services):
    session = (await take_step(ask))["sessionId"]
    from assay.sessions.recording import note_sources

    many = [{"url": f"https://river.example/{number}"} for number in range(130)]
    await note_sources(services.table, "local", "local", session, many, services.clock())
    wire = await take_step(ask, session, 2)
    assert [source["url"] for source in wire["sources"]] == [source["url"] for source in many[30:]]
    assert "100 of 130" in wire["warning"]


@pytest.mark.parametrize("name", ["revisesStep", "branchFromStep"])
async def test_a_first_step_has_none_before_it_to_revise_or_leave(ask, name):
    first = {"searchStep": "otters", "stepNumber": 1, "totalStepsEstimate": 2, "nextStepNeeded": True}
    reply = await ask("sequential_search", **first, **{name: 7})
    assert (reply.error.kind, reply.error.field) == ("validation", name)
    assert "first" in reply.error.message
