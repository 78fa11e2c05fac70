"""Moves body content out of `head` on pages that omit the body tags (HTML Standard, section 13.1.2.4, optional tags).

libxml2 does not end the head at elements that are newer than its element table.
"""

from lxml.html import HtmlElement

HEAD_ELEMENTS = frozenset(
    ("base", "basefont", "bgsound", "link", "meta", "noscript", "script", "style", "template", "title")
)


def move_stray_head_content(root: HtmlElement) -> HtmlElement:
    """Return the tree with the children of `head`, from the first that is no metadata on, moved to the start of
    `body`.
    """
    head = root.find("head")
    if head is None:
        return root
    strays = list(head)
    first = next((place for place, child in enumerate(strays) if child.tag not in HEAD_ELEMENTS), len(strays))
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
