"""Cancel a tool call that works in the background."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.models.common import AlsoNamed, Input, Output
from assay.toolkit.tool import tool


class CancelToolCallInput(Input):
    id: Annotated[
        str,
        AlsoNamed("callId"),
        Field(min_length=1, max_length=200, description="callId that start_tool_call returned."),
    ]


class CancelToolCallOutput(Output):
    call_id: Annotated[str, Field(description="The call that was cancelled.")]
    status: Annotated[str, Field(description="cancelled, or the state in which the call had ended.")]


@tool(toolsets=("research", "crawl"), read_only=False, destructive=True, open_world=False)
async def cancel_tool_call(ask: CancelToolCallInput, ctx: Context) -> CancelToolCallOutput:
    """Cancel a call that start_tool_call started. One that has ended stays as it is."""
    from assay.tool_calls.call_report import cancel_call, describe_call, find_call

    job = await cancel_call(ctx.services, await find_call(ctx.services, ctx.caller, ask.id))
    return CancelToolCallOutput(call_id=job.id, status=describe_call(job)["status"])
