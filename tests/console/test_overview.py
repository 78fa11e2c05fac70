"""The first page of the console: what one did lately, each panel for itself."""

from dataclasses import replace

from tests.console.conftest import ADA, EVE
from tests.console.page_checks import check_html
from tests.console.test_operations import CountingTable
from tests.console.test_session_pages import begin_session

from assay.caller import Caller
from assay.context import Context
from assay.crawl.job import CRAWLS
from assay.crawl.start import start_crawl
from assay.invoke import invoke
from assay.sessions.session_keys import build_index_key
from assay.settings import Settings

HOME = "/console"
LIMITS = {"max_pages": 3, "max_depth": 1, "include": (), "exclude": ()}


async def read_panels(browser):
    """The panels by their names; the page is whole."""
    page = await browser.open(HOME)
    assert page.status_code == 200, page.text
    return {each.xpath("string(h2/@id)"): each for each in check_html(page.text).xpath("//section[@class='panel']")}


def read_text(panel):
    return " ".join(panel.text_content().split())


async def test_it_shows_the_latest_work_with_links_to_all_of_it(ada, browse):
    panels = await read_panels(await browse())
    assert panels["sessions"].xpath(f".//li/a[@href='/console/sessions/{ada.session}']")
    links = set(panels["jobs"].xpath(".//li/a/@href"))
    assert {f"/console/crawls/{ada.crawl}", f"/console/audits/{ada.audit}", f"/console/calls/{ada.tool_call}"} <= links
    assert "nothing new" in read_text(panels["watches"])
    assert "At least" not in read_text(panels["calls"])
    assert panels["calls"].xpath(".//li/a[@href='/console/tools/memory_save']")
    assert panels["missing"].xpath(".//code")


async def test_who_has_nothing_yet_reads_where_to_begin(server, browse):
    panels = await read_panels(await browse(EVE))
    assert set(panels) == {"sessions", "jobs", "watches", "calls"}
    assert "missing" not in panels  # for administrators
    for name in ("sessions", "jobs", "calls"):
        assert "None yet" in read_text(panels[name])
    assert panels["watches"].xpath(".//a/@href") == ["/oauth/personal-data"]


async def test_calls_are_counted_with_their_failures_and_not_those_of_the_page_itself(server, browse):
    ctx = Context(server, EVE, entrypoint="mcp")
    for arguments in ({}, {"query": ""}, {"query": "otters"}):
        await invoke("web_search", arguments, ctx)
    browser = await browse(EVE)
    for _ in range(2):
        panels = await read_panels(browser)
    assert read_text(panels["calls"]).startswith("Calls of the last 24 hours 3 calls, 2 failed.")
    assert panels["calls"].xpath("string(.//li)").split() == ["web_search", "3"]


async def test_a_panel_that_fails_leaves_the_others(server, browse):
    await server.table.put(build_index_key(ADA.tenant), "x", b"no JSON")
    crawl = await start_crawl(Context(server, ADA), "https://otters.example/", **LIMITS)
    panels = await read_panels(await browse())
    assert "could not be read; see the server log" in read_text(panels["sessions"])
    assert panels["jobs"].xpath(f".//li/a[@href='/console/crawls/{crawl.id}']")


async def test_a_key_for_some_tools_and_a_feature_that_is_off_are_said_in_their_panels(server, environ, browse):
    server.settings = Settings.read({**environ, "MONITORING_ENABLED": "false"})
    await begin_session(server)
    narrow = await read_panels(await browse(replace(ADA, scopes=frozenset({"tool:research_export"}))))
    assert narrow["sessions"].xpath(".//li/a")
    assert "key for every tool" in read_text(narrow["calls"])
    assert "MONITORING_ENABLED=true" in read_text((await read_panels(await browse()))["watches"])


async def test_where_the_trail_cannot_be_read_the_daily_limit_tells_how_many_calls_there_were(server, browse):
    for _ in range(3):
        await invoke("web_search", {}, Context(server, EVE, entrypoint="mcp"))
    server.settings = replace(server.settings, table_name="assay")
    browser = await browse(EVE)
    text = read_text((await read_panels(browser))["calls"])
    assert " of 100000 calls are used until " in text
    assert "3 failed in the last day" in text
    activity = check_html((await browser.open("/console/activity")).text)
    assert "not stored by person" in activity.xpath("string(//section[h2='Audit trail'])")
    assert len(activity.xpath("//div[@aria-label='Failed in the last day']//tbody/tr")) == 3
    other = check_html((await (await browse(Caller("acme", "carl", frozenset({"*"})))).open("/console/activity")).text)
    assert "None of your calls" in other.xpath("string(//section[h2='Failed in the last day'])")


async def test_hundreds_of_jobs_cost_few_rows(server, browse):
    for _ in range(150):
        crawl = await start_crawl(Context(server, ADA), "https://otters.example/", **LIMITS)
        await CRAWLS.end(server.table, crawl, "completed", server.clock(), units=3)
    browser = await browse()
    counted = server.table = CountingTable(server.table)
    panels = await read_panels(browser)
    assert len(panels["jobs"].xpath(".//li")) == 5
    assert len(counted.requests) < 60
