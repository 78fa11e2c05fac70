"""Research sessions at a browser: found, read as a timeline with a graph of the sources, and saved."""

import dataclasses
import json

from tests.console.conftest import ADA, EVE, HOSTILE
from tests.console.page_checks import check_html

from assay.context import Context
from assay.entrypoints.console.session_graph import MOST_CLAIMS, MOST_SOURCES, build_graph
from assay.invoke import invoke
from assay.own_stores import OwnStores
from assay.sessions.session_keys import build_key, build_step_sort
from assay.sessions.store import MAX_STEPS, SessionStore

SESSIONS = "/console/sessions"
STEPS = [
    {"searchStep": f"Where do otters sleep? {HOSTILE}", "confidence": "low", "reasoning": "They are seen at night."},
    {"searchStep": "On the water", "knowledgeGap": "In rivers, too?", "branchFromStep": 1, "branchId": "sea"},
    {"searchStep": "In rivers on the bank", "isRevision": True, "revisesStep": 1, "confidence": "high"},
]
CLAIMS = [
    {"claim": "Otters hold hands", "support": "addressed", "relation": "contradiction", "evidence": ["They do not."]}
]


async def begin_session(services):
    """A session of Ada's with three steps and three sources."""
    ctx, session = Context(services, ADA), {}
    for number, step in enumerate(STEPS, 1):
        asked = {**step, **session, "stepNumber": number, "totalStepsEstimate": 4, "nextStepNeeded": True}
        reply = await invoke("sequential_search", asked, ctx)
        assert reply.error is None, reply.error
        session = {"sessionId": reply.wire["sessionId"]}
    await ctx.own.sessions.note(
        session["sessionId"],
        [
            {"url": "https://sea.example/", "title": "Sea otters", "foundInStep": 2, "claims": CLAIMS},
            {"url": "https://gone.example/", "title": HOSTILE, "linkOutcome": "dead", "retractionCheck": "retracted"},
            {"url": "javascript:taken()", "title": "Script", "linkOutcome": "soft_404"},
        ],
    )
    return session["sessionId"]


async def test_a_session_is_found_in_the_list_and_read_with_its_branches_sources_and_claims(server, browse):
    session = await begin_session(server)
    browser = await browse()
    listed = check_html((await browser.open(SESSIONS)).text)
    [place] = listed.xpath("//th/a[contains(., 'Where do otters sleep?')]/@href")
    assert place == f"{SESSIONS}/{session}"
    opened = await browser.open(SESSIONS, id=f" {session} ")
    assert (opened.status_code, opened.headers["location"]) == (303, place)
    page = check_html((await browser.open(place)).text)
    steps = [" ".join(each.text_content().split()) for each in page.xpath("//ol[@class='timeline']/li")]
    assert len(steps) == len(STEPS)
    assert "branch sea from step 1" in steps[1]
    assert "revises step 1" in steps[2]
    assert "revised by step 3" in steps[0]
    assert "In rivers, too?" in page.text_content()
    rows = {
        row.xpath("string(th)").strip()[:10]: row.text_content()
        for row in page.xpath("//section[h2='Sources']//tbody/tr")
    }
    assert "retracted, dead link" in " ".join(rows[HOSTILE[:10]].split())
    assert "soft 404" in rows["Script"]
    assert not page.xpath("//a[starts-with(@href, 'javascript')]")
    assert "They do not." in page.xpath("string(//details[contains(., 'Otters hold hands')])")
    assert page.xpath("//*[local-name()='path'][@class='edge bad'][contains(., 'contradiction')]")
    assert len(page.xpath("//*[local-name()='rect']")) == 2 + 3 + 1  # two steps met sources


async def test_a_session_is_saved_as_a_report_and_as_json(server, browse):
    session, browser = await begin_session(server), await browse()
    place = f"{SESSIONS}/{session}"
    page = await browser.open(place)
    report = await browser.submit(place, page, format="markdown")
    assert "attachment" in report.headers["content-disposition"]
    assert report.text.startswith("# ")
    document = json.loads((await browser.submit(place, page, format="json")).text)
    assert [step["stepNumber"] for step in document["steps"]] == [1, 2, 3]


