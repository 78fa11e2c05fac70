"""Detects ranked lists whose publisher ranks its own product first."""

import re
from typing import Annotated

from pydantic import Field

from assay.evaluation import known_hosts
from assay.models.common import Output
from assay.net.urls import get_registrable_domain
from assay.verification.title_matching import fold

LEAD = r"^[ \t]{0,8}(?:#{1,6}[ \t]*)?(?:[-*][ \t]+)?[*_]{0,3}"
AFTER = r"[.):]?[ \t]*[*_]{0,3}[ \t]*[—–:-]?[ \t]*[*_]{0,3}"
FIRST = re.compile(
    rf"{LEAD}(?:(?:#|No\.?|Nr\.?)[ \t]?1\b|1(?=[.):\s*—–-])){AFTER}[ \t]*(?P<item>\S.{{0,200}})$",
    re.MULTILINE | re.IGNORECASE,
)
SECOND = re.compile(rf"{LEAD}(?:(?:#|No\.?|Nr\.?)[ \t]?2\b|2(?=[.):\s*—–-]))", re.MULTILINE | re.IGNORECASE)
RANKED = re.compile(
    r"#\s?1\b|\b(?:no\.?|number|nr\.?)\s?(?:1|one)\b|\bbest\b|\btop\b|^\s*1[.)]\s|\bbeste[rsn]?\b|\bmeilleure?\b|\bmejor\b",
    re.IGNORECASE,
)
MIN_BRAND, MAX_CHARS = 3, 400_000  # minimum characters of a brand; maximum characters of a page


class SelfPromotion(Output):
    """A ranking whose first item has the name of the publishing site."""

    brand: Annotated[str, Field(description="Name of the publishing site.")]
    first_item: Annotated[str, Field(description="First item of the list.")]
    evidence: Annotated[str, Field(description="What shows that both are the same.")]


def brand_of(url: str) -> str:
    """Return the brand in a URL's domain: `shopify` for `https://blog.shopify.com/x`; "" if there is none."""
    domain = get_registrable_domain(known_hosts.parse_host(url))
    return domain.partition(".")[0] if "." in domain and not domain.replace(".", "").isdigit() else ""


def find_in_page(url: str, content: str) -> SelfPromotion | None:
    """Detect a ranking of at least two items in a page's Markdown whose first item names the page's own site."""
    brand = brand_of(url)
    if len(brand) < MIN_BRAND:
        return None
    content = content[:MAX_CHARS]
    last = max((second.start() for second in SECOND.finditer(content)), default=0)
    for first in FIRST.finditer(content):
        item = first["item"].strip(" *_#")
        if first.end() < last and mentions_brand(item.partition(":")[0][:80], brand):
            return SelfPromotion(
                brand=brand, first_item=item[:120], evidence=f"The page's ranking begins: {first[0].strip()[:160]}"
            )
    return None


def find_in_title(url: str, title: str) -> SelfPromotion | None:
    """Detect a recommendation whose title ranks the owner of its URL first."""
    brand = brand_of(url)
    if len(brand) >= MIN_BRAND and RANKED.search(title) and mentions_brand(title, brand):
        return SelfPromotion(
            brand=brand, first_item=title[:120], evidence="The recommendation ranks the site it links to first."
        )
    return None


def mentions_brand(text: str, brand: str) -> bool:
    """Return whether the text contains the brand as words; `big commerce` matches `bigcommerce`."""
    words, wanted = re.findall(r"[^\W_]+", fold(text)), fold(brand).replace("-", "")
    runs = {"".join(words[at : at + size]) for at in range(len(words)) for size in (1, 2, 3)}
    return wanted in runs
