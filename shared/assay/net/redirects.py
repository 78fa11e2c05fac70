"""Redirects of providers: followed only on the configured host."""

from collections.abc import Mapping

from assay.net.transport import REDIRECTS
from assay.text.url_parts import join_url, split_url


def onward_on_host(url: str, status: int, headers: Mapping[str, str]) -> str | None:
    """The redirect target; None without one, or if it has another host or port, or leads from https to http."""
    location = headers.get("location", "")
    if status not in REDIRECTS or not location:
        return None
    try:
        before, onward = split_url(url), join_url(url, location)
        after = split_url(onward)
        same = (after.hostname, after.port) == (before.hostname, before.port)
    except ValueError:
        return None
    safer = (before.scheme, after.scheme) in {("http", "http"), ("https", "https"), ("http", "https")}
    return onward.partition("#")[0] if same and safer and not after.username else None
