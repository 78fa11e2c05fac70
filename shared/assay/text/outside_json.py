"""JSON values that services or pages return: texts without invisible characters, links that lead to pages."""

import re
from typing import Any

from assay.text.plain_text import strip_invisible
from assay.text.user_info import remove_named_user_info, remove_url_user_info, remove_user_info

BREAKS = re.compile(r"[\t\n\r]+")  # browsers drop them from addresses
SCHEME = re.compile(r"[\s\x00-\x20]*([a-z][a-z0-9+-]*):", re.IGNORECASE)  # with a dot, it would be a host
SCHEMES = {"http", "https", "ftp", "magnet"}


def clean_outside(value: Any, name: str = "") -> Any:
    """Return the value without invisible characters, user names and passwords, at any depth."""
    if isinstance(value, str):
        return remove_named_user_info(name, strip_invisible(value))
    if isinstance(value, list):
        return [clean_outside(inner, name) for inner in value]
    if isinstance(value, dict):
        return {remove_user_info(strip_invisible(key)): clean_outside(inner, key) for key, inner in value.items()}
    return value


def clean_link(address: str) -> str:
    """Return the address of a link without user name and password; "" if it leads to no page, as javascript: does."""
    address = strip_invisible(address)
    found = SCHEME.match(BREAKS.sub("", address))
    return "" if found and found[1].lower() not in SCHEMES else remove_url_user_info(address)
