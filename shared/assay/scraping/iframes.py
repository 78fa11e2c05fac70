"""Frames and immediate refreshes: pages whose content is in another document."""

import re
from collections.abc import Sequence

from assay.errors import InvalidInput
from assay.evaluation import known_hosts
from assay.html.parser.html_element import HtmlElement
from assay.net.urls import canonicalize_url, get_host, get_registrable_domain
from assay.scraping.page import CUT, Page, TierReading
from assay.text.url_parts import join_url

MAX_FRAMES = 2
PATIENCE = 5  # seconds; a page with a later refresh is meant to be read
REFRESH = re.compile(r"""^\s*(\d{1,4})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"'>]+)""", re.IGNORECASE)
UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?<![-\w])(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|$)",
    re.IGNORECASE,
)
DOCUMENT_HOSTS = {
    *("docs.google.com", "drive.google.com", "sites.google.com", "onedrive.live.com", "view.officeapps.live.com"),
    *("sharepoint.com", "scribd.com", "issuu.com", "slideshare.net", "speakerdeck.com", "notion.site", "gitbook.io"),
    *("readthedocs.io", "github.io", "codepen.io", "observablehq.com", "datawrapper.de", "dwcdn.net", "typeform.com"),
}
IGNORED_HOSTS = {  # advertising, analytics, consent, captchas, buttons, players
    *("doubleclick.net", "googlesyndication.com", "googletagmanager.com", "google-analytics.com", "adnxs.com"),
    *("recaptcha.net", "hcaptcha.com", "challenges.cloudflare.com", "consensu.org", "onetrust.com", "cookiebot.com"),
    *("facebook.com", "platform.twitter.com", "linkedin.com", "youtube.com", "youtube-nocookie.com", "vimeo.com"),
    *("player.vimeo.com", "open.spotify.com", "disqus.com", "livechatinc.com", "intercom.io", "taboola.com"),
}


def list_frame_urls(tree: HtmlElement, base: str, url: str) -> tuple[str, ...]:
    """The URLs of the visible frames, those of the page's own site first; at most two."""
    own = get_registrable_domain(get_host(url))
    found: dict[str, int] = {}
    for frame in tree.iter("iframe", "frame"):
        link = _resolve(base, frame.get("src") or "")
        if not link or link == url or _is_hidden(frame) or known_hosts.is_in_domains(get_host(link), IGNORED_HOSTS):
            continue
        rank = (
            0
            if get_registrable_domain(get_host(link)) == own
            else 1
            if known_hosts.is_in_domains(get_host(link), DOCUMENT_HOSTS)
            else 2
        )
        found.setdefault(link, rank)
    return tuple(sorted(found, key=lambda link: found[link])[:MAX_FRAMES])


def find_refresh_target(tree: HtmlElement, base: str, url: str) -> str:
    """The target of an immediate `http-equiv=refresh` (HTML Standard section 4.2.5.3); "" for none."""
    for meta in tree.iter("meta"):
        if (meta.get("http-equiv") or "").strip().lower() != "refresh":
            continue
        refresh = REFRESH.match(meta.get("content") or "")
        if refresh and int(refresh[1]) <= PATIENCE and (link := _resolve(base, refresh[2].strip())) not in ("", url):
            return link
    return ""


def merge_frames(read: TierReading, inside: Sequence[Page], min_length: int) -> TierReading:
    """Append the content of the frames to that of the page."""
    filled = [page for page in inside if page.content.strip()]
    if not filled:
        return read
    content = "\n\n".join(part for part in (read.page.content, *(page.content for page in filled)) if part.strip())
    first = filled[0]
    enough = len(content) >= min_length
    notes = [f"The text is from a frame of the page: {', '.join(page.url for page in filled)}."]
    notes += [CUT] if any(page.access_note == CUT for page in (read.page, *filled)) else []
    page = read.page.model_copy(
        update={
            "content": content,
            "title": read.page.title or first.title,
            "authors": read.page.authors or first.authors,
            "published": read.page.published or first.published,
            "truncated": read.page.truncated or any(page.truncated for page in filled),
            "quality": "complete" if enough else "partial",
            "access_note": " ".join(notes),
        }
    )
    return TierReading(page, enough)


def _is_hidden(frame: HtmlElement) -> bool:
    small = any((frame.get(side) or "").strip().removesuffix("px") in ("0", "1") for side in ("width", "height"))
    return small or frame.get("hidden") is not None or bool(UNSEEN.search(frame.get("style") or ""))


def _resolve(base: str, link: str) -> str:
    """The canonical absolute URL; "" if it is not an http(s) URL."""
    try:
        return canonicalize_url(join_url(base, link.strip())) if link.strip() else ""
    except (InvalidInput, ValueError):
        return ""
