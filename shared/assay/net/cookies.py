"""Cookies of one call: sent back only to the origin that set them, during redirects."""

from collections.abc import Iterable

from assay.net.urls import ParsedUrl

MAX_COOKIES = 50  # cookies of one origin
MAX_COOKIE_BYTES = 4096  # of one cookie


class CookieJar:
    """Cookies by origin. Needed by sites that set a cookie and redirect to themselves."""

    def __init__(self) -> None:
        self._cookies: dict[tuple[str, str, int], dict[str, str]] = {}

    def store(self, parsed_url: ParsedUrl, headers: Iterable[str]) -> None:
        """Store the Set-Cookie headers of a response. Their Domain attributes are ignored."""
        cookies = self._cookies.setdefault(parsed_url.origin, {})
        for header in headers:
            pair = header.partition(";")[0]
            name, equals, value = (part.strip() for part in pair.partition("="))
            if name and equals and len(pair) <= MAX_COOKIE_BYTES and pair.isascii() and pair.isprintable():
                cookies[name] = value
            if len(cookies) > MAX_COOKIES:
                cookies.pop(next(iter(cookies)))

    def build_header(self, parsed_url: ParsedUrl) -> str:
        """The Cookie header for this URL; "" if there is none."""
        return "; ".join(f"{name}={value}" for name, value in self._cookies.get(parsed_url.origin, {}).items())
