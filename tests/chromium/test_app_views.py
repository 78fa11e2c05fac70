"""The app views of MCP, drawn by Chromium in a host that gives them real answers of the server."""

import asyncio
import json
from contextlib import asynccontextmanager

import httpx2
import pytest
import pytest_asyncio
from mcp.client.client import Client
from mcp.client.extension import advertise
from mcp.client.streamable_http import streamable_http_client
from tests.chromium.view_host import open_host
from tests.support.pages import html
from tests.tools.test_audit_bibliography import MADE  # noqa: F401  the works that the citation services have

from assay.chromium.browser_process import connect
from assay.chromium.launch_options import spawn_browser
from assay.entrypoints.http.local_server import create_app
from assay.sessions.recording import note_sources
from assay.settings import Settings
from assay.work_queue.work_timing import WorkTiming
from assay.work_queue.worker import Worker

APPS = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
QUICK = WorkTiming(idle=0.05, lease=2.0, beat=0.2, sweep=0.2)
CLAIM = "Salmon came back to the upper river once the weir had been removed"
RATES = "Inflation in Turkey forced the central bank to raise interest rates"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
CRAWL = {
    "crawlId": "c",
    "url": "https://a.example/",
    "status": "completed",
    "progress": 100,
    "pagesFound": 230,
    "pagesCrawled": 230,
}
INJECTION = """{
  const script = document.createElement("script");
  script.textContent = "globalThis.taken = 2";
  const image = new Image();
  image.src = "https://evil.example/x.png";
  const box = document.createElement("div");
  document.body.append(script, image, box);
  box.innerHTML = "<p onclick='globalThis.taken = 3' style='color: red'>x</p>";
  box.firstChild.click();
}"""
# What sticks out of the page, except in a box that scrolls.
WIDE = """[...document.querySelectorAll("body, body *:not(.graph *)")]
  .filter((node) => node.getBoundingClientRect().right > innerWidth + 1 || document.documentElement.scrollWidth > innerWidth)
  .filter((node) => !node.closest("thead")).map((node) => `${node.tagName} ${node.className} ${node.getBoundingClientRect().right}`).slice(0, 5)"""
ATTACK = (
    "</script><script>globalThis.taken = 1</script><img src=x onerror='globalThis.taken = 1'><svg onload='taken=1'>"
)
LONG = "غ" + "\u202e" + "e" + "\u0301" * 3_000 + "w" * 1_000_000


@pytest.fixture
def environ(environ, citation_services):
    return environ | citation_services.environ


@pytest_asyncio.fixture
async def pipe(chrome):
    process = await connect(spawn_browser(Settings.read({"CHROME_PATH": chrome})))
    yield process.pipe
    await process.end()


@pytest.fixture
def open_view(pipe, services):
    """`async with open_view(tool) as (host, call)`: the view that the card of the tool names, read and shown by a host.

    `await call(name, arguments)` is the result of a tool as a host passes it on.
    """
    services.runs_workers = False  # a test runs them

    @asynccontextmanager
    async def open_shown(tool, *, can_call=True, more="", **shown):
        wire = httpx2.AsyncClient(transport=httpx2.ASGITransport(create_app(services)), timeout=60)
        connection = streamable_http_client("http://127.0.0.1:8787/mcp", http_client=wire)
        async with Client(connection, mode="2026-07-28", extensions=[APPS]) as client:
            [card] = [each for each in (await client.list_tools()).tools if each.name == tool]
            [content] = (await client.read_resource(card.meta["ui"]["resourceUri"])).contents
            assert content.mime_type == "text/html;profile=mcp-app"

            async def call(name, arguments):
                result = await client.call_tool(name, arguments)
                return result.model_dump(mode="json", by_alias=True, exclude_none=True)

            async with open_host(pipe, call if can_call else None) as host:
                await host.show(content.text.replace("</body>", f"{more}</body>"), **shown)
                yield host, call

    return open_shown


def answer(**document):
    return {"content": [{"type": "text", "text": "x"}], "structuredContent": document, "isError": False}


