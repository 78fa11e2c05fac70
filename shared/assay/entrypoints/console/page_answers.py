"""Answers a request for a page with the page, or with a page that states why it is refused."""

import logging
from importlib import import_module
from typing import NamedTuple

from fastapi import Request, Response
from fastapi.responses import HTMLResponse

from assay.entrypoints.console.page_table import HOME, PAGES, ConsolePage
from assay.entrypoints.console.page_templates import render_template
from assay.entrypoints.console.page_visit import SECURITY_HEADERS, PageVisit, build_scope_error
from assay.entrypoints.http.account_routes import ask_to_sign_in
from assay.entrypoints.http.authorization_routes import CONSOLE
from assay.entrypoints.http.sign_in_visit import Visit
from assay.errors import Forbidden, ToolError, Unauthenticated
from assay.oauth.oauth_errors import OAuthError
from assay.oauth.scopes import ADMIN
from assay.services import Services

log = logging.getLogger("assay")
LONGEST_ADDRESS = 2_000
NOTHING_DONE = "Nothing was done."


async def answer_page(page: ConsolePage, request: Request, services: Services) -> Response:
    """The page for the person who asks, or what keeps it from them, as a page too."""
    try:
        visit = Visit(request, services, is_for_local_user=True)
    except ToolError as failure:  # the address of this server is not known, or there are no keys
        return show_failure(page, describe_failure(failure))
    shown = PageVisit(page, visit, None)
    try:
        refuse_other_origins(visit)
        shown = PageVisit(page, visit, await visit.find_caller())
        if shown.is_signed_in or page.is_public:
            return await _answer_person(shown)
        return await _refuse_stranger(shown, visit)
    except OAuthError as failure:
        return show_failure(page, Failure(failure.description, failure.status, failure.retry_after), shown)
    except ToolError as failure:
        return show_failure(page, describe_failure(failure.detach()), shown)
    except Exception:  # a person reads a page, whatever is wrong with the one they asked for
        log.exception("%s %s failed unexpectedly, request id %s", page.method, page.path, shown.request_id)
        sentence = f"The page failed unexpectedly; see the server log, request id {shown.request_id}."
        return show_failure(page, Failure(sentence, 500), shown)


async def _answer_person(visit: PageVisit) -> Response:
    if visit.page.scope == ADMIN and not visit.is_administrator:
        raise build_scope_error(ADMIN)
    if visit.page.scope and visit.page.scope != ADMIN and not visit.caller.scopes & {"*", visit.page.scope}:
        raise build_scope_error(visit.page.scope)
    page = visit.page
    if page.method == "POST":  # here, so that no page can forget it
        try:
            visit.form = await visit.accept_form()
        except OAuthError as failure:
            sentence = f"{failure.description} {NOTHING_DONE}"
            return show_failure(
                page, Failure(sentence, failure.status, again=find_form_page(page, visit.request)), visit
            )
    module, _, function = page.handler.partition(":")
    handle = getattr(import_module(f"{__package__}.{module}"), function)
    if page.method == "POST" and page.once_seconds:
        return await visit.answer_once(lambda: handle(visit))
    response: Response = await handle(visit)
    return response


async def _refuse_stranger(shown: PageVisit, visit: Visit) -> Response:
    """Ask to sign in for a page; refuse a form, which has then done nothing."""
    if shown.page.method != "GET":
        raise Unauthenticated("You are signed out, and nothing was done. Sign in and send it again.")
    url = shown.request.url
    address = f"{url.path}?{url.query}" if url.query else url.path
    return await ask_to_sign_in(
        visit, CONSOLE, address if len(address) <= LONGEST_ADDRESS else url.path[:LONGEST_ADDRESS]
    )


def refuse_other_origins(visit: Visit) -> None:
    """Raises Forbidden for scripts of other origins, also of those that may call tools: pages are for people."""
    if visit.headers.get("origin") not in (None, visit.base):
        raise Forbidden("Pages of the console are not for scripts of other origins.")


def find_form_page(page: ConsolePage, request: Request) -> str:
    """The address of the page that has the form."""
    shown = [one.path for one in PAGES if one.method == "GET"]
    if page.path in shown:
        return request.url.path
    return max((path for path in shown if page.path.startswith(f"{path}/")), key=len, default=HOME)


class Failure(NamedTuple):
    """What kept a page from a person, as its page says it."""

    sentence: str
    status: int
    retry_after: int | None = None
    field: str | None = None
    again: str = ""  # the page from which what was not done may be sent again


def describe_failure(failure: ToolError) -> Failure:
    return Failure(failure.sentence(), failure.status, failure.retry_after, failure.field)


def show_failure(page: ConsolePage, failure: Failure, visit: PageVisit | None = None) -> Response:
    """The page of an error. Without a visit, the address of this server is not known, or nobody can sign in."""
    if visit is not None:
        response = visit.show("failure.html", failure.status, failure=failure)
    else:
        values = {
            "page": page,
            "title": page.title,
            "navigation": (),
            "section": "",
            "person": None,
            "failure": failure,
        }
        html = render_template("failure.html", values | {"is_local": False, "token": "", "form_number": ""})
        response = HTMLResponse(html, failure.status, headers=SECURITY_HEADERS)
    if failure.retry_after is not None:
        response.headers["retry-after"] = str(failure.retry_after)
    return response
