"""What the resources of research show: stored answers, sessions and crawls of the caller.

Sessions and crawls are read by calling the tool for them, so that the same scopes, limits and audit apply.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from assay.context import Context
from assay.errors import InvalidInput
from assay.invoke import invoke
from assay.state import artifacts
from assay.state.owned_data import find_owned

MAX_READ_BYTES = 2_800_000  # of text per read: escaped as JSON it must stay under Lambda's 6 MB response limit
SESSION_SCHEME, CRAWL_SCHEME = "research://session/", "research://crawl/"
CRAWLED_PAGES = 100  # listed by one read; the tool pages the rest


async def read_artifact_text(uri: str, ctx: Context) -> str:
    """Read a large answer stored for the caller's tenant. Raises NotFound, or InvalidInput if it is too large."""
    text = await artifacts.read(ctx.services.bucket, ctx.caller.tenant, uri)
    return _check_size(text, uri, "page it with read_artifact")


async def read_session(uri: str, ctx: Context) -> str:
    """Read the state of one of the caller's research sessions. Raises NotFound."""
    return await _call("get_research_session", {"sessionId": uri.removeprefix(SESSION_SCHEME)}, uri, ctx)


async def read_crawl(uri: str, ctx: Context) -> str:
    """Read the state of a crawl of the caller's tenant and its first pages. Raises NotFound."""
    arguments = {"id": uri.removeprefix(CRAWL_SCHEME), "limit": CRAWLED_PAGES}
    return await _call("cinder_get_crawl_status", arguments, uri, ctx)


async def _call(tool: str, arguments: dict[str, object], uri: str, ctx: Context) -> str:
    reply = await invoke(tool, arguments, replace(ctx, allow_large=True))
    if reply.error is not None:
        raise reply.error
    text = json.dumps(reply.wire, ensure_ascii=False, separators=(",", ":"))
    return _check_size(text, uri, f"read it with {tool}")


def _check_size(text: str, uri: str, advice: str) -> str:
    if len(text.encode()) > MAX_READ_BYTES:
        raise InvalidInput(f"{uri} is too large to be read at once; {advice}.", field="uri")
    return text


async def complete_artifact(beginning: str, ctx: Context, most: int) -> Sequence[str]:
    """The ids of the caller's own stored answers."""
    return await find_owned(ctx.services.table, ctx.caller.tenant, ctx.caller.user, artifacts.KIND, beginning, most)


async def complete_crawl(beginning: str, ctx: Context, most: int) -> Sequence[str]:
    """The ids of the crawls that the caller started."""
    return await find_owned(ctx.services.table, ctx.caller.tenant, ctx.caller.user, "crawl", beginning, most)


async def complete_session(beginning: str, ctx: Context, most: int) -> Sequence[str]:
    """The ids of the caller's own sessions."""
    from assay.sessions.session_index import list_session_ids

    sessions = await list_session_ids(ctx.services.table, ctx.caller.tenant, ctx.caller.user)
    return sorted(session for session in sessions if session.startswith(beginning))[:most]