async def test_a_bibliography_is_a_table_of_references_with_their_evidence(open_view, cited_services):
    entries = [
        {"doi": "10.71234/w.0"},
        {"doi": "10.71234/w.1", "title": "Salmon and weirs, part two"},
        {"url": "http://gone.example/weir"},
        {"url": "http://live.example/weir", "claim": CLAIM},
        {"title": "A memoir that no index has"},
    ]
    async with open_view("audit_bibliography", theme="dark") as (host, call):
        await host.give({"entries": entries}, await call("audit_bibliography", {"entries": entries}))
        await host.wait_until("document.querySelectorAll('tbody tr').length === 5")
        assert await host.read_texts("thead th") == [
            "No.", "Reference", "Exists", "Retraction", "Title", "Link", "Claim", "Flags"
        ]  # fmt: skip
        rows = await host.read_rows()
        assert [row[7] for row in rows] == ["no flags", "retracted", "dead link", "no flags", "unchecked"]
        assert (rows[0][2], rows[1][3], rows[2][5], rows[3][6]) == (
            "on record",
            "retracted",
            "dead HTTP 404",
            "addressed",
        )
        assert "Flags are evidence" in await host.read_text()
        await host.evaluate("document.querySelectorAll('tbody details').forEach((each) => (each.open = true))")
        assert "retraction on record" in await host.read_text("tbody tr:nth-child(2)")
        assert "removed in autumn" in await host.read_text("tbody tr:nth-child(4) blockquote")
        await host.click("tbody tr:nth-child(2) a", "10.71234/w.1")
        await host.wait_until("true")
        assert host.links == ["https://doi.org/10.71234/w.1"]
        await host.choose("#filter", "retracted")
        assert len(await host.read_rows()) == 1
        assert await host.evaluate(BACKGROUND) == "rgb(27, 27, 29)"
        await host.notify("ui/notifications/host-context-changed", {"theme": "light"})
        await host.wait_until(f"{BACKGROUND} === 'rgb(255, 255, 255)'")
        assert host.sizes[-1]["height"] > 100
        assert await host.find_faults() == []
        assert host.origins == {"null"}


@pytest.mark.parametrize("tool", ["audit_bibliography", "get_research_session", "cinder_crawl"])
async def test_nothing_but_its_own_script_runs_in_a_view_and_only_the_host_is_heard(tool, open_view):
    async with open_view(tool, more="<script>globalThis.taken = 1</script>") as (host, _):
        await host.evaluate(INJECTION)
        fetched = await host.evaluate("fetch('https://evil.example/').then(() => 'sent', () => 'refused')")
        assert (fetched, await host.evaluate("globalThis.taken")) == ("refused", None)
        await host.wait_until("violations.length >= 6")
        assert {fault.partition(" ")[0] for fault in await host.find_faults()} == {
            "script-src-elem", "script-src-attr", "style-src-attr", "img-src", "connect-src"
        }  # fmt: skip
        forged = {"jsonrpc": "2.0", "method": "ui/notifications/tool-cancelled", "params": {}}
        await host.evaluate(f"postMessage({json.dumps(forged)}, '*'); new Promise((done) => setTimeout(done, 50))")
        assert await host.read_text("#state") == "Waiting for the answer."


async def test_an_audit_of_a_manuscript_is_followed_to_its_end_and_its_pages_turned(open_view, cited_services):
    listed = [f"[{n}] Brook A. Salmon and weirs, part {word}. River Letters. 2015. doi:10.71234/w.{n - 1}"
              for n, word in enumerate(("one", "two", "three", "four"), 1)]  # fmt: skip
    text = "# Weirs\n\nSalmon return [1]. They stay [2, 3, 4].\n\n# References\n\n" + "\n".join(listed)
    asked = {"text": text, "claims": 0, "page_size": 3, "wait_seconds": 0}
    async with open_view("audit_document") as (host, call):
        await host.give(asked, await call("audit_document", asked))
        await host.wait_until("document.querySelector('progress') !== null")
        await host.wait_for_calls(1)
        await Worker(cited_services, cited_services.queue, QUICK).run()
        await host.wait_until("document.getElementById('state').textContent.includes('completed')")
        made = len(host.calls)
        assert {each["name"] for each in host.calls} == {"audit_document"}
        assert {frozenset(each["arguments"].items()) for each in host.calls} == {
            frozenset(
                {
                    "audit_id": host.calls[0]["arguments"]["audit_id"],
                    "page": 1,
                    "page_size": 3,
                    "wait_seconds": 0,
                }.items()
            )
        }
        assert [row[3] for row in await host.read_rows()] == ["clear", "retracted", "unchecked"]
        await host.click("button", "Next page")
        await host.wait_until("document.querySelectorAll('tbody tr').length === 1")
        assert [row[0] for row in await host.read_rows()] == ["4"]
        assert "Page 2 of 2" in await host.read_text("nav[aria-label='Pages of references']")
        assert "What was sent to look things up" in await host.read_text()
        assert len(host.calls) == made + 1, "nobody asks for an audit that has ended"
        assert await host.find_faults() == []


