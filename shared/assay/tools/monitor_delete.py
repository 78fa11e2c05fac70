"""Delete watches of the caller."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.errors import InvalidInput
from assay.jobs.query_watch import unschedule
from assay.models.common import Input, Output
from assay.monitoring.watch_records import Watch
from assay.monitoring.watch_views import NO_WATCH, Reason, WatchId, WatchStatus
from assay.toolkit.tool import tool
from assay.webhooks.webhook_endpoints import remove_endpoint


class MonitorDeleteInput(Input):
    ids: Annotated[
        list[WatchId] | None, Field(min_length=1, max_length=100, description="Ids of the watches to delete.")
    ] = None
    everything: Annotated[bool, Field(description="Delete all watches of the caller.")] = False


class MonitorDeleteOutput(Output):
    status: WatchStatus
    reason: Reason = None
    deleted_count: Annotated[int, Field(description="Number of watches deleted.")] = 0


@tool(open_world=False, read_only=False, destructive=True, flag="MONITORING_ENABLED")
async def monitor_delete(ask: MonitorDeleteInput, ctx: Context) -> MonitorDeleteOutput:
    """Delete watches of the caller for good, with what they found and their feed addresses: by ids, or everything. Also
    after consent was withdrawn."""
    store = ctx.own.watches
    if (ask.ids is not None) == ask.everything:
        raise InvalidInput("Say which watches: give ids or everything.", field="ids")
    if refusal := ctx.refuse_unknown_user():  # consent is not needed to delete
        return MonitorDeleteOutput(status=refusal.status, reason=refusal.reason)
    watched = await store.list_all()
    ids = dict.fromkeys(ask.ids or [watch.id for watch in watched])
    await unschedule(ids, ctx)
    count = 0
    for identity in ids:
        count += await store.delete(identity)
    await remove_unused_webhooks(watched, ctx)
    if ask.ids and not count:
        return MonitorDeleteOutput(status="not_found", reason=NO_WATCH)
    return MonitorDeleteOutput(status="ok", deleted_count=count)


async def remove_unused_webhooks(before: Sequence[Watch], ctx: Context) -> None:
    """Remove the webhooks that only deleted watches used."""
    used = {watch.webhook for watch in await ctx.own.watches.list_all()}
    for webhook in {watch.webhook for watch in before} - used - {""}:
        await remove_endpoint(ctx.services.table, ctx.caller, webhook)
