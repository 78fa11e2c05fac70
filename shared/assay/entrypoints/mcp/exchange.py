"""The context of one MCP request (caller, selected tools, deadline), and the form of a tool's answer."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.caller import Caller
from assay.context import Context
from assay.entrypoints.mcp.app_negotiation import declares_apps
from assay.entrypoints.mcp.client_requests import Questioner
from assay.entrypoints.mcp.progress import Reporter
from assay.entrypoints.mcp.protocol_versions import CAPABILITIES_KEY, envelope_of, is_modern
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.entrypoints.mcp.tool_selection import ALL_TOOLS, ToolSelection
from assay.errors import InsufficientScope
from assay.invoke import Reply
from assay.oauth.server_addresses import MCP_PATH
from assay.services import Services
from assay.state.rate_limit import Quota

type Params = Mapping[str, Any]
type Result = dict[str, Any]


@dataclass(frozen=True)
class Exchange:
    """The context of one request. `deadline` is in seconds of the event loop's clock; `report` sends progress."""

    catalogue: ToolCatalogue
    services: Services
    caller: Caller
    version: str
    selection: ToolSelection = ALL_TOOLS
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    deadline: float | None = None
    report: Reporter | None = None
    quotas: list[Quota] = field(default_factory=list)  # the limits that counted the request
    path: str = MCP_PATH  # of the endpoint
    consent_page: str = ""  # its address, "" where there is none
    questioner: Questioner | None = None  # asks a person through a client of the older revisions during a call
    has_apps: bool = False  # the client of an older revision draws app views, or the address says so

    def draws_apps(self, params: Params) -> bool:
        """Whether the client draws app views of the selected tools. In 2026-07-28 each request declares it."""
        if self.selection.is_fixed:
            return False
        declared = is_modern(self.version) and declares_apps(envelope_of(params).get(CAPABILITIES_KEY))
        return declared or self.has_apps

    def offers(self, name: str) -> bool:
        return self.catalogue.offers(name, self.selection)

    def context(self) -> Context:
        return Context(
            self.services,
            self.caller,
            entrypoint="mcp",
            request_id=self.request_id,
            deadline=self.deadline,
            report=self.report,
            quotas=self.quotas,
            consent_page=self.consent_page,
            offers=self.offers,
            can_fetch_later=self.offers("get_tool_call"),
        )


async def run_tool(params: Params, exchange: Exchange, ctx: Context) -> Reply:
    """Run the tool of a `tools/call`. Raises InsufficientScope, after which an OAuth client asks for the scope."""
    arguments = params.get("arguments")
    reply = await exchange.catalogue.run(params["name"], {} if arguments is None else arguments, ctx)
    if isinstance(reply.error, InsufficientScope) and exchange.caller.has_token:
        raise reply.error
    return reply


def to_tool_result(reply: Reply, exchange: Exchange) -> Result:
    """Convert the reply to a `tools/call` result."""
    if reply.error is not None:
        return {"content": [{"type": "text", "text": reply.error.text()}], "isError": True}
    content = exchange.catalogue.content(reply, exchange.version)
    result: Result = {"content": content, "structuredContent": reply.wire, "isError": False}
    return result | {"_meta": reply.meta} if reply.meta else result
