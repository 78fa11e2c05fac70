"""Messages that could not be delivered: list them, deliver them again, drop them."""

from typing import Any

from assay.errors import NotFound
from assay.services import Services
from assay.state import json_documents
from assay.state.json_documents import Document
from assay.text.timestamps import format_utc
from assay.webhooks.webhook_outbox import DELIVERIES, RETENTION_SECONDS, UNDELIVERED, Delivery, list_undelivered
from assay.work_queue.resume import ensure_worker

UNKNOWN = "No parked message has this id."


async def list_parked(services: Services, tenant: str | None = None) -> list[dict[str, Any]]:
    """List the parked messages of the tenant, or of all tenants, without their bodies."""
    return [format_delivery(each) for each in await list_undelivered(services, tenant) if each.status == "failed"]


async def retry_parked(services: Services, identity: str, tenant: str | None = None) -> dict[str, Any]:
    """Deliver a parked message again, with all of its attempts. Raises NotFound."""
    parked = await _load_parked(services, identity, tenant)
    now = services.clock()
    until = now + RETENTION_SECONDS
    fresh = {"status": "queued", "tries": 0, "created": now, "due": 0.0, "completed": None, "error": None}
    fresh |= {"requeues": 0, "turn": parked.turn + 1, "until": until}

    def edit(document: Document | None) -> Document:
        if document is None or document["status"] != "failed":
            raise NotFound(UNKNOWN, field="id")
        return document | fresh

    table = services.table
    await table.put(UNDELIVERED, parked.sort, b"{}", until=until)
    await DELIVERIES.list_job(table, DELIVERIES.active_key, parked.model_copy(update={"until": until}))
    delivery = Delivery.model_validate(
        await json_documents.update(table, DELIVERIES.key_of(identity), "-", edit, until=until)
    )
    if services.queue is not None:
        await services.queue.send(DELIVERIES.build_message(delivery.id, delivery.turn))
        ensure_worker(services)
    return format_delivery(delivery)


async def drop_parked(services: Services, identity: str, tenant: str | None = None) -> dict[str, Any]:
    """Give up a parked message and delete its body. Raises NotFound."""
    parked = await _load_parked(services, identity, tenant)

    def edit(document: Document | None) -> Document:
        if document is None or document["status"] != "failed":
            raise NotFound(UNKNOWN, field="id")
        return document | {"status": "cancelled", "body": ""}

    key = DELIVERIES.key_of(identity)
    dropped = Delivery.model_validate(await json_documents.update(services.table, key, "-", edit, until=parked.until))
    await services.table.delete(UNDELIVERED, parked.sort)
    return format_delivery(dropped)


def format_delivery(delivery: Delivery) -> dict[str, Any]:
    """The message in the wire format, without its body."""
    fields = {
        "id": delivery.id,
        "messageId": delivery.message,
        "tenantId": delivery.tenant,
        "userId": delivery.user,
        "event": delivery.event,
        "url": delivery.url,
        "state": {"failed": "parked", "completed": "delivered", "cancelled": "dropped"}.get(delivery.status, "waiting"),
        "createdAt": format_utc(delivery.created),
        "tries": delivery.tries,
        "nextAt": format_utc(delivery.due) if delivery.due and not delivery.is_ended else None,
        "reason": delivery.error,
        "lastAttempt": delivery.last,
    }
    return {name: value for name, value in fields.items() if value is not None}


async def _load_parked(services: Services, identity: str, tenant: str | None) -> Delivery:
    delivery = await DELIVERIES.load(services.table, identity) if identity.isalnum() else None
    if delivery is None or delivery.status != "failed" or tenant not in (None, delivery.tenant):
        raise NotFound(UNKNOWN, field="id")
    return delivery