async def test_a_view_that_is_taken_away_asks_no_more(open_view):
    asked = {"text": "Salmon return [1].\n\n# References\n\n[1] Brook A. Salmon. 2015.", "claims": 0, "wait_seconds": 0}
    async with open_view("audit_document") as (host, call):
        await host.give(asked, await call("audit_document", asked))
        await host.wait_for_calls(2)
        assert await host.request("ui/resource-teardown", {"reason": "closed"}) == {}
        made = len(host.calls)
        assert await host.request("ping", {}) == {}
        await host.evaluate("new Promise((done) => setTimeout(done, 500))")  # asked again after 30 ms until then
        assert len(host.calls) == made
        assert (await host.request("ui/unknown", {}))["code"] == -32601


async def test_a_session_is_a_graph_of_steps_sources_and_claims_and_the_same_as_tables(open_view, cited_services):
    async with open_view("get_research_session") as (host, call):
        step = {
            "searchStep": "Look for salmon",
            "stepNumber": 1,
            "nextStepNeeded": True,
            "researchGoal": "Do salmon return?",
        }
        session = (await call("sequential_search", step))["structuredContent"]["sessionId"]
        await call("scrape_page", {"url": "http://live.example/weir", "sessionId": session})
        await call(
            "sequential_search", step | {"stepNumber": 2, "searchStep": "Hold claims against it", "sessionId": session}
        )
        entries = [{"url": "http://live.example/weir", "claim": claim} for claim in (CLAIM, RATES)]
        entries += [{"doi": "10.71234/w.1"}, {"url": "http://gone.example/weir"}]
        await call("audit_bibliography", {"entries": entries, "sessionId": session})
        await call("scrape_page", {"url": "http://shy.example/weir", "sessionId": session})
        asked = {"sessionId": session}
        await host.give(asked, await call("get_research_session", asked))
        await host.wait_until("document.querySelectorAll('.sources tbody tr').length === 3")
        assert await host.read_text("h1") == "Do salmon return?"
        live, retracted, gone = [row[2:] for row in await host.read_rows(".sources")]
        assert live == ["met after step 1", "live HTTP 200", "unchecked", "1 addressed1 not addressed"]
        assert retracted == ["met after step 2", "not checked", "retracted", "none compared"]
        assert gone == ["met after step 2", "dead HTTP 404", "unchecked", "none compared"]
        edges = await host.evaluate(
            "[...document.querySelectorAll('.graph g')].map((g) => [g.querySelector('path').getAttribute('class'), g.lastChild.textContent])"
        )
        assert sorted(edges) == [*[["byTime", "met after"]] * 3, ["doubt", "not addressed"], ["fine", "addressed"]]
        details = await host.read_texts(".graph .detail")
        assert sorted(details) == ["dead link", "retracted"]
        assert "3 sources and 2 claims. The tables below say the same." in await host.evaluate(
            "document.querySelector('.graph svg').getAttribute('aria-label')"
        )
        assert RATES in await host.read_text(".claims")
        assert "2. Hold claims against it, 2 sources" in await host.read_text("details.section")
        assert await host.find_faults() == []


