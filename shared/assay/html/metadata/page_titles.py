"""What a page is called: its heading, where its title agrees with it, without the name of the site."""

import re
from itertools import islice
from typing import Any

from lxml.html import HtmlElement

from assay.html.metadata import jsonld
from assay.html.metadata.structured_data import Metas
from assay.html.reader.navigation_marks import is_permalink, without_permalink
from assay.text.plain_text import plain

BORDER = re.compile(r"\s+[|\-–—·•»«:~/]+\s+|\s*[|»]\s*|\s+::\s+|:\s+(?=\S+$)")
WORD = re.compile(r"\w+")
LONGEST = 300
H1_FIRST = 0.15  # so much more must a lower heading resemble the title


def words(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def heading(tree: HtmlElement, named: Metas) -> HtmlElement | None:
    """The main heading: the h1 most like a title the page states; a lower heading only when that is just the same."""
    stated = [set(words(text)) for text in _pieces(tree, named)]
    tops = list(islice(tree.iter("h1"), 12))
    good = [(score + H1_FIRST, one) for one in tops if (score := _likeness(one, stated)) > 0]
    if stated and max((score for score, _ in good), default=0.0) < 1:  # or no lower heading could do better
        lower = islice(tree.iter("h2", "h3"), 8)
        good += [(score, one) for one in lower if (score := _likeness(one, stated)) > 0.8]
    return max(good, key=lambda pair: pair[0])[1] if good else next(iter(tops), None)


def _pieces(tree: HtmlElement, named: Metas) -> list[str]:
    """What the page calls itself in its head, without names that are the site's."""
    whole = [plain(text, LONGEST) for text in (tag(tree), *named.get("og:title", [])[:1]) if text]
    return [strip_site_name(text, named) for text in whole]


def _likeness(heading: HtmlElement, stated: list[set[str]]) -> float:
    """F1 of the words; what shares none with any title is worth nothing."""
    said = set(words(_text(heading))) if stated else set()
    return max((2 * len(said & one) / (len(said) + len(one)) for one in stated if said and one), default=0.0)


def tag(tree: HtmlElement) -> str:
    """The text of the title element; those of drawings do not count."""
    for one in tree.iter("title"):
        parent = one.getparent()
        if parent is None or parent.tag not in ("svg", "g", "symbol"):
            return plain("".join(one.itertext()), LONGEST)
    return ""


def title(tree: HtmlElement, top: HtmlElement | None, named: Metas, node: dict[str, Any]) -> str:
    """The page's own name, "" when it has none."""
    tagged = tag(tree)
    cited = named.get("citation_title") or named.get("dc.title") or []
    if cited:
        return plain(cited[0], LONGEST)
    shared = plain(next(iter(named.get("og:title", [])), ""), LONGEST)
    headline = plain(next(iter(jsonld.texts(node.get("headline") or node.get("name"))), ""), LONGEST)
    shown = _text(top) if top is not None else ""
    if shown and _agrees(shown, [text for text in (tagged, shared, headline) if text], named):
        return shown
    return strip_site_name(headline or shared or tagged, named) or shown


def _agrees(shown: str, stated: list[str], named: Metas) -> bool:
    """Whether the heading is the page's, not the site's: most of its words are in a title, not in its end only."""
    said = words(shown)
    known = {word for text in stated for word in words(text)}
    if not stated:
        return True
    if not said or sum(word in known for word in said) / len(said) < 0.6:
        return False
    own = {word for text in stated for word in words(strip_site_name(text, named))}
    return not own or bool(own.intersection(said))


def strip_site_name(text: str, named: Metas) -> str:
    """A title without the site's name at either end."""
    pieces = [piece.strip() for piece in BORDER.split(text) if piece.strip()]
    if len(pieces) < 2:
        return text
    site = words(" ".join(named.get("og:site_name", [])[:1]))
    for end in (-1, 0):
        if site and words(pieces[end]) == site:
            return _cut(text, pieces[end], end)
    if len(words(pieces[-1])) <= 4 and words(pieces[0]):
        return _cut(text, pieces[-1], -1)
    return text


def _cut(text: str, piece: str, end: int) -> str:
    rest = text[: text.rindex(piece)] if end else text[text.index(piece) + len(piece) :]
    return rest.strip(" |-–—·•»«:~/\t")


def _text(element: HtmlElement) -> str:
    return without_permalink(plain(" ".join(text for text in element.itertext() if not is_permalink(text)), LONGEST))
