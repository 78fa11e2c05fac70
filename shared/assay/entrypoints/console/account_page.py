"""A person's account: who they are here, their keys, and what they allowed applications."""

from typing import Any

from fastapi import Response

from assay.administration.access_admin import CreatedKey
from assay.entrypoints.console.page_visit import PageVisit
from assay.errors import Forbidden
from assay.oauth.scopes import ADMIN

PATH = "/console/account"


async def show_account(visit: PageVisit) -> Response:
    """Who one is, one's keys and grants."""
    return await _show(visit)


async def create_key(visit: PageVisit) -> Response:
    """Create a key, and show its secret this once."""
    if visit.is_local:
        raise Forbidden("Nobody signs in on this machine. `assay key create NAME` makes a key for a server.")
    wanted = {name: visit.form.get(name, "").strip() for name in ("name", "expires")}
    scopes = visit.form.get("scopes", "").split()
    created = await visit.run_own_endpoint(
        "create-key",
        {name: value for name, value in wanted.items() if value}
        | ({"scopes": scopes} if scopes else {})
        | {"read_only": visit.form.get("read_only") == "yes"},
    )
    assert isinstance(created, CreatedKey)
    return await _show(visit, created)


async def revoke_key(visit: PageVisit) -> Response:
    """Revoke one of the person's keys; it is refused at once."""
    await visit.run_own_endpoint("revoke-key", {"id": visit.form.get("id", "")})
    return visit.redirect(PATH)


async def revoke_grant(visit: PageVisit) -> Response:
    """Revoke what the person allowed an application."""
    await visit.run_own_endpoint("revoke-grant", {"id": visit.form.get("id", "")})
    return visit.redirect(PATH)


async def _show(visit: PageVisit, created: CreatedKey | None = None) -> Response:
    after = visit.query.get("after")
    keys: Any = await visit.run_own_endpoint("list-keys", {"after": after} if after else {})
    grants: Any = await visit.run_own_endpoint("list-grants")
    return visit.show(
        "account.html",
        keys=keys,
        grants=grants,
        created=created,
        own_scopes=sorted(visit.caller.scopes - {ADMIN}),
    )
