"""The members of workspaces.

Workspaces have names that tenants share, so an administrator of a tenant adds people only to workspaces that people of
that tenant are in already: otherwise they could read the findings of other tenants, or learn which workspaces exist.
"""

from typing import Annotated, Literal

from pydantic import Field

from assay.administration.admin_call import AdminCall, PersonChoice, TenantChoice
from assay.errors import Forbidden
from assay.models.common import Output
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool
from assay.workspaces.workspace_store import WorkspaceMembers
from assay.workspaces.workspace_views import WorkspaceId


class WorkspaceChoice(TenantChoice):
    workspace_id: Annotated[WorkspaceId, Field(description="Name of the workspace.")]


class MemberChoice(PersonChoice):
    workspace_id: Annotated[WorkspaceId, Field(description="Name of the workspace.")]


class MembershipChange(Output):
    status: Literal["ok"] = "ok"
    changed: Annotated[bool, Field(description="Whether anything changed.")]


class MemberEntry(Output):
    tenant_id: str
    user_id: str
    added_at: str


class MemberList(Output):
    workspace_id: str
    members: list[MemberEntry]


@tool(read_only=False)
async def add_member(ask: MemberChoice, call: AdminCall) -> MembershipChange:
    """Add a member to a workspace. The operator adds the first one of a tenant."""
    members = _find_members(ask.workspace_id, call)
    if await members.is_member(ask.tenant, ask.user_id):
        return MembershipChange(changed=False)
    own = call.administrator.tenant
    if own is not None and not any(row["tenant"] == own for row in await members.list_all()):
        raise Forbidden(
            "Nobody of your tenant is a member of this workspace. Only the operator can add the first one.",
            field="workspace_id",
        )
    await members.add(ask.tenant, ask.user_id)
    call.record("workspace.member.add", ask.tenant, ask.user_id, workspace=ask.workspace_id)
    return MembershipChange(changed=True)


@tool(read_only=False)
async def remove_member(ask: MemberChoice, call: AdminCall) -> MembershipChange:
    """Remove a member from a workspace; what they contributed stays."""
    changed = await _find_members(ask.workspace_id, call).remove(ask.tenant, ask.user_id)
    if changed:
        call.record("workspace.member.remove", ask.tenant, ask.user_id, workspace=ask.workspace_id)
    return MembershipChange(changed=changed)


@tool()
async def list_members(ask: WorkspaceChoice, call: AdminCall) -> MemberList:
    """List the members of a workspace, those added first at the top."""
    rows = await _find_members(ask.workspace_id, call).list_all()
    return MemberList(
        workspace_id=ask.workspace_id,
        members=[
            MemberEntry(tenant_id=row["tenant"], user_id=row["user"], added_at=format_utc(row["added"]))
            for row in rows
            if ask.tenant_id in (None, row["tenant"])
        ],
    )


def _find_members(workspace: str, call: AdminCall) -> WorkspaceMembers:
    return WorkspaceMembers(call.services.table, workspace, call.services.clock)
