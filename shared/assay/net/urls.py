"""Parses URLs by the WHATWG URL Standard, so that the URL that is checked is the one that is fetched."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ada_url import URL

from assay.errors import InvalidInput
from assay.net.exceptions import OffLimits

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

MAX_URL_LENGTH = 8192  # characters; most servers refuse longer URLs
SCHEME = "another scheme than http or https"
PORTS = {"http": 80, "https": 443}
LITERAL = re.compile(r"\d+\.\d+\.\d+\.\d+|\[.*\]")  # of a canonical host


class ParsedUrl(NamedTuple):
    """A parsed URL. `host` is lower case, without brackets; `target` is path and query."""

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
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


@lru_cache(maxsize=512)  # each URL is parsed several times during a fetch
def parse_url(url: str, base: str | None = None) -> ParsedUrl:
    """Parse the URL, relative to `base` if given. Raises InvalidInput, without repeating credentials."""
    if len(url) > MAX_URL_LENGTH:
        raise url_error(f"The URL is longer than {MAX_URL_LENGTH} characters; shorten it.")
    try:
        parsed = URL(url, base=base) if base else URL(url)
    except ValueError:
        raise url_error("This is not a valid URL; give a full http or https URL.") from None
    scheme = parsed.protocol.removesuffix(":")
    if scheme not in PORTS:
        raise OffLimits("Only http and https URLs are fetched; give one of those.", SCHEME)
    if parsed.username or parsed.password:
        raise url_error("The URL contains a user name or a password; remove what is before the @.")
    parsed.hash = ""
    name = parsed.hostname
    host = _host(name)
    if host != name:
        parsed.hostname = host
    port = int(parsed.port or PORTS[scheme])
    return ParsedUrl(parsed.href, scheme, host.strip("[]"), port, parsed.pathname + parsed.search)


def canonicalize_url(url: str) -> str:
    """The normalized URL without fragment. Raises InvalidInput for anything but http and https URLs."""
    return parse_url(url).url


def get_host(url: str) -> str:
    """The canonical host, lower case, an IPv6 address without brackets. Raises InvalidInput."""
    return parse_url(url).host


def get_registrable_domain(host: str) -> str:
    """The registrable domain: `bbc.co.uk` of `news.bbc.co.uk`. IP addresses and public suffixes are unchanged."""
    if LITERAL.fullmatch(host) or ":" in host:
        return host
    return _suffixes().privatesuffix(host.lower().rstrip(".")) or host


def url_error(sentence: str) -> InvalidInput:
    return InvalidInput(sentence, field="url")


def _host(host: str) -> str:
    """The host without a trailing dot, so that each host has one name. Raises InvalidInput for an invalid name."""
    if LITERAL.fullmatch(host):
        return host
    host = host.removesuffix(".")
    if len(host) > 253 or not all(0 < len(label) <= 63 for label in host.split(".")):
        raise url_error("The URL's host is not a valid domain name; check it for double dots and length.")
    return host


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
