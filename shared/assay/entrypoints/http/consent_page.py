"""The page where a person sees what is stored about them and consents to it, as HTML without scripts."""

from collections.abc import Collection, Sequence
from html import escape

from assay.consent.consent_records import PURPOSES, ConsentDecision, Purpose
from assay.entrypoints.http.sign_in_pages import ACCOUNT_PATH, describe_person, format_form, format_page
from assay.oauth.principals import Principal
from assay.oauth.server_addresses import CONSENT_PAGE
from assay.text.timestamps import format_utc

SHOWN = 20  # the latest decisions of a purpose
DESCRIPTIONS: dict[Purpose, tuple[str, str]] = {
    "memory": (
        "Memory",
        """Notes that you ask an assistant to remember, with their sources, and what a search for them needs. Without
        consent they are neither saved nor read; those that exist stay until they expire or you delete them. Where the
        operator has configured an embedding model, their text and that of your searches is sent to it.""",
    ),
    "analytics": ("Analytics", "Counts of your calls by tool, without arguments and answers, shown to you alone."),
    "workspace": (
        "Workspaces",
        """Findings that you share in a workspace, with your name and the time, which all its members read. Those that
        you have shared stay until they expire or you withdraw them.""",
    ),
    "monitoring": ("Watches", "Queries and pages that are looked up for you on a schedule, and what they found."),
}
ORIGINS = {
    "web": "on this page",
    "cli": "recorded by the operator or on the command line",
    "setting": "by a setting of this machine",
    "erasure": "with the erasure of your data",
}


def format_consents(
    history: Sequence[ConsentDecision],
    principal: Principal,
    token: str,
    *,
    terms: str,
    granted_by_setting: Collection[str],
    is_local: bool,
) -> str:
    """The page with every purpose, its history, and the button that changes it."""
    body = [
        "<p>You are the user of this machine.</p>" if is_local else describe_person(principal),
        "<p>Nothing of this is stored or read unless you consent, and you can withdraw each consent at any time.</p>",
    ]
    if terms:
        body.append(f"<p>Version of the terms: <b>{escape(terms)}</b></p>")
    for purpose in PURPOSES:
        decisions = [decision for decision in history if decision.purpose == purpose]
        is_granted = decisions[-1].granted if decisions else purpose in granted_by_setting
        body += _format_purpose(purpose, decisions, token, is_granted=is_granted, terms=terms)
    if not is_local:
        body.append(f'<p><a href="{ACCOUNT_PATH}">Your account and grants</a></p>')
        body.append(format_form("/oauth/sign-out", token, {}, "<button>Sign out</button>"))
    return format_page("What is stored about you", body)


def _format_purpose(
    purpose: Purpose, decisions: Sequence[ConsentDecision], token: str, *, is_granted: bool, terms: str
) -> list[str]:
    name, description = DESCRIPTIONS[purpose]
    if is_granted:
        state = "You consent." if decisions else "You consent by a setting of this machine."
    else:
        state = "You do not consent."
    rows = "".join(f"<li>{_describe_decision(decision)}</li>" for decision in reversed(decisions[-SHOWN:]))
    label = f"Withdraw consent to {name.lower()}" if is_granted else f"Consent to {name.lower()}"
    value = "withdraw" if is_granted else "grant"
    button = f'<button id="{value}-{purpose}" name="decision" value="{value}">{escape(label)}</button>'
    return [
        f'<h2 id="{purpose}">{escape(name)}</h2>',
        f"<p>{escape(description)}<br><b>{state}</b></p>",
        f"<ul>{rows}</ul>" if rows else "",
        format_form(CONSENT_PAGE, token, {"purpose": purpose, "terms": terms}, button),
    ]


def _describe_decision(decision: ConsentDecision) -> str:
    verb = "Granted" if decision.granted else "Withdrawn"
    origin = ORIGINS.get(decision.decided_from, f"by {decision.decided_from}")
    terms = f", terms {decision.terms_version}" if decision.terms_version else ""
    return escape(f"{verb} {format_utc(decision.decided_at)} {origin}{terms}")
