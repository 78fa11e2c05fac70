"""Posts and profiles of X from a Nitter mirror, the fallback of FxTwitter. https://github.com/zedeus/nitter"""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from assay.errors import NotFound
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext
from assay.scraping.untrusted_json import build_page, clean_line, clean_text, format_counts, join_blocks

if TYPE_CHECKING:
    from bs4 import Tag

MIRROR = "https://xcancel.com"
SECONDS = 8.0
DATE_FORMAT = "%b %d, %Y · %I:%M %p UTC"
COUNTS = {"icon-comment": "replies", "icon-retweet": "retweets", "icon-heart": "likes", "icon-views": "views"}


async def read(url: str, path: str, context: SiteContext) -> Page | None:
    """Read the post or profile at `path`; None if the mirror shows neither, for example a bot check."""
    from bs4 import BeautifulSoup

    base = context.settings.base_url("nitter", MIRROR)
    try:
        response = await context.http.request("nitter", "GET", base + path, seconds=SECONDS, expect="text", redirects=2)
    except NotFound:  # a post that the mirror lacks may still exist on X
        return None
    tree = BeautifulSoup(response.body, "lxml")
    if post := tree.select_one(".main-tweet"):
        return _format_post(url, post)
    card = tree.select_one(".profile-card")
    return _format_profile(url, card) if card else None


def _format_post(url: str, post: "Tag") -> Page | None:
    text = _get_text(post, ".tweet-content")
    if not text:
        return None
    name, handle, published = _get_text(post, ".fullname"), _get_text(post, ".username"), _get_date(post)
    title = f"{name} ({handle}) on X" if handle else f"{name or 'A post'} on X"
    counts: dict[str, Any] = {}
    for stat in post.select(".tweet-stat"):
        for icon, label in COUNTS.items():
            if stat.select_one(f".{icon}"):
                counts[label] = _count(stat.get_text())
    return build_page(
        url,
        "twitter",
        [f"# {title}", published or "", text, format_counts(**counts)],
        title=f"{title}: {clean_line(text, 100)}".rstrip(": "),
        authors=[name or handle] if name or handle else [],
        site="X",
        published=published,
        canonical=url,
    )


def _format_profile(url: str, card: "Tag") -> Page | None:
    name, handle = _get_text(card, ".profile-card-fullname"), _get_text(card, ".profile-card-username")
    if not name:
        return None
    counts = {
        label: _count(_get_text(card, f".{label} .profile-stat-num")) for label in ("followers", "following", "posts")
    }
    title = f"{name} ({handle}) on X"
    about = _get_text(card, ".profile-bio")
    return build_page(
        url,
        "twitter",
        [f"# {title}", about, _get_text(card, ".profile-location"), format_counts(**counts)],
        title=title,
        authors=[name],
        site="X",
        description=clean_line(about),
        canonical=url,
    )


def _get_text(node: "Tag", selector: str) -> str:
    found = node.select_one(selector)
    return clean_text(join_blocks(*found.get_text().splitlines())) if found else ""


def _count(text: str) -> int | None:
    digits = text.strip().replace(",", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def _get_date(post: "Tag") -> str | None:
    link = post.select_one(".tweet-date a[title]")
    try:
        when = datetime.strptime(f"{link['title']}+0000", f"{DATE_FORMAT}%z") if link else None
    except ValueError:
        return None
    return when.strftime("%Y-%m-%dT%H:%M:%SZ") if when else None
