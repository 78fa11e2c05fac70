"""Siblings of an element without those that show nothing: libraries write style sheets where they are used."""

from assay.html.parser.html_element import HtmlElement

UNSEEN_TAGS = frozenset(("style", "script", "template", "link", "meta"))


def find_before(element: HtmlElement) -> HtmlElement | None:
    """Return the element before this one that may show something."""
    before = element.previous
    while before is not None and before.tag in UNSEEN_TAGS:
        before = before.previous
    return before


def is_amid_text(element: HtmlElement) -> bool:
    """Return whether text stands directly before and behind the element."""
    before, around = element.previous, element.parent
    text = before.tail if before is not None else around.text if around is not None else ""
    return bool(text and text.strip() and element.tail and element.tail.strip())


def is_alone(element: HtmlElement, around: HtmlElement) -> bool:
    """Return whether the parent `around` of an element shows nothing else."""
    texts = [around.text]
    for child in around:
        if child is not element and child.tag not in UNSEEN_TAGS:
            return False
        texts.append(child.tail)
    return not any(text and text.strip() for text in texts)
