"""Lambda handler of crawls, audits and background calls: SQS delivers time slices, a schedule sweeps for stuck jobs."""

from collections.abc import Callable, Mapping
from typing import Any

from assay.entrypoints import runtime
from assay.entrypoints.http.apigateway_event import seconds_of
from assay.services import Services
from assay.state.lambda_invocation import note_invocation
from assay.state.ports import QueueMessage

MODULES = ("assay.aws.sqs_batch", "assay.work_queue.worker", "assay.work_queue.sweeper")  # of the first event
DELIVERY_SECONDS = 90.0  # of a sweep, for audit events
LAST_PAGE = 90.0  # seconds reserved after a time slice for the page in progress


def handler_for(services: Callable[[], Services] = runtime.services) -> Callable[[Mapping[str, Any], object], Any]:
    """The Lambda handler. SQS delivers a failed message again until it becomes a dead letter."""

    def handler(event: Mapping[str, Any], lambda_context: object) -> dict[str, Any]:
        note_invocation(lambda_context)
        world = services()
        if "Records" not in event:
            return runtime.wait_for(sweep(world))
        from assay.aws.sqs_batch import Stays, each

        def work(message: QueueMessage) -> None:
            if runtime.wait_for(process_message(world, message, lambda_context)):
                raise Stays

        return each(event, work)

    return handler


async def sweep(services: Services) -> dict[str, int]:
    """Resume jobs without a worker, and deliver the audit events that wait for the operator's webhook."""
    from assay.webhooks.audit_delivery import deliver_events
    from assay.work_queue import sweeper

    moved = await sweeper.sweep(services)
    return {"moved": moved, "delivered": await deliver_events(services, DELIVERY_SECONDS)}


async def process_message(services: Services, message: QueueMessage, lambda_context: object) -> float:
    """Run one time slice; the seconds until the message is due again, 0.0 when the crawl is done."""
    from assay.work_queue.work_timing import DEFAULT_TIMING
    from assay.work_queue.worker import process_message

    assert services.queue is not None
    queue = services.queue

    async def extend(seconds: float) -> None:
        await queue.extend(message.receipt, seconds)

    left = seconds_of({}, lambda_context)
    again = await process_message(
        services,
        DEFAULT_TIMING,
        message.body,
        receives=message.receives,
        seconds=DEFAULT_TIMING.slice if left is None else max(1.0, left - LAST_PAGE),
        extend=extend,
    )
    if again:
        await extend(again)
    return again
