"""What administrators see of calls: analytics by tool and day, the dashboard, recent errors, metrics for Prometheus."""

from dataclasses import replace

import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families
from tests.administration.conftest import KEY

from assay.caller import Caller
from assay.own_stores import OwnStores
from assay.state.audit import Call
from assay.state.budget import ProviderUse

DAY = 86_400


@pytest_asyncio.fixture
async def calls(http, lend_key, article):
    """Four calls of acme, two of which fail and one is cached, and one of burrow."""
    acme, burrow = await lend_key("acme", "*", user="ada"), await lend_key("burrow", "*", user="bob")
    for headers, tool, arguments in (
        (acme, "scrape_page", {"url": article}),
        (acme, "scrape_page", {"url": article}),
        (acme, "scrape_page", {"url": "secret-address"}),
        (acme, "read_artifact", {"id": "x"}),
        (burrow, "read_artifact", {"id": "y"}),
    ):
        await http.post(f"/tools/{tool}", json=arguments, headers=headers)


def read_samples(text):
    """The samples of the metrics by name and labels, as Prometheus reads them."""
    families = list(text_string_to_metric_families(text))
    names = [family.name for family in families]
    assert len(names) == len(set(names))
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value for family in families for sample in family.samples
    }


async def test_the_operator_sees_every_tenant_page_by_page(administer, calls):
    first = await administer("GET", "/admin/analytics", limit=1)
    second = await administer("GET", "/admin/analytics", limit=1, after=first["next"])
    assert "next" not in second
    [acme], [burrow] = first["tenants"], second["tenants"]
    assert (acme["tenantId"], acme["totalCalls"], acme["errorCalls"], acme["errorRate"]) == ("acme", 4, 2, 0.5)
    assert (acme["cacheHits"], acme["cacheHitRate"]) == (1, 0.25)
    assert {name: each["totalCalls"] for name, each in acme["tools"].items()} == {"scrape_page": 3, "read_artifact": 1}
    assert acme["tools"]["read_artifact"]["errorsByKind"] == {"not_found": 1}
    assert [(day["totalCalls"], day["errorCalls"], day["cacheHits"]) for day in acme["days"]] == [(4, 2, 1)]
    assert (burrow["tenantId"], burrow["totalCalls"]) == ("burrow", 1)


async def test_days_are_listed_one_by_one_and_the_older_ones_dropped(administer, http, lend_key, clock):
    key = await lend_key("acme", "*")
    for _ in range(33):
        await http.post("/tools/read_artifact", json={"id": "x"}, headers=key)
        clock.forward(DAY)
    [acme] = (await administer("GET", "/admin/analytics", tenant_id="acme", days=31))["tenants"]
    assert [day["totalCalls"] for day in acme["days"]] == [1] * 31
    assert [day["day"] for day in acme["days"]] == sorted(day["day"] for day in acme["days"])
    assert acme["totalCalls"] == 33
    [shorter] = (await administer("GET", "/admin/analytics", tenant_id="acme", days=3))["tenants"]
    assert shorter["days"] == acme["days"][-3:]


async def test_the_dashboard_has_all_that_it_shows_in_one_answer(administer, calls, services):
    step = {"stepNumber": 1, "description": "Otters?", "nextStepNeeded": True}
    await OwnStores(services, Caller("acme", "ada")).sessions.begin("Otters", step, completed=False, head={})
    shown = await administer("GET", "/dashboard/data")
    assert shown["tools"]["read_artifact"]["totalCalls"] == 2
    assert {
        "totalCalls",
        "successCalls",
        "errorCalls",
        "cacheHits",
        "avgLatencyMs",
        "p95LatencyMs",
        "lastCalled",
    } <= set(shown["tools"]["scrape_page"])
    assert (shown["activeSessions"], shown["isComplete"], shown["health"]["status"]) == (1, True, "healthy")
    assert shown["rateLimit"]["defaultTenant"]["tenantId"] == "default"
    assert [(error["tenantId"], error["kind"]) for error in shown["recentErrors"]].count(("acme", "not_found")) == 1
    assert len(shown["recentErrors"]) == 3
    assert "secret-address" not in str(shown)


async def test_an_administrator_of_a_tenant_sees_nothing_of_another(administer, http, lend_key, calls):
    chief = await lend_key("burrow", "admin")
    for path in ("/admin/analytics", "/admin/errors", "/dashboard/data"):
        shown = str(await administer("GET", path, chief))
        assert "acme" not in shown, path
        assert "scrape_page" not in shown, path
    own = (await http.get("/metrics", headers=chief)).text
    assert read_samples(own)["mcp_tool_calls_total", "read_artifact"] == 1
    assert "scrape_page" not in own


