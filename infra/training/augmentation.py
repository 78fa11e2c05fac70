"""Training data augmentation: the same page with other markup or in another script, so that the model does not depend
on one style.

Class names and elements such as `article` reveal much about modern pages; without them the model must rely on text and
position. An augmented page has the same text and the same main content, which `augment_text` returns.
"""

from collections.abc import Callable
from random import Random

from infra.training.unspaced_text import translate, translate_tree
from lxml import etree
from lxml.html import HtmlElement

NAMING_ATTRIBUTES = ("class", "id", "role", "itemprop", "data-testid")
SEMANTIC_ELEMENTS = ("article", "main", "nav", "header", "footer", "aside", "section")
HEADINGS = ("h1", "h2", "h3", "h4")
NO_TABLE_INSIDE = frozenset(("table", "tr", "td", "ul", "ol", "p", "pre"))  # in these no `div` becomes a table
COMPACT_PARENTS = frozenset(("li", "td", "blockquote"))  # their paragraphs are not running text

type Augmentation = Callable[[HtmlElement, Random], None]


def remove_names(root: HtmlElement, _rng: Random) -> None:
    for element in root.iter(etree.Element):
        for name in NAMING_ATTRIBUTES:
            element.attrib.pop(name, None)


def remove_semantic_elements(root: HtmlElement, _rng: Random) -> None:
    """Replace semantic elements by `div`."""
    for element in root.iter(*SEMANTIC_ELEMENTS):
        element.tag = "div"


def remove_page_type(root: HtmlElement, _rng: Random) -> None:
    """Remove the page type from the head."""
    for element in [*root.iter("meta", "script")]:
        if element.get("property") or element.get("type") == "application/ld+json":
            element.getparent().remove(element)


def replace_headings(root: HtmlElement, _rng: Random) -> None:
    """Replace headings by bold lines."""
    for element in [*root.iter(*HEADINGS)]:
        element.tag = "div"
        bold = etree.Element("b")
        bold.text, element.text = element.text, None
        bold.extend(list(element))
        element.append(bold)


def wrap_in_tables(root: HtmlElement, rng: Random) -> None:
    """Replace some `div` by tables of one cell."""
    for element in [*root.iter("div")]:
        parent = element.getparent()
        if len(element) < 2 or parent is None or parent.tag in NO_TABLE_INSIDE or rng.random() > 0.3:
            continue
        table = etree.Element("table")
        table.tail, element.tail = element.tail, None
        parent.replace(element, table)
        etree.SubElement(table, "tr").append(element)
        element.tag = "td"


def replace_paragraphs(root: HtmlElement, _rng: Random) -> None:
    """Replace paragraphs by text followed by two line breaks."""
    for element in [*root.iter("p")]:
        parent = element.getparent()
        if parent is not None and parent.tag not in COMPACT_PARENTS:
            element.tag = "unwrapped"
            etree.SubElement(element, "br")
            etree.SubElement(element, "br")
    etree.strip_tags(root, "unwrapped")


PLAIN = ((remove_names, 1.0), (remove_semantic_elements, 1.0), (remove_page_type, 1.0))
MIXED = ((remove_names, 0.5), (remove_semantic_elements, 0.5), (remove_page_type, 0.5))
OLD = (
    *((remove_names, 0.7), (remove_semantic_elements, 1.0), (remove_page_type, 0.7), (replace_headings, 0.5)),
    *((wrap_in_tables, 0.5), (replace_paragraphs, 0.6)),
)
UNSPACED = ((translate_tree, 1.0),)
KINDS: dict[str, tuple[tuple[Augmentation, float], ...]] = {
    "plain": PLAIN,
    "mixed": MIXED,
    "old": OLD,
    "unspaced": UNSPACED,
}
KEEP_URL_PROBABILITY = 0.5


def augment(root: HtmlElement, url: str, kind: str, seed: str) -> str:
    """Apply one of KINDS to the tree; return the page's URL, which may be removed too."""
    rng = Random(f"{kind} {seed}")
    for change, probability in KINDS[kind]:
        if rng.random() < probability:
            change(root, rng)
    return url if rng.random() < KEEP_URL_PROBABILITY else "https://example.com/"


def augment_text(text: str, kind: str) -> str:
    """Return the text of a page as the augmented page has it."""
    return translate(text) if kind == "unspaced" else text
