"""Redirects of providers: followed only on the configured host."""

from collections.abc import Mapping

from assay.net.transport import REDIRECTS
from assay.text.url_parts import join_url, split_url


def resolve_redirect_on_host(url: str, status: int, headers: Mapping[str, str]) -> str | None:
    """The redirect target; None without one, or if it has another host or port, or leads from https to http."""
    location = headers.get("location", "")
    if status not in REDIRECTS or not location:
        return None
    try:
        current, joined = split_url(url), join_url(url, location)
        target = split_url(joined)
        is_same_origin = (target.hostname, target.port) == (current.hostname, current.port)
    except ValueError:
        return None
    keeps_tls = (current.scheme, target.scheme) in {("http", "http"), ("https", "https"), ("http", "https")}
    return joined.partition("#")[0] if is_same_origin and keeps_tls and not target.username else None
