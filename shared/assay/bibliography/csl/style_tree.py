"""Parses a style or a locale into the tree that citeproc-js works on, faster than its own parser does."""

import html
from typing import Any
from xml.parsers import expat

type Node = dict[str, Any]  # `name`, `attrs` and `children`: nodes, or one text


def build_tree(xml: str) -> Node:
    """Return the tree of a file of the archive. Comments and the white space between elements are left out."""
    root: Node = {"children": []}
    path = [root]

    def open_element(name: str, attributes: dict[str, str]) -> None:
        attrs = {key: html.unescape(value) for key, value in attributes.items()}  # some styles escape twice
        path.append({"name": name, "attrs": attrs, "children": []})

    def close_element(_: str) -> None:
        node = path.pop()
        node["children"] = _choose_content(node)
        path[-1]["children"].append(node)

    def add_text(text: str) -> None:
        path[-1]["children"].append(text)

    parser = expat.ParserCreate()
    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    parser.CharacterDataHandler = add_text
    parser.Parse(xml, True)
    tree: Node = root["children"][0]
    return tree


def _choose_content(node: Node) -> list[Any]:
    """Return the elements in a node, or else its text; a term always has a text, for an empty one says nothing."""
    nodes = [child for child in node["children"] if not isinstance(child, str)]
    text = html.unescape("".join(child for child in node["children"] if isinstance(child, str))).replace("\n", " ")
    if nodes or not text.strip():
        return nodes or [""] * (node["name"] == "term")
    return [text]
