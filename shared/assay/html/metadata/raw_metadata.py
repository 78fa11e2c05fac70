"""What a page declares for machines, whole and as it stands: OpenGraph, Twitter cards, JSON-LD."""

from typing import Any, NamedTuple

from lxml.html import HtmlElement

from assay.html.metadata import jsonld
from assay.html.parser.html_tree import parse
from assay.text.surrogates import replace_surrogates

LINKED_DATA = "application/ld+json"


class Declared(NamedTuple):
    """`opengraph` and `twitter` by the name the page gives; of a repeated name the last. `jsonld` one block an item."""

    opengraph: dict[str, str]
    twitter: dict[str, str]
    jsonld: list[Any]


def parse_declared(html: str) -> Declared:
    """Read off the page's markup; what stands in comments or scripts is no meta."""
    tree = parse(html)
    found = Declared({}, {}, [])
    for meta in tree.iter("meta"):
        _note(meta, found)
    for script in tree.iter("script"):
        if (script.get("type") or "").partition(";")[0].strip().lower() == LINKED_DATA:
            found.jsonld.extend(_values(script.text or ""))
    return found


def _note(meta: HtmlElement, found: Declared) -> None:
    content = (meta.get("content") or "").strip()
    if not content:
        return
    for kind in ("property", "name"):
        name = (meta.get(kind) or "").strip()
        lower = name.lower()
        if lower.startswith("og:"):
            found.opengraph[name] = content
        elif lower.startswith("twitter:"):
            found.twitter[name] = content


def _values(text: str) -> list[Any]:
    """The block's values: a list's items one by one, nothing of what is no JSON."""
    value = jsonld.parse_block(text)
    if "\\ud" in text.lower():
        value = replace_surrogates(value)
    if isinstance(value, list):
        return value
    return [] if value is None and text.strip() != "null" else [value]
