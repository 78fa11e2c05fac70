"""The table of endpoints of administration, from which HTTP routes, the OpenAPI document and `assay admin` are made."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from assay.administration import (
    access_admin,
    call_analytics,
    call_trends,
    dashboard,
    job_admin,
    missing_settings,
    own_records,
    person_data,
    prometheus_text,
    server_state,
    stored_state,
    user_jobs,
    webhook_admin,
    workspace_members,
)
from assay.administration.admin_call import AdminCall, OwnAccess, TenantChoice
from assay.errors import Forbidden, InvalidInput, ToolError
from assay.models.common import Input, Output
from assay.toolkit.tool import Tool
from assay.toolkit.tool_registry import find_tool
from assay.toolkit.tool_scopes import has_scope


class AdminEndpoint(NamedTuple):
    """An endpoint. Its tool gives the name, the inputs, the answer and the function.

    `reach` says what it is about: a tenant or a person of it, which the operator has to name; any tenant, or all where
    the operator names none; the server, for the operator alone; or what is shared, for all administrators.
    `is_polled` marks what programs read every few seconds: its successes are not audited. What `is_own` people may also
    do for themselves, on pages where they have signed in: with their account or a key for every tool, and with a key
    for some tools where `narrow_keys` says so. These are the tools that such a key must allow; "consent", because calls
    need consents; or "own", where the function shows and changes only what can do no more than the key.
    """

    method: str
    path: str
    tool: Tool[Any, Any]
    reach: Literal["tenant", "any", "operator", "shared"]
    is_polled: bool = False
    is_own: bool = False
    narrow_keys: tuple[str, ...] | Literal["consent", "own"] = ()
    media_type: str = ""  # of an answer that is not JSON but the answer's markdown

    @property
    def command(self) -> str:
        """The name of the subcommand of `assay admin`."""
        return self.tool.name.replace("_", "-")


ENDPOINTS = (
    AdminEndpoint("GET", "/admin/data", person_data.export_data, "tenant", is_own=True),
    AdminEndpoint("DELETE", "/admin/data", person_data.erase_data, "tenant", is_own=True),
    AdminEndpoint("POST", "/admin/consent", person_data.decide_consent, "tenant", is_own=True, narrow_keys="consent"),
    AdminEndpoint("GET", "/admin/consent", person_data.read_consent, "tenant", is_own=True, narrow_keys="consent"),
    AdminEndpoint("GET", "/admin/consents", person_data.list_consents, "tenant", is_own=True, narrow_keys="consent"),
    AdminEndpoint(
        "GET", "/admin/workspaces", own_records.list_workspaces, "tenant", is_own=True, narrow_keys=("workspace_read",)
    ),
    AdminEndpoint(
        "GET",
        "/admin/research-sessions",
        own_records.list_research_sessions,
        "tenant",
        is_own=True,
        narrow_keys=("research_export",),
    ),
    AdminEndpoint(
        "GET",
        "/admin/user-jobs",
        user_jobs.list_user_jobs,
        "tenant",
        is_own=True,
        narrow_keys=("cinder_get_crawl_status", "audit_document", "get_tool_call"),
    ),
    AdminEndpoint("GET", "/admin/audit-events", own_records.list_audit_events, "tenant", is_own=True),
    AdminEndpoint("GET", "/admin/workspace/members", workspace_members.list_members, "any"),
    AdminEndpoint("POST", "/admin/workspace/members", workspace_members.add_member, "tenant"),
    AdminEndpoint("DELETE", "/admin/workspace/members", workspace_members.remove_member, "tenant"),
    AdminEndpoint("DELETE", "/admin/cache", stored_state.flush_cache, "any"),
    AdminEndpoint("GET", "/admin/sessions", stored_state.list_sessions, "tenant"),
    AdminEndpoint("DELETE", "/admin/sessions", stored_state.flush_sessions, "any"),
    AdminEndpoint("DELETE", "/admin/session", stored_state.delete_session, "tenant"),
    AdminEndpoint("GET", "/admin/keys", access_admin.list_keys, "any", is_own=True, narrow_keys="own"),
    AdminEndpoint("POST", "/admin/keys", access_admin.create_key, "tenant", is_own=True, narrow_keys="own"),
    AdminEndpoint("DELETE", "/admin/keys", access_admin.revoke_key, "any", is_own=True, narrow_keys="own"),
    AdminEndpoint("GET", "/admin/grants", access_admin.list_grants, "tenant", is_own=True, narrow_keys="own"),
    AdminEndpoint("DELETE", "/admin/grants", access_admin.revoke_grant, "tenant", is_own=True, narrow_keys="own"),
    AdminEndpoint("GET", "/admin/jobs", job_admin.list_jobs, "any"),
    AdminEndpoint("POST", "/admin/jobs/retry", job_admin.retry_job, "any"),
    AdminEndpoint("DELETE", "/admin/jobs", job_admin.drop_job, "any"),
    AdminEndpoint("GET", "/admin/dead-letters", job_admin.list_dead_letters, "any"),
    AdminEndpoint("POST", "/admin/dead-letters/retry", job_admin.retry_dead_letter, "any"),
    AdminEndpoint("DELETE", "/admin/dead-letters", job_admin.drop_dead_letter, "any"),
    AdminEndpoint("GET", "/admin/webhook-messages", webhook_admin.list_webhook_messages, "any"),
    AdminEndpoint("POST", "/admin/webhook-messages/retry", webhook_admin.retry_webhook_message, "any"),
    AdminEndpoint("DELETE", "/admin/webhook-messages", webhook_admin.drop_webhook_message, "any"),
    AdminEndpoint("GET", "/admin/quotas", server_state.read_limits, "tenant", is_own=True),
    AdminEndpoint("GET", "/admin/providers", server_state.list_providers, "shared"),
    AdminEndpoint("DELETE", "/admin/breaker", server_state.close_breaker, "operator"),
    AdminEndpoint("GET", "/admin/settings", server_state.read_settings, "operator"),
    AdminEndpoint("GET", "/admin/missing-settings", missing_settings.list_missing_settings, "shared"),
    AdminEndpoint("GET", "/admin/analytics", call_analytics.read_analytics, "any"),
    AdminEndpoint("GET", "/admin/call-history", call_trends.read_call_history, "any"),
    AdminEndpoint("GET", "/admin/errors", call_analytics.list_errors, "any"),
    AdminEndpoint("GET", "/dashboard/data", dashboard.read_dashboard, "any", is_polled=True),
    AdminEndpoint(
        "GET", "/metrics", call_analytics.read_metrics, "any", is_polled=True, media_type=prometheus_text.MEDIA_TYPE
    ),
)


async def run_endpoint(endpoint: AdminEndpoint, arguments: Any, call: AdminCall) -> Output:
    """Run the endpoint for the administrator of the call, and audit it. Raises ToolError."""
    subject, tenant = endpoint.tool.name, call.administrator.tenant or "*"
    try:
        check_reach(endpoint, call)
        ask = bind_tenant(endpoint, _parse(endpoint, bind_person(arguments, call)), call)
        if isinstance(ask, TenantChoice) and ask.tenant_id is not None:
            tenant = ask.tenant_id
        answer: Output = await endpoint.tool.run(ask, call)
    except ToolError as failure:
        call.record(
            "admin.action",
            tenant,
            call.administrator.name,
            subject=subject,
            error=failure.kind,
            request_id=call.request_id,
        )
        raise
    is_own_reading = call.administrator.own is not None and endpoint.tool.read_only
    if not endpoint.is_polled and not is_own_reading:
        call.record("admin.action", tenant, call.administrator.name, subject=subject, request_id=call.request_id)
    return answer


def check_reach(endpoint: AdminEndpoint, call: AdminCall) -> None:
    """Raises Forbidden for what is the operator's or an administrator's alone, and for what the key does not cover."""
    own = call.administrator.own
    if own is not None and not endpoint.is_own:
        raise Forbidden(f"{endpoint.command} is for administrators. Use a key with the scope admin.")
    if own is not None and not own.has_every_tool and not _is_for_key(endpoint, own):
        raise Forbidden(
            f"{endpoint.command} concerns more than the calls of your key, which is for some tools only. "
            "Sign in with a key for every tool (scope tool:*)."
        )
    if call.administrator.is_read_only and not endpoint.tool.read_only:
        raise Forbidden(f"This key is read-only, and {endpoint.command} changes something. Use another key.")
    if endpoint.reach == "operator" and not call.administrator.is_operator:
        raise Forbidden(f"{endpoint.command} is for the operator. Send the operator's key in X-Admin-Key.")


def _is_for_key(endpoint: AdminEndpoint, own: OwnAccess) -> bool:
    """Whether the endpoint is also for this key, which does not allow every tool."""
    if isinstance(endpoint.narrow_keys, str):
        return True
    tools = [find_tool(name) for name in endpoint.narrow_keys]
    return bool(tools) and all(has_scope(tool, own.scopes) for tool in tools)


def bind_person(arguments: Any, call: AdminCall) -> Any:
    """The arguments, about the person themself if they administer nothing else. Raises Forbidden for somebody else."""
    own = call.administrator.own
    if own is None or not isinstance(arguments, Mapping):
        return arguments
    person = {"tenant_id": call.administrator.tenant, "user_id": own.user}
    for name, value in person.items():
        if arguments.get(name, value) != value:
            raise Forbidden("You can do this for yourself only. Leave it out.", field=name)
    return {**arguments, **person}


def bind_tenant(endpoint: AdminEndpoint, ask: Input, call: AdminCall) -> Input:
    """The inputs with the administrator's own tenant. Raises Forbidden for another one, InvalidInput for none."""
    if not isinstance(ask, TenantChoice):
        return ask
    own = call.administrator.tenant
    if own is None:
        if endpoint.reach == "tenant":
            _ = ask.tenant  # raises where there is none
        return ask
    if ask.tenant_id not in (None, own):
        raise Forbidden("You administer another tenant. Leave tenant_id out for your own.", field="tenant_id")
    return ask.model_copy(update={"tenant_id": own})


def _parse(endpoint: AdminEndpoint, arguments: Any) -> Input:
    if not isinstance(arguments, Mapping):
        raise InvalidInput(f"{endpoint.command} takes a JSON object.", field="arguments")
    ask: Input = endpoint.tool.parse(arguments)
    return ask
