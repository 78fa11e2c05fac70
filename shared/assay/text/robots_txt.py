"""robots.txt (RFC 9309): which group applies to a user agent, and what it may fetch."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

MAX_BYTES = 512 * 1024  # RFC 9309, section 2.5, requires at least 500 KiB
PRODUCT_TOKEN = re.compile(r"[^\s/;,()]+")  # a product token, without its version
SITE_WIDE = {"sitemap", "host"}


@dataclass(frozen=True)
class RobotsGroup:
    """The group for one user agent: its lines as written, without comments.

    `rules` are the access rules, `lines` the same with the `User-agent` lines above them.
    """

    rules: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Return whether the canonical `url` may be fetched: the longest match wins, and Allow wins a tie."""
        return self._parser.can_fetch(url, "*")

    @property
    def crawl_delay_ms(self) -> int | None:
        seconds = self._parser.crawl_delay("*")
        return round(min(seconds, 1e9) * 1000) if seconds else None

    @cached_property
    def _parser(self) -> "Protego":
        from protego import Protego

        return Protego.parse("\n".join(("User-agent: *", *self.rules)))


def find_group(agent: str, body: bytes) -> RobotsGroup:
    """Return the merged groups for `agent` (a product token or a whole User-Agent header), else those of `*`.

    If several tokens of the header have groups, the longest token counts.
    """
    sections = _sections(body)
    known_names = {name for section in sections for name in section.names}
    own_names = [name.lower() for name in PRODUCT_TOKEN.findall(agent)]
    chosen = max((name for name in own_names if name in known_names), key=len, default="*")
    matching = [section for section in sections if chosen in section.names]
    rules = tuple(line for section in matching for line in section.rules)
    return RobotsGroup(rules, tuple(line for section in matching for line in (*section.agents, *section.rules)))


def find_sitemaps(body: bytes) -> list[str]:
    """Return the sitemap URLs, which apply to all user agents."""
    fields = (line.partition("#")[0].partition(":") for line in _text(body).splitlines())
    return [value.strip() for field, colon, value in fields if colon and field.strip().lower() == "sitemap"]


@dataclass
class _Section:
    """`User-agent` lines and the rules below them, up to the next `User-agent` line."""

    names: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def _sections(body: bytes) -> list[_Section]:
    """Return the groups in order. Rules before the first `User-agent` line belong to no group."""
    found: list[_Section] = []
    current = _Section()
    open_to_names = False
    for line in _text(body).splitlines():
        content = line.partition("#")[0].strip()
        name, colon, value = content.partition(":")
        name = "-".join(name.lower().split())
        if not colon or name in SITE_WIDE:
            continue
        if name not in ("user-agent", "useragent"):
            open_to_names = False
            current.rules.append(content)
        elif agent := PRODUCT_TOKEN.match(value.strip()):
            if not open_to_names:
                current = _Section()
                found.append(current)
            current.names.append(agent[0].lower())
            current.agents.append(content)
            open_to_names = True
    return found


def _text(body: bytes) -> str:
    """Return the text up to MAX_BYTES, without a line cut in half."""
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES].rpartition(b"\n")[0]
    return body.decode("utf-8-sig", "replace")
