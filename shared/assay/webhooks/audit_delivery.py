"""Delivers the audit events to the operator's webhook (AUDIT_WEBHOOK_URL), signed and in batches.

The events are read from where they were written, behind a position in the table: a receiver that is down delays them,
and a process that is killed repeats at most the batch in progress. While the receiver fails, the pauses grow to an
hour; then the delivery is parked: the events stay, and one attempt an hour is made.
"""

import asyncio
import json
import logging
from typing import Any

from assay.errors import ConfigError, ToolError
from assay.services import Services
from assay.settings import Settings
from assay.state import json_documents
from assay.state.audit_source import AuditBatch
from assay.state.json_documents import Document
from assay.state.table_rows import hash_names
from assay.text.timestamps import format_utc
from assay.webhooks.webhook_post import PostResult, post_signed
from assay.webhooks.webhook_signature import decode_secret

log = logging.getLogger("assay")
KEY = "audit-delivery"
BATCH_EVENTS, BATCH_BYTES = 200, 200_000
PAUSES = (5.0, 30.0, 120.0, 600.0, 1_800.0, 3_600.0)  # seconds after failures; the last one is repeated
POLL_SECONDS = 5.0  # between two looks for new events
RETRY_SECONDS = 60.0  # after a failure of the table or the trail
CLAIM_SECONDS = 60.0  # for which no other process delivers; an attempt takes a quarter
TASK_NAME = "audit-webhook"


def load_audit_webhook(settings: Settings) -> tuple[str, str]:
    """Return the address and the secret of the webhook; the address is "" if none is set. Raises ConfigError."""
    url, secret = settings.key("AUDIT_WEBHOOK_URL"), settings.key("AUDIT_WEBHOOK_SECRET")
    if not url:
        return "", ""
    if not url.startswith("https://") and not settings.allow_private_ips:
        raise ConfigError("AUDIT_WEBHOOK_URL is an https URL.", field="AUDIT_WEBHOOK_URL", action="inform_user")
    try:
        decode_secret(secret)
    except ConfigError as failure:
        message = f"AUDIT_WEBHOOK_SECRET signs the events. {failure}"
        raise ConfigError(message, field="AUDIT_WEBHOOK_SECRET", action="inform_user") from None
    return url, secret


def start_deliveries(services: Services) -> None:
    """Deliver in the background from now on, if a webhook is set."""
    try:
        url, _ = load_audit_webhook(services.settings)
    except ConfigError as failure:  # the tools still work
        log.warning("No audit events are delivered. %s", failure.sentence())
        return
    if url and services.audit_source is not None:
        services.background_tasks[TASK_NAME] = asyncio.create_task(_deliver_always(services))


async def _deliver_always(services: Services) -> None:
    while True:
        try:
            await deliver_events(services)
        except (ToolError, OSError) as failure:  # the next look may succeed
            log.warning("audit events cannot be delivered: %s", failure)
            await asyncio.sleep(RETRY_SECONDS)
        await asyncio.sleep(POLL_SECONDS)


async def deliver_events(services: Services, seconds: float = 30.0) -> int:
    """Deliver the events that wait, if an attempt is due and no other process delivers; return how many."""
    url, secret = load_audit_webhook(services.settings)
    source, count, until = services.audit_source, 0, services.clock() + seconds
    if not url or source is None or not (state := await _claim(services)):
        return 0
    try:
        while services.clock() < until:
            batch = await source.read_batch(state["position"], state["pending"] or BATCH_EVENTS, BATCH_BYTES)
            if not batch.events:
                break
            message, body = _build_message(services, batch)
            result = await post_signed(services, url, [secret], message, body)
            if not result.is_delivered:
                state = await _change(services, **_count_failure(services, state, batch, result))
                break
            delivered, missing = state["delivered"] + len(batch.events), state["missing"] + batch.missing
            state = await _change(
                services,
                position=batch.position,
                delivered=delivered,
                missing=missing,
                tries=0,
                due=0.0,
                pending=0,
                last=None,
                busy=services.clock() + CLAIM_SECONDS,
            )
            await source.forget(batch)
            count += len(batch.events)
    finally:
        await asyncio.shield(_change(services, busy=0.0))
    return count


async def describe_delivery(services: Services) -> dict[str, Any]:
    """The state of the delivery for the operator. `missing` counts events that were deleted before their delivery."""
    state = await json_documents.load(services.table, KEY) or _START
    due = state["due"]
    return {
        "state": "parked" if state["tries"] >= len(PAUSES) else "retrying" if state["tries"] else "delivering",
        "delivered": state["delivered"],
        "missing": state["missing"],
        "tries": state["tries"],
        **({"nextAt": format_utc(due), "lastAttempt": state["last"]} if state["tries"] else {}),
    }


_START: Document = {
    "position": {}, "delivered": 0, "missing": 0, "tries": 0, "due": 0.0, "busy": 0.0, "pending": 0, "last": None,
}  # fmt: skip


class _NotNow(Exception):
    """No attempt is due, or another process delivers."""


async def _claim(services: Services) -> Document | None:
    now = services.clock()

    def edit(document: Document | None) -> Document:
        state = _START | (document or {})
        if state["due"] > now or state["busy"] > now:
            raise _NotNow
        return state | {"busy": now + CLAIM_SECONDS}

    try:
        return await json_documents.update(services.table, KEY, "-", edit)
    except _NotNow:
        return None


async def _change(services: Services, **changes: Any) -> Document:
    return await json_documents.update(services.table, KEY, "-", lambda state: (state or _START) | changes)


def _build_message(services: Services, batch: AuditBatch) -> tuple[str, bytes]:
    """Return the id of the message, the same for the same events, and its body."""
    ends = [f"{event.get('stream')}/{event.get('number')}" for event in (batch.events[0], batch.events[-1])]
    data = {"events": batch.events, "missing": batch.missing}
    content = {"type": "audit.events", "timestamp": format_utc(services.clock()), "data": data}
    return "msg_" + hash_names("audit", *ends)[:32], json.dumps(content, ensure_ascii=False).encode(errors="replace")


def _count_failure(services: Services, state: Document, batch: AuditBatch, result: PostResult) -> Document:
    now, tries = services.clock(), state["tries"] + 1
    pause = PAUSES[-1] if result.is_final else max(result.wait, PAUSES[min(tries, len(PAUSES)) - 1])
    if tries == len(PAUSES):
        log.error("The delivery of audit events is parked; one attempt an hour is made. %s", result.reason)
    last = {"at": format_utc(now), "status": result.status, "reason": result.reason, "excerpt": result.excerpt}
    said = {name: value for name, value in last.items() if value}
    return {"tries": tries, "due": now + pause, "pending": len(batch.events), "last": said}
