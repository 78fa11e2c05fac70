"""The outbox: a message is stored before the first attempt, and stays until it was delivered, dropped or expired."""

import asyncio
import json
from collections import Counter
from typing import Any

from assay.caller import Caller
from assay.errors import ConfigError, InvalidInput, RateLimited
from assay.services import Services
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import hash_names, query_all
from assay.text.timestamps import format_utc
from assay.webhooks.webhook_endpoints import WebhookEndpoint
from assay.work_queue.job_record import Job, JobStore
from assay.work_queue.resume import ensure_worker

MAX_BODY_BYTES = 256 * 1024
MAX_OF_ENDPOINT, MAX_OF_TENANT = 200, 2_000  # messages that were not delivered, parked ones included
RETENTION_SECONDS = 30 * 86_400.0
UNDELIVERED = "webhooks/undelivered"  # the key of the list of messages that are waiting or parked


class Delivery(Job):
    """A message to an endpoint. `status` is `failed` when it is parked; `due` is the time of the next attempt."""

    endpoint: str
    url: str
    event: str
    message: str  # its id for the receiver, the same at each attempt
    body: str
    tries: int = 0
    last: dict[str, Any] | None = None  # of the last attempt: at, status, excerpt, reason

    @property
    def owner(self) -> Caller:
        return Caller(self.tenant, self.user)

    @property
    def sort(self) -> str:
        """The sort key in the list of undelivered messages."""
        return f"{hash_names(self.tenant)}/{self.endpoint}/{self.id}"


DELIVERIES = JobStore("webhook", Delivery)


async def queue_delivery(
    services: Services, caller: Caller, endpoint: WebhookEndpoint, event: str, data: dict[str, Any], *, name: str
) -> str:
    """Store an event for the person's endpoint, to be delivered by the workers; return the message id.

    `event` is its type, such as `watch.changed`. `name` identifies the event among those of the person: if one of that
    name was queued in the last 30 days, nothing is queued. Raises InvalidInput for an event that is too large,
    RateLimited if too many messages are undelivered.
    """
    if services.queue is None:
        raise ConfigError("Webhooks need a queue: set ASSAY_QUEUE.", field="ASSAY_QUEUE", action="inform_user")
    now = services.clock()
    delivery = Delivery(
        id=hash_names(caller.tenant, caller.user, endpoint.id, name)[:32],
        tenant=caller.tenant,
        user=caller.user,
        created=now,
        until=now + RETENTION_SECONDS,
        endpoint=endpoint.id,
        url=endpoint.url,
        event=event,
        message="msg_" + hash_names(caller.tenant, caller.user, name)[:32],
        body=json.dumps({"type": event, "timestamp": format_utc(now), "data": data}, ensure_ascii=False),
    )
    if len(delivery.body.encode()) > MAX_BODY_BYTES:
        raise InvalidInput(f"The event exceeds the {MAX_BODY_BYTES // 1024} KiB of a webhook.", field="data")
    if await DELIVERIES.load(services.table, delivery.id) is not None:
        return delivery.message
    await _check_limits(services.table, delivery)
    await services.table.put(UNDELIVERED, delivery.sort, b"{}", until=delivery.until)
    try:
        await DELIVERIES.create(services.table, delivery)
    except Conflict:  # another process queued the same event
        return delivery.message
    await services.queue.send(DELIVERIES.build_message(delivery.id, 0))
    ensure_worker(services)
    return delivery.message


async def _check_limits(table: TableStore, delivery: Delivery) -> None:
    tenant, endpoint, _ = delivery.sort.split("/")
    waiting = Counter(row.sort.split("/")[1] for row in await query_all(table, UNDELIVERED, tenant + "/"))
    if waiting[endpoint] >= MAX_OF_ENDPOINT or waiting.total() >= MAX_OF_TENANT:
        raise RateLimited(
            f"{waiting[endpoint]} webhook messages to this address are undelivered, {waiting.total()} of the tenant; "
            f"the limits are {MAX_OF_ENDPOINT} and {MAX_OF_TENANT}. Repair the receiver, or drop parked messages.",
            retry_after=300,
        )


async def wait_for_attempts(services: Services, seconds: float = 30.0) -> None:
    """Let this process make the attempts that are due, before a command ends; the others stay for the next one."""
    until = services.clock() + seconds
    while services.runs_workers and services.clock() < until and await _has_due(services):
        ensure_worker(services)
        await asyncio.sleep(0.1)


async def _has_due(services: Services) -> bool:
    now = services.clock()
    found = [await DELIVERIES.load(services.table, name) for name, _ in await DELIVERIES.list_active(services.table)]
    return any(each is not None and not each.is_ended and each.due <= now for each in found)


async def list_undelivered(services: Services, tenant: str | None = None) -> list[Delivery]:
    """Return the messages of the tenant, or of all tenants, that are waiting or parked."""
    prefix = "" if tenant is None else hash_names(tenant) + "/"
    found = []
    for row in await query_all(services.table, UNDELIVERED, prefix):
        delivery = await DELIVERIES.load(services.table, row.sort.split("/")[2])
        if delivery is not None and delivery.status not in ("completed", "cancelled"):
            found.append(delivery)
    return found
