"""Pages that leave out the tags of their body, as HTML may: the parser knows no later element to end a head by."""

from lxml.html import HtmlElement

OF_HEADS = frozenset(
    ("base", "basefont", "bgsound", "link", "meta", "noscript", "script", "style", "template", "title")
)


def with_body(root: HtmlElement) -> HtmlElement:
    """The tree with what the parser took for parts of the head moved to the body, before all that is there."""
    head = root.find("head")
    if head is None:
        return root
    strays = list(head)
    first = next((place for place, child in enumerate(strays) if child.tag not in OF_HEADS), len(strays))
    if first == len(strays):
        return root
    body = root.find("body")
    if body is None:
        body = head.makeelement("body")
        head.addnext(body)
    text, body.text = body.text, None
    for place, stray in enumerate(strays[first:]):
        body.insert(place, stray)
    if text:
        strays[-1].tail = (strays[-1].tail or "") + text
    return root
