"""Webhook messages as a kind of job for the common worker: attempts with growing pauses, until one succeeds."""

import logging
import random
from contextlib import suppress

from assay.errors import NotFound, mask_credentials
from assay.services import Services
from assay.text.timestamps import format_utc
from assay.webhooks.webhook_endpoints import WebhookEndpoint, load_endpoint, pause_endpoint
from assay.webhooks.webhook_outbox import DELIVERIES, UNDELIVERED, Delivery
from assay.webhooks.webhook_post import PostResult, post_signed
from assay.work_queue.job_kinds import JobKind, TimeShare
from assay.work_queue.job_record import Status
from assay.work_queue.work_timing import WorkTiming

log = logging.getLogger("assay")
REMOVED = "The address was removed."
FAILING = "The address failed for other messages during all of this time."
EXHAUSTED = "{} attempts failed. {}"
LONGEST_PAUSE = 300.0  # seconds for which other messages wait after a failure of their endpoint
JITTER = 0.1  # part of a pause by which it may be longer, so that messages that failed together spread out


async def run_slice(services: Services, job: Delivery, share: TimeShare) -> float | None:
    """Make one attempt; return the seconds until the next, None if there is none."""
    now = services.clock()
    try:
        endpoint = await load_endpoint(services.table, job.tenant, job.user, job.endpoint)
    except NotFound:
        await _end(services, job, "cancelled", stopped=REMOVED, body="")
        return None
    if endpoint.paused_until > now:
        if now > job.created + share.timing.job:
            await _park(services, job, FAILING)
            return None
        return await _wait_until(services, job, endpoint.paused_until)
    result = await post_signed(services, endpoint.url, endpoint.list_secrets(now), job.message, job.body.encode())
    if result.is_delivered:
        await _end(services, job, "completed", tries=job.tries + 1, body="", error=None)
        return None
    return await _handle_failure(services, share.timing, job, endpoint, result)


async def _handle_failure(
    services: Services, timing: WorkTiming, job: Delivery, endpoint: WebhookEndpoint, result: PostResult
) -> float | None:
    now, tries = services.clock(), job.tries + 1
    last = {"at": format_utc(now), "status": result.status, "reason": result.reason, "excerpt": result.excerpt}
    job = await DELIVERIES.change(services.table, job, tries=tries, last={n: v for n, v in last.items() if v})
    if result.is_final or tries > len(timing.delivery_pauses):
        await _park(services, job, EXHAUSTED.format(tries, result.reason))
        return None
    pause = max(result.wait, timing.delivery_pauses[tries - 1] * random.uniform(1, 1 + JITTER))
    with suppress(NotFound):  # removed meanwhile
        await pause_endpoint(services.table, job.owner, endpoint.id, now + min(pause, LONGEST_PAUSE))
    return await _wait_until(services, job, now + pause)


async def _wait_until(services: Services, job: Delivery, due: float) -> float:
    await DELIVERIES.change(services.table, job, due=due)
    return max(0.0, due - services.clock())


async def _park(services: Services, job: Delivery, reason: str) -> None:
    """Keep the message among the undelivered ones without further attempts."""
    await services.table.put(UNDELIVERED, job.sort, b"{}", until=job.until)
    log.warning("a webhook message to %s is parked: %s", mask_credentials(job.url), reason)
    await DELIVERIES.end(services.table, job, "failed", services.clock(), units=0, error=reason)


async def _end(services: Services, job: Delivery, status: Status, **changes: object) -> None:
    await services.table.delete(UNDELIVERED, job.sort)  # first: an ended job is not looked at again
    await DELIVERIES.end(services.table, job, status, services.clock(), units=int(status == "completed"), **changes)


async def count_deliveries(_: Services, job: Delivery) -> int:
    """Return 0, since a job whose message was delivered has ended."""
    return int(job.status == "completed")


KIND = JobKind(DELIVERIES, run_slice, count_deliveries, "webhook message", "attempt")
