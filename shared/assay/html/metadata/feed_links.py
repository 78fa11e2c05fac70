"""The feeds that a page names: `<link rel="alternate" type="application/rss+xml">` and its kind."""

from assay.html.parser.html_tree import open_html
from assay.html.reader.main_content import find_base_url
from assay.text import url_text
from assay.text.url_parts import join_url
from assay.text.user_info import remove_url_user_info

TYPES = {"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"}
MAX_FEEDS, MAX_URL_CHARS = 3, 200  # few enough for an error


def find_feed_urls(html: str, url: str) -> list[str]:
    """Return the addresses of the first feeds that the page at `url` names, without credentials."""
    found: list[str] = []
    with open_html(html) as tree:
        base = find_base_url(tree, url)
        for link in tree.iter("link"):
            kind = (link.get("type") or "").partition(";")[0].strip().lower()
            is_feed = kind in TYPES and "alternate" in (link.get("rel") or "").lower().split()
            if is_feed and (address := link.get("href")):
                found.append(_resolve(base, address))
    return [each for each in dict.fromkeys(found) if each and len(each) <= MAX_URL_CHARS][:MAX_FEEDS]


def _resolve(base: str, link: str) -> str:
    try:
        target = url_text.parse_http_url(remove_url_user_info(join_url(base, link.strip())))
    except ValueError:
        return ""
    return target.href if target else ""
