"""A receiver of webhooks on loopback, and the workers that deliver to it."""

import base64
import hmac

import pytest

from assay.caller import Caller
from assay.webhooks.webhook_endpoints import register_endpoint
from assay.webhooks.webhook_outbox import queue_delivery
from assay.work_queue.work_timing import LOCAL_TIMING
from assay.work_queue.worker import process_message

ADA = Caller("acme", "ada")


def compute_signature(secret, headers, body):
    """The signature that a receiver computes by the Standard Webhooks specification."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    return "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()


@pytest.fixture
def receiver(site):
    """The address of a receiver that accepts everything."""
    return site.says("/hook", "fine", kind="text/plain")


@pytest.fixture
def received(site):
    """`received()`: the requests that reached the receiver."""
    return lambda: [request for request in site.requests if request.path == "/hook"]


@pytest.fixture
def queue_event(services):
    """`await queue_event(endpoint, name)`: queue an event of Ada's."""
    services.runs_workers = False  # the tests run the workers

    async def queue(endpoint, name="event-1", caller=ADA, **data):
        return await queue_delivery(services, caller, endpoint, "watch.changed", data or {"of": "otters"}, name=name)

    return queue


@pytest.fixture
def register(services):
    async def register_for(url, caller=ADA):
        return (await register_endpoint(services, caller, url))[0]

    return register_for


@pytest.fixture
def work(services):
    """`await work()`: handle all messages of the queue that are due now, like a worker; count them."""

    async def handle_messages() -> int:
        count = 0
        while messages := await services.queue.receive(visible=60):
            for message in messages:

                async def extend(seconds, receipt=message.receipt):
                    await services.queue.extend(receipt, seconds)

                rest = {"receives": message.receives, "seconds": 60, "extend": extend}
                if not await process_message(services, LOCAL_TIMING, message.body, **rest):
                    await services.queue.delete(message.receipt)
                count += 1
        return count

    return handle_messages
