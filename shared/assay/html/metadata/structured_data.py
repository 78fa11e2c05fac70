"""Machine-readable metadata of a page, bounded in size, in the form that tools return."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from assay.html.metadata import jsonld
from assay.html.parser.html_element import HtmlElement
from assay.models.common import Output
from assay.text.user_info import remove_all_user_info, remove_named_user_info

MAX_BLOCKS, MAX_BLOCK_BYTES, MAX_TOTAL_BYTES = 16, 32 * 1024, 64 * 1024
MAX_METAS, MAX_META_BYTES = 64, 2 * 1024

type Metas = Mapping[str, list[str]]


class StructuredData(Output):
    """Metadata embedded in the page. Untrusted, like its text."""

    json_ld: Annotated[list[Any] | None, Field(description="JSON-LD objects of the page.")] = None
    open_graph: Annotated[dict[str, str] | None, Field(description="OpenGraph properties, such as og:title.")] = None
    citation: Annotated[dict[str, str] | None, Field(description="Highwire citation_* metadata.")] = None


def collect_metas(tree: HtmlElement) -> dict[str, list[str]]:
    """Return the contents of the meta elements by lower-case name, property or itemprop, in order."""
    metas: dict[str, list[str]] = {}
    for meta in tree.iter("meta"):
        attributes = meta.attributes
        content = attributes.get("content")
        if content and (content := content.strip()):
            for kind in ("name", "property", "itemprop"):
                if name := attributes.get(kind):
                    metas.setdefault(name.strip().lower(), []).append(content)
    return metas


def bound_structured_data(blocks: list[jsonld.JsonLdBlock], named: Metas) -> StructuredData | None:
    """Return the page's JSON-LD and its og:*, article:* and citation_* metas within the limits; None if it has none.

    Addresses are without user names and passwords.
    """
    data = StructuredData(
        json_ld=_bound_blocks(blocks) or None,
        open_graph=_select_metas(named, ("og:", "article:")) or None,
        citation=_select_metas(named, ("citation_",)) or None,
    )
    return data if data.json_ld or data.open_graph or data.citation else None


def _bound_blocks(blocks: list[jsonld.JsonLdBlock]) -> list[Any]:
    bounded: list[Any] = []
    remaining = MAX_TOTAL_BYTES
    for block in blocks:
        if len(bounded) == MAX_BLOCKS:
            break
        size = _json_size(block.value) if block.length <= MAX_BLOCK_BYTES else MAX_BLOCK_BYTES + 1
        if size <= min(remaining, MAX_BLOCK_BYTES):
            bounded.append(remove_all_user_info(block.value))
            remaining -= size
    return bounded


def _json_size(value: Any) -> int:
    """Return the size of the value as compact JSON in bytes; above every limit if it is not strict JSON."""
    try:
        return len(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except (ValueError, RecursionError):
        return MAX_TOTAL_BYTES + 1


def _select_metas(named: Metas, prefixes: tuple[str, ...]) -> dict[str, str]:
    """Return one value per name; values of the names in REPEATED are joined by `; `."""
    chosen: dict[str, str] = {}
    for name, values in named.items():
        if name.startswith(prefixes) and len(chosen) < MAX_METAS:
            shown = [remove_named_user_info(name, value) for value in values]
            joined = "; ".join(dict.fromkeys(shown)) if name in REPEATED else shown[0]
            chosen[name] = joined.encode("utf-8", "replace")[:MAX_META_BYTES].decode("utf-8", "ignore")
    return chosen


REPEATED = {"citation_author", "citation_keywords", "article:tag", "article:author", "citation_author_institution"}
