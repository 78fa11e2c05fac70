"""Numeric features that all blocks of a page share: its amount of text, its tags, its declared types and its URL."""

import re
from collections import Counter
from math import log
from operator import attrgetter

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.text_blocks import BlockPage

TYPE_PATTERNS = [
    re.compile(pattern)
    for pattern in (
        r'"(?:[A-Za-z]*Article|BlogPosting|[A-Za-z]*Report|HowTo|Recipe)"',
        r'"Product(?:Group)?"',
        r'"(?:ItemList|CollectionPage|SearchResultsPage|ProductCollection|Blog)"',
        r'"(?:DiscussionForumPosting|QAPage|Question|Comment)"',
        r'"(?:LocalBusiness|Service|Organization|FAQPage|SoftwareApplication)"',
    )
]
CURRENCIES = "$€£"


def build_page_features(
    page: BlockPage, texts: list[str], running: int, tree: HtmlElement, url: str
) -> tuple[float, ...]:
    """Return the features that all blocks of a page share; `running` is the number of its words of running text."""
    count, whole = len(texts), page.frames[0]
    words = whole.words or 1
    tags = Counter(map(attrgetter("element.tag"), page.frames))
    types = _type_features(tree)
    path = url.split("?", 1)[0].split("/", 3)
    parts = path[3].strip("/") if len(path) > 3 else ""
    return (
        log(words), whole.link_words / words, running / words, log(count + 1), tags["article"], tags["li"] / count,
        tags["p"] / count, tags["h1"], tags["pre"], tags["tr"] / count,
        *types, parts.count("/") if parts else -1, len(parts), sum(map(str.isdigit, parts)), parts.count("-"),
        _count_prices(texts) / count,
    )  # fmt: skip


def _count_prices(texts: list[str]) -> int:
    """Return how many of the texts have the sign of a currency."""
    joined = "\n".join(texts)
    signs = [sign for sign in CURRENCIES if sign in joined]
    return len({place for sign in signs for place, text in enumerate(texts) if sign in text})


def _type_features(tree: HtmlElement) -> list[float]:
    """Return the type features of the page: its og:type and the types in its JSON-LD."""
    kind = 0.0
    for meta in tree.iter("meta"):
        if meta.get("property") == "og:type":
            og_type = (meta.get("content") or "").lower()
            kind = (
                1.0 if "article" in og_type else 2.0 if "product" in og_type else 3.0 if og_type == "website" else 4.0
            )
            break
    text = " ".join(
        (script.text or "")[:20_000]
        for script in tree.iter("script")
        if (script.get("type") or "") == "application/ld+json"
    )
    return [kind, *(float(bool(text and pattern.search(text))) for pattern in TYPE_PATTERNS)]
