"""robots.txt, as RFC 9309 reads it: which group speaks to a robot, and what it may fetch."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

MOST_BYTES = 512 * 1024  # the RFC asks for 500 KiB at least
TOKEN = re.compile(r"[^\s/;,()]+")  # a product's name, without its version
SITE_WIDE = {"sitemap", "host"}


@dataclass(frozen=True)
class RobotsGroup:
    """What robots.txt says to one robot: its lines as written, without comments.

    `rules` are the lines that say what it may fetch, `lines` the same with the `User-agent` lines above them.
    """

    rules: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Whether the canonical `url` may be fetched: the longest match decides, and Allow wins a draw."""
        return self._parser.can_fetch(url, "*")

    @property
    def crawl_delay_ms(self) -> int | None:
        seconds = self._parser.crawl_delay("*")
        return round(min(seconds, 1e9) * 1000) if seconds else None

    @cached_property
    def _parser(self) -> "Protego":
        from protego import Protego

        return Protego.parse("\n".join(("User-agent: *", *self.rules)))


def group_for(agent: str, body: bytes) -> RobotsGroup:
    """All groups that name `agent` (a product's name or a whole User-Agent header), merged; else those of `*`.

    Of several names in the header the longest that is spoken to counts.
    """
    sections = _sections(body)
    spoken = {name for section in sections for name in section.names}
    mine = [name.lower() for name in TOKEN.findall(agent)]
    chosen = max((name for name in mine if name in spoken), key=len, default="*")
    found = [section for section in sections if chosen in section.names]
    rules = tuple(line for section in found for line in section.rules)
    return RobotsGroup(rules, tuple(line for section in found for line in (*section.agents, *section.rules)))


def sitemaps_in(body: bytes) -> list[str]:
    """The sitemaps that robots.txt names, for whoever reads it."""
    said = (line.partition("#")[0].partition(":") for line in _text(body).splitlines())
    return [value.strip() for field, colon, value in said if colon and field.strip().lower() == "sitemap"]


@dataclass
class _Section:
    """`User-agent` lines and the rules below them, up to the next `User-agent` line."""

    names: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def _sections(body: bytes) -> list[_Section]:
    """The sections in their order. Rules above the first `User-agent` line speak to no robot."""
    found: list[_Section] = []
    current = _Section()
    open_to_names = False
    for line in _text(body).splitlines():
        said = line.partition("#")[0].strip()
        name, colon, value = said.partition(":")
        name = "-".join(name.lower().split())
        if not colon or name in SITE_WIDE:
            continue
        if name not in ("user-agent", "useragent"):
            open_to_names = False
            current.rules.append(said)
        elif agent := TOKEN.match(value.strip()):
            if not open_to_names:
                current = _Section()
                found.append(current)
            current.names.append(agent[0].lower())
            current.agents.append(said)
            open_to_names = True
    return found


def _text(body: bytes) -> str:
    """The text up to the bound, without a line that the bound cut in half."""
    if len(body) > MOST_BYTES:
        body = body[:MOST_BYTES].rpartition(b"\n")[0]
    return body.decode("utf-8-sig", "replace")
