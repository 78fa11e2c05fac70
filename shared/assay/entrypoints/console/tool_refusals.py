"""What a page does when a tool about personal data refuses, such as without consent or where the feature is off."""

from typing import Any, NamedTuple

from assay.entrypoints.console.page_visit import PageVisit
from assay.errors import ConfigError, InvalidInput


class ToolRefusal(NamedTuple):
    """Why a tool shows nothing. `can_consent` says that the person can change that by a consent."""

    reason: str
    can_consent: bool = False


class PersonalAnswer(NamedTuple):
    """What a tool found, {} where it refused."""

    found: dict[str, Any]
    refusal: ToolRefusal | None = None
    status: int = 200


async def read_personal(visit: PageVisit, name: str, arguments: dict[str, Any]) -> PersonalAnswer:
    """The answer of the tool for a page that says why there is none. A feature that is off is no error of the page."""
    reply = await visit.call_tool(name, arguments)
    if reply.error is not None:
        status = 200 if isinstance(reply.error, ConfigError) else reply.error.status
        return PersonalAnswer({}, ToolRefusal(reply.error.sentence()), status)
    if reply.wire.get("status") == "ok":
        return PersonalAnswer(reply.wire)
    return PersonalAnswer({}, ToolRefusal(find_reason(reply.wire), reply.wire["status"] == "no_consent"))


def check_done(wire: dict[str, Any]) -> None:
    """Raises InvalidInput with the reason where the tool refused."""
    if wire.get("status") != "ok":
        raise InvalidInput(find_reason(wire))


def find_reason(wire: dict[str, Any]) -> str:
    return str(wire.get("reason") or "It was refused.")
