"""Share a finding with the members of a workspace."""

from typing import Annotated

from pydantic import Field, field_validator

from assay.consent.consent_views import ConsentNeeded
from assay.context import Context
from assay.errors import InvalidInput
from assay.models.common import NOTE_TOO_LARGE, Cleared, Input, Note, Output
from assay.net.urls import canonicalize_url
from assay.state.ports import ValueTooLarge
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool
from assay.workspaces.workspace_store import NotMember, TooManyContributions
from assay.workspaces.workspace_views import NOT_MEMBER, WorkspaceId, WorkspaceStatus

MAX_TAG, MAX_TAGS = 50, 20

type Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG)]


class WorkspaceContributeInput(Input):
    workspace_id: Annotated[WorkspaceId, Field(description="Workspace to contribute to, which you are a member of.")]
    note: Annotated[Note, Field(description="Finding to share, up to 65536 bytes of UTF-8.")]
    url: Annotated[Cleared[str], Field(description="Source of the note.")] = None
    tags: Annotated[list[Tag] | None, Field(max_length=MAX_TAGS, description="Labels of the finding.")] = None

    @field_validator("tags")
    @classmethod
    def _each_on_one_line(cls, tags: list[str] | None) -> list[str] | None:
        return None if tags is None else [" ".join(tag.split()) for tag in tags]


class WorkspaceContributeOutput(Output):
    status: WorkspaceStatus
    reason: Annotated[str | None, Field(description="Why it was refused, and how to change that.")] = None
    consent: ConsentNeeded = None
    id: Annotated[str | None, Field(description="Id of the contribution; workspace_withdraw takes it.")] = None
    created_at: Annotated[str | None, Field(description="RFC 3339, UTC.")] = None


@tool(open_world=False, read_only=False, idempotent=False, flag="WORKSPACES_ENABLED")
async def workspace_contribute(ask: WorkspaceContributeInput, ctx: Context) -> WorkspaceContributeOutput:
    """Share a finding with all members of a workspace, as a copy with the caller's name and the time. Ask the person
    before sharing. Read with workspace_read."""
    workspace = ctx.own.open_workspace(ask.workspace_id)
    url = canonicalize_url(ask.url) if ask.url else ""
    if refusal := await ctx.refuse_without_consent("workspace"):
        return WorkspaceContributeOutput(status=refusal.status, reason=refusal.reason, consent=refusal.request)
    try:
        contribution = await workspace.contribute(ask.note, url=url, tags=ask.tags or ())
    except NotMember:
        ctx.refusal = "not_member"
        return WorkspaceContributeOutput(status="not_member", reason=NOT_MEMBER)
    except ValueTooLarge:
        raise InvalidInput(NOTE_TOO_LARGE, field="note") from None
    except TooManyContributions:
        raise InvalidInput(
            f"You have {ctx.services.settings.workspace_most} contributions in this workspace, which is the "
            "limit. Withdraw some with workspace_withdraw, or wait until the oldest expire.",
            field="note",
        ) from None
    return WorkspaceContributeOutput(status="ok", id=contribution.id, created_at=format_utc(contribution.created))
