"""User names and passwords in addresses (`https://user:secret@host/`), which are secrets of whoever wrote them."""

import re
from typing import Any

# As browsers find it (URL Standard, section 4.4): any number of slashes, a backslash is one, the last "@" counts.
USER_INFO = re.compile(
    r"([\x00-\x20]*+(?:(?:https?|ftp):[/\\\t\n\r]*+|(?:[a-z][a-z0-9+.-]*+:)?[/\\]{2,}+))[^/\\?#]*@", re.IGNORECASE
)

LINK = re.compile(r"(\]\([ \t]{0,9}<?(?:(?:https?|ftp):/{0,9}|//))[^\s/\\?#()<>]*@", re.IGNORECASE)  # in markdown


def remove_user_info(address: str) -> str:
    """Return the address without user name and password; other texts unchanged."""
    return f"{found[1]}{address[found.end() :]}" if "@" in address and (found := USER_INFO.match(address)) else address


def remove_link_user_info(markdown: str) -> str:
    """Return markdown of others with the addresses of its links and images without user names and passwords."""
    return LINK.sub(r"\1", markdown) if "@" in markdown else markdown


def remove_all_user_info(value: Any) -> Any:
    """Return a JSON value with its addresses, at any depth, without user names and passwords."""
    if isinstance(value, str):
        return remove_user_info(value)
    if isinstance(value, list):
        return [remove_all_user_info(inner) for inner in value]
    if isinstance(value, dict):
        return {remove_user_info(name): remove_all_user_info(inner) for name, inner in value.items()}
    return value
