"""Events reach their receiver signed, at least once and under one id; what cannot be delivered is parked and listed."""

import asyncio
import json
from zipfile import ZipFile

import pytest
from tests.support.table_instances import in_engine  # noqa: F401  a fixture
from tests.webhooks.conftest import ADA, compute_signature

from assay.caller import Caller
from assay.errors import InvalidInput, NotFound, RateLimited
from assay.personal_data.data_export import export_person
from assay.personal_data.namespaces import Person
from assay.settings import Settings
from assay.webhooks import webhook_outbox
from assay.webhooks.parked_messages import drop_parked, list_parked, retry_parked
from assay.webhooks.webhook_endpoints import list_endpoints, register_endpoint, remove_endpoint, rotate_secret
from assay.work_queue import sweeper
from assay.work_queue.work_timing import LOCAL_TIMING

DAY = 86_400
BOB = Caller("beta", "bob")


async def test_a_receiver_gets_the_event_with_a_signature_that_it_can_check(
    register, receiver, received, queue_event, work
):
    endpoint = await register(receiver)
    message = await queue_event(endpoint, of="otters")
    await work()
    [request] = received()
    assert request.method == "POST"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["webhook-id"] == message
    assert request.headers["webhook-signature"] == compute_signature(endpoint.secret, request.headers, request.body)
    body = json.loads(request.body)
    assert (body["type"], body["data"]) == ("watch.changed", {"of": "otters"})


async def test_during_a_rotation_both_secrets_sign_and_afterwards_the_new_one_alone(
    services, register, receiver, received, queue_event, work, clock
):
    old = await register(receiver)
    new = await rotate_secret(services, ADA, old.id, seconds=60)
    await queue_event(old, "one")
    await work()
    clock.forward(61)
    await queue_event(old, "two")
    await work()
    both, one = received()
    expected = [compute_signature(secret, both.headers, both.body) for secret in (new.secret, old.secret)]
    assert both.headers["webhook-signature"].split(" ") == expected
    assert one.headers["webhook-signature"] == compute_signature(new.secret, one.headers, one.body)
    assert new.secret != old.secret


async def test_a_failing_receiver_is_tried_again_with_growing_pauses_under_the_same_id(
    site, register, receiver, received, queue_event, work, clock
):
    endpoint = await register(receiver)
    site.says("/hook", "not now", 503)
    await queue_event(endpoint)
    await work()
    for pause in (5, 60, 300):
        assert not await work(), "nothing is due before the pause is over"
        clock.forward(pause * 1.2)
        await work()
    site.says("/hook", "fine")
    clock.forward(1_900)
    await work()  # a queue delays by 15 minutes at most, so the message came early
    clock.forward(200)
    await work()
    assert len(received()) == 5
    assert len({request.headers["webhook-id"] for request in received()}) == 1
    clock.forward(DAY)
    assert not await work()


async def test_a_message_is_parked_after_its_last_attempt_then_delivered_again_or_dropped(
    services, site, register, receiver, received, queue_event, work, clock
):
    endpoint = await register(receiver)
    site.says("/hook", "<b>broken</b>\x00 token=abcdef " + "x" * 5_000, 500)
    await queue_event(endpoint)
    for _ in range(100):
        await work()
        clock.forward(900)
    assert len(received()) == 1 + len(LOCAL_TIMING.delivery_pauses)
    [parked] = await list_parked(services, "acme")
    assert parked["state"] == "parked"
    assert parked["tries"] == 8
    assert "8 attempts failed. The receiver answered 500." in parked["reason"]
    assert len(parked["lastAttempt"]["excerpt"]) <= 200
    assert "abcdef" not in str(parked)
    assert "\x00" not in str(parked)
    assert await list_parked(services, "beta") == []
    for change in (retry_parked, drop_parked):
        with pytest.raises(NotFound):
            await change(services, parked["id"], "beta")
    site.says("/hook", "fine")
    assert (await retry_parked(services, parked["id"]))["state"] == "waiting"
    await work()
    assert len(received()) == 9
    assert await list_parked(services) == []


async def test_a_dropped_message_is_gone(services, site, register, receiver, received, queue_event, work):
    endpoint = await register(receiver)
    site.says("/hook", "never again", 410)
    await queue_event(endpoint)
    await work()
    [parked] = await list_parked(services)
    assert len(received()) == 1, "a receiver that is gone is not tried again"
    assert (await drop_parked(services, parked["id"], "acme"))["state"] == "dropped"
    assert await list_parked(services) == []
    with pytest.raises(NotFound):
        await retry_parked(services, parked["id"])


async def test_while_a_receiver_fails_its_other_messages_wait_without_losing_attempts(
    site, register, receiver, received, queue_event, work, clock
):
    endpoint = await register(receiver)
    site.says("/hook", "", 503, headers={"retry-after": "120"})
    await queue_event(endpoint, "one")
    await work()
    await queue_event(endpoint, "two")
    await work()
    clock.forward(100)
    await work()
    assert len(received()) == 1
    site.says("/hook", "fine")
    clock.forward(30)
    await work()
    assert len(received()) == 3


async def test_a_redirect_is_a_failure_and_not_followed(services, site, canary, register, receiver, queue_event, work):
    endpoint = await register(receiver)
    site.says("/hook", "", 307, headers={"location": canary.url + "/elsewhere"})
    await queue_event(endpoint)
    await work()
    assert canary.requests == []
    [waiting] = await webhook_outbox.list_undelivered(services, "acme")
    assert waiting.last["status"] == 307


