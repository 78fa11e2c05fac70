"""One request of a browser that signs in: its cookie, its form, and the responses it receives."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from assay.caller import Caller
from assay.entrypoints.http import http_api
from assay.entrypoints.http.apigateway_event import request_id_of
from assay.entrypoints.http.asgi_headers import join_headers
from assay.entrypoints.http.metadata_routes import require_base
from assay.entrypoints.http.rate_limit_headers import find_address
from assay.entrypoints.http.sign_in_pages import build_security_headers, format_notice
from assay.entrypoints.resource_server import find_owner, requires_authentication
from assay.errors import NotFound, ToolError, Unauthenticated
from assay.oauth.browser_sessions import (
    SESSION_SECONDS,
    build_form_token,
    create_cookie,
    find_session,
    is_cookie,
    is_form_token,
    sign_for_browser,
)
from assay.oauth.oauth_errors import OAuthError, invalid_request
from assay.oauth.principals import Principal
from assay.oauth.server_addresses import find_base_url
from assay.oauth.sign_in_requests import expired_page
from assay.services import Services
from assay.settings import Settings

FORM_BYTES = 16 * 1024
MOST_FIELDS = 50
FORM_TYPE = "application/x-www-form-urlencoded"


def parse_fields(text: str) -> dict[str, str]:
    """The parameters of a query or a form. Raises OAuthError for repeated ones (RFC 6749, section 3.1)."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise invalid_request("There are too many parameters.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise invalid_request("A parameter is repeated.")
    return fields


async def read_form(request: Request, limit: int = FORM_BYTES) -> dict[str, str]:
    """The fields of a form of at most `limit` bytes. Raises OAuthError."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_TYPE:
        raise invalid_request(f"Send the parameters as {FORM_TYPE}.")
    body = await request.body()
    if len(body) > limit:
        raise invalid_request("The form is too long.")
    return parse_fields(body.decode("utf-8", errors="replace"))


def get_address(request: Request, settings: Settings) -> str:
    """The address of the caller."""
    peer = request.client.host if request.client else ""
    return find_address(peer, join_headers(request.headers.raw), settings)


class Visit:
    """A browser's request. It receives a cookie with the first page, and another one with the sign-in."""

    def __init__(self, request: Request, services: Services, *, is_for_local_user: bool = False) -> None:
        self.request, self.services = request, services
        self.headers = join_headers(request.headers.raw)
        self.is_local = is_for_local_user and not requires_authentication(services, http_api.keys_of(services))
        self.base = self._require_local_base() if self.is_local else require_base(request, services)
        self.address, self.now = get_address(request, services.settings), services.clock()
        is_secure = self.base.startswith("https://")
        self._name = "__Host-assay" if is_secure else "assay-sign-in"
        self._attributes = f"Path=/; HttpOnly; SameSite=Lax; Max-Age={SESSION_SECONDS}" + (
            "; Secure" if is_secure else ""
        )
        self._sent = self._read_cookie()
        self.cookie = self._sent or create_cookie()

    @property
    def token(self) -> str:
        """The token of this browser's forms."""
        return build_form_token(self.cookie)

    def sign(self, text: str) -> str:
        """A signature of a text that this browser receives, such as an address, for when it comes back."""
        return sign_for_browser(self.cookie, text)

    def _require_local_base(self) -> str:
        base = find_base_url(self.services.settings, self.headers.get("host", ""))
        if base is None:
            raise NotFound("The address of this server is not known; set ASSAY_PUBLIC_URL.")
        return base

    async def find_person(self) -> Principal | None:
        """Who signed in with this browser, if their key or account is still accepted; else the user of this machine."""
        if self.is_local:
            local = Caller()
            return Principal(local.tenant, local.user, local.scopes)
        person, caller = await self._find_signed_in()
        return person if caller else None

    async def find_caller(self) -> Caller | None:
        """The same person as a caller of tools, with what their key or account may do today."""
        if self.is_local:
            return Caller()
        _, caller = await self._find_signed_in()
        return caller

    async def _find_signed_in(self) -> tuple[Principal | None, Caller | None]:
        person = await find_session(self.services.table, self._sent) if self._sent else None
        if person is None:
            return None, None
        return person, await find_owner(person, http_api.keys_of(self.services), self.services)

    async def read_form(self, limit: int = FORM_BYTES) -> dict[str, str]:
        """The fields of a form that this browser received from here. Raises OAuthError for any other form."""
        origin, site = self.headers.get("origin"), self.headers.get("sec-fetch-site", "same-origin")
        fields = await read_form(self.request, limit)
        is_own = origin in (None, self.base) and site in ("same-origin", "none")
        if not is_own or not self._sent or not is_form_token(fields.get("form_token", ""), self._sent):
            raise expired_page()
        return fields

    def show(self, page: str, status: int = 200, form_targets: str = "") -> Response:
        return self.add_cookie(HTMLResponse(page, status, headers=build_security_headers(form_targets)))

    def redirect(self, address: str) -> Response:
        """Send the browser there by GET, whatever it asked with."""
        return self.add_cookie(RedirectResponse(address, 303, headers=build_security_headers()))

    def record_failure(self, failure: Unauthenticated) -> None:
        """Send the audit event of a sign-in that failed."""
        http_api.record_refusal(failure, self.services, "sign-in", request_id_of({}, self.headers))

    def _read_cookie(self) -> str:
        try:
            morsel = SimpleCookie(self.headers.get("cookie", "")).get(self._name)
        except CookieError:
            return ""
        return morsel.value if morsel is not None and is_cookie(morsel.value) else ""

    def add_cookie(self, response: Response) -> Response:
        """The response, with this browser's cookie if it does not have it yet."""
        if self.cookie != self._sent:
            response.headers["set-cookie"] = f"{self._name}={self.cookie}; {self._attributes}"
        return response


def as_page(
    services: Callable[[], Services],
    answer: Callable[[Visit], Awaitable[Response]],
    *,
    is_for_local_user: bool = False,
) -> Callable[[Request], Awaitable[Response]]:
    """A route that shows its failures as pages.

    One that `is_for_local_user` also exists where nobody signs in, for the user of the machine.
    """

    @wraps(answer)
    async def handle(request: Request) -> Response:
        try:
            return await answer(Visit(request, services(), is_for_local_user=is_for_local_user))
        except OAuthError as failure:
            status, text = (400 if failure.status == 401 else failure.status), failure.description
            wait = failure.retry_after
        except ToolError as failure:
            status, text, wait = failure.status, failure.sentence(), failure.retry_after
        more = {} if wait is None else {"retry-after": str(wait)}
        return HTMLResponse(format_notice("Signing in failed", text), status, headers=build_security_headers() | more)

    return handle


def add_query(uri: str, values: Mapping[str, Any]) -> str:
    """The URI with more parameters in its query; empty ones are left out."""
    more = urlencode({name: value for name, value in values.items() if value})
    return f"{uri}{'&' if '?' in uri else '?'}{more}"