async def test_all_sources_of_a_session_are_loaded_and_checked_on_request(open_view, cited_services):
    async def begin(*sources):
        step = {"searchStep": "Look for weirs", "stepNumber": 1, "nextStepNeeded": True}
        session = (await call("sequential_search", step))["structuredContent"]["sessionId"]
        await note_sources(cited_services.table, "local", "local", session, sources, cited_services.clock())
        await host.give({"sessionId": session}, await call("get_research_session", {"sessionId": session}))

    async with open_view("get_research_session") as (host, call):
        await begin(*({"url": f"https://weirs.example/{number}", "title": f"Weir {number}"} for number in range(120)))
        await host.click("button", "Load all sources")
        await host.wait_until("document.querySelectorAll('.sources tbody tr').length === 120")
        assert "The graph leaves out 60 sources" in await host.read_text()
        await begin({"url": "http://gone.example/weir"}, {"url": "https://doi.org/10.71234/w.1", "doi": "10.71234/w.1"})
        await host.click("button", "Check links and retractions")
        await host.wait_until("document.querySelector('.sources').innerText.includes('retracted')", 30)
        gone, retracted = await host.read_rows(".sources")
        assert (gone[3:5], retracted[4]) == (["dead HTTP 404", "unchecked"], "retracted")
        made = [each["name"] for each in host.calls if each["name"] != "read_artifact"]
        assert made == ["research_export", "audit_bibliography", "research_export"]
        assert await host.find_faults() == []


async def test_a_crawl_is_followed_and_its_pages_are_a_tree(open_view, site, services):
    for n in range(4):
        site.says(
            f"/river/{n}",
            html(
                f"<p>Otter {n} swims.</p><a href='/river/{n + 1}'>on</a><a href='/gone?a={n}'>gone</a>",
                f"<title>Otter {n}</title>",
            ),
        )
    asked = {"url": site.url + "/river/0", "maxDepth": 5, "maxPages": 8}
    async with open_view("cinder_crawl") as (host, call):
        await host.give(asked, await call("cinder_crawl", asked))
        await host.wait_until("document.querySelector('progress') !== null")
        await Worker(services, services.queue, QUICK).run()
        await host.wait_until("document.getElementById('state').textContent.includes('completed')")
        made = len(host.calls)
        branches = await host.read_texts(".tree details > summary > bdi")
        assert branches[1:] == ["gone", "river"]
        tree = await host.read_text(".tree")
        assert all(f"Otter {n}" in tree for n in range(4))
        assert "HTTP 404" in tree
        assert await host.read_text("h2") == "Pages (8)"
        await host.evaluate("new Promise((done) => setTimeout(done, 300))")
        assert len(host.calls) == made, "nobody asks for a crawl that has ended"
        assert await host.find_faults() == []


async def test_the_tree_of_a_long_crawl_grows_page_by_page(open_view):
    pages = [
        {"url": f"https://a.example/{n % 7}/{'x/' * (n % 40)}{n}", "title": f"Page {n}", "statusCode": 200, "depth": 1}
        for n in range(230)
    ]

    async def call(name, arguments):
        start = arguments["offset"]
        part = pages[start : start + arguments["limit"]]
        return answer(**CRAWL, pages=part, hasMore=start + len(part) < len(pages))

    async with open_view("cinder_get_crawl_status") as (host, _):
        host.call_tool = call
        await host.give({"id": "c", "limit": 100}, await call("", {"offset": 0, "limit": 100}))
        await host.wait_until("document.querySelector('h2')?.textContent === 'Pages (100)'")
        for count in (200, 230):
            await host.click("button", "Show more pages")
            await host.wait_until(f"document.querySelector('h2').textContent === 'Pages ({count})'")
        assert [each["arguments"]["offset"] for each in host.calls] == [100, 200]
        assert await host.evaluate("document.querySelectorAll('button').length") == 0
        assert await host.find_faults() == []


