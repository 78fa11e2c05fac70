"""Machine-readable metadata of a page, as written, without secrets in addresses: Open Graph, Twitter cards, JSON-LD."""

from typing import Any, NamedTuple

from assay.html.metadata import jsonld
from assay.html.parser.html_element import HtmlElement
from assay.html.parser.html_tree import open_html
from assay.text.surrogates import replace_surrogates
from assay.text.user_info import remove_all_user_info, remove_named_user_info

LINKED_DATA = "application/ld+json"


class RawMetadata(NamedTuple):
    """`opengraph` and `twitter` by property name; the last value of a repeated name. `jsonld` has one item per
    block.
    """

    opengraph: dict[str, str]
    twitter: dict[str, str]
    jsonld: list[Any]


def parse_raw_metadata(html: str) -> RawMetadata:
    """Return the metadata in the markup of a page; comments and script text are not searched for meta elements."""
    metadata = RawMetadata({}, {}, [])
    with open_html(html) as tree:
        for meta in tree.iter("meta"):
            _add_meta(meta, metadata)
        for script in tree.iter("script"):
            if (script.get("type") or "").partition(";")[0].strip().lower() == LINKED_DATA:
                metadata.jsonld.extend(_values(script.text or ""))
    return metadata


def _add_meta(meta: HtmlElement, metadata: RawMetadata) -> None:
    content = (meta.get("content") or "").strip()
    if not content:
        return
    for kind in ("property", "name"):
        name = (meta.get(kind) or "").strip()
        lower = name.lower()
        if lower.startswith("og:"):
            metadata.opengraph[name] = remove_named_user_info(lower, content)
        elif lower.startswith("twitter:"):
            metadata.twitter[name] = remove_named_user_info(lower, content)


def _values(text: str) -> list[Any]:
    """Return the values of a block: the items of a list, nothing if it is not JSON."""
    value = remove_all_user_info(jsonld.parse_block(text))
    if "\\ud" in text.lower():
        value = replace_surrogates(value)
    if isinstance(value, list):
        return value
    return [] if value is None and text.strip() != "null" else [value]
