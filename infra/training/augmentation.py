"""Training data augmentation: the same page with other markup, so that the model does not depend on one style.

Class names and elements such as `article` reveal much about modern pages; without them the model must rely on text and
position. An augmented page has the same text and the same main content.
"""

from collections.abc import Callable
from random import Random

from lxml import etree
from lxml.html import HtmlElement

NAMES = ("class", "id", "role", "itemprop", "data-testid")
MEANING = ("article", "main", "nav", "header", "footer", "aside", "section")
TITLES = ("h1", "h2", "h3", "h4")
HOLDERS = frozenset(("table", "tr", "td", "ul", "ol", "p", "pre"))  # in these no `div` becomes a table
TIGHT = frozenset(("li", "td", "blockquote"))  # their paragraphs are not running text

type Disguise = Callable[[HtmlElement, Random], None]


def without_names(root: HtmlElement, _luck: Random) -> None:
    for element in root.iter(etree.Element):
        for name in NAMES:
            element.attrib.pop(name, None)


def without_meaning(root: HtmlElement, _luck: Random) -> None:
    """Replace semantic elements by `div`."""
    for element in root.iter(*MEANING):
        element.tag = "div"


def without_word(root: HtmlElement, _luck: Random) -> None:
    """Remove the page type from the head."""
    for element in [*root.iter("meta", "script")]:
        if element.get("property") or element.get("type") == "application/ld+json":
            element.getparent().remove(element)


def with_bold_titles(root: HtmlElement, _luck: Random) -> None:
    """Replace headings by bold lines."""
    for element in [*root.iter(*TITLES)]:
        element.tag = "div"
        bold = etree.Element("b")
        bold.text, element.text = element.text, None
        bold.extend(list(element))
        element.append(bold)


def with_tables(root: HtmlElement, luck: Random) -> None:
    """Replace some `div` by tables of one cell."""
    for element in [*root.iter("div")]:
        parent = element.getparent()
        if len(element) < 2 or parent is None or parent.tag in HOLDERS or luck.random() > 0.3:
            continue
        table = etree.Element("table")
        table.tail, element.tail = element.tail, None
        parent.replace(element, table)
        etree.SubElement(table, "tr").append(element)
        element.tag = "td"


def with_breaks(root: HtmlElement, _luck: Random) -> None:
    """Replace paragraphs by text followed by two line breaks."""
    for element in [*root.iter("p")]:
        parent = element.getparent()
        if parent is not None and parent.tag not in TIGHT:
            element.tag = "unwrapped"
            etree.SubElement(element, "br")
            etree.SubElement(element, "br")
    etree.strip_tags(root, "unwrapped")


PLAIN = ((without_names, 1.0), (without_meaning, 1.0), (without_word, 1.0))
MIXED = ((without_names, 0.5), (without_meaning, 0.5), (without_word, 0.5))
OLD = (
    (without_names, 0.7), (without_meaning, 1.0), (without_word, 0.7), (with_bold_titles, 0.5), (with_tables, 0.5),
    (with_breaks, 0.6),
)  # fmt: skip
KINDS: dict[str, tuple[tuple[Disguise, float], ...]] = {"plain": PLAIN, "mixed": MIXED, "old": OLD}
ADDRESS_KEPT = 0.5  # probability


def disguise(root: HtmlElement, url: str, kind: str, seed: str) -> str:
    """Apply one of KINDS to the tree; return the page's URL, which may be removed too."""
    luck = Random(f"{kind} {seed}")
    for change, chance in KINDS[kind]:
        if luck.random() < chance:
            change(root, luck)
    return url if luck.random() < ADDRESS_KEPT else "https://example.com/"
