"""Pages that hold another page: wrappers around a frame, and pages that only send their reader on."""

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

from assay.errors import InvalidInput
from assay.evaluation import known_hosts
from assay.net.urls import canonical, host_of, registrable
from assay.scraping.page import Page, TierReading
from assay.text.url_parts import join_url

MOST = 2
PATIENCE = 5  # seconds; who sends on later means to be read first
REFRESH = re.compile(r"""^\s*(\d{1,4})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"'>]+)""", re.IGNORECASE)
UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?<![-\w])(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|$)",
    re.IGNORECASE,
)
HOLD_DOCUMENTS = {
    *("docs.google.com", "drive.google.com", "sites.google.com", "onedrive.live.com", "view.officeapps.live.com"),
    *("sharepoint.com", "scribd.com", "issuu.com", "slideshare.net", "speakerdeck.com", "notion.site", "gitbook.io"),
    *("readthedocs.io", "github.io", "codepen.io", "observablehq.com", "datawrapper.de", "dwcdn.net", "typeform.com"),
}
HOLD_NOTHING = {  # advertisers, counters, consent, captchas, buttons, players
    *("doubleclick.net", "googlesyndication.com", "googletagmanager.com", "google-analytics.com", "adnxs.com"),
    *("recaptcha.net", "hcaptcha.com", "challenges.cloudflare.com", "consensu.org", "onetrust.com", "cookiebot.com"),
    *("facebook.com", "platform.twitter.com", "linkedin.com", "youtube.com", "youtube-nocookie.com", "vimeo.com"),
    *("player.vimeo.com", "open.spotify.com", "disqus.com", "livechatinc.com", "intercom.io", "taboola.com"),
}


def sources(tree: HtmlElement, base: str, url: str) -> tuple[str, ...]:
    """Where the frames a reader sees lead, those of the page's own site first; at most two."""
    own = registrable(host_of(url))
    found: dict[str, int] = {}
    for frame in tree.iter("iframe", "frame"):
        link = _canonical(base, frame.get("src") or "")
        if not link or link == url or _is_hidden(frame) or known_hosts.among(host_of(link), HOLD_NOTHING):
            continue
        rank = 0 if registrable(host_of(link)) == own else 1 if known_hosts.among(host_of(link), HOLD_DOCUMENTS) else 2
        found.setdefault(link, rank)
    return tuple(sorted(found, key=lambda link: found[link])[:MOST])


def onward(tree: HtmlElement, base: str, url: str) -> str:
    """Where the page sends its reader at once by `http-equiv=refresh`; "" where it does not."""
    for meta in tree.iter("meta"):
        if (meta.get("http-equiv") or "").strip().lower() != "refresh":
            continue
        told = REFRESH.match(meta.get("content") or "")
        if told and int(told[1]) <= PATIENCE and (link := _canonical(base, told[2].strip())) not in ("", url):
            return link
    return ""


def join_frames(read: TierReading, inside: Sequence[Page], least: int) -> TierReading:
    """The page with what its frames hold below its own text."""
    held = [page for page in inside if page.content.strip()]
    if not held:
        return read
    content = "\n\n".join(part for part in (read.page.content, *(page.content for page in held)) if part.strip())
    first = held[0]
    enough = len(content) >= least
    page = read.page.model_copy(
        update={
            "content": content,
            "title": read.page.title or first.title,
            "authors": read.page.authors or first.authors,
            "published": read.page.published or first.published,
            "truncated": read.page.truncated or any(page.truncated for page in held),
            "quality": "complete" if enough else "partial",
            "access_note": f"Its text stands in a frame of the page: {', '.join(page.url for page in held)}.",
        }
    )
    return TierReading(page, enough)


def _is_hidden(frame: HtmlElement) -> bool:
    small = any((frame.get(side) or "").strip().removesuffix("px") in ("0", "1") for side in ("width", "height"))
    return small or frame.get("hidden") is not None or bool(UNSEEN.search(frame.get("style") or ""))


def _canonical(base: str, link: str) -> str:
    """The absolute address, "" for what is none of the web."""
    try:
        return canonical(join_url(base, link.strip())) if link.strip() else ""
    except (InvalidInput, ValueError):
        return ""
