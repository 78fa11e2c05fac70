"""Operations: what an administrator sees of calls, and decides about failed work."""

from dataclasses import replace

from tests.administration.test_job_admin import begin, park  # noqa: F401  fixtures
from tests.console.conftest import ADA, EVE, HOSTILE
from tests.console.page_checks import check_html

from assay.caller import Caller
from assay.crawl.job import CRAWLS
from assay.errors import UpstreamFailed
from assay.state.audit import Call
from assay.state.budget import ProviderUse
from assay.statistics.call_figures import CallFigures, PeriodFigures
from assay.statistics.call_history import MOST_PERIODS, SECONDS, find_place
from assay.statistics.summed_rows import SLOTS

OPERATIONS, WORK = "/console/operations", "/console/operations/work"


def read_rows(page, caption):
    """The rows of a table as texts, by the text of their first cell."""
    rows = check_html(page.text).xpath(f"//div[@aria-label='{caption}']//tbody/tr")
    return {cells[0]: cells[1:] for cells in ([" ".join(cell.text_content().split()) for cell in row] for row in rows)}


async def test_calls_costs_and_percentiles_are_shown_over_time_with_unknown_costs_as_unknown(server, browse):
    uses = (ProviderUse("brave", 2, 0, 10_000, (0.2, 0.4)), ProviderUse(HOSTILE, 3, 1, 0, (0.1,)))
    call = Call(server.clock(), "web_search", ADA.tenant, "ada", "mcp", "r", 0.3, None, False, 5, uses=uses)
    await server.call_history.record(replace(call, cost_usd=0.01))
    await server.call_history.record(replace(call, error="blocked", tool="answer", uses=uses[1:]))
    await server.call_history.record(replace(call, tenant="elsewhere", tool="fetch"))
    page = await (await browse()).open(OPERATIONS, periods="2")
    tools, providers = read_rows(page, "By tool"), read_rows(page, "By provider")
    assert tools["web_search"][:2] == ["1", "0"]
    assert tools["web_search"][-1] == "at least $0.0100"
    assert (tools["answer"][1], tools["answer"][-1]) == ("1", "unknown")
    assert set(tools) == {"web_search", "answer"}
    assert providers["brave"][-2:] == ["$0.0100", "$0.005source"]
    assert providers[HOSTILE][5] == "unknown"
    series = read_rows(page, "Calls, errors and cache hits")
    assert [row[:2] for row in series.values()] == [["0", "0"], ["2", "1"]]
    assert list(read_rows(page, "Estimated cost").values()) == [["0.0"], ["0.01"]]
    assert "elsewhere" not in page.text
    of_tool = await (await browse()).open(OPERATIONS, periods="1", tool="answer")
    assert list(read_rows(of_tool, "Estimated cost").values()) == [[""]]
    assert (await (await browse()).open(OPERATIONS, periods="999")).status_code == 400
    assert (await (await browse()).open(OPERATIONS, tenant_id="elsewhere")).status_code == 403


class CountingTable:
    """Counts what is asked of the table."""

    def __init__(self, table):
        self._table, self.requests, self.bytes = table, [], 0

    def __getattr__(self, name):
        function = getattr(self._table, name)

        async def count(*place, **options):
            self.requests.append(name)
            answer = await function(*place, **options)
            if name == "query":
                self.bytes += sum(len(item.value) for item in answer.items)
            return answer

        return count


async def test_a_million_calls_of_history_cost_a_page_few_queries(server, browse):
    browser, now = await browse(), server.clock()
    figures = CallFigures(200, 3, 9, 90.0, 9.5, 5_000, (1, 0, 3, 5, 180, 11), {"brave": (200, 5_000)})
    row = PeriodFigures({f"tool_{number}": figures for number in range(10)}, {"brave": figures}).encode()
    for back in range(MOST_PERIODS["day"]):
        key, name, _ = find_place(ADA.tenant, "day", now - back * SECONDS["day"])
        for slot in range(SLOTS):
            await server.table.put(key, f"{name}/{slot:02}", row)
    counted = server.table = CountingTable(server.table)
    page = await browser.open(OPERATIONS, periods=str(MOST_PERIODS["day"]))
    assert f"<strong>{MOST_PERIODS['day'] * SLOTS * 10 * 200:,}</strong>" in page.text  # 1.5 million
    assert counted.requests.count("query") <= 3
    assert len(counted.requests) <= 12  # with those that find out who asks
    assert counted.bytes < 1_000_000


async def test_failed_work_is_retried_and_dropped_after_a_confirmation(server, browse, park):  # noqa: F811
    first, second = await park(ADA.tenant), await park(ADA.tenant)
    browser = await browse()
    page = await browser.open(WORK)
    assert {name.split()[1] for name in read_rows(page, "Parked jobs")} == {first[:8], second[:8]}
    about = {"about": "job", "kind": "crawl"}
    unconfirmed = await browser.submit(WORK, page, **about, action="drop", id=first)
    assert (unconfirmed.status_code, "Nothing was dropped" in unconfirmed.text) == (400, True)
    assert (await browser.submit(WORK, page, **about, action="explode", id=first)).status_code == 400
    eve = await browse(Caller(EVE.tenant, EVE.user, EVE.scopes | {"admin"}))
    foreign = await eve.submit(WORK, await eve.open(WORK), **about, action="drop", id=first, confirmed="yes")
    assert foreign.status_code == 404
    dropped = await browser.submit(WORK, page, **about, action="drop", id=first, confirmed="yes")
    retried = await browser.submit(WORK, page, **about, action="retry", id=second)
    assert [one.status_code for one in (dropped, retried)] == [303, 303]
    assert read_rows(await browser.open(WORK), "Parked jobs") == {}
    assert not (await CRAWLS.load(server.table, second)).is_ended


async def test_only_the_operator_closes_a_breaker_and_reads_settings(server, browse, connect):
    breakers, outage = server.search.breakers, UpstreamFailed("down", provider="searxng")
    for _ in range(server.settings.breaker_failures):
        await breakers.record_failure("searxng", outage, trial=False)
    browser = await browse()
    page = await browser.open("/console/operations/providers")
    assert read_rows(page, "Providers")["searxng"][0] == "open"
    refused = await browser.submit("/console/operations/breaker", page, provider="searxng")
    assert refused.status_code == 403
    assert "for the operator" in (await browser.open("/console/operations/settings")).text
    server.requires_keys = False
    local = await connect()
    page = await local.open("/console/operations/settings")
    settings = read_rows(page, "Settings in force")
    assert settings["ASSAY_HOME"][1] == "yes"
    assert "[REDACTED]" in page.text
    assert "MONITORING_ENABLED" in page.text
    page = await local.open("/console/operations/providers")
    closed = await local.submit("/console/operations/breaker", page, provider="searxng")
    assert (closed.status_code, closed.headers["location"]) == (303, "/console/operations/providers")
    assert read_rows(await local.open("/console/operations/providers"), "Providers")["searxng"][0] == "closed"
