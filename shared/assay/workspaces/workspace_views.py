"""Output models of workspaces, shared by the workspace tools."""

from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import Output, Pattern
from assay.text.timestamps import format_utc
from assay.workspaces.workspace_store import Contribution

WORKSPACE_TRUST: Literal["untrusted-external-content"] = "untrusted-external-content"
NOT_MEMBER = (
    "You are not a member of this workspace. The operator adds members with `assay workspace add WORKSPACE "
    "--tenant TENANT --user USER`."
)
WORKSPACE_NAME = r"[A-Za-z0-9._-]{1,128}"

type WorkspaceId = Annotated[str, Pattern(WORKSPACE_NAME, "1 to 128 letters, digits and . _ -")]
type ContributionId = Annotated[str, Pattern(r"[0-9a-f]{32}", "the id of a contribution")]
type WorkspaceStatus = Annotated[
    Literal["ok", "not_member", "no_consent", "unavailable"],
    Field(description="ok; not_member; no_consent: nothing is shared without consent; unavailable: unknown user."),
]


class ContributionEntry(Output):
    id: str
    workspace_id: Annotated[str, Field(description="Workspace that it was shared in.")]
    contributor_tenant: Annotated[str, Field(description="Tenant of the contributor.")]
    contributor_user: Annotated[str, Field(description="Who shared it.")]
    note: Annotated[str, Field(description="The finding.")]
    url: Annotated[str | None, Field(description="Source that the note rests on.")] = None
    tags: Annotated[list[str] | None, Field(description="Labels of the finding.")] = None
    created_at: Annotated[str, Field(description="RFC 3339, UTC.")]


def build_contribution_entry(contribution: Contribution) -> ContributionEntry:
    return ContributionEntry(
        id=contribution.id,
        workspace_id=contribution.workspace,
        contributor_tenant=contribution.tenant,
        contributor_user=contribution.user,
        note=contribution.note,
        url=contribution.url or None,
        tags=list(contribution.tags) or None,
        created_at=format_utc(contribution.created),
    )
