"""The type of a page, as far as it matters for author and date."""

import re
from typing import Any

from assay.html.metadata import jsonld
from assay.html.metadata.structured_data import Metas

IMPERSONAL = {"product", "listing"}  # their dates and names belong to reviews, offers and teasers
THREAD = re.compile(
    r"/(?:forums?|threads?|topics?|discussions?|questions|comments|t|boards?)/[^?]*\d|viewtopic|showthread|showtopic|[?&]topic=|/thread-\d"
    r"|/ShowTopic",
    re.IGNORECASE,
)
FORUM_SOFTWARE = re.compile(
    r"phpbb|xenforo|vbulletin|discourse|invision|mybb|simple machines|vanilla|flarum|nodebb|lemmy", re.IGNORECASE
)
PRODUCTS = {
    "product",
    "productgroup",
    "offer",
    "individualproduct",
    "vehicle",
    "car",
    "softwareapplication",
    "mobileapplication",
}
LISTS = {"collectionpage", "itemlist", "searchresultspage", "offercatalog", "storefront"}
THREADS = {"discussionforumposting", "qapage"}


ARTICLE_PATH = re.compile(
    r"/(?:blogs?|news|articles?|posts?|stor(?:y|ies)|press|insights?|features?|opinion|magazine|journal)(?:[/-]|$)|//blog\.",
    re.IGNORECASE,
)


def is_authored(kind: str, url: str) -> bool:
    """Return whether the page is an article or a forum thread, by its type or its URL."""
    return kind in ("article", "forum") or (not kind and bool(ARTICLE_PATH.search(url)))


def classify_page(named: Metas, nodes: list[dict[str, Any]], url: str) -> str:
    """Return `forum`, `article`, `product`, `listing`, or "" if the type is unknown."""
    kinds = {kind for node in nodes for kind in jsonld.node_types(node)}
    shared = " ".join(named.get("og:type", [])).lower()
    if kinds & THREADS or THREAD.search(url) or FORUM_SOFTWARE.search(" ".join(named.get("generator", []))):
        return "forum"
    if (
        kinds & PRODUCTS and not any("article" in kind or kind == "blogposting" for kind in kinds)
    ) or "product" in shared:
        return "product"
    if "article" in shared or any(kind.endswith("article") or kind == "blogposting" for kind in kinds):
        return "article"
    if kinds & LISTS or re.fullmatch(r"https?://[^/?#]+/?(?:[?#].*)?", url):
        return "listing"
    return ""
