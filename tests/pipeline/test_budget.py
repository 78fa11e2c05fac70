"""What calls may cost, from the first request to the bill."""

import asyncio
import json
from datetime import UTC, datetime

import pytest
from tests.support.upstream import SILENT, Upstream

from assay.caller import Caller
from assay.context import Context
from assay.errors import ConfigError, UpstreamFailed
from assay.invoke import invoke
from assay.services import Services
from assay.settings import Settings

KEY = {"EXA_API_KEY": "k", "TAVILY_API_KEY": "", "SEARXNG_URL": ""}
PRICE = 0.005


@pytest.fixture
async def upstream():
    upstream = await Upstream().start()
    upstream.says(answer_body())
    yield upstream
    await upstream.close()


def answer_body(cost=PRICE):
    return {"answer": "Cats purr.", "citations": [], "costDollars": {"total": cost}}


@pytest.fixture
async def world(environ, clock, upstream):
    from assay.bootstrap import local_services

    created: list[Services] = []

    def build(**more):
        services = local_services(Settings.read(environ | KEY | {"EXA_BASE_URL": upstream.url} | more), clock)
        created.append(services)
        return services

    yield build
    for services in created:
        await services.close()


async def answer(services, query="Do cats purr?", tenant="local", tool="answer"):
    return await invoke(tool, {"query": query}, Context(services, Caller(tenant=tenant)))


def day_of(services):
    return datetime.fromtimestamp(services.clock(), UTC).date().isoformat()


async def burst(services, count=10, **more):
    return await asyncio.gather(*(answer(services, f"Do {n} cats purr?", **more) for n in range(count)))


async def test_a_call_tells_what_it_has_cost(world):
    services = world()
    events = []
    services.observers = [events.append]
    reply = await answer(services)
    again = await answer(services)
    assert reply.wire["costUsd"] == reply.meta["costUsd"] == PRICE
    assert [(call.provider, call.cost_usd, call.cached) for call in events] == [
        ("exa", PRICE, False),
        (None, None, True),
    ]
    assert events[0].event()["metadata"]["cost_usd"] == PRICE
    assert again.meta["cached"] is True
    assert "costUsd" not in again.meta


async def test_a_call_tells_statistics_what_it_asked_of_providers(world, upstream):
    services, calls = world(), []
    services.observers = [calls.append]
    await answer(services)
    [use] = calls[0].uses
    assert (use.provider, use.requests, use.failures, use.cost) == ("exa", 1, 0, round(PRICE * 1_000_000))
    assert 0 < use.durations[0] <= calls[0].seconds
    upstream.says({}, status=500)
    await answer(services, "Why do dogs bark?")
    [failed] = calls[1].uses
    assert (failed.requests, failed.failures) == (1, 1)


async def test_the_operators_price_replaces_the_list_price(world, upstream):
    upstream.says({"answer": "Cats purr.", "citations": []})
    listed = await answer(world())
    own = await answer(world(PROVIDER_PRICES="exa=0.25"), "Why do dogs bark?")
    assert (listed.meta["costUsd"], own.meta["costUsd"]) == (0.005, 0.25)


@pytest.mark.parametrize("cost", [PRICE, 4 * PRICE, PRICE / 5])
async def test_ten_calls_at_once_do_not_overspend_the_day(world, upstream, cost):
    upstream.says(answer_body(cost))
    replies = await burst(world(ASSAY_DAILY_BUDGET_USD="0.025"))
    spent = len(upstream.requests) * cost
    assert spent <= 0.025 + cost
    refused = [reply.error for reply in replies if reply.error]
    assert len(refused) == 10 - len(upstream.requests)
    if refused:
        assert spent > 0.025 - max(cost, PRICE)
    for error in refused:
        assert error.kind == "rate_limited"
        assert 0 < error.retry_after <= 86_400
        assert "00:00 UTC" in error.sentence()


async def test_the_next_day_has_a_budget_of_its_own(world, clock, upstream):
    services = world(ASSAY_DAILY_BUDGET_USD="0.005")
    assert (await answer(services)).error is None
    refused = (await answer(services, "And dogs?")).error
    clock.forward(refused.retry_after + 1)
    assert (await answer(services, "And dogs?")).error is None


async def test_tenants_spend_their_own(world):
    services = world(ASSAY_DAILY_BUDGET_USD="0.005")
    for tenant in ("a", "b"):
        assert (await answer(services, tenant=tenant)).error is None
        assert (await answer(services, "And dogs?", tenant=tenant)).error.kind == "rate_limited"


async def test_a_spent_budget_is_known_to_every_instance_and_closes_no_provider_for_others(world):
    first, second = world(ASSAY_DAILY_BUDGET_USD="0.005"), world(ASSAY_DAILY_BUDGET_USD="0.005")
    assert (await answer(first)).error is None
    for n in range(6):
        assert (await answer(second, f"And {n} dogs?")).error.kind == "rate_limited"
    assert (await answer(second, tenant="other")).error is None


