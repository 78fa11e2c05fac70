"""What a page says of itself in JSON-LD: typed nodes out of graphs, arrays, references and slightly broken blocks."""

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from lxml.html import HtmlElement

LONGEST = 512 * 1024  # characters of a block
BLOCKS = 32
NODES = 2_000
DEPTH = 64
HOLDS_NODES = ("@graph", "mainEntityOfPage", "mainEntity")  # the last not of an FAQ: a page is not its questions
TRAILING_COMMA = re.compile(r",(\s*[}\]])")

type Node = dict[str, Any]


class JsonLdBlock(NamedTuple):
    """A JSON-LD script: its length in characters and its value."""

    length: int
    value: Any


def blocks(tree: HtmlElement) -> list[JsonLdBlock]:
    """The page's JSON-LD; a script that is no JSON is left out."""
    scripts = (one for one in tree.iter("script") if "ld+json" in (one.get("type") or "").lower())
    texts = islice((text for one in scripts if (text := one.text)), BLOCKS)
    found = [JsonLdBlock(len(text), parse_block(text)) for text in texts]
    return [block for block in found if isinstance(block.value, dict | list)]


def nodes(found_blocks: list[JsonLdBlock]) -> list[Node]:
    """The nodes at the top, in graphs and as main entities, in order; references among them are put in place."""
    found: list[Node] = []
    for block in found_blocks:
        found.extend(_tops(block.value))
    named = {node["@id"]: node for node in found if isinstance(node.get("@id"), str) and len(node) > 1}
    return [_resolve_node(node, named) for node in found[:NODES]]


def parse_block(block: str) -> Any:
    """The block's value, or None; a wrapped comment, a last comma, a raw line break, escaped quotes are forgiven."""
    if len(block) > LONGEST:
        return None
    text = _unwrap(block)
    for repaired in (str, _without_last_commas, html.unescape):
        try:
            value = json.loads(repaired(text), strict=False)
        except (ValueError, RecursionError):
            continue
        return value if _is_shallow(value) else None
    return None


def _unwrap(block: str) -> str:
    """Without the comment or CDATA section that old advice puts around scripts."""
    text = block.strip()
    for mark in ("//", "/*", "<!--", "<![CDATA[", "*/"):
        text = text.removeprefix(mark).lstrip()
    for mark in ("*/", "-->", "]]>", "//", "/*", ";"):
        text = text.removesuffix(mark).rstrip()
    return text


def _is_shallow(value: Any) -> bool:
    """Whether nothing lies deeper than anyone would write."""
    level = [value]
    for _ in range(DEPTH):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inside(one)]
        if not level:
            return True
    return False


def _inside(one: dict[str, Any] | list[Any]) -> list[Any]:
    return list(one.values()) if isinstance(one, dict) else one


def _without_last_commas(text: str) -> str:
    return TRAILING_COMMA.sub(r"\1", text)


def types(node: Node) -> list[str]:
    """Its types in lower case, without vocabulary."""
    said = node.get("@type")
    listed = said if isinstance(said, list) else [said]
    return [re.split(r"[/#:]", one)[-1].lower() for one in listed if isinstance(one, str)]


def texts(value: Any) -> list[str]:
    """Names out of a string, a node with a name, or a list of them."""
    if isinstance(value, list):
        return [text for inner in value[:50] for text in texts(inner)]
    if isinstance(value, dict):
        return texts(value.get("name") or value.get("@value") or "")
    return [value] if isinstance(value, str) and value.strip() else []


def _tops(value: Any, depth: int = 0) -> Iterator[Node]:
    if depth > 8:
        return
    if isinstance(value, list):
        for inner in value:
            yield from _tops(inner, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for name in HOLDS_NODES[: 2 if "faqpage" in types(value) else 3]:
            yield from _tops(value.get(name), depth + 1)


def _resolve_node(node: Node, named: dict[str, Node]) -> Node:
    return {name: _resolve_value(value, named) for name, value in node.items()}


def _resolve_value(value: Any, named: dict[str, Node]) -> Any:
    if isinstance(value, list):
        return [_resolve_value(inner, named) for inner in value[:50]]
    if isinstance(value, dict) and isinstance(value.get("@id"), str) and "name" not in value:
        return named.get(value["@id"], value)
    return value
