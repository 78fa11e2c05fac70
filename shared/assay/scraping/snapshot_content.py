"""Snapshot of a page: content and metadata of a response of any status."""

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from assay.net.guarded_client import Fetched
from assay.scraping import html_page, iframes, response_parser, slow_sites
from assay.scraping.page import Page
from assay.scraping.render_detection import LITTLE, explain_missing_content

if TYPE_CHECKING:
    from assay.html.parser.html_element import HtmlElement, HtmlRoot

PICTURES, KEYWORDS = 20, 50
NO_PICTURE = ("pixel", "tracking", "beacon", "1x1", "spacer", "blank.gif")
WALLED = (403, 429, 503)

type Engine = Literal["static", "browser"]


class PageSnapshot(BaseModel):
    """A page and how it was read. `markup` is its HTML if it was requested and exists."""

    page: Page
    status: int
    engine: Engine = "static"
    markup: str = ""
    keywords: list[str] = []
    images: list[str] = []
    milliseconds: int = 0
    warning: str | None = None
    lacks: str = ""  # why a browser would show more; "" if it would not
    onward: str = ""  # target of an immediate refresh of a short page


def parse_snapshot(fetched: Fetched, engine: Engine) -> PageSnapshot:
    """Parse an HTML response: main content, metadata, and why a browser might show more."""
    from assay.html.parser.html_tree import open_html
    from assay.text.decode import decode

    markup = decode(fetched.body, fetched.charset)
    with open_html(markup) as tree:
        return _read_tree(tree, fetched, markup, engine)


def _read_tree(tree: "HtmlRoot", fetched: Fetched, markup: str, engine: Engine) -> PageSnapshot:
    from assay.html.metadata.page_metadata import extract_facts
    from assay.html.metadata.structured_data import collect_metas
    from assay.html.reader.main_content import find_base_url
    from assay.html.reader.main_content import read_main_content as read_main

    known = extract_facts(tree, fetched.url)
    reading = read_main(tree, fetched.url)
    page = html_page.build_html_page(fetched, reading, known, engine)
    metas, base = collect_metas(tree), find_base_url(tree, fetched.url)
    return PageSnapshot(
        page=page,
        status=fetched.status,
        engine=engine,
        markup=markup,
        keywords=_list_keywords(metas),
        images=_list_images(tree, metas, base),
        warning=html_page.PAID if known.access_free is False else page.access_note,
        onward=iframes.find_refresh_target(tree, base, fetched.url) if len(page.content) < LITTLE else "",
        lacks="" if engine == "browser" else _explain_lack(fetched, tree, markup, page.content),
    )


def _explain_lack(fetched: Fetched, tree: "HtmlRoot", markup: str, content: str) -> str:
    """Why a browser would show more; "" if it would not, or for an error page."""
    if is_walled(fetched):
        return f"The site checks for a browser (HTTP {fetched.status})."
    if fetched.status >= 400:
        return ""
    return explain_missing_content(tree, markup, content, rendered=slow_sites.is_slow(fetched.url))


def _list_keywords(metas: dict[str, list[str]]) -> list[str]:
    from assay.text.plain_text import to_plain_text

    keywords = [*metas.get("keywords", ()), *metas.get("news_keywords", ()), *metas.get("article:tag", ())]
    words = (to_plain_text(word, 100) for text in keywords for word in text.split(","))
    return list(dict.fromkeys(word for word in words if word))[:KEYWORDS]


def _list_images(tree: "HtmlRoot", metas: dict[str, list[str]], base: str) -> list[str]:
    """The URLs of the page's images, preview images (Open Graph, Twitter cards) first, deduplicated."""
    previews = [link for name in ("og:image", "og:image:url", "twitter:image") for link in metas.get(name, ())]
    sources = (picture.get("src") or picture.get("data-src") or "" for picture in tree.iter("img") if _is_seen(picture))
    links = (_resolve(base, link) for link in [*previews, *sources])
    return list(dict.fromkeys(link for link in links if link))[:PICTURES]


def _is_seen(picture: "HtmlElement") -> bool:
    source = (picture.get("src") or "").lower()
    tiny = any((picture.get(side) or "").strip().removesuffix("px") in ("0", "1") for side in ("width", "height"))
    return not tiny and picture.get("hidden") is None and not any(word in source for word in NO_PICTURE)


def _resolve(base: str, link: str) -> str:
    from assay.text.url_parts import join_url
    from assay.text.url_text import parse_http_url
    from assay.text.user_info import remove_url_user_info

    try:
        at = parse_http_url(remove_url_user_info(join_url(base, link.strip()))) if link.strip() else None
    except ValueError:
        return ""
    return at.href if at else ""


def is_walled(fetched: Fetched) -> bool:
    """Whether the response is a bot check."""
    return (
        fetched.status in WALLED and response_parser.detect_kind(fetched) is None and response_parser.is_wall(fetched)
    )
