"""Addresses of archived copies of pages."""

import re

from assay.text.url_parts import split_url

# The address of most web archives has the time of the capture and the address of the page.
CAPTURE = re.compile(r"/((?:19|20)\d\d)(\d\d)(\d\d)\d{6}(?:[a-z]{2}_)?/(https?:/{1,2}\S+)")
STAMPING_HOSTS = frozenset(f"archive.{name}" for name in ("today", "ph", "is", "li", "vn", "md", "fo"))
# What copies at such a host state about themselves, in the place of what the page states.
STAMPS = frozenset(
    ("og:site_name", "og:url", "article:published_time", "article:modified_time", "datecreated", "datemodified")
)


def find_original_url(url: str) -> str:
    """Return the address of the page of which this is the address of a copy; other addresses are returned as is."""
    found = CAPTURE.search(url)
    return found[4] if found else url


def find_capture_day(url: str) -> str:
    """Return the day on which the copy was made, as ISO 8601; "" if the address does not tell."""
    found = CAPTURE.search(url)
    return f"{found[1]}-{found[2]}-{found[3]}" if found else ""


def is_stamped(url: str) -> bool:
    """Return whether the address is that of a copy whose metadata are those of the copy, not of the page."""
    if "archive." not in url[: len("https://www.archive.")]:
        return False
    try:
        return (split_url(url).hostname or "") in STAMPING_HOSTS
    except ValueError:
        return False
