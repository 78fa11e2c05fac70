"""Lists and deletes research sessions, and flushes cached answers."""

from typing import Annotated, cast

from pydantic import Field

from assay.administration.admin_call import AdminCall, TenantChoice, UserFilter
from assay.errors import Forbidden, NotFound
from assay.models.common import Output, Pattern
from assay.sessions import session_index
from assay.state import cache
from assay.statistics.call_statistics import list_tenants
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

LOCAL_TENANT = "local"  # of the command line, whose calls are not counted


class FlushedCache(Output):
    status: Annotated[str, Field(description="cache flushed")] = "cache flushed"
    flushed_at: Annotated[str, Field(description="Answers that were stored before count as absent.")]
    deleted: Annotated[int | None, Field(description="Rows deleted at once; on AWS they expire by themselves.")] = None


@tool(read_only=False, destructive=True)
async def flush_cache(ask: TenantChoice, call: AdminCall) -> FlushedCache:
    """Forget the cached answers of the tenant, or of all, in every instance within five seconds."""
    services, administrator = call.services, call.administrator
    if not services.settings.tenant_isolation and ask.tenant_id is not None:
        reason = "Tenants share the cache (CACHE_ISOLATION=shared), so it can only be flushed for all."
        raise Forbidden(
            f"{reason} Leave tenant_id out." if administrator.is_operator else f"{reason} Ask the operator.",
            field="tenant_id",
        )
    flushed = await services.cache.flush(ask.tenant_id or cache.EVERYONE)
    deleted = None
    if not services.settings.table_name:
        table = cast("cache.KeyDeleter", services.table)
        deleted = await cache.clear(table, services.bucket, ask.tenant_id or "")
    return FlushedCache(flushed_at=format_utc(flushed), deleted=deleted)


class SessionEntry(Output):
    id: Annotated[str, Field(description="Digest of the session, for `delete-session`.")]
    started_at: str
    last_used_at: str


class SessionList(Output):
    active_sessions: int
    sessions: Annotated[list[SessionEntry], Field(description="Those used last first; a tenant has 50 at most.")]


@tool()
async def list_sessions(ask: UserFilter, call: AdminCall) -> SessionList:
    """List the live research sessions of a tenant or of one user, without their content."""
    entries = await session_index.list_entries(call.services.table, ask.tenant, ask.user_id)
    return SessionList(
        active_sessions=len(entries),
        sessions=[
            SessionEntry(
                id=entry["key"].removeprefix("session/"),
                started_at=format_utc(entry["begun"]),
                last_used_at=format_utc(entry["used"]),
            )
            for entry in entries
        ],
    )


class FlushedSessions(Output):
    status: Annotated[str, Field(description="sessions flushed")] = "sessions flushed"
    deleted: int


@tool(read_only=False, destructive=True)
async def flush_sessions(ask: UserFilter, call: AdminCall) -> FlushedSessions:
    """Delete all research sessions of one user, of a tenant, or of all tenants."""
    table = call.services.table
    is_all = ask.tenant_id is None and ask.user_id is None
    tenants = sorted({LOCAL_TENANT, *await list_tenants(table)}) if is_all else [ask.tenant]
    return FlushedSessions(deleted=sum([await session_index.erase(table, each, ask.user_id) for each in tenants]))


class SessionIdentity(TenantChoice):
    id: Annotated[str, Pattern(r"[0-9a-f]{64}", "the id of a session"), Field(description="As `list-sessions` has it.")]


@tool(read_only=False, destructive=True)
async def delete_session(ask: SessionIdentity, call: AdminCall) -> FlushedSessions:
    """Delete one research session."""
    if not await session_index.erase_one(call.services.table, ask.tenant, f"session/{ask.id}"):
        raise NotFound("The tenant has no session with this id. `list-sessions` shows the ids.", field="id")
    return FlushedSessions(deleted=1)