async def test_a_session_that_is_too_long_for_a_model_is_read_and_saved(server, browse):
    ctx, session = Context(server, ADA), {}
    for number in range(1, 61):
        step = {"searchStep": f"Step {number} " + "otters sleep " * 300, "stepNumber": number, "nextStepNeeded": True}
        reply = await invoke("sequential_search", {**step, "totalStepsEstimate": 60, **session}, ctx)
        session = {"sessionId": reply.wire["sessionId"]}
    browser, place = await browse(), f"{SESSIONS}/{session['sessionId']}"
    page = await browser.open(place)
    assert len(check_html(page.text).xpath("//ol[@class='timeline']/li")) == 60
    assert "Step 60" in (await browser.submit(place, page, format="markdown")).text


async def test_a_session_of_another_is_not_there(server, browse):
    session = await begin_session(server)
    eve = await browse(EVE)
    assert (await eve.open(f"{SESSIONS}/{session}")).status_code == 404
    assert session not in (await eve.open(SESSIONS)).text


async def test_an_administrator_sees_sessions_without_their_goals(server, browse):
    from assay.administration.admin_call import AdminCall, Administrator
    from assay.administration.admin_endpoints import ENDPOINTS, run_endpoint

    session = await begin_session(server)
    [endpoint] = [one for one in ENDPOINTS if one.command == "list-research-sessions"]
    call = AdminCall(server, Administrator("root", None), "https", "r")
    found = await run_endpoint(endpoint, {"tenant_id": ADA.tenant, "user_id": ADA.user}, call)
    assert len(found.sessions) == 1
    assert session not in found.model_dump_json()
    assert "otters" not in found.model_dump_json()


def test_a_graph_of_thousands_has_what_matters_and_says_what_it_leaves_out():
    steps = [{"stepNumber": number, "description": "x" * 1_000_000} for number in range(1, 201)]
    plain = [{"url": f"https://a.example/{number}", "metAfterStep": number % 200 + 1} for number in range(3_000)]
    claimed = {
        "url": "https://b.example/",
        "claims": [{"claim": f"Claim {n}", "support": "addressed"} for n in range(90)],
    }
    graph = build_graph(steps, [*plain, claimed])
    assert "b.example" in " ".join(box.text for box in graph.boxes)
    assert len(graph.boxes) <= 200 + MOST_SOURCES + MOST_CLAIMS
    assert graph.left_out == 3_001 - MOST_SOURCES + 90 - MOST_CLAIMS
    assert max(len(box.text) for box in graph.boxes) < 50
    assert build_graph(steps, []) is None


async def test_a_session_of_thousands_of_sources_is_a_page_that_can_be_sent(server, browse):
    session, sessions = await begin_session(server), OwnStores(server, ADA).sessions
    claims = [
        {**CLAIMS[0], "claim": f"Otters hold hands {n}", "evidence": ["They do not. " * 20] * 3} for n in range(20)
    ]
    found = [
        {"url": f"https://sea.example/{n}", "title": HOSTILE, "foundInStep": 2, "claims": claims[: 20 * (n % 5 == 0)]}
        for n in range(2_000)
    ]
    await sessions.note(session, [*found, {"url": "https://late.example/", "linkOutcome": "dead"}])
    browser, place = await browse(), f"{SESSIONS}/{session}"
    page = await browser.open(place)
    assert len(page.content) < 3_000_000
    text = check_html(page.text).text_content()
    assert "1,004 more sources are in the files above." in text
    assert "7,701 more comparisons with sources are in the files above." in text
    assert "https://late.example/" in page.text
    server.settings = dataclasses.replace(server.settings, table_name="assay")  # as on AWS
    refused = await browser.submit(place, page, format="json")
    assert refused.status_code == 400
    assert "research_export" in refused.text


async def test_a_session_of_200_steps_with_long_texts_is_a_page_that_can_be_sent(server, browse):
    store, long = SessionStore(server.table, ADA.tenant, ADA.user), f"{HOSTILE} {'otter ' * 5_000}"

    def write_step(number):
        texts = dict.fromkeys(("description", "reasoning", "knowledgeGap"), f"{number} {long}")
        return {"stepNumber": number, "nextStepNeeded": True, "timestamp": "2026-11-23T09:00:00Z"} | texts

    session = (await store.begin(long, write_step(1), completed=False, head={})).id
    key = build_key(ADA.tenant, ADA.user, session)
    for number in range(2, MAX_STEPS + 1):
        row = json.dumps(write_step(number)).encode()
        await server.table.put(key, build_step_sort(number), row, until=server.clock() + 9_000)
    page = await (await browse()).open(f"/console/sessions/{session}")
    assert page.status_code == 200
    assert len(page.content) < 3_000_000  # Lambda answers with 6 MB at most
    tree = check_html(page.text)
    assert f"the first 2,000 of {len('200 ' + long):,} characters" in tree.text_content()
