"""A person's request for a page of the console: who they are, what they may see, and the page that they receive.

Pages read nothing but the answers of tools and of the endpoints of administration, as any other caller does.
"""

import asyncio
import logging
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from fastapi import Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse

from assay.administration.admin_call import AdminCall, Administrator, OwnAccess
from assay.administration.admin_endpoints import ENDPOINTS, run_endpoint
from assay.caller import Caller
from assay.context import Context
from assay.entrypoints.console.image_proxy import build_image_address
from assay.entrypoints.console.page_table import PAGES, ConsolePage
from assay.entrypoints.console.page_templates import render_template
from assay.entrypoints.http import http_api
from assay.entrypoints.http.apigateway_event import request_id_of, seconds_of
from assay.entrypoints.http.request_body import FORM_BYTES
from assay.entrypoints.http.sign_in_visit import Visit
from assay.entrypoints.sent_forms import answer_form_once, create_form_number
from assay.errors import InsufficientScope, InvalidInput, Network, Unauthenticated
from assay.invoke import Reply, invoke
from assay.models.common import Output
from assay.oauth.scopes import ADMIN

log = logging.getLogger("assay")
ENTRYPOINT = "console"
LOCAL_OPERATOR = "console"  # the user of a machine where nobody signs in, as the audit names them
ADMIN_SECONDS = 25.0
LONGEST_ADDRESS = 2_000
MOST_PARAMETERS = 100
LAMBDA_BYTES = 5_000_000  # of a file in a response, which has 6 MB at most, its quotation marks escaped
TOO_LARGE = (
    "The file has {} MB, and a deployment on AWS sends 5 MB at most from here. Call the tool of this page instead "
    "(research_export, memory_export, audit_document): it links a large answer, which read_artifact reads in parts."
)
SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # no-referrer would make browsers send `Origin: null` with the forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class PageVisit:
    """One request for a page. `caller` is the person, with what they may do today."""

    def __init__(self, page: ConsolePage, visit: Visit, caller: Caller | None) -> None:
        self.page, self.services, self.request = page, visit.services, visit.request
        self.request_id = request_id_of({}, visit.headers)
        self.form: dict[str, str] = {}  # what was sent, from a form that this browser received from here
        self.form_number = create_form_number()
        self._visit, self._caller = visit, caller

    @property
    def is_signed_in(self) -> bool:
        return self._caller is not None

    @property
    def is_local(self) -> bool:
        """Whether nobody signs in here, and this is the user of the machine."""
        return self._visit.is_local

    @property
    def is_administrator(self) -> bool:
        return self.is_local or (self._caller is not None and ADMIN in self._caller.scopes)

    @property
    def caller(self) -> Caller:
        """The person. Raises Unauthenticated on a public page that nobody has signed in for."""
        if self._caller is None:
            raise Unauthenticated("Sign in first.")
        return self._caller

    @property
    def base(self) -> str:
        """The address of this server, without a final slash."""
        return self._visit.base

    @property
    def token(self) -> str:
        """The token that every form of this browser carries."""
        return self._visit.token

    @property
    def parameters(self) -> Mapping[str, str]:
        """The parameters in the path."""
        return self.request.path_params

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the query; of a repeated one the last. They are unchecked text."""
        try:
            return dict(parse_qsl(self.request.url.query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS))
        except ValueError:
            return {}

    def find_image(self, url: str) -> str | None:
        """The address of the image at the proxy, for this browser alone; None for an address that is not of the web."""
        return build_image_address(url, self._visit.sign)

    async def accept_form(self) -> dict[str, str]:
        """The fields of a form that this browser received from here. Raises OAuthError for any other form."""
        return await self._visit.read_form(FORM_BYTES)

    async def answer_once(self, answer: Callable[[], Awaitable[Response]]) -> Response:
        """The response to the form that was sent; of the same form sent again the response to the first."""
        seconds, path = self.page.once_seconds, self.request.url.path
        return await answer_form_once(
            self.form, path, self._visit.cookie, self.build_context(), answer, seconds=seconds
        )

    def build_context(self) -> Context:
        """The context of a call of this person."""
        services, scope = self.services, self.request.scope
        seconds = seconds_of(scope.get("aws.event", {}), scope.get("aws.context"))
        return Context(
            services,
            self.caller,
            entrypoint=ENTRYPOINT,
            request_id=self.request_id,
            deadline=None if seconds is None else asyncio.get_running_loop().time() + seconds,
            consent_page=http_api.find_consent_page(self._visit.headers, services),
            can_fetch_later=True,
        )

    async def call_tool(self, name: str, arguments: Any = None, *, links_large: bool = False) -> Reply:
        """Call the tool as this person. A failure is the reply's error.

        With `links_large` an answer that is too large for a model is a link to an artifact, as models see it.
        """
        ctx = replace(self.build_context(), allow_large=not links_large)
        return await invoke(name, {} if arguments is None else arguments, ctx)

    async def read_tool(self, name: str, arguments: Any = None) -> dict[str, Any]:
        """The answer of the tool. Raises its ToolError, which becomes the page of an error."""
        reply = await self.call_tool(name, arguments)
        if reply.error is not None:
            raise reply.error
        return reply.wire

    async def run_endpoint(self, command: str, arguments: Mapping[str, Any] | None = None) -> Output:
        """The answer of the endpoint of administration with this name in `assay admin`. Raises ToolError."""
        return await self._run_endpoint(command, arguments, self._identify_administrator())

    async def run_own_endpoint(self, command: str, arguments: Mapping[str, Any] | None = None) -> Output:
        """The answer of the same endpoint about the person themself, who need not be an administrator."""
        caller, principal = self.caller, await self._visit.find_person()
        if principal is None:
            raise Unauthenticated("You are signed out, and nothing was done. Sign in and send it again.")
        own = OwnAccess.from_principal(principal, caller.scopes, is_local=self.is_local)
        return await self._run_endpoint(
            command, arguments, Administrator(caller.user, caller.tenant, caller.read_only, own)
        )

    async def _run_endpoint(
        self, command: str, arguments: Mapping[str, Any] | None, administrator: Administrator
    ) -> Output:
        [endpoint] = [one for one in ENDPOINTS if one.command == command]
        call = AdminCall(self.services, administrator, ENTRYPOINT, self.request_id)
        try:
            async with asyncio.timeout(ADMIN_SECONDS):
                return await run_endpoint(endpoint, dict(arguments or {}), call)
        except TimeoutError:
            raise Network(f"{command} took longer than {ADMIN_SECONDS:.0f} seconds. Repeat it.") from None

    def _identify_administrator(self) -> Administrator:
        """The administrator of the person's own tenant; the operator, on a machine where nobody signs in."""
        if self.is_local:
            return Administrator(LOCAL_OPERATOR)
        if not self.is_administrator:
            raise build_scope_error(ADMIN)
        return Administrator(self.caller.user, self.caller.tenant, self.caller.read_only)

    def show(self, template: str, status: int = 200, **values: Any) -> Response:
        """The page, from a template with these values."""
        html = render_template(template, self.build_values() | values)
        return self._visit.add_cookie(HTMLResponse(html, status, headers=SECURITY_HEADERS))

    def download(self, name: str, media_type: str, text: str) -> Response:
        """The text as a file, which browsers save and never show. Raises InvalidInput for more than Lambda can send."""
        size = len(text.encode(errors="replace"))
        if self.services.settings.table_name and size > LAMBDA_BYTES:
            raise InvalidInput(TOO_LARGE.format(f"{size / 1e6:.1f}"))
        return self._visit.add_cookie(Response(text, headers=build_file_headers(name, media_type)))

    async def download_parts(self, name: str, media_type: str, parts: AsyncIterable[str]) -> Response:
        """The parts as one file, sent as they come; on Lambda, which sends whole files, like `download`."""
        if not self.services.settings.table_name:
            return self._visit.add_cookie(StreamingResponse(parts, headers=build_file_headers(name, media_type)))
        text = ""
        async for part in parts:
            text += part
            if len(text.encode(errors="replace")) > LAMBDA_BYTES:
                raise InvalidInput(TOO_LARGE.format("over 5"))
        return self.download(name, media_type, text)

    def build_values(self) -> dict[str, Any]:
        """What every template is given."""
        navigation = [one for one in PAGES if one.nav and (self.is_administrator or one.scope != ADMIN)]
        return {
            "page": self.page,
            "title": self.page.title,
            "navigation": navigation,
            "section": find_section(self.page, navigation),
            "person": self._caller,
            "is_local": self.is_local,
            "is_administrator": self.is_administrator,
            "token": self.token,
            "form_number": self.form_number,
            "base": self.base,
        }

    def redirect(self, path: str) -> Response:
        """Send the browser to another page of this server by GET, as after a form."""
        if not path.startswith("/") or path.startswith(("//", "/\\")):
            raise ValueError("not a path of this server")
        return self._visit.add_cookie(RedirectResponse(path, 303, headers=SECURITY_HEADERS))


def build_file_headers(name: str, media_type: str) -> dict[str, str]:
    """The headers of a file, which browsers save and never show."""
    headers = {"content-disposition": f'attachment; filename="{name}"', "content-type": media_type}
    return SECURITY_HEADERS | headers


def find_section(page: ConsolePage, navigation: Iterable[ConsolePage]) -> str:
    """The path in the navigation below which the page is; "" for a page that is in the navigation itself."""
    if page.nav:
        return ""
    return max((one.path for one in navigation if page.path.startswith(f"{one.path}/")), key=len, default="")


def build_scope_error(scope: str) -> InsufficientScope:
    return InsufficientScope(
        f"This page needs the scope {scope}, which your key does not have. The operator makes a key that has it with "
        f"`assay key create NAME --scope {scope}`.",
        scopes=[scope],
    )
