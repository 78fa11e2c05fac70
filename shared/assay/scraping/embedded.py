"""The article that a page embeds for machines, for pages that leave its showing to a script."""

import re
from typing import Any

from lxml.html import HtmlElement

from assay.scraping.outside import markup
from assay.text import jsonld
from assay.text.sanitise import sanitise
from assay.text.words import count

THIN = 100  # words; a page that shows more speaks for itself
LEAST = 40
BODIES = ("articleBody", "reviewBody", "text")
TAGS = re.compile(r"</?(?:p|br|div|h[1-6]|ul|ol|li|a|em|strong|b|i|span|blockquote|figure)\b[^<>]*>", re.IGNORECASE)


def article(tree: HtmlElement, url: str, shown: int) -> str:
    """The longest text in the page's JSON-LD as markdown, where it says much more than the `shown` words; else ""."""
    if shown >= THIN:
        return ""
    told = [text for node in jsonld.nodes(jsonld.blocks(tree)) for name in BODIES if (text := _text(node.get(name)))]
    longest = max(told, key=len, default="")
    body = markup(longest, url) if TAGS.search(longest) else sanitise(longest).strip()
    return body if count(body) >= max(LEAST, 2 * shown) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
