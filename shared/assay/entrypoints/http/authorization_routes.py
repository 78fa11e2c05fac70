"""The authorization endpoint (RFC 6749, OAuth 2.1): signing in, consent, and the code that the client receives."""

from collections.abc import Callable
from dataclasses import replace

from fastapi import Response
from starlette.routing import Route

from assay.entrypoints.auth import get_key_digest, identify_key
from assay.entrypoints.http import http_api
from assay.entrypoints.http.plain_routes import build_route
from assay.entrypoints.http.sign_in_pages import format_consent, format_notice, format_sign_in, list_form_targets
from assay.entrypoints.http.sign_in_visit import Visit, add_query, as_page, parse_fields
from assay.errors import Unauthenticated
from assay.oauth import identity_provider
from assay.oauth.attempt_limits import AUTHORIZATION, SIGN_IN, count_attempt
from assay.oauth.authorization_codes import create_code
from assay.oauth.browser_sessions import start_session
from assay.oauth.client_registry import COMMAND_LINE, find_client, keep_client
from assay.oauth.consents import has_consented, remember_consent
from assay.oauth.device_codes import decide_device
from assay.oauth.grants import Authorization
from assay.oauth.oauth_errors import OAuthError, invalid_request
from assay.oauth.pkce import check_challenge
from assay.oauth.principals import Principal
from assay.oauth.redirect_uris import get_redirect_host, is_registered
from assay.oauth.scopes import check_client_scopes, narrow, parse_scopes
from assay.oauth.secret_values import digest
from assay.oauth.server_addresses import CONSENT_PAGE, parse_resource
from assay.oauth.sign_in_requests import SignInRequest, end_request, load_request, move_request, save_request
from assay.services import Services

LONGEST_STATE = 2_000
OWN_PAGES = {"personal-data": CONSENT_PAGE}  # of a person, by the kind of the request
CONSOLE = "console"  # the kind of a request for a page of the console, which the request names


def require_provider(services: Services, base: str) -> identity_provider.IdentityProvider:
    """The identity provider. Raises OAuthError if none is configured."""
    if not identity_provider.is_configured(services.settings):
        raise invalid_request("This server has no identity provider.")
    return identity_provider.IdentityProvider(
        services.settings, services.http, services.table, f"{base}/oauth/callback"
    )


def authorization_routes(services: Callable[[], Services]) -> list[Route]:
    """The routes for browsers."""
    return [
        build_route(path, as_page(services, answer), method)
        for path, method, answer in (
            ("/oauth/authorize", "GET", authorize),
            ("/oauth/sign-in", "POST", sign_in),
            ("/oauth/consent", "POST", decide),
            ("/oauth/sso", "GET", start_provider_sign_in),
            ("/oauth/callback", "GET", finish_provider_sign_in),
        )
    ]


async def authorize(visit: Visit) -> Response:
    """Begin an authorization. Until client and redirect URI are known to belong together, nothing redirects."""
    table = visit.services.table
    await count_attempt(table, AUTHORIZATION, visit.address, visit.now)
    query = parse_fields(visit.request.url.query)
    client = await find_client(
        query.get("client_id", ""),
        table,
        visit.services.web,
        visit.services.settings,
        address=visit.address,
        now=visit.now,
    )
    uri = query.get("redirect_uri", "")
    if not is_registered(uri, client.redirect_uris):
        raise invalid_request("The redirect_uri is not one that the client registered.")
    try:
        request = _read_request(query, visit)
    except OAuthError as failure:
        # A page with a link instead of a redirect: anyone can register a client, so this would redirect anywhere.
        state = query.get("state", "")[:LONGEST_STATE]
        link = add_query(uri, failure.wire() | {"state": state, "iss": visit.base})
        return visit.show(format_notice("Signing in failed", failure.description, link), failure.status)
    request = replace(request, client=client.to_document(), redirect_uri=uri)
    may_skip = "consent" not in query.get("prompt", "").split()
    return await show_next(visit, await save_request(table, request, visit.now), may_skip_consent=may_skip)


def _read_request(query: dict[str, str], visit: Visit) -> SignInRequest:
    """The checked parameters. Raises OAuthError."""
    if "request" in query or "request_uri" in query:
        raise OAuthError("request_not_supported", "Request objects are not supported.")
    if query.get("response_type") != "code":
        raise OAuthError("unsupported_response_type", "response_type must be code.")
    if query.get("response_mode", "query") != "query":
        raise invalid_request("response_mode must be query.")
    if "none" in query.get("prompt", "").split():
        raise OAuthError("interaction_required", "Signing in takes a person.")
    if len(query.get("state", "")) > LONGEST_STATE:
        raise invalid_request("state is too long.")
    check_challenge(query.get("code_challenge", ""), query.get("code_challenge_method", ""))
    resource = parse_resource(query.get("resource", ""), visit.base)
    if resource is None:
        raise OAuthError("invalid_target", "resource is not an address of this server.")
    scopes = parse_scopes(query.get("scope", ""))
    check_client_scopes(scopes, query.get("client_id", ""), COMMAND_LINE.id)
    return SignInRequest(
        "code",
        digest(visit.cookie),
        scopes=tuple(sorted(scopes)),
        resource=resource,
        state=query.get("state", ""),
        challenge=query["code_challenge"],
    )


