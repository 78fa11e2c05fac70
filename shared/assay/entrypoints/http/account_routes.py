"""Pages of a person: signing out, and the code of a program that waits for them."""

from collections.abc import Callable

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from starlette.routing import Route

from assay.entrypoints.http.authorization_routes import show_next
from assay.entrypoints.http.plain_routes import build_route
from assay.entrypoints.http.sign_in_pages import ACCOUNT_PATH, format_device_entry, format_notice
from assay.entrypoints.http.sign_in_visit import Visit, as_page, parse_fields
from assay.oauth.attempt_limits import AUTHORIZATION, DEVICE_CODE_ENTRY, count_attempt
from assay.oauth.browser_sessions import create_cookie, end_session
from assay.oauth.device_codes import find_device
from assay.oauth.secret_values import digest
from assay.oauth.sign_in_requests import SignInRequest, save_request
from assay.services import Services


def account_routes(services: Callable[[], Services]) -> list[Route]:
    """The routes for browsers."""
    return [
        build_route("/oauth/sign-out", as_page(services, sign_out), "POST"),
        build_route("/oauth/device", as_page(services, ask_for_code)),
        build_route("/oauth/device", as_page(services, enter_code), "POST"),
        build_route("/oauth/grants", redirect_to_account),
    ]


async def redirect_to_account(_: Request) -> Response:
    """What a person allowed is on the page of their account."""
    return RedirectResponse(ACCOUNT_PATH, 308)


async def ask_to_sign_in(visit: Visit, kind: str, own_page: str = "") -> Response:
    """The sign-in page, from which the person comes back to their own page of this kind.

    `own_page` is the address of a page of the console, without the host.
    """
    await count_attempt(visit.services.table, AUTHORIZATION, visit.address, visit.now)
    request = SignInRequest(kind, digest(visit.cookie), own_page=own_page)
    return await show_next(visit, await save_request(visit.services.table, request, visit.now))


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