@pytest.mark.parametrize("status", [400, 402, 422])
async def test_what_was_refused_upstream_costs_nothing(world, upstream, status):
    upstream.then({"error": "no"}, status)
    services = world(ASSAY_DAILY_BUDGET_USD="0.005")
    assert (await answer(services)).error is not None
    assert (await answer(world(ASSAY_DAILY_BUDGET_USD="0.005"), "And dogs?", tenant="other")).error is None
    assert await services.table.add("spent/local", day_of(services), 0, until=2e9) == 0


@pytest.mark.parametrize("response", [({"error": "no"}, 500), ("<html>", 200), ({"citations": 5}, 200)])
async def test_a_failed_request_that_may_have_been_billed_is_booked(world, upstream, response):
    upstream.then(*response)
    services = world(ASSAY_DAILY_BUDGET_USD="0.005")
    events = []
    services.observers = [events.append]
    assert (await answer(services)).error.kind == "upstream_unavailable"
    assert (await answer(services)).error.kind == "rate_limited"
    assert len(upstream.requests) == 1
    assert events[0].cost_usd == PRICE


async def test_each_try_of_a_repeated_request_is_booked(world, upstream):
    upstream.then({}, 503)
    upstream.says({"web": {"results": [{"title": "Cats", "url": f"https://cats.example/{n}"} for n in range(5)]}})
    more = {"BRAVE_API_KEY": "k", "BRAVE_BASE_URL": upstream.url, "SEARCH_PROVIDER": "brave"}
    reply = await answer(world(**more), tool="web_search")
    assert len(upstream.requests) == 2
    assert reply.meta["costUsd"] == 0.01


@pytest.mark.parametrize("factor", [3, 9])
async def test_bills_that_grow_pass_the_budget_by_one_request_at_most(world, upstream, factor):
    """The first bills are the list price, which is what the others are expected to cost."""
    services = world(ASSAY_DAILY_BUDGET_USD="0.1")
    for n in range(3):
        await answer(services, f"Do {n} dogs purr?")
    upstream.says(answer_body(PRICE * factor))
    before = len(upstream.requests)
    other = world(ASSAY_DAILY_BUDGET_USD="0.1")  # another instance
    await asyncio.gather(burst(services), burst(other))
    assert len(upstream.requests) > before
    spent = 3 * PRICE + (len(upstream.requests) - before) * PRICE * factor
    assert spent <= 0.1 + PRICE * factor


async def test_what_may_have_been_billed_counts(world, upstream):
    upstream.then(SILENT)
    services = world(ASSAY_DAILY_BUDGET_USD="0.005")
    services.search.source("exa").seconds = 0.05
    assert (await answer(services)).error.kind == "network"
    assert (await answer(services)).error.kind == "rate_limited"


async def test_an_answer_that_was_paid_is_not_lost_with_the_books(world, upstream, caplog):
    upstream.says(answer_body(PRICE / 5))
    services = world(ASSAY_DAILY_BUDGET_USD="1")
    add = services.table.add

    class FailingTable(type(services.table)):
        async def add(self, key, sort, amount=1, **more):
            if amount < 0:
                raise UpstreamFailed("the table is away")
            return await add(key, sort, amount, **more)

    services.table.__class__ = FailingTable
    assert (await answer(services)).error is None
    assert "could not be recorded" in caplog.text


async def test_a_call_may_not_cost_more_than_it_may(world, upstream):
    services = world(ASSAY_MAX_CALL_COST_USD="0.004")
    reply = await answer(services)
    assert reply.error.kind == "config"
    assert "ASSAY_MAX_CALL_COST_USD" in reply.error.sentence()
    assert upstream.requests == []
    assert (await answer(world(ASSAY_MAX_CALL_COST_USD="0.005"))).error is None


async def test_nothing_may_be_spent_where_the_budget_is_nothing(world, upstream):
    assert (await answer(world(ASSAY_DAILY_BUDGET_USD="0"))).error.kind == "rate_limited"
    assert upstream.requests == []


async def test_who_costs_nothing_is_asked_all_the_same(world, site, upstream):
    site.says("/searxng/search", json.dumps({"results": []}), kind="application/json")
    services = world(ASSAY_DAILY_BUDGET_USD="0", SEARXNG_URL=site.url + "/searxng", SEARCH_ROUTING="exa,searxng")
    reply = await answer(services, tool="web_search")
    assert reply.error is None
    assert reply.meta["routing"]["provider_used"] == "searxng"
    assert upstream.requests == []


async def test_a_first_request_that_hangs_does_not_line_up_the_others(world, upstream):
    upstream.says(SILENT)
    services = world(ASSAY_DAILY_BUDGET_USD="1")
    services.search.source("exa").seconds = 0.5
    async with asyncio.timeout(25):
        replies = await burst(services)
    assert all(reply.error.kind in ("network", "upstream_unavailable") for reply in replies)


@pytest.mark.parametrize("wrong", ["x", "-1", "nan", "inf", "1e9", "1,5"])
def test_a_budget_that_is_not_an_amount_is_refused(wrong):
    with pytest.raises(ConfigError) as failure:
        Settings.read({"ASSAY_DAILY_BUDGET_USD": wrong})
    assert failure.value.field == "ASSAY_DAILY_BUDGET_USD"
