"""JSON-LD in a page: blocks, their nodes, types and names.

Common mistakes are accepted; sizes and depths are bounded. https://www.w3.org/TR/json-ld11/
"""

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from assay.html.parser.html_element import HtmlElement

MAX_BLOCK_CHARACTERS = 512 * 1024  # characters of a block
MAX_BLOCKS = 32
MAX_NODES = 2_000
MAX_DEPTH = 64
LINE_SEPARATOR = "\u2028"  # ends a line of JSON5, but unlike a line break may be in a string
# The last is not followed for an FAQPage, whose questions are not the page itself.
NODE_PROPERTIES = ("@graph", "mainEntityOfPage", "mainEntity")

type Node = dict[str, Any]


class JsonLdBlock(NamedTuple):
    """A JSON-LD script: its length in characters and its value."""

    length: int
    value: Any


def find_blocks(tree: HtmlElement) -> list[JsonLdBlock]:
    """Return the page's JSON-LD scripts; those that cannot be parsed are left out."""
    scripts = (one for one in tree.iter("script") if "ld+json" in (one.get("type") or "").lower())
    texts = islice((text for one in scripts if (text := one.text)), MAX_BLOCKS)
    blocks = [JsonLdBlock(len(text), parse_block(text)) for text in texts]
    return [block for block in blocks if isinstance(block.value, dict | list)]


def collect_nodes(found_blocks: list[JsonLdBlock]) -> list[Node]:
    """Return the top-level nodes, graph members and main entities in order, with references between them resolved."""
    nodes: list[Node] = []
    for block in found_blocks:
        nodes.extend(_top_nodes(block.value))
    by_id = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str) and len(node) > 1}
    return [_resolve_node(node, by_id) for node in nodes[:MAX_NODES]]


def parse_block(block: str) -> Any:
    """Return the value of a block; None if it is too long or too deep, or neither JSON nor JSON5.

    JSON5 has comments, trailing commas and single quotes. Raw line breaks in strings are accepted.
    """
    if len(block) > MAX_BLOCK_CHARACTERS:
        return None
    text = _unwrap(block)
    try:
        value = json.loads(text, strict=False)
    except RecursionError:
        return None
    except ValueError:
        value = _parse_json5(text)
    return value if _is_shallow(value) else None


def _parse_json5(text: str) -> Any:
    import pyjson5

    try:
        value = pyjson5.decode(LINE_SEPARATOR.join(text.splitlines()), maxdepth=MAX_DEPTH)
    except pyjson5.Json5Exception:
        return None
    return json.loads(json.dumps(value).replace("\\u2028", "\\n"))


def _unwrap(block: str) -> str:
    """Strip the comment or CDATA wrapper that old authoring advice puts around scripts, and escapes of all quotes."""
    text = block.strip()
    if '"' not in text:
        text = html.unescape(text)
    for mark in ("//", "/*", "<!--", "<![CDATA[", "*/"):
        text = text.removeprefix(mark).lstrip()
    for mark in ("*/", "-->", "]]>", "//", "/*", ";"):
        text = text.removesuffix(mark).rstrip()
    return text


def _is_shallow(value: Any) -> bool:
    """Return whether the value is nested no deeper than MAX_DEPTH."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _children(one)]
        if not level:
            return True
    return False


def _children(one: dict[str, Any] | list[Any]) -> list[Any]:
    return list(one.values()) if isinstance(one, dict) else one


def node_types(node: Node) -> list[str]:
    """Return the node's types in lower case, without their vocabulary."""
    declared = node.get("@type")
    listed = declared if isinstance(declared, list) else [declared]
    return [re.split(r"[/#:]", one)[-1].lower() for one in listed if isinstance(one, str)]


def extract_names(value: Any) -> list[str]:
    """Return the names in a string, in a node with a `name`, or in a list of these."""
    if isinstance(value, list):
        return [text for inner in value[:50] for text in extract_names(inner)]
    if isinstance(value, dict):
        return extract_names(value.get("name") or value.get("@value") or "")
    return [value] if isinstance(value, str) and value.strip() else []


def _top_nodes(value: Any, depth: int = 0) -> Iterator[Node]:
    if depth > 8:
        return
    if isinstance(value, list):
        for inner in value:
            yield from _top_nodes(inner, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for name in NODE_PROPERTIES[: 2 if "faqpage" in node_types(value) else 3]:
            yield from _top_nodes(value.get(name), depth + 1)


def _resolve_node(node: Node, named: dict[str, Node]) -> Node:
    return {name: _resolve_value(value, named) for name, value in node.items()}


def _resolve_value(value: Any, named: dict[str, Node]) -> Any:
    if isinstance(value, list):
        return [_resolve_value(inner, named) for inner in value[:50]]
    if isinstance(value, dict) and isinstance(value.get("@id"), str) and "name" not in value:
        return named.get(value["@id"], value)
    return value
