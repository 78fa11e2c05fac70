"""Reads the facts that a page declares: JSON-LD, microdata, definition lists, tables, OpenGraph."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.html.metadata import jsonld
from assay.html.reader.element_kinds import BLOCK_TAGS
from assay.text.plain_text import to_plain_text
from assay.text.user_info import remove_named_user_info, remove_url_user_info

if TYPE_CHECKING:
    from assay.html.parser.html_element import HtmlElement, HtmlRoot

MOST, OF_A_NODE, ROWS, DEPTH = 2_000, 100, 200, 5  # limits: facts per kind, facts per node, nodes per list, levels
LENGTH, NAME, PIECES = 2_000, 200, 500  # limits: characters per value, characters per name, text pieces per element
ABOUT_THE_SITE = frozenset(
    {"breadcrumblist", "website", "webpage", "searchaction", "sitenavigationelement", "imageobject"}
)
LEADING = frozenset(
    {"url", "image", "sameas", "logo", "photo", "thumbnailurl", "contenturl"}
)  # their value is the URL, not the text of the element
ASIDE = re.compile(r"\([^()]{0,40}\)")
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


@dataclass(frozen=True)
class Fact:
    """A declared value and its path of property names, each normalized by `key`."""

    path: tuple[str, ...]
    value: Any
    origin: str  # json-ld, microdata, terms, table, opengraph


def normalize_name(name: str) -> str:
    """Normalize a name for comparison: `ratingValue`, `rating_value` and `Rating value (stars):` are equal."""
    return "".join(WORDS.findall(ASIDE.sub("", name[:NAME]))).lower()


def read_facts(markup: str, tables: list[dict[str, Any]]) -> list[Fact]:
    """List the facts that the page declares, JSON-LD first and nodes about the site after the other nodes.

    `tables` are the tables of the page's Markdown.
    """
    from assay.html.parser.html_tree import open_html

    with open_html(markup) as tree:
        nodes = sorted(
            jsonld.collect_nodes(jsonld.find_blocks(tree)),
            key=lambda node: bool(ABOUT_THE_SITE.intersection(jsonld.node_types(node))),
        )
        kinds: tuple[Iterator[Fact], ...] = (
            (fact for node in nodes for fact in _flatten(node, (), "json-ld", 0)),
            _microdata(tree),
            _terms(tree),
            (fact for table in tables for fact in _table_rows(table)),
            _opengraph(tree),
        )
        return [fact for kind in kinds for fact in islice(kind, MOST)]


def group_facts(markup: str) -> list[list[list[Fact]]]:
    """Group the facts of JSON-LD nodes by type: one list per type, such as offers, jobs or reviews."""
    from assay.html.parser.html_tree import open_html

    kinds: dict[str, list[list[Fact]]] = {}
    with open_html(markup) as tree:
        nodes = jsonld.collect_nodes(jsonld.find_blocks(tree))
    for node in islice(_every_node(nodes), MOST):
        for kind in jsonld.node_types(node)[:1]:
            kinds.setdefault(kind, []).append(list(islice(_flatten(node, (), "json-ld", 0), OF_A_NODE)))
    return [rows[:ROWS] for rows in kinds.values() if rows]


def _every_node(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the nodes and the nodes inside their lists, unwrapping `ListItem`s."""
    for node in nodes:
        yield node
        for value in node.values():
            if isinstance(value, list):
                inner = [item.get("item", item) for item in value[:ROWS] if isinstance(item, dict)]
                yield from (item for item in inner if isinstance(item, dict) and "@type" in item)


def _flatten(value: Any, path: tuple[str, ...], origin: str, depth: int) -> Iterator[Fact]:
    if depth > DEPTH:
        return
    if isinstance(value, Mapping):
        properties = {"": value["@value"]} if "@value" in value else value
        for name, inner in properties.items():
            if isinstance(name, str) and not name.startswith("@"):
                yield from _flatten(inner, (*path, normalize_name(name)) if name else path, origin, depth + 1)
    elif isinstance(value, list):
        yield from _flatten_list(value, path, origin, depth)
    elif path and (scalar := _scalar(value, path[-1])) is not None:
        yield Fact(path, scalar, origin)