async def show_next(visit: Visit, request: SignInRequest, *, may_skip_consent: bool = True) -> Response:
    """The page that the request needs next: sign-in, consent, or the way back to the client."""
    person = await visit.find_person()
    if person is None:
        return show_sign_in(visit, request)
    return await show_after_sign_in(visit, request, person, may_skip_consent=may_skip_consent)


def show_sign_in(visit: Visit, request: SignInRequest, error: str = "") -> Response:
    page = format_sign_in(
        request,
        visit.token,
        has_keys=http_api.accepts_keys(visit.services),
        has_provider=identity_provider.is_configured(visit.services.settings),
        error=error,
    )
    return visit.show(page, 400 if error else 200, list_form_targets(request))


async def show_after_sign_in(
    visit: Visit, request: SignInRequest, person: Principal, *, may_skip_consent: bool = True
) -> Response:
    """Ask for consent, unless the person has given it to this client at this host before."""
    own_page = request.own_page if request.kind == CONSOLE else OWN_PAGES.get(request.kind)
    if own_page:
        await end_request(visit.services.table, request)
        return visit.redirect(own_page)
    scopes = narrow(frozenset(request.scopes), person.scopes)
    if not scopes:
        raise OAuthError(
            "access_denied", "Your key covers none of the scopes that the application asks for.", status=403
        )
    if may_skip_consent and await has_consented(visit.services.table, person, request):
        return await finish(visit, request, person, scopes)
    return visit.show(format_consent(request, person, scopes, visit.token), form_targets=list_form_targets(request))


async def sign_in(visit: Visit) -> Response:
    """Sign in with a key of the ring or of the table."""
    form = await visit.read_form()
    request = await load_request(visit.services.table, form.get("request", ""), visit.cookie)
    await count_attempt(visit.services.table, SIGN_IN, visit.address, visit.now)
    sent = form.get("key", "").strip()
    try:
        caller = await identify_key(sent, http_api.keys_of(visit.services), visit.services)
    except Unauthenticated as failure:
        visit.record_failure(failure)
        return show_sign_in(visit, request, "This key is not valid. Ask the operator for one.")
    person = Principal(caller.tenant, caller.user, caller.scopes, caller.name, get_key_digest(sent))
    return await _continue_as(visit, request, person)


async def _continue_as(visit: Visit, request: SignInRequest, person: Principal) -> Response:
    """Continue the request for the person under a new cookie."""
    visit.cookie = await start_session(visit.services.table, person, visit.now)
    request = await move_request(visit.services.table, request, visit.cookie, visit.now)
    return await show_after_sign_in(visit, request, person)


async def decide(visit: Visit) -> Response:
    """Allow or deny what the consent page showed."""
    form = await visit.read_form()
    table = visit.services.table
    request = await load_request(table, form.get("request", ""), visit.cookie)
    person = await visit.find_person()
    if person is None:
        return show_sign_in(visit, request)
    scopes = narrow(frozenset(request.scopes), person.scopes)
    if form.get("decision") == "allow" and scopes:
        await remember_consent(table, person, request, visit.now)
        return await finish(visit, request, person, scopes)
    await end_request(table, request)
    if request.kind == "device":
        await decide_device(table, request.device, None, visit.now)
        return visit.show(format_notice("Denied", "The program receives no access."))
    denied = {"error": "access_denied", "state": request.state, "iss": visit.base}
    return visit.redirect(add_query(request.redirect_uri, denied))


async def finish(visit: Visit, request: SignInRequest, person: Principal, scopes: frozenset[str]) -> Response:
    """Give the client what the person allowed. The request is used up."""
    table, client = visit.services.table, request.read_client()
    await end_request(table, request)
    is_device = request.kind == "device"
    host = "a program with a code" if is_device else get_redirect_host(request.redirect_uri)
    allowed = Authorization(person, client.id, client.name, host, scopes, request.resource)
    await keep_client(table, client, visit.now)
    if is_device:
        await decide_device(table, request.device, allowed, visit.now)
        return visit.show(format_notice("Connected", "Return to your program; you can close this page."))
    code = await create_code(
        table, allowed, redirect_uri=request.redirect_uri, challenge=request.challenge, now=visit.now
    )
    answer = {"code": code, "state": request.state, "iss": visit.base}
    return visit.redirect(add_query(request.redirect_uri, answer))


async def start_provider_sign_in(visit: Visit) -> Response:
    """Send the browser to the identity provider."""
    identifier = parse_fields(visit.request.url.query).get("request", "")
    request = await load_request(visit.services.table, identifier, visit.cookie)
    await count_attempt(visit.services.table, SIGN_IN, visit.address, visit.now)
    return visit.redirect(
        await require_provider(visit.services, visit.base).start(request.id, digest(visit.cookie), visit.now)
    )


async def finish_provider_sign_in(visit: Visit) -> Response:
    """Continue after the identity provider has sent the browser back."""
    query = parse_fields(visit.request.url.query)
    identifier, person = await require_provider(visit.services, visit.base).finish(
        query, digest(visit.cookie), visit.now
    )
    request = await load_request(visit.services.table, identifier, visit.cookie)
    return await _continue_as(visit, request, person)
