"""What a page shows and says of itself, read off an answer of any status."""

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from assay.net.guarded_client import Fetched
from assay.scraping import iframes, response_parser
from assay.scraping.page import Page
from assay.scraping.render_detection import LITTLE, lack

if TYPE_CHECKING:
    from lxml.html import HtmlElement

PICTURES, KEYWORDS = 20, 50
NO_PICTURE = ("pixel", "tracking", "beacon", "1x1", "spacer", "blank.gif")
WALLED = (403, 429, 503)

type Engine = Literal["static", "browser"]


class Look(BaseModel):
    """A page and how it was had. `markup` is its HTML where it was asked for and there is one."""

    page: Page
    status: int
    engine: Engine = "static"
    markup: str = ""
    keywords: list[str] = []
    images: list[str] = []
    milliseconds: int = 0
    warning: str | None = None
    lacks: str = ""  # why a browser would show more; "" where it would not
    onward: str = ""  # where a page that says little sends its reader at once


def look_at(fetched: Fetched, engine: Engine) -> Look:
    """An answer that is a page, read: the main text, what it says of itself, and what it may lack."""
    from assay.html.metadata.page_metadata import extract_facts
    from assay.html.metadata.structured_data import collect_metas
    from assay.html.parser.html_tree import parse
    from assay.html.reader.main_content import find_base_url
    from assay.html.reader.main_content import read_main_content as read_main
    from assay.text.decode import decode

    markup = decode(fetched.body, fetched.charset)
    tree = parse(markup)
    known = extract_facts(tree, fetched.url)
    reading = read_main(tree, fetched.url)
    page = response_parser.of_html(fetched, reading.markdown, known, engine)
    named, base = collect_metas(tree), find_base_url(tree, fetched.url)
    return Look(
        page=page,
        status=fetched.status,
        engine=engine,
        markup=markup,
        keywords=_keywords(named),
        images=_images(tree, named, base),
        warning=response_parser.PAID if known.access_free is False else None,
        onward=iframes.onward(tree, base, fetched.url) if len(page.content) < LITTLE else "",
        lacks="" if engine == "browser" else _lack(fetched, tree, markup, page.content),
    )


def _lack(fetched: Fetched, tree: "HtmlElement", markup: str, content: str) -> str:
    """Why a browser would show more of the page; "" where it shows enough, or is no page at all."""
    if is_walled(fetched):
        return f"The site wants proof of a browser (HTTP {fetched.status})."
    if fetched.status >= 400:
        return ""
    return lack(tree, markup, content, drawn=response_parser.is_slow(fetched.url))


def _keywords(named: dict[str, list[str]]) -> list[str]:
    from assay.text.plain_text import plain

    said = [*named.get("keywords", ()), *named.get("news_keywords", ()), *named.get("article:tag", ())]
    words = (plain(word, 100) for text in said for word in text.split(","))
    return list(dict.fromkeys(word for word in words if word))[:KEYWORDS]


def _images(tree: "HtmlElement", named: dict[str, list[str]], base: str) -> list[str]:
    """The addresses of the page's pictures: first those it shows of itself elsewhere, each once."""
    told = [link for name in ("og:image", "og:image:url", "twitter:image") for link in named.get(name, ())]
    shown = (picture.get("src") or picture.get("data-src") or "" for picture in tree.iter("img") if _is_seen(picture))
    links = (_absolute(base, link) for link in [*told, *shown])
    return list(dict.fromkeys(link for link in links if link))[:PICTURES]


def _is_seen(picture: "HtmlElement") -> bool:
    source = (picture.get("src") or "").lower()
    tiny = any((picture.get(side) or "").strip().removesuffix("px") in ("0", "1") for side in ("width", "height"))
    return not tiny and picture.get("hidden") is None and not any(word in source for word in NO_PICTURE)


def _absolute(base: str, link: str) -> str:
    from assay.text.url_parts import join_url
    from assay.text.url_text import place

    try:
        at = place(join_url(base, link.strip())) if link.strip() else None
    except ValueError:
        return ""
    return at.href if at else ""


def is_walled(fetched: Fetched) -> bool:
    """Whether the answer wants proof of a browser instead of showing a page."""
    return fetched.status in WALLED and response_parser.kind(fetched) is None and response_parser.is_wall(fetched)
