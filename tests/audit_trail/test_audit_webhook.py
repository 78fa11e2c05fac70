"""The operator's webhook gets every audit event, signed, whatever happens to the receiver and to the processes."""

import asyncio
import json

import pytest
from tests.webhooks.conftest import compute_signature

from assay.bootstrap import local_services
from assay.entrypoints.cli.main import main
from assay.settings import Settings
from assay.webhooks.audit_delivery import deliver_events, describe_delivery, start_deliveries

SECRET = "whsec_" + "MDEy" * 8
HOUR = 3_600


@pytest.fixture
def receiver(site):
    return site.says("/audit", "fine", kind="text/plain")


@pytest.fixture
def environ(environ, receiver, monkeypatch):
    more = {"AUDIT_WEBHOOK_URL": receiver, "AUDIT_WEBHOOK_SECRET": SECRET, "AUDIT_MAX_BYTES": "2000"}
    for name, value in more.items():
        monkeypatch.setenv(name, value)
    return environ | more


@pytest.fixture
def received(site):
    """`received()`: the numbers of the events that the receiver got, by its signed requests."""

    def read():
        numbers = []
        for request in site.requests:
            if request.path == "/audit":
                signature = compute_signature(SECRET, request.headers, request.body)
                assert request.headers["webhook-signature"] == signature
                body = json.loads(request.body)
                assert body["type"] == "audit.events"
                numbers.append([event["number"] for event in body["data"]["events"]])
        return numbers

    return read


async def test_every_event_arrives_once_in_signed_batches_across_rotations(services, write, received):
    write(30)
    assert await deliver_events(services) == 30
    write(450)
    assert await deliver_events(services) == 450
    assert await deliver_events(services) == 0
    assert [number for batch in received() for number in batch] == list(range(1, 481))
    assert len(received()) == 4
    assert (await describe_delivery(services)) == {"state": "delivering", "delivered": 480, "missing": 0, "tries": 0}


async def test_nothing_is_lost_while_the_receiver_is_down_for_an_hour_and_a_batch_keeps_its_id(
    services, site, write, received, clock
):
    site.says("/audit", "down", status=503, kind="text/plain")
    write(3)
    for _ in range(60):
        await deliver_events(services)
        write(1)
        clock.forward(60)
    attempts = [request.headers["webhook-id"] for request in site.requests]
    assert 4 < len(attempts) < 9
    assert len(set(attempts)) == 1
    assert (await describe_delivery(services))["lastAttempt"]["status"] == 503
    site.says("/audit", "fine", kind="text/plain")
    del site.requests[:]
    clock.forward(HOUR)
    assert await deliver_events(services) == 63
    assert [number for batch in received() for number in batch] == list(range(1, 64))


async def test_a_delivery_that_fails_for_a_day_is_parked_but_goes_on_and_says_what_was_deleted_meanwhile(
    services, site, write, received, clock
):
    site.says("/audit", "gone", status=410, kind="text/plain")
    write(20)
    for _ in range(24):
        await deliver_events(services)
        clock.forward(HOUR + 1)
    assert (await describe_delivery(services))["state"] == "parked"
    assert len(received()) == 24
    clock.forward(181 * 24 * HOUR)
    write(1)
    del site.requests[:]
    site.says("/audit", "fine", kind="text/plain")
    await deliver_events(services)
    [first, *_], *_ = received()
    state = await describe_delivery(services)
    assert state == {"state": "delivering", "delivered": 22 - first, "missing": first - 1, "tries": 0}
    assert first > 10


async def test_a_delivery_that_was_killed_is_continued_by_another_process(
    services, site, environ, write, received, clock
):
    write(5)

    task = asyncio.create_task(deliver_events(services))
    while not site.requests:
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    other = local_services(Settings.read(environ), clock)
    clock.forward(61)
    try:
        await deliver_events(other)
    finally:
        await other.close()
    assert {number for batch in received() for number in batch} == set(range(1, 6))


async def test_two_processes_do_not_deliver_at_once(services, environ, write, received, clock):
    write(5)
    other = local_services(Settings.read(environ), clock)
    try:
        assert sum(await asyncio.gather(deliver_events(services), deliver_events(other))) == 5
    finally:
        await other.close()
    assert received() == [[1, 2, 3, 4, 5]]


async def test_the_server_delivers_in_the_background(services, write, received):
    write(2)
    start_deliveries(services)
    async with asyncio.timeout(60):
        while not received():
            await asyncio.sleep(0.02)
    assert received() == [[1, 2]]


def test_the_command_delivers_and_fails_with_the_receiver(write, site, capsys, clock):
    write(2)
    assert main(["audit", "deliver"]) == 0
    assert json.loads(capsys.readouterr().out)["delivered"] == 2
    site.says("/audit", "down", status=500, kind="text/plain")
    write(1)
    assert main(["audit", "deliver"]) == 1
    output = capsys.readouterr()
    assert json.loads(output.out)["state"] == "retrying"
    assert SECRET not in output.out + output.err


@pytest.mark.parametrize("secret", ["", "geheim", "whsec_geheim"])
def test_a_wrong_secret_is_refused_without_repeating_it(secret, environ, monkeypatch, capsys):
    monkeypatch.setenv("AUDIT_WEBHOOK_SECRET", secret)
    assert main(["audit", "deliver"]) != 0
    output = capsys.readouterr()
    assert "AUDIT_WEBHOOK_SECRET" in output.out + output.err
    assert not secret or secret not in output.out + output.err
