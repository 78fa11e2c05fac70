"""Whether a list puts the one who publishes it first."""

import re
from typing import Annotated

from pydantic import Field

from assay.evaluation import known_hosts
from assay.models.common import Output
from assay.net.urls import registrable
from assay.verification.title_matching import plain

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
SHORT, LONGEST = 3, 400_000  # characters of a brand, and of a page


class SelfPromotion(Output):
    """A ranking whose first item bears the name of the site that publishes it."""

    brand: Annotated[str, Field(description="Name of the publishing site.")]
    first_item: Annotated[str, Field(description="First item of the list.")]
    evidence: Annotated[str, Field(description="What shows that both are the same.")]


def brand_of(url: str) -> str:
    """The name in an address: `shopify` of `https://blog.shopify.com/x`; "" where there is none."""
    domain = registrable(known_hosts.host(url))
    return domain.partition(".")[0] if "." in domain and not domain.replace(".", "").isdigit() else ""


def in_page(url: str, content: str) -> SelfPromotion | None:
    """The signal of a page's text (markdown): a ranking of at least two whose first item names the page's own site."""
    brand = brand_of(url)
    if len(brand) < SHORT:
        return None
    content = content[:LONGEST]
    last = max((second.start() for second in SECOND.finditer(content)), default=0)
    for first in FIRST.finditer(content):
        item = first["item"].strip(" *_#")
        if first.end() < last and names(item.partition(":")[0][:80], brand):
            return SelfPromotion(
                brand=brand, first_item=item[:120], evidence=f"The page's ranking begins: {first[0].strip()[:160]}"
            )
    return None


def in_title(url: str, title: str) -> SelfPromotion | None:
    """The signal of the recommendation's own words: they rank first who owns the address."""
    brand = brand_of(url)
    if len(brand) >= SHORT and RANKED.search(title) and names(title, brand):
        return SelfPromotion(
            brand=brand, first_item=title[:120], evidence="The recommendation ranks the site that it links to."
        )
    return None


def names(text: str, brand: str) -> bool:
    """Whether the text has the brand as words: `big commerce` is `bigcommerce` too."""
    words, wanted = re.findall(r"[^\W_]+", plain(text)), plain(brand).replace("-", "")
    runs = {"".join(words[at : at + size]) for at in range(len(words)) for size in (1, 2, 3)}
    return wanted in runs
