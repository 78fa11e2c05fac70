"""Workspaces that a person is a member of, and what their members shared."""

from typing import Any

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit

PATH = "/console/workspaces"


async def list_workspaces(visit: PageVisit) -> Response:
    """The person's workspaces."""
    return visit.show("workspaces.html", found=await visit.run_own_endpoint("list-workspaces"))


async def show_workspace(visit: PageVisit) -> Response:
    """The contributions to one workspace, the newest first."""
    name, cursor = visit.parameters["name"], visit.query.get("cursor", "")
    found: dict[str, Any] = await visit.read_tool("workspace_read", {"workspace_id": name, "cursor": cursor})
    return visit.show("workspace.html", title="A workspace", name=name, found=found, path=PATH)


async def withdraw(visit: PageVisit) -> Response:
    """Withdraw one of the person's own contributions."""
    name = visit.parameters["name"]
    await visit.read_tool("workspace_withdraw", {"workspace_id": name, "id": visit.form.get("id", "")})
    return visit.redirect(visit.request.url.path)
