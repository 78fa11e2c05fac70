"""Start a tool call in the background."""

from typing import Annotated, Any, Literal

from pydantic import Field

from assay.context import Context
from assay.models.common import Input, JsonObject, Output
from assay.toolkit.tool import tool

type BackgroundTool = Literal[
    "audit_bibliography",
    "brand_research",
    "cinder_extract",
    "cinder_search_and_scrape",
    "paper_fulltext",
    "search_and_scrape",
    "verify_recommendation",
]


class StartToolCallInput(Input):
    tool: Annotated[BackgroundTool, Field(description="Name of the tool.")]
    arguments: Annotated[dict[str, Any], JsonObject(), Field(description="Arguments of the tool, as JSON.")]


class StartToolCallOutput(Output):
    call_id: Annotated[str, Field(description="Pass it to get_tool_call or cancel_tool_call.")]
    tool: Annotated[str, Field(description="Name of the tool.")]
    status: Annotated[Literal["working"], Field(description="State of the call.")] = "working"
    expires_at: Annotated[str, Field(description="When it is deleted, RFC 3339, UTC.")]

    def markdown(self) -> str:
        return f"{self.tool} works in the background. Fetch its answer with get_tool_call, id {self.call_id}."


@tool(toolsets=("research", "crawl"), read_only=False, idempotent=False)
async def start_tool_call(ask: StartToolCallInput, ctx: Context) -> StartToolCallOutput:
    """Start a tool that takes long, and do something else meanwhile. Returns a callId at once, for get_tool_call.
    audit_document and cinder_crawl work in the background by themselves."""
    from assay.text.timestamps import format_utc
    from assay.tool_calls.call_start import start_named_call

    job = await start_named_call(ctx, ask.tool, ask.arguments)
    return StartToolCallOutput(call_id=job.id, tool=job.tool, expires_at=format_utc(job.until))