async def test_an_event_is_stored_before_the_first_attempt_and_survives_the_death_of_its_process(
    services, register, receiver, received, queue_event, work, clock
):
    endpoint = await register(receiver)
    await queue_event(endpoint)
    [message] = await services.queue.receive(visible=60)
    await services.queue.delete(message.receipt)  # the worker died after it took the message
    clock.forward(LOCAL_TIMING.stuck + 1)
    assert await sweeper.sweep(services, LOCAL_TIMING) == 1
    await work()
    assert len(received()) == 1


class Killed(BaseException):
    """The process died."""


class DyingTable:
    """A table whose process dies at a write, when the number of writes is used up."""

    def __init__(self, table, writes):
        self._table, self._writes = table, writes

    def __getattr__(self, name):
        return getattr(self._table, name)

    async def put(self, *arguments, **more):
        if not self._writes:
            raise Killed
        self._writes -= 1
        return await self._table.put(*arguments, **more)


async def test_an_event_whose_process_died_while_it_was_queued_is_delivered_when_it_is_queued_again(
    services, register, receiver, received, queue_event, work, clock
):
    endpoint, table = await register(receiver), services.table
    for writes in range(10):
        services.table = DyingTable(table, writes)
        try:
            await queue_event(endpoint, f"event-{writes}")
        except Killed:
            services.table = table
            await queue_event(endpoint, f"event-{writes}")
        finally:
            services.table = table
    clock.forward(LOCAL_TIMING.stuck + 1)
    await sweeper.sweep(services, LOCAL_TIMING)
    await work()
    assert len(received()) == 10
    assert await webhook_outbox.DELIVERIES.list_active(table) == []


async def test_the_same_event_is_queued_once(register, receiver, received, queue_event, work):
    endpoint = await register(receiver)
    names = await asyncio.gather(*(queue_event(endpoint) for _ in range(5)))
    await work()
    assert len(set(names)) == 1
    assert len(received()) == 1


async def test_addresses_must_be_public_and_https(services, canary):
    services.settings = Settings.read({"ASSAY_HOME": str(services.settings.home)})
    for url in (
        "http://otters.example/hook",
        "https://127.0.0.1/hook",
        "https://169.254.169.254/latest",
        "https://user:pw@otters.example/",
    ):
        with pytest.raises(InvalidInput):
            await register_endpoint(services, ADA, url)
    assert canary.requests == []


async def test_an_address_that_has_become_private_gets_nothing_and_the_message_is_parked(
    services, register, receiver, received, queue_event, work
):
    endpoint = await register(receiver)
    await queue_event(endpoint)
    services.__dict__.pop("web", None)
    services.settings = Settings.read({"ASSAY_HOME": str(services.settings.home)})
    await work()
    assert received() == []
    assert len(await list_parked(services)) == 1


async def test_events_and_undelivered_messages_are_limited(services, register, receiver, queue_event):
    endpoint = await register(receiver)
    with pytest.raises(InvalidInput, match="256 KiB"):
        await queue_event(endpoint, of="x" * 300_000)
    for number in range(webhook_outbox.MAX_OF_ENDPOINT):
        await queue_event(endpoint, f"event-{number}")
    with pytest.raises(RateLimited, match="undelivered"):
        await queue_event(endpoint, "one-more")
    other = await register(receiver, BOB)
    await queue_event(other, caller=BOB)
    for number in range(19):
        await register(f"{receiver}?{number}")
    with pytest.raises(RateLimited, match="limit"):
        await register(f"{receiver}?20")


async def test_a_removed_address_gets_nothing_more(services, register, receiver, received, queue_event, work):
    endpoint = await register(receiver)
    await queue_event(endpoint)
    await remove_endpoint(services.table, ADA, endpoint.id)
    await work()
    assert received() == []
    assert await webhook_outbox.list_undelivered(services) == []


async def test_the_secret_is_shown_once_and_is_never_logged_nor_exported(
    services, site, register, receiver, queue_event, work, tmp_path, caplog
):
    endpoint = await register(receiver)
    again, is_new = await register_endpoint(services, ADA, receiver)
    assert (again.id, is_new) == (endpoint.id, False)
    site.says("/hook", f"echo {endpoint.secret}", 410)
    await queue_event(endpoint)
    await work()
    archive = tmp_path / "ada.zip"
    await export_person(services, Person("acme", "ada"), archive)
    with ZipFile(archive) as files:
        exported = "".join(files.read(name).decode() for name in files.namelist())
    assert receiver in exported
    assert "[REDACTED]" in exported
    assert endpoint.secret not in exported + caplog.text
    assert await list_endpoints(services.table, "beta", "bob") == []


@pytest.mark.parametrize("store", ["sqlite", "dynamodb"])
async def test_fifty_events_that_are_queued_at_once_all_arrive(
    services, request, store, register, receiver, received, queue_event, work
):
    local = services.table
    if store == "dynamodb":
        services.table = request.getfixturevalue("in_engine")()
    endpoint = await register(receiver)
    queued = await asyncio.gather(*(queue_event(endpoint, f"event-{number}") for number in range(50)))
    await work()
    assert sorted(each.headers["webhook-id"] for each in received()) == sorted(queued)
    assert await webhook_outbox.list_undelivered(services, "acme") == []
    if store == "dynamodb":
        await services.table.close()
        services.table = local
