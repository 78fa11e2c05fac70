"""The machine-readable facts a page carries, bounded, as they go out to callers."""

import json
from collections.abc import Mapping
from typing import Any

from lxml.html import HtmlElement

from assay.html.metadata import jsonld
from assay.models.common import Output

BLOCKS, BLOCK_BYTES, ALL_BYTES = 16, 32 * 1024, 64 * 1024
METAS, META_BYTES = 64, 2 * 1024

type Metas = Mapping[str, list[str]]


class StructuredData(Output):
    """What the page embeds for machines. Untrusted, like its text."""

    json_ld: list[Any] | None = None
    open_graph: dict[str, str] | None = None
    citation: dict[str, str] | None = None


def metas(tree: HtmlElement) -> dict[str, list[str]]:
    """The contents of the page's meta elements by lower-case name, property or itemprop, in order."""
    found: dict[str, list[str]] = {}
    for meta in tree.iter("meta"):
        content = meta.get("content")
        if content and (content := content.strip()):
            for kind in ("name", "property", "itemprop"):
                if name := meta.get(kind):
                    found.setdefault(name.strip().lower(), []).append(content)
    return found


def bound_structured_data(blocks: list[jsonld.JsonLdBlock], named: Metas) -> StructuredData | None:
    """The page's JSON-LD and its og:*, article:* and citation_* metas, within the bounds; None when it has none."""
    found = StructuredData(
        json_ld=_bound_blocks(blocks) or None,
        open_graph=_metas(named, ("og:", "article:")) or None,
        citation=_metas(named, ("citation_",)) or None,
    )
    return found if found.json_ld or found.open_graph or found.citation else None


def _bound_blocks(blocks: list[jsonld.JsonLdBlock]) -> list[Any]:
    kept: list[Any] = []
    room = ALL_BYTES
    for block in blocks:
        if len(kept) == BLOCKS:
            break
        size = _size(block.value) if block.length <= BLOCK_BYTES else BLOCK_BYTES + 1
        if size <= min(room, BLOCK_BYTES):
            kept.append(block.value)
            room -= size
    return kept


def _size(value: Any) -> int:
    """Bytes of the value as it goes out; more than any bound when it is no strict JSON."""
    try:
        return len(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except (ValueError, RecursionError):
        return ALL_BYTES + 1


def _metas(named: Metas, prefixes: tuple[str, ...]) -> dict[str, str]:
    """One value a name; what is repeated (authors, tags) is joined by `; `."""
    chosen: dict[str, str] = {}
    for name, values in named.items():
        if name.startswith(prefixes) and len(chosen) < METAS:
            joined = "; ".join(dict.fromkeys(values)) if name in REPEATED else values[0]
            chosen[name] = joined.encode("utf-8", "replace")[:META_BYTES].decode("utf-8", "ignore")
    return chosen


REPEATED = {"citation_author", "citation_keywords", "article:tag", "article:author", "citation_author_institution"}