async def test_prometheus_can_read_the_metrics_which_name_no_tenant(http, calls):
    answer = await http.get("/metrics", headers={"x-admin-key": KEY})
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    samples = read_samples(answer.text)
    assert samples["mcp_tool_calls_total", "scrape_page"] == 3
    assert samples["mcp_tool_calls_total", "read_artifact"] == 2
    assert samples["mcp_tool_errors_total", "not_found", "read_artifact"] == 2
    assert samples["mcp_tool_latency_seconds_count", "scrape_page"] == 3
    assert samples["mcp_tool_latency_seconds_bucket", "+Inf", "scrape_page"] == 3
    assert samples["mcp_cache_hits_total", "all"] == 1
    assert samples["mcp_cache_misses_total",] == 4
    assert samples["assay_provider_available", "brave"] == 1
    assert samples["assay_metrics_complete",] == 1
    for name in ("acme", "burrow", "ada", "bob"):
        assert name not in answer.text


async def test_the_metrics_need_an_administrator(http, lend_key, calls):
    assert (await http.get("/metrics")).status_code == 401
    assert (await http.get("/metrics", headers=await lend_key("acme", "*"))).status_code == 403
    assert (await http.get("/dashboard/data", headers={"x-admin-key": "x" * 20})).status_code == 401


async def test_polling_leaves_no_trace_in_the_audit_and_a_refusal_does(http, calls, events):
    await http.get("/metrics", headers={"x-admin-key": KEY})
    await http.get("/dashboard/data", headers={"x-admin-key": KEY})
    assert events == []
    await http.get("/dashboard/data?tenant_id=a/b", headers={"x-admin-key": KEY})
    assert [(event["event_type"], event["error_code"]) for event in events] == [("admin.action", "validation")]


async def test_the_history_shows_time_tools_providers_and_tenants(administer, calls, http, lend_key, clock):
    report = await administer("GET", "/admin/call-history", periods=2)
    assert [(day["totalCalls"], day["errorCalls"], day["cacheHits"]) for day in report["periods"]] == [
        (0, 0, 0),
        (5, 3, 1),
    ]
    assert "p50LatencyMs" not in report["periods"][0]
    assert report["periods"][1]["p95LatencyMs"] >= report["periods"][1]["p50LatencyMs"] >= 0
    assert {name: each["totalCalls"] for name, each in report["tools"].items()} == {
        "scrape_page": 3,
        "read_artifact": 2,
    }
    assert {name: each["totalCalls"] for name, each in report["tenants"].items()} == {"acme": 4, "burrow": 1}
    assert report["total"]["totalCalls"] == 5
    of_tool = await administer("GET", "/admin/call-history", periods=1, tool="read_artifact", grain="hour")
    assert [hour["totalCalls"] for hour in of_tool["periods"]] == [2]
    earlier = await administer("GET", "/admin/call-history", until="2001-01-01")
    assert (earlier["total"]["totalCalls"], earlier["periods"][-1]["beganAt"]) == (0, "2001-01-01T00:00:00Z")
    await administer("GET", "/admin/call-history", status=400, until="yesterday")
    await administer("GET", "/admin/call-history", status=400, tool="search", provider="brave")
    own = await administer("GET", "/admin/call-history", await lend_key("burrow", "admin"))
    assert (own["total"]["totalCalls"], own["tenants"], own["tenantId"]) == (1, {}, "burrow")


async def test_costs_are_by_provider_and_unknown_where_the_price_is(administer, services):
    uses = (ProviderUse("brave", 2, 0, 10_000, (0.2, 0.4)), ProviderUse("lens", 1, 1, 0, (0.1,)))
    call = Call(services.clock(), "web_search", "acme", "ada", "mcp", "r", 0.3, None, False, 5, cost_usd=0.01)
    await services.call_history.record(replace(call, uses=uses[:1]))
    await services.call_history.record(replace(call, tool="patent_search", cost_usd=None, uses=uses[1:]))
    report = await administer("GET", "/admin/call-history")
    brave, lens = report["providers"]["brave"], report["providers"]["lens"]
    assert (brave["totalCalls"], brave["estimatedCostUsd"], brave["priceKind"]) == (2, 0.01, "list")
    assert brave["priceUsd"] == 0.005
    assert "estimatedCostUsd" not in lens
    assert (lens["priceKind"], lens["errorCalls"], lens["isCostComplete"]) == ("unknown", 1, False)
    assert "estimatedCostUsd" not in report["tools"]["patent_search"]
    assert (report["total"]["estimatedCostUsd"], report["total"]["isCostComplete"]) == (0.01, False)
    assert report["unknownPrices"] == ["lens"]
    series = await administer("GET", "/admin/call-history", provider="lens", periods=1)
    assert series["periods"][0]["totalCalls"] == 1
    assert "estimatedCostUsd" not in series["periods"][0]
