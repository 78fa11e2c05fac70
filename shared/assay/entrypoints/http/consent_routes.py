"""The page of a person's consents to the storage of personal data: what they decided, and what they decide now."""

from collections.abc import Callable

from fastapi import Response
from starlette.routing import Route

from assay.caller import Caller
from assay.consent.consent_records import PURPOSES, ConsentStore
from assay.entrypoints.http.account_routes import ask_to_sign_in
from assay.entrypoints.http.consent_page import format_consents
from assay.entrypoints.http.plain_routes import build_route
from assay.entrypoints.http.sign_in_visit import Visit, as_page
from assay.oauth.attempt_limits import CONSENT_DECISION, count_attempt
from assay.oauth.oauth_errors import invalid_request
from assay.oauth.principals import Principal
from assay.oauth.server_addresses import CONSENT_PAGE
from assay.own_stores import OwnStores
from assay.services import Services

DECISIONS = {"grant": True, "withdraw": False}
ORIGIN = "web"  # where decisions of this page are made


def consent_routes(services: Callable[[], Services]) -> list[Route]:
    """The routes for browsers. On a machine without keys they are the page of its user."""
    return [
        build_route(CONSENT_PAGE, as_page(services, answer, is_for_local_user=True), method)
        for method, answer in (("GET", show_consents), ("POST", decide_consent))
    ]


async def show_consents(visit: Visit) -> Response:
    """Every purpose with its history; first the sign-in page if the person has not signed in."""
    person = await visit.find_person()
    if person is None:
        return await ask_to_sign_in(visit, "personal-data")
    consents = _open_consents(visit, person)
    page = format_consents(
        await consents.read_history(),
        person,
        visit.token,
        terms=visit.services.settings.terms_version,
        granted_by_setting=consents.granted_by_setting,
        is_local=visit.is_local,
    )
    return visit.show(page)


async def decide_consent(visit: Visit) -> Response:
    """Record the decision on one purpose, unless the terms have changed since the page was shown."""
    form, person = await visit.read_form(), await visit.find_person()
    if person is None:
        return visit.redirect(CONSENT_PAGE)
    await count_attempt(visit.services.table, CONSENT_DECISION, visit.address, visit.now)
    purpose = next((one for one in PURPOSES if one == form.get("purpose")), None)
    granted = DECISIONS.get(form.get("decision", ""))
    if purpose is None or granted is None:
        raise invalid_request("The form names no purpose, or no decision.")
    terms = visit.services.settings.terms_version
    if not granted or form.get("terms", "") == terms:
        consents = _open_consents(visit, person)
        await consents.decide(purpose, granted=granted, decided_from=ORIGIN, terms_version=terms)
    return visit.redirect(f"{CONSENT_PAGE}#{purpose}")


def _open_consents(visit: Visit, person: Principal) -> ConsentStore:
    return OwnStores(visit.services, Caller(person.tenant, person.user)).consents
