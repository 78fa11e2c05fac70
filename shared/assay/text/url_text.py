"""Addresses as browsers read them: what a result points at, whose it is, and whether two are one."""

import re
from typing import NamedTuple

TRACKERS = re.compile(
    r"(?:^|&)(?:utm_[a-z_]+|gclid|gbraid|wbraid|fbclid|msclkid|dclid|yclid|igshid|mc_[ce]id|ref_src)=[^&]*",
    re.IGNORECASE,
)
LONGEST = 4_000


class UrlParts(NamedTuple):
    """An http(s) address in normal form. `path` begins with a slash."""

    href: str
    host: str
    path: str
    search: str


def place(url: object) -> UrlParts | None:
    """Where `url` points, or None where it is not an http(s) address without credentials."""
    if not isinstance(url, str) or len(url) > LONGEST:
        return None
    import ada_url

    try:
        read = ada_url.URL(url.strip())
    except ValueError:
        return None
    if read.protocol not in ("http:", "https:") or not read.hostname or read.username or read.password:
        return None
    return UrlParts(read.href, read.hostname.rstrip("."), read.pathname, read.search)


def same(url: str) -> str:
    """A text that is equal for addresses of one page: scheme, `www.`, trackers, fragment, last slash do not count."""
    found = place(url)
    if found is None:
        return url
    search = TRACKERS.sub("", found.search.removeprefix("?")).lstrip("&")
    return f"{found.host.removeprefix('www.')}{found.path.rstrip('/')}?{search}"


def belongs(url: str, domains: tuple[str, ...]) -> bool:
    """Whether `url` lies in one of `domains` (`host` or `host/path`), at label and path borders."""
    found = place(url)
    return found is not None and any(_lies_in(found, domain) for domain in domains)


def _lies_in(found: UrlParts, domain: str) -> bool:
    host, _, path = domain.lower().partition("/")
    if found.host != host and not found.host.endswith(f".{host}"):
        return False
    path = path.rstrip("/")
    own = found.path.lower()
    return not path or own == f"/{path}" or own.startswith(f"/{path}/")
