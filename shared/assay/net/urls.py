"""One reading of a URL, the browser's own (WHATWG), so that what is checked is what is fetched."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ada_url import URL

from assay.errors import InvalidInput
from assay.net.exceptions import OffLimits

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

MOST = 8192  # characters; longer ones are refused by most servers anyway
SCHEME = "another scheme than http or https"
PORTS = {"http": 80, "https": 443}
LITERAL = re.compile(r"\d+\.\d+\.\d+\.\d+|\[.*\]")  # of a canonical host


class ParsedUrl(NamedTuple):
    """A URL taken apart. `host` is lower case, without brackets; `target` is path and query."""

    url: str
    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


@lru_cache(maxsize=512)  # the same URL is asked about several times on its way
def parse_url(url: str, base: str | None = None) -> ParsedUrl:
    """The URL, relative to `base` if one is given. Raises InvalidInput; credentials are never echoed."""
    if len(url) > MOST:
        raise url_error(f"The URL is longer than {MOST} characters; shorten it.")
    try:
        read = URL(url, base=base) if base else URL(url)
    except ValueError:
        raise url_error("This is no URL a browser could open; give a full http or https URL.") from None
    scheme = read.protocol.removesuffix(":")
    if scheme not in PORTS:
        raise OffLimits("Only http and https URLs are fetched; give one of those.", SCHEME)
    if read.username or read.password:
        raise url_error("The URL holds a user name or a password; remove what stands before the @.")
    read.hash = ""
    host = _host(read.hostname)
    if host != read.hostname:
        read.hostname = host
    port = int(read.port or PORTS[scheme])
    return ParsedUrl(read.href, scheme, host.strip("[]"), port, read.pathname + read.search)


def canonical(url: str) -> str:
    """The URL as a browser writes it, without fragment. Raises InvalidInput for what is no http or https URL."""
    return parse_url(url).url


def host_of(url: str) -> str:
    """The canonical host, lower case, an IPv6 address without brackets. Raises InvalidInput."""
    return parse_url(url).host


def registrable(host: str) -> str:
    """The domain somebody registered: `bbc.co.uk` of `news.bbc.co.uk`. An address or a bare suffix is itself."""
    if LITERAL.fullmatch(host) or ":" in host:
        return host
    return _suffixes().privatesuffix(host.lower().rstrip(".")) or host


def url_error(sentence: str) -> InvalidInput:
    return InvalidInput(sentence, field="url")


def _host(host: str) -> str:
    """The host without the dot that ends an absolute name: the same place must not have two names."""
    if LITERAL.fullmatch(host):
        return host
    host = host.removesuffix(".")
    if len(host) > 253 or not all(0 < len(label) <= 63 for label in host.split(".")):
        raise url_error("The URL's host is no domain name; check it for doubled dots and length.")
    return host


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
