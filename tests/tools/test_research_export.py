"""research_export: the whole session as a document that says what it says and does nothing else."""

import asyncio
import json
from dataclasses import replace

import pytest
from lxml import html

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.sessions.recording import note_sources

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://127.0.0.1/x.png)",
    "![x][y]\n\n[y]: http://127.0.0.1/",
    "# Sources\n\n1. [Forged](https://evil.example/)",
    "a\n\n---\n\n*Exported by somebody else*",
    "\u202egnp.exe \u2066x\u2069",
    "`code` ```\nfence\n```",
    "<javascript:alert(1)> <http://127.0.0.1/>",
    "|a|b|\n|-|-|\n|c|d|",
    "&lt;script&gt; &#x3c;b&#x3e;",
    "1. list\n2. list",
    "- [ ] box",
    "> quoted",
    "\x1b[31mred\x1b[0m",
    '=HYPERLINK("http://evil.example")',
]


@pytest.fixture
def session_of(ask, services):
    async def make_session(*sources, caller=None, goal="Why do otters hold hands?", **more):
        first = {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": goal, **more}
        session = (await ask("sequential_search", caller, **first)).wire["sessionId"]
        who = caller or Caller()
        await note_sources(services.table, who.tenant, who.user, session, sources, services.clock())
        return session

    return make_session


async def export(ask, session, **more):
    reply = await ask("research_export", sessionId=session, **more)
    assert reply.error is None, reply.error
    return reply.wire


async def test_a_report_has_all_of_the_session(ask, session_of):
    session = await session_of(
        {"url": "https://river.example/a", "title": "On otters", "relevance": "scraped", "foundInStep": 1},
        {"url": "https://river.example/b(1)", "doi": "10.1000/x"},
        reasoning="Start wide",
        confidence="high",
        rejectedApproaches=["guessing", "asking"],
        knowledgeGap="Counts in Norway",
    )
    step = {"searchStep": "Again", "stepNumber": 2, "nextStepNeeded": False, "sessionId": session}
    await ask("sequential_search", **step, revisesStep=1, branchId="north", branchFromStep=1, sessionSummary="So far")
    wire = await export(ask, session)
    assert (wire["format"], wire["stepCount"], wire["sourceCount"]) == ("markdown", 2, 2)
    assert (wire["sessionId"], wire["tenantId"]) == (session, "local")
    lines = wire["document"].splitlines()
    for line in (
        "# Why do otters hold hands?",
        f"- Session: {session}",
        "- Steps: 2",
        "- Sources: 2",
        "So far",
        "## Research Steps",
        "### Step 1 (superseded by step 2)",
        "- Reasoning: Start wide",
        "- Confidence: high",
        "- Rejected: guessing; asking",
        "### Step 2 (revises step 1) [branch: north] (from step 1)",
        "## Open Questions",
        "- Counts in Norway (step 1)",
        "## Sources",
        "1. [On otters](https://river.example/a) · scraped · step 1",
        "2. [https://river.example/b(1)](https://river.example/b%281%29) · doi:10.1000/x",
    ):
        assert line in lines
    assert lines[-1] == f"*Exported {wire['exportedAt']} by Assay for tenant local.*"
    assert wire["trust"] == "untrusted-external-content"


async def test_the_same_session_is_the_same_text_but_for_the_time_of_export(ask, session_of, clock):
    session = await session_of(*({"url": f"https://river.example/{n}", "title": f"T{n}"} for n in range(40)))
    clock.forward(60)
    for form in ("markdown", "json"):
        first = await export(ask, session, format=form)
        clock.forward(60)
        second = await export(ask, session, format=form)
        assert first["exportedAt"] != second["exportedAt"]
        outputs = [json.dumps(one).replace(one["exportedAt"], "then") for one in (first, second)]
        assert outputs[0] == outputs[1]


async def test_an_object_has_the_session_with_its_structure(ask, session_of):
    session = await session_of(
        {"url": "https://river.example/a", "title": "A <b>"}, knowledgeGap="Gap", confidence="low"
    )
    wire = await export(ask, session, format="json")
    document = wire["document"]
    assert document["sessionId"] == session
    assert document["steps"][0]["confidence"] == "low"
    assert document["gaps"] == [{"description": "Gap", "foundInStep": 1}]
    assert document["sources"] == [{"metAfterStep": 1, "title": "A <b>", "url": "https://river.example/a"}]
    assert (document["isComplete"], document["startedAt"]) == (False, wire["startedAt"])


async def test_a_large_report_is_linked_and_can_be_read_whole(ask, session_of):
    session = await session_of(*({"url": f"https://river.example/{n}", "title": "T" * 80} for n in range(300)))
    reply = await ask("research_export", sessionId=session)
    assert reply.wire["linked"] is True
    assert reply.wire["sourceCount"] == 300
    stored = await ask("read_artifact", id=reply.wire["resource"], length=200_000)
    assert json.loads(stored.wire["content"])["sourceCount"] == 300


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_text_becomes_markup_a_link_or_a_heading(ask, session_of, text):
    sources = [{"url": "https://river.example/a", "title": text}, {"url": "https://river.example/b", "title": "Last"}]
    session = await session_of(
        *sources, goal=text, searchStep=text, reasoning=text, knowledgeGap=text, branchId=text[:60]
    )
    document = (await export(ask, session))["document"]
    plain = await session_of(*[{**one, "title": "T"} for one in sources], goal="G", searchStep="S", reasoning="R",
                             knowledgeGap="K", branchId="B")  # fmt: skip
    expected = (await export(ask, plain))["document"]
    assert shape(document) == shape(expected)
    for sign in "\x1b\u202e\u2066\u2069":
        assert sign not in document


def shape(document):
    """The document's blocks and links as a reader of markdown sees them, without their words."""
    from markdown_it import MarkdownIt

    page = html.fromstring(f"<div>{MarkdownIt('commonmark').enable('table').render(document)}</div>")
    return [(element.tag, element.get("href"), element.get("src")) for element in page.iter()]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,<script>", "vbscript:x", "file:///etc/passwd"])
async def test_what_is_not_a_web_address_is_not_a_link(ask, session_of, url):
    document = (await export(ask, await session_of({"url": url, "title": "Click"})))["document"]
    assert "](" not in document
    assert ("a", url, None) not in shape(document)


async def test_an_address_does_not_break_out_of_its_link(ask, session_of):
    url = 'https://river.example/a)%20[x](javascript:alert(1)) "onmouseover=alert(1)'
    shapes = shape((await export(ask, await session_of({"url": url, "title": "T"})))["document"])
    assert all((href or "").startswith("https://river.example/") for tag, href, _ in shapes if tag == "a")


@pytest.fixture
def fake_hosts(fake_hosts, services, site):
    """Public hosts on loopback, and an archive that has a copy of everything."""
    copy = {
        "available": True,
        "url": "http://web.archive.org/web/2020/x",
        "timestamp": "20200101000000",
        "status": "200",
    }
    site.says("/ia/available", json.dumps({"archived_snapshots": {"closest": copy}}), kind="application/json")
    environ = {**services.settings.environ, "WAYBACK_BASE_URL": site.url + "/ia"}
    services.settings = replace(services.settings, environ=environ)
    fake_hosts.says("live.example", "/", "Here")
    fake_hosts.says("live.example", "/page", "Here")
    fake_hosts.says("shy.example", "/page", "No", 403)
    fake_hosts.says("root.example", "/page", "", 302, location="/")
    fake_hosts.says("root.example", "/", "Front")
    return fake_hosts


async def test_links_are_checked_only_when_asked_and_reported_as_found(ask, session_of, fake_hosts):
    hosts = ("live", "shy", "root", "none")
    urls = [f"http://{host}.example/page" for host in hosts] + ["http://live.example/gone"]
    session = await session_of(*({"url": url, "title": "T"} for url in urls))
    await export(ask, session)
    assert fake_hosts.visits == []
    wire = await export(ask, session, verify_links=True, format="json")
    live, shy, root, none, gone = wire["document"]["sources"]
    outcomes = [source["linkOutcome"] for source in (live, shy, root, none, gone)]
    assert outcomes == ["live", "blocked", "redirected_to_root", "dead", "dead"]
    assert [source["verified"] for source in (live, shy, root, none, gone)] == [True, False, False, False, False]
    assert (live["httpStatus"], gone["httpStatus"], root["finalUrl"]) == (200, 404, "http://root.example/")
    assert "archivedUrl" not in shy
    assert gone["archivedUrl"] == "https://web.archive.org/web/2020/x"
    assert live["verifiedAt"].endswith("Z")
    again = await export(ask, session, format="json")
    assert "verified" not in again["document"]["sources"][0]


async def test_a_report_tells_dead_links_with_their_copies(ask, session_of, fake_hosts):
    session = await session_of(*({"url": f"http://live.example/{path}", "title": "T"} for path in ("page", "gone")))
    document = (await export(ask, session, verify_links=True))["document"]
    live, gone = [line for line in document.splitlines() if line[:3] in ("1. ", "2. ")]
    assert "✓ live (HTTP 200)" in live
    assert "⚠️ dead link (HTTP 404)" in gone
    assert "[archived copy](https://web.archive.org/web/2020/x)" in gone


async def test_what_there_is_no_time_for_is_left_unverified_and_counted(ask, services, session_of, fake_hosts):
    session = await session_of(*({"url": f"http://live.example/{number}", "title": "T"} for number in range(40)))
    ctx = Context(services, Caller(), deadline=asyncio.get_running_loop().time() + 20.3)
    fake_hosts.seconds = 0.2
    wire = (await invoke("research_export", {"sessionId": session, "verify_links": True, "format": "json"}, ctx)).wire
    unverified = [source for source in wire["document"]["sources"] if "linkOutcome" not in source]
    assert 0 < len(unverified) == wire["unverifiedLinks"] < 41


async def test_addresses_nobody_may_ask_are_left_unverified(ask, session_of, services):
    services.settings = replace(services.settings, allow_private_ips=False)
    session = await session_of({"url": "http://169.254.169.254/latest/", "title": "T"})
    wire = await export(ask, session, verify_links=True, format="json")
    assert wire["document"]["sources"][0]["linkOutcome"] == "unreachable"


async def test_another_persons_session_is_as_one_that_never_was(ask, session_of):
    session = await session_of()
    reply = [
        (await ask("research_export", Caller("local", "eve"), sessionId=session)).error.text(),
        (await ask("research_export", Caller("evil", "local"), sessionId=session)).error.text(),
        (await ask("research_export", sessionId="unknown")).error.text(),
    ]
    assert len(set(reply)) == 1
    assert reply[0].startswith("Session not found or expired. Sessions last 4 hours from last activity.")


@pytest.mark.parametrize("wrong", [{}, {"sessionId": ""}, {"sessionId": "x", "format": "pdf"}])
async def test_what_is_out_of_bounds_is_the_callers_fault(ask, wrong):
    assert (await ask("research_export", **wrong)).error.kind == "validation"
