"""Cookies within one call: what an origin sets on the way it gets back on the way, and nobody else ever."""

from collections.abc import Iterable

from assay.net.urls import ParsedUrl

MOST = 50  # cookies of one origin
MOST_BYTES = 4096  # of one cookie


class Jar:
    """Kept for one call and thrown away: sites that set a cookie and lead back to themselves can be read."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int], dict[str, str]] = {}

    def keep(self, place: ParsedUrl, headers: Iterable[str]) -> None:
        """Take the Set-Cookie headers of an answer. Domains in them are not honoured: the origin is the border."""
        mine = self._kept.setdefault(place.origin, {})
        for header in headers:
            pair = header.partition(";")[0]
            name, sign, value = (part.strip() for part in pair.partition("="))
            if name and sign and len(pair) <= MOST_BYTES and pair.isascii() and pair.isprintable():
                mine[name] = value
            if len(mine) > MOST:
                mine.pop(next(iter(mine)))

    def header(self, place: ParsedUrl) -> str:
        """What the Cookie header for this place says, "" for none."""
        return "; ".join(f"{name}={value}" for name, value in self._kept.get(place.origin, {}).items())
