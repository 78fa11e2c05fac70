"""JSON values that services or pages return: texts without invisible characters, links that lead to pages."""

import re
from typing import Any

from assay.text.plain_text import strip_invisible
from assay.text.user_info import map_texts, remove_named_user_info, remove_url_user_info

BREAKS = re.compile(r"[\t\n\r]+")  # browsers drop them from addresses
SCHEME = re.compile(r"[\s\x00-\x20]*([a-z][a-z0-9+-]*):", re.IGNORECASE)  # with a dot, it would be a host
SCHEMES = {"http", "https", "ftp", "magnet"}


def clean_outside(value: Any) -> Any:
    """Return the value without invisible characters, user names and passwords, at any depth."""
    return map_texts(value, lambda name, text: remove_named_user_info(name, strip_invisible(text)))


def clean_link(address: str) -> str:
    """Return the address of a link without user name and password; "" if it leads to no page, as javascript: does."""
    address = strip_invisible(address)
    found = SCHEME.match(BREAKS.sub("", address))
    return "" if found and found[1].lower() not in SCHEMES else remove_url_user_info(address)
