"""Check whether a site's robots.txt allows a URL."""

import asyncio
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from assay.context import Context
from assay.errors import InvalidInput, UpstreamFailed
from assay.net import json_tool_fetch
from assay.net.guarded_client import Fetched, GuardedClient
from assay.net.transport import REDIRECTS
from assay.net.urls import ParsedUrl, parse_url
from assay.text.robots_txt import MAX_BYTES, RobotsGroup, find_group
from assay.text.url_parts import join_url
from assay.toolkit.json_tools import JsonContract, JsonToolInput, JsonToolOutput
from assay.toolkit.tool import tool

NAME = "robots_check"
TIMEOUT_SECONDS = 5.0
MAX_REDIRECTS = 5


def _validate_url(url: str) -> str:
    if not url.strip():
        raise ValueError("missing url")
    return url


def _agent(agent: str) -> str:
    return agent.strip() or "agentcli"


class RobotsCheckInput(JsonToolInput):
    model_config = ConfigDict(json_schema_extra={"required": ["url"]})

    url: Annotated[
        str,
        AfterValidator(_validate_url),
        Field(validate_default=True, description="http(s) URL that the robot would fetch."),
    ] = ""
    user_agent: Annotated[
        str, AfterValidator(_agent), Field(description="Robot's product name, as in robots.txt, such as Googlebot.")
    ] = "agentcli"


class RobotsCheckOutput(JsonToolOutput):
    allowed: Annotated[bool, Field(description="Whether the robot may fetch the URL.")]
    crawl_delay_ms: Annotated[int | None, Field(description="Pause between requests in milliseconds.")] = None
    group_rules: Annotated[list[str], Field(description="Rules that apply, as written, with their User-agent lines.")]


@tool(title="robots.txt check", toolsets=("json",), plain=JsonContract(prefix="invalid input: "))
async def robots_check(ask: RobotsCheckInput, ctx: Context) -> RobotsCheckOutput:
    """Check whether a site's robots.txt allows a robot to fetch a URL, by RFC 9309: longest match, * and $,
    merged groups. No robots.txt (4xx) means allowed; a failing server (5xx) means not allowed."""
    at, services = _address(ask.url), ctx.services
    async with json_tool_fetch.open_client(services.web, services.settings, NAME, services.web_overrides) as web:
        response = await _fetch_robots(web, at, min(TIMEOUT_SECONDS, ctx.time_left()))
    if response.status >= 500:
        return RobotsCheckOutput(allowed=False, group_rules=[])
    group = find_group(ask.user_agent, response.body) if response.status < 300 else RobotsGroup()
    return RobotsCheckOutput(
        allowed=group.allows(at.url), crawl_delay_ms=group.crawl_delay_ms, group_rules=list(group.lines)
    )


def _address(url: str) -> ParsedUrl:
    try:
        return json_tool_fetch.parse_http_url(url)
    except InvalidInput as wrong:
        raise InvalidInput(f"bad url: {wrong.message}", field="url") from wrong


async def _fetch_robots(web: GuardedClient, at: ParsedUrl, seconds: float) -> Fetched:
    """Fetch robots.txt, following redirects within the origin. Raises UpstreamFailed for other redirects."""
    loop = asyncio.get_running_loop()
    url, until = join_url(at.url, "/robots.txt"), loop.time() + seconds
    for _ in range(MAX_REDIRECTS + 1):
        response = await json_tool_fetch.fetch(
            web,
            url,
            headers={"user-agent": json_tool_fetch.build_user_agent(NAME)},
            cap=MAX_BYTES + 1,
            seconds=max(until - loop.time(), 0.01),
            max_redirects=0,
        )
        if response.status not in REDIRECTS or not response.headers.get("location"):
            break
        url = _resolve_redirect(at, response)
    else:
        raise UpstreamFailed("robots.txt: too many redirects", hint=f"{MAX_REDIRECTS} are followed, within the origin")
    if response.status < 200 or 300 <= response.status < 400:
        raise UpstreamFailed(f"robots.txt status {response.status}")
    return json_tool_fetch.require_complete(response) if response.status < 300 else response


def _resolve_redirect(at: ParsedUrl, response: Fetched) -> str:
    """Return the redirect's target. Raises UpstreamFailed if it is in another origin."""
    try:
        onward = parse_url(response.headers["location"], response.url)
    except InvalidInput:
        onward = None
    if onward is None or onward.origin != at.origin:
        raise UpstreamFailed("robots.txt redirects to another origin", hint="ask about that origin instead")
    return onward.url