@pytest.mark.parametrize(
    ("tool", "document"),
    [
        ("audit_bibliography", {"summary": {}, "entryCount": 5000, "warning": LONG, "entries": [
            {"index": n, "title": LONG if n == 1 else ATTACK, "url": "javascript:alert(1)" if n % 2 else f"https://a.example/?{ATTACK}",
             "retractionCheck": ATTACK, "flags": [ATTACK, "constructor"], "reason": ATTACK, "claimSupport": "__proto__", "claim": ATTACK,
             "claimEvidence": [ATTACK], "fields": [{"field": ATTACK, "outcome": ATTACK, "cited": ATTACK}]} for n in range(1, 5001)]}),
        ("get_research_session", {"sessionId": ATTACK, "researchGoal": LONG, "isComplete": False, "summary": ATTACK,
            "stepIndex": [{"stepNumber": n, "oneLiner": ATTACK, "branchId": LONG if n == 1 else ""} for n in range(1, 200)], "gaps": [{"description": LONG}],
            "sources": [{"url": "data:text/html,x" if n % 2 else "https://user@a.example/", "title": LONG if n == 1 else ATTACK, "metAfterStep": n,
                         "linkOutcome": ATTACK, "retractionCheck": ATTACK, "claims": [{"claim": f"{ATTACK}{n}", "support": ATTACK, "evidence": [ATTACK]}]} for n in range(1, 3000)]}),
        ("cinder_get_crawl_status", {"crawlId": "c", "url": "javascript:alert(1)", "status": ATTACK, "progress": ATTACK, "error": ATTACK, "notes": [LONG],
            "pages": [{"url": f"https://a.example/{'a/' * 800}{ATTACK}" if n % 2 else LONG + ATTACK, "title": ATTACK, "statusCode": 0, "error": ATTACK, "finalUrl": "vbscript:x"} for n in range(20)]}),
    ],
    ids=["audit", "session", "crawl"],
)  # fmt: skip
async def test_hostile_text_neither_runs_nor_breaks_a_narrow_page(tool, document, open_view):
    async with open_view(tool, can_call=False, width=320) as (host, _):
        await host.give({}, answer(**document))
        await host.wait_until("document.getElementById('view').textContent.includes('onerror=')", 30)
        assert (
            await host.evaluate(
                "document.querySelectorAll('img, script:not([type]), iframe, .outside svg, [onerror], [onload]').length"
            )
            == 0
        )
        addresses = await host.evaluate("[...document.querySelectorAll('a')].map((a) => a.href)")
        assert all(address.startswith("https://a.example/") for address in addresses)
        assert await host.evaluate(WIDE) == []
        assert await host.evaluate("document.body.textContent.length < 3_000_000")
        assert await host.evaluate("document.querySelectorAll('tbody tr').length <= 400")
        assert (await host.evaluate("globalThis.taken"), await host.find_faults()) == (None, [])
        assert await host.evaluate("JSON.stringify(Object.keys(Object.prototype))") == "[]"


async def test_what_is_no_answer_is_said(open_view):
    async with open_view("audit_document") as (host, call):
        await host.give({}, await call("audit_document", {"audit_id": "0" * 32}))
        await host.wait_until("document.getElementById('state').textContent === 'There is no report.'")
        assert "no such audit" in (await host.read_text("#view")).lower()
        await host.notify("ui/notifications/tool-cancelled", {"reason": "by the user"})
        await host.wait_until("document.getElementById('view').textContent === 'The call was cancelled.'")
        host.call_tool = lambda *_: asyncio.sleep(0, {"isError": True, "content": [{"type": "text", "text": "Out."}]})
        await host.give(
            {}, answer(auditId="a", status="running", progress=5, summary={}, references=[], page=1, pageCount=1)
        )
        await host.wait_until("document.getElementById('state').textContent === 'The state is no longer updated: Out.'")
        assert len(host.calls) == 4
        assert await host.find_faults() == []


async def test_an_answer_that_the_server_stored_for_its_size_is_read_in_parts(open_view, cited_services):
    entries = [{"title": f"Otters of river {number} " + "and of others " * 130} for number in range(40)]
    async with open_view("audit_bibliography") as (host, call):
        result = await call("audit_bibliography", {"entries": entries})
        await host.give({}, result)
        await host.wait_until("document.querySelectorAll('tbody tr').length === 40", 20)
        assert result["structuredContent"]["linked"] is True
        assert {each["name"] for each in host.calls} == {"read_artifact"}
    async with open_view("audit_bibliography", can_call=False) as (host, _):
        await host.give({}, result)
        await host.wait_until("document.getElementById('view').textContent.includes('read_artifact pages the whole')")
