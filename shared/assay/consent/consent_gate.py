"""Refuses to store or read personal data of callers who are unknown or have not consented."""

from typing import TYPE_CHECKING, Literal, NamedTuple

from assay.consent.consent_records import ConsentStore, Purpose

if TYPE_CHECKING:  # imported by the calls that need it, for fast cold starts
    from assay.consent.consent_views import ConsentRequest

ANONYMOUS = frozenset({"", "anonymous"})
LOCAL = ("local", "local")  # tenant and user of a caller without a key on this machine


class ConsentRefusal(NamedTuple):
    """Why personal data is neither stored nor read, and how to change that."""

    status: Literal["unavailable", "no_consent"]
    reason: str
    request: "ConsentRequest | None" = None  # with no_consent


async def find_refusal(
    consents: ConsentStore, purpose: Purpose, *, page: str = "", terms: str = ""
) -> ConsentRefusal | None:
    """Return the refusal for this person and purpose, None if the data may be stored and read.

    `page` is the address of the consent page of this server, "" where there is none.
    """
    if consents.user in ANONYMOUS:
        return refuse_anonymous()
    if await consents.is_granted(purpose):
        return None
    from assay.consent.consent_views import ConsentRequest

    reason = f"Nothing is stored or read without consent to {purpose}. {_describe_way(consents, purpose, page)}"
    return ConsentRefusal(
        "no_consent", reason, ConsentRequest(purpose=purpose, terms_version=terms or None, url=page or None)
    )


def refuse_anonymous() -> ConsentRefusal:
    return ConsentRefusal("unavailable", "Personal data needs a known user. Call with a key of your own.")


def _describe_way(consents: ConsentStore, purpose: Purpose, page: str) -> str:
    command = f"assay consent grant {purpose}"
    if (consents.tenant, consents.user) == LOCAL:
        return f"Give it with `{command}` on this machine, or with the setting ASSAY_CONSENT={purpose}."
    recorded = f"`{command} --tenant {consents.tenant} --user {consents.user}`"
    if page:
        person = f"{consents.user} of {consents.tenant}"
        return f"Give it on {page}, signed in as {person}; or the operator records it with {recorded}."
    return f"The operator records it with {recorded}."
