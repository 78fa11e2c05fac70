"""Delete a contribution of the caller's own from a workspace."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.errors import NotFound
from assay.models.common import Input, Output
from assay.toolkit.tool import tool
from assay.workspaces.workspace_views import WorkspaceId, WorkspaceStatus


class WorkspaceWithdrawInput(Input):
    workspace_id: Annotated[WorkspaceId, Field(description="Workspace that it was shared in.")]
    id: Annotated[
        str, Field(min_length=1, max_length=64, description="Contribution to delete, which must be your own.")
    ]


class WorkspaceWithdrawOutput(Output):
    status: WorkspaceStatus
    reason: Annotated[str | None, Field(description="Why it was refused.")] = None


@tool(open_world=False, read_only=False, destructive=True, flag="WORKSPACES_ENABLED")
async def workspace_withdraw(ask: WorkspaceWithdrawInput, ctx: Context) -> WorkspaceWithdrawOutput:
    """Delete one of the caller's own contributions from a workspace for good, also after the caller left it or withdrew
    consent. Nobody can delete the contributions of others."""
    workspace = ctx.own.open_workspace(ask.workspace_id)
    if refusal := ctx.refuse_unknown_user():  # consent is not needed to delete
        return WorkspaceWithdrawOutput(status=refusal.status, reason=refusal.reason)
    if not await workspace.withdraw(ask.id):
        raise NotFound("You have no contribution with this id in this workspace.", field="id")
    return WorkspaceWithdrawOutput(status="ok")
