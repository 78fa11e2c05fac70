"""Content that React's streaming rendering sends in hidden elements, for a script to move to the places of templates.

https://react.dev/reference/react-dom/server/renderToPipeableStream
"""

import re
from collections.abc import Iterable
from math import inf

from assay.html.parser.html_element import HtmlElement, HtmlRoot

# `$RC` and `$RR` show a boundary, `$RS` a segment of one; their arguments are ids.
MOVE = re.compile(r"""\$R(?:[CR]\("(B:[\w-]{1,20})","(S:[\w-]{1,20})"|S\("(S:[\w-]{1,20})","(P:[\w-]{1,20})"\))""")

RUN_TYPES = frozenset(("module", "text/javascript", "application/javascript"))
MAX_DEPTH = 30  # contents within contents


def find_places(root: HtmlRoot) -> dict[HtmlElement, HtmlElement]:
    """Return the templates whose places contents take, by the hidden elements that hold these."""
    places = _by_id(template for template in root.iter("template") if (template.get("id") or "")[:2] in ("B:", "P:"))
    if not places:
        return {}
    moves = _find_moves(root, places)
    contents = _by_id(root.list_matching({"id": moves.keys()}))
    found = {
        content: places[moves[name]]
        for name, content in contents.items()
        if moves.get(name) in places and "hidden" in content.attributes and "style" not in content.attributes
    }
    depths = _measure_depths(found)
    return {content: place for content, place in found.items() if depths[content] <= MAX_DEPTH}


def _find_moves(root: HtmlRoot, places: Iterable[str]) -> dict[str, str]:
    """Return the ids of places by those of the contents that scripts move there."""
    scripts = [script for script in root.iter("script") if script.text]
    if not scripts:
        # A stored page may have lost them, and its comments: of nine such pages in a public corpus, four have their
        # article in contents. Mostly a content and its place have the same number; those without a place stay hidden.
        return {f"S:{place[2:]}": place for place in places}
    moves: dict[str, str] = {}
    for script in scripts:
        if (script.get("type") or "module").strip().lower() in RUN_TYPES:
            for boundary, content, segment, place in MOVE.findall(script.text or ""):
                moves.setdefault(content or segment, boundary or place)
    return moves


def _measure_depths(places: dict[HtmlElement, HtmlElement]) -> dict[HtmlElement | None, float]:
    """Return how many moved contents each one is in, itself included; infinity for those that hold each other."""
    depths: dict[HtmlElement | None, float] = {None: 0}
    for content in places:
        chain: dict[HtmlElement, None] = {}
        current: HtmlElement | None = content
        while current is not None and current not in depths and current not in chain:
            chain[current] = None
            current = next((around for around in places[current].iterancestors() if around in places), None)
        depth = depths.get(current, inf)
        for one in reversed(chain):
            depth += 1
            depths[one] = depth
    return depths


def _by_id(elements: Iterable[HtmlElement]) -> dict[str, HtmlElement]:
    """Return the first element with each id."""
    found: dict[str, HtmlElement] = {}
    for element in elements:
        found.setdefault(element.get("id") or "", element)
    return found
