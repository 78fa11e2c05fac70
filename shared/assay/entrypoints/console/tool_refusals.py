"""What a page does when a tool answers that it refused, such as without consent."""

from typing import Any

from assay.errors import InvalidInput


def check_done(wire: dict[str, Any]) -> None:
    """Raises InvalidInput with the reason where the tool refused."""
    if wire.get("status") != "ok":
        raise InvalidInput(str(wire.get("reason") or "It was refused."))
