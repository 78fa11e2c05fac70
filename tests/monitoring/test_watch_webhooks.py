"""New results reach the webhook of a watch: signed, one message for each check, and once."""

import json

from tests.support.watch_fixtures import ADA, DAY, NEW, OLD, OTTERS
from tests.webhooks.conftest import compute_signature

from assay.own_stores import OwnStores
from assay.personal_data.erasure import count_items
from assay.personal_data.namespaces import Person
from assay.webhooks.webhook_endpoints import list_endpoints, remove_endpoint


async def find_new_results(serve_news, passes, clock, *results):
    serve_news(OLD, *results)
    clock.forward(DAY + 60)
    assert dict((await passes()).outcomes) == {"checked": 1}


async def test_a_webhook_receives_new_results_once_and_signed(
    ask, grant, serve_news, passes, clock, services, receiver, received, work
):
    services.runs_workers = False
    await grant()
    serve_news(OLD)
    saved = (await ask("monitor_query_save", ADA, **OTTERS, webhook=receiver)).wire
    await passes()
    await find_new_results(serve_news, passes, clock, NEW)
    await work()
    [request] = received()
    signature = compute_signature(saved["webhookSecret"], request.headers, request.body)
    assert request.headers["webhook-signature"] == signature
    event = json.loads(request.body)
    assert event["type"] == "watch.new_results"
    assert (
        event["data"].items()
        >= {"watchId": saved["id"], "query": "otters", "trust": "untrusted-external-content"}.items()
    )
    assert [result["url"] for result in event["data"]["newResults"]] == [NEW[0]]
    assert (await ask("monitor_query_check", ADA, **OTTERS)).wire["newCount"] == 1
    await find_new_results(serve_news, passes, clock, NEW)
    await work()
    assert len(received()) == 1


async def test_a_secret_is_shown_once_and_can_be_replaced(ask, grant, serve_news, receiver):
    await grant()
    serve_news(OLD)
    first = (await ask("monitor_query_save", ADA, **OTTERS, webhook=receiver)).wire["webhookSecret"]
    again = (await ask("monitor_query_save", ADA, **OTTERS, webhook=receiver)).wire
    assert "webhookSecret" not in again
    new = (await ask("monitor_query_save", ADA, **OTTERS, webhook=receiver, newWebhookSecret=True)).wire
    assert new["webhookSecret"].startswith("whsec_")
    assert new["webhookSecret"] != first
    wrong = (await ask("monitor_query_save", ADA, **OTTERS, webhook="ftp://river.example/")).error
    assert (wrong.kind, wrong.field) == ("validation", "webhook")


async def test_a_webhook_ends_with_its_last_watch(
    ask, grant, serve_news, passes, clock, services, receiver, received, work
):
    services.runs_workers = False
    await grant()
    serve_news(OLD)
    one = (await ask("monitor_query_save", ADA, **OTTERS, webhook=receiver)).wire["id"]
    two = (await ask("monitor_query_save", ADA, query="more otters", kind="news", webhook=receiver)).wire["id"]
    await ask("monitor_delete", ADA, ids=[one])
    assert len(await list_endpoints(services.table, "acme", "ada")) == 1
    await passes()
    await ask("monitor_query_save", ADA, query="more otters", kind="news", webhook="none")
    await find_new_results(serve_news, passes, clock, NEW)
    await work()
    assert received() == []
    await ask("monitor_query_save", ADA, query="more otters", kind="news", webhook=receiver)
    await ask("monitor_delete", ADA, ids=[two])
    assert await list_endpoints(services.table, "acme", "ada") == []
    counts = await count_items(services, Person("acme", "ada"))
    assert (counts["watches"], counts["watched_urls"]) == (0, 0)


async def test_a_removed_address_does_not_fail_the_look(
    ask, grant, serve_news, passes, clock, services, receiver, received
):
    await grant()
    serve_news(OLD)
    saved = (await ask("monitor_query_save", ADA, **OTTERS, webhook=receiver)).wire
    await passes()
    [endpoint] = await list_endpoints(services.table, "acme", "ada")
    await remove_endpoint(services.table, ADA, endpoint.id)
    await find_new_results(serve_news, passes, clock, NEW)
    assert received() == []
    state = await OwnStores(services, ADA).watches.load_state(saved["id"])
    assert [item.is_pending for item in state.items] == [False]
