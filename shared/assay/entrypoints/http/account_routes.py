"""Pages of a person: what they allowed, and the code of a program that waits for them."""

from collections.abc import Callable

from fastapi import APIRouter, Response

from assay.administration.admin_call import OwnAccess
from assay.entrypoints.http.authorization_routes import GRANTS_PATH, show_next
from assay.entrypoints.http.grant_events import record_grant
from assay.entrypoints.http.sign_in_pages import format_device_entry, format_grants, format_notice
from assay.entrypoints.http.sign_in_visit import Visit, as_page, parse_fields
from assay.errors import Forbidden
from assay.oauth.attempt_limits import AUTHORIZATION, DEVICE_CODE_ENTRY, count_attempt
from assay.oauth.browser_sessions import create_cookie, end_session
from assay.oauth.consents import forget_consents
from assay.oauth.device_codes import find_device
from assay.oauth.grants import find_own_grant, list_grants, revoke_grant
from assay.oauth.secret_values import digest
from assay.oauth.sign_in_requests import SignInRequest, save_request
from assay.services import Services


def account_routes(services: Callable[[], Services]) -> APIRouter:
    """The routes for browsers."""
    router = APIRouter(prefix="/oauth")
    for path, method, answer in (
        ("/grants", "GET", show_grants),
        ("/grants", "POST", revoke_own),
        ("/sign-out", "POST", sign_out),
        ("/device", "GET", ask_for_code),
        ("/device", "POST", enter_code),
    ):
        router.add_api_route(path, as_page(services, answer), methods=[method])
    return router


async def show_grants(visit: Visit) -> Response:
    """What the person allowed; first the sign-in page if they have not signed in."""
    table, person = visit.services.table, await visit.find_person()
    if person is None:
        return await ask_to_sign_in(visit, "grants")
    own = OwnAccess.from_principal(person, person.scopes, is_local=False)
    found = await list_grants(table, person.tenant, person.user)
    grants = [grant for grant in found if own.has_every_tool or own.rules_over_grant(grant.allowed)]
    return visit.show(format_grants(grants, person, visit.token))


async def ask_to_sign_in(visit: Visit, kind: str, own_page: str = "") -> Response:
    """The sign-in page, from which the person comes back to their own page of this kind.

    `own_page` is the address of a page of the console, without the host.
    """
    await count_attempt(visit.services.table, AUTHORIZATION, visit.address, visit.now)
    request = SignInRequest(kind, digest(visit.cookie), own_page=own_page)
    return await show_next(visit, await save_request(visit.services.table, request, visit.now))


async def revoke_own(visit: Visit) -> Response:
    """Revoke one of the person's grants; every client has to ask for consent again."""
    form, table = await visit.read_form(), visit.services.table
    person, key = await visit.find_person(), form.get("grant", "")
    allowed = await find_own_grant(table, person.tenant, person.user, key) if person is not None else None
    if person is not None and allowed is not None:
        if not OwnAccess.from_principal(person, person.scopes, is_local=False).rules_over_grant(allowed):
            raise Forbidden("This application can do more than your key. Sign in with a key for every tool.")
        record_grant(visit.services, "grant.revoke", await revoke_grant(table, key))
        await forget_consents(table, person.tenant, person.user)
    return visit.redirect(GRANTS_PATH)


async def sign_out(visit: Visit) -> Response:
    """End the session of this browser; grants stay."""
    await visit.read_form()
    await end_session(visit.services.table, visit.cookie)
    visit.cookie = create_cookie()
    return visit.show(format_notice("Signed out", "You have signed out. What you allowed stays until you revoke it."))


async def ask_for_code(visit: Visit) -> Response:
    code = parse_fields(visit.request.url.query).get("user_code", "")
    return visit.show(format_device_entry(visit.token, code))


async def enter_code(visit: Visit) -> Response:
    """Continue with the program that shows this code."""
    form, table = await visit.read_form(), visit.services.table
    await count_attempt(table, DEVICE_CODE_ENTRY, visit.address, visit.now)
    found = await find_device(table, form.get("user_code", ""))
    if found is None:
        error = "No program waits with this code. Check it, or start again there."
        return visit.show(format_device_entry(visit.token, error=error), 400)
    device, document = found
    request = SignInRequest(
        "device",
        digest(visit.cookie),
        client=document["client"],
        scopes=tuple(document["scopes"]),
        resource=document["resource"],
        device=device,
        user_code=form["user_code"].upper()[:20],
    )
    return await show_next(visit, await save_request(table, request, visit.now))
