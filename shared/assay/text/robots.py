"""robots.txt, as RFC 9309 reads it: which group speaks to a robot, and what it may fetch."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

MOST_BYTES = 512 * 1024  # the RFC asks for 500 KiB at least
TOKEN = re.compile(r"[^\s/;,()]+")  # a product's name, without its version
SITE_WIDE = {"sitemap", "host"}


@dataclass(frozen=True)
class Group:
    """What robots.txt says to one robot: its lines as written, without comments."""

    rules: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Whether the canonical `url` may be fetched: the longest match decides, and Allow wins a draw."""
        return self._parsed.can_fetch(url, "*")

    @property
    def crawl_delay_ms(self) -> int | None:
        seconds = self._parsed.crawl_delay("*")
        return round(min(seconds, 1e9) * 1000) if seconds else None

    @cached_property
    def _parsed(self) -> "Protego":
        from protego import Protego

        return Protego.parse("\n".join(("User-agent: *", *self.rules)))


def group_for(agent: str, body: bytes) -> Group:
    """All groups that name `agent` (a product's name or a whole User-Agent header), merged; else those of `*`.

    Of several names in the header the longest that is spoken to counts.
    """
    spoken: dict[str, list[str]] = {}
    for names, line in _lines(body):
        for name in names:
            spoken.setdefault(name, []).extend([line] if line else [])
    mine = [name.lower() for name in TOKEN.findall(agent)]
    chosen = max((name for name in mine if name in spoken), key=len, default="*")
    return Group(tuple(spoken.get(chosen, ())))


def sitemaps_in(body: bytes) -> list[str]:
    """The sitemaps that robots.txt names, for whoever reads it."""
    said = (line.partition("#")[0].partition(":") for line in _text(body).splitlines())
    return [value.strip() for field, colon, value in said if colon and field.strip().lower() == "sitemap"]


def _lines(body: bytes) -> Iterator[tuple[list[str], str]]:
    """Each rule with the robots it speaks to; "" for a group that opens."""
    names: list[str] = []
    open_to_names = False
    for line in _text(body).splitlines():
        said = line.partition("#")[0].strip()
        field, colon, value = said.partition(":")
        field = "-".join(field.lower().split())
        if not colon or field in SITE_WIDE:
            continue
        if field not in ("user-agent", "useragent"):
            open_to_names = False
            yield names, said
        elif name := TOKEN.match(value.strip()):
            names = [*names, name[0].lower()] if open_to_names else [name[0].lower()]
            open_to_names = True
            yield names, ""


def _text(body: bytes) -> str:
    """The text up to the bound, without a line that the bound cut in half."""
    if len(body) > MOST_BYTES:
        body = body[:MOST_BYTES].rpartition(b"\n")[0]
    return body.decode("utf-8-sig", "replace")