def _flatten_list(value: list[Any], path: tuple[str, ...], origin: str, depth: int) -> Iterator[Fact]:
    name = path[-1] if path else ""
    texts = [scalar for item in value[:MOST] if (scalar := _scalar(item, name)) is not None]
    if texts and path:
        yield Fact(path, texts, origin)
    for inner in value[:50]:
        if isinstance(inner, Mapping):
            yield from _flatten(inner, path, origin, depth + 1)


def _scalar(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return _to_text(name, value) or None
    if isinstance(value, Mapping):
        return next((_scalar(text, key) for key in ("name", "text") if isinstance(text := value.get(key), str)), None)
    return value if isinstance(value, bool | int | float) else None


def _to_text(name: str, value: str) -> str:
    """Return the plain text without user names and passwords, also of addresses that entities hid."""
    return remove_named_user_info(name, to_plain_text(remove_named_user_info(name, value), LENGTH))


def _microdata(tree: "HtmlRoot") -> Iterator[Fact]:
    for element in tree.list_with("itemprop"):
        names = element.attributes["itemprop"].split()
        if not names or element.get("itemscope") is not None:
            continue
        values = {normalize_name(name): text for name in names[:DEPTH] if (text := _element_value(element, name))}
        scopes = [scope.get("itemprop") for scope in element.iterancestors() if scope.get("itemscope") is not None]
        path = tuple(normalize_name(name) for name in reversed(scopes[:DEPTH]) if name) if values else ()
        yield from (Fact((*path, name), text, "microdata") for name, text in values.items())


def _element_value(element: "HtmlElement", name: str) -> str:
    if value := element.get("content") or element.get("datetime"):
        return _to_text(name, value)
    if normalize_name(name) in LEADING and (value := element.get("href") or element.get("src")):
        return to_plain_text(remove_url_user_info(value), LENGTH)
    return _text(element)


def _text(element: "HtmlElement") -> str:
    return to_plain_text(" ".join("".join(islice(_iter_pieces(element), PIECES)).split()), LENGTH)


def _iter_pieces(element: "HtmlElement") -> Iterator[str]:
    """Yield the texts in the element, with a space where a block or a line ends."""
    if element.text:
        yield element.text
    for child in element:
        yield from _iter_pieces(child)
        is_end = child.tag == "br" or child.tag in BLOCK_TAGS
        if tail := f" {child.tail or ''}" if is_end else child.tail:
            yield tail


def _terms(tree: "HtmlElement") -> Iterator[Fact]:
    """Yield the pairs of definition lists: `<dt>Price</dt><dd>12</dd>`."""
    for term in tree.iter("dt"):
        follower = term.getnext()
        if follower is not None and follower.tag == "dd":
            name, value = normalize_name(_text(term)), _text(follower)
            if name and value:
                yield Fact((name,), value, "terms")


def _table_rows(table: dict[str, Any]) -> Iterator[Fact]:
    """Yield the rows of a two-column table as name and value."""
    rows = [table["headers"], *table["rows"]]
    if all(len(row) == 2 for row in rows):
        yield from (
            Fact((normalize_name(name[:100]),), value, "table")
            for name, value in rows
            if normalize_name(name) and value
        )


def _opengraph(tree: "HtmlElement") -> Iterator[Fact]:
    for meta in tree.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").strip().lower()
        text = _to_text(name, meta.get("content") or "")
        if not text:
            continue
        prefix, colon, rest = name.partition(":")
        if colon:
            parts = rest.split(":")
            yield Fact(
                tuple(normalize_name(part) for part in (parts if prefix in ("og", "article") else [prefix, *parts])),
                text,
                "opengraph",
            )
        elif prefix in ("description", "author", "keywords"):
            yield Fact((prefix,), text, "opengraph")
