"""Refuses to store or read personal data of callers who are unknown or have not consented."""

from typing import Literal, NamedTuple

from assay.consent.consent_records import ConsentStore, Purpose

ANONYMOUS = frozenset({"", "anonymous"})
LOCAL = ("local", "local")  # tenant and user of a caller without a key on this machine


class ConsentRefusal(NamedTuple):
    """Why personal data is neither stored nor read, and how to change that."""

    status: Literal["unavailable", "no_consent"]
    reason: str


async def find_refusal(consents: ConsentStore, purpose: Purpose) -> ConsentRefusal | None:
    """Return the refusal for this person and purpose, None if the data may be stored and read."""
    if consents.user in ANONYMOUS:
        return refuse_anonymous()
    if await consents.is_granted(purpose):
        return None
    reason = f"Nothing is stored or read without consent to {purpose}. {_describe_way(consents, purpose)}"
    return ConsentRefusal("no_consent", reason)


def refuse_anonymous() -> ConsentRefusal:
    return ConsentRefusal("unavailable", "Personal data needs a known user. Call with a key of your own.")


def _describe_way(consents: ConsentStore, purpose: Purpose) -> str:
    command = f"assay consent grant {purpose}"
    if (consents.tenant, consents.user) == LOCAL:
        return f"Give it with `{command}` on this machine, or with the setting ASSAY_CONSENT={purpose}."
    return f"The operator records it with `{command} --tenant {consents.tenant} --user {consents.user}`."
