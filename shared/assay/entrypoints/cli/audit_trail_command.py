"""`assay audit verify|deliver`: verifies the audit trail of this machine, and delivers it to the operator's webhook."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from assay.bootstrap import build_services
from assay.errors import ConfigError
from assay.services import Services


def verify_audit_trail() -> int:
    """Print the report as JSON; the exit code is 0 for a trail that is intact, else 1."""
    report = asyncio.run(_with_services(_verify))
    print(json.dumps(report, ensure_ascii=False))
    return 0 if report["intact"] else 1


def deliver_audit_trail() -> int:
    """Deliver the events that wait and print the state of the delivery; the exit code is 1 if the receiver fails."""
    state = asyncio.run(_with_services(_deliver))
    print(json.dumps(state, ensure_ascii=False))
    return 1 if state["tries"] else 0


async def _with_services(work: Callable[[Services], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    services = build_services()
    try:
        return await work(services)
    finally:
        await services.close()


async def _verify(services: Services) -> dict[str, Any]:
    settings = services.settings
    if settings.table_name:
        return await _verify_bucket(services)
    from assay.local.audit_verification import verify_trail
    from assay.local.cipher import Cipher

    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return await verify_trail(settings.home, Cipher.of(settings).keys, services.table)


async def _verify_bucket(services: Services) -> dict[str, Any]:
    from assay.aws.audit_stream_verification import verify_streams

    settings = services.settings
    if not settings.audit_bucket:
        message = "Set AUDIT_BUCKET. Without it the audit events are lines of the log group alone, without seals."
        raise ConfigError(message, field="AUDIT_BUCKET", action="inform_user")
    retention = settings.audit_retention_days * 86_400
    return await verify_streams(
        settings.audit_bucket, services.table, now=services.clock(), retention_seconds=retention
    )


async def _deliver(services: Services) -> dict[str, Any]:
    from assay.webhooks.audit_delivery import deliver_events, describe_delivery, load_audit_webhook

    if not load_audit_webhook(services.settings)[0]:
        raise ConfigError("Set AUDIT_WEBHOOK_URL and AUDIT_WEBHOOK_SECRET.", field="AUDIT_WEBHOOK_URL")
    await deliver_events(services, seconds=300)
    return await describe_delivery(services)
