"""`assay workspace`: adds, removes and lists the members of a workspace."""

import argparse
import asyncio
import json
import re
from typing import Any

from assay.bootstrap import build_services
from assay.errors import InvalidInput
from assay.services import Services
from assay.state.audit import emit_event
from assay.text.timestamps import format_utc
from assay.workspaces.workspace_store import WorkspaceMembers
from assay.workspaces.workspace_views import WORKSPACE_NAME


def manage_members(options: argparse.Namespace) -> int:
    """Add or remove a member; print the members as JSON."""
    if not re.fullmatch(WORKSPACE_NAME, options.workspace):
        raise InvalidInput("The name of a workspace has 1 to 128 letters, digits and . _ - only.", field="workspace")
    print(json.dumps(asyncio.run(_run(options)), ensure_ascii=False))
    return 0


async def _run(options: argparse.Namespace) -> dict[str, Any]:
    services = build_services()
    try:
        members = WorkspaceMembers(services.table, options.workspace, services.clock)
        await _change(options, services, members)
        rows = await members.list_all()
    finally:
        await services.close()
    return {
        "workspaceId": options.workspace,
        "members": [
            {"tenantId": row["tenant"], "userId": row["user"], "addedAt": format_utc(row["added"])} for row in rows
        ],
    }


async def _change(options: argparse.Namespace, services: Services, members: WorkspaceMembers) -> None:
    owner = (options.tenant, options.user)
    if options.action == "add":
        await members.add(*owner)
        emit_event(services.observers, "workspace.member.add", *owner, services.clock(), workspace=options.workspace)
    elif options.action == "remove" and await members.remove(*owner):
        emit_event(services.observers, "workspace.member.remove", *owner, services.clock(), workspace=options.workspace)
