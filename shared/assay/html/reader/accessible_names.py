"""Names of controls that have only an icon. https://www.w3.org/TR/accname-1.2/"""

import re
from collections.abc import Iterator
from itertools import islice

from assay.html.parser.html_element import HtmlElement, HtmlRoot

MAX_ELEMENTS = 60  # elements that are searched for a name
MAX_LABELS = 4  # elements that one attribute may name
UNREAD_TAGS = frozenset(("svg", "title", "desc", "style", "script", "template"))
UNSEEN_LENGTH = re.compile(r"\s*[01]?(\.\d*)?\s*(px|%)?\s*")  # up to one pixel


def is_icon(element: HtmlElement) -> bool:
    """Return whether the element is an image with content and an area that can be seen."""
    if element.tag == "svg":
        has_content = any(child.tag not in ("title", "desc", "defs") for child in element)
    else:
        has_content = element.tag == "img" and bool(element.get("src"))
    lengths = [value for name in ("width", "height") if (value := element.get(name))]
    return has_content and not any(UNSEEN_LENGTH.fullmatch(value) for value in lengths)


def read_icon(icon: HtmlElement, around: HtmlElement) -> str:
    """Return the name of an icon that is all that the element around it shows, such as a tick in a table; or ""."""
    elements = list(islice(around.iter(), MAX_ELEMENTS + 1))
    icons = [element for element in elements if element.tag in ("svg", "img") or element is icon]
    if (
        len(elements) > MAX_ELEMENTS
        or icons[0] is not icon
        or any(icon not in one.iterancestors() for one in icons[1:])
    ):
        return ""
    said = "".join(
        [text for element in elements if element.tag not in UNREAD_TAGS for text in _list_own_texts(element)]
    )
    if icon.get("aria-hidden") == "true" or said.strip():
        return ""
    title = next(icon.iter("title"), None)
    return " ".join((icon.get("aria-label") or (title.text if title is not None else None) or "").split())


def _list_own_texts(element: HtmlElement) -> list[str]:
    return [element.text or "", *(child.tail or "" for child in element)]


def has_accessible_name(control: HtmlElement, root: HtmlRoot) -> bool:
    """Return whether attributes, or the images in the control, give it a name with letters."""
    return any(any(map(str.isalpha, name)) for name in _find_names(control, root))


def _find_names(control: HtmlElement, root: HtmlRoot) -> Iterator[str]:
    yield control.get("aria-label") or ""
    yield control.get("title") or ""
    for identity in (control.get("aria-labelledby") or "").split()[:MAX_LABELS]:
        label = root.by_id.get(identity)
        for element in islice(label.iter(), MAX_ELEMENTS) if label is not None else ():
            yield element.get("aria-label") or element.text or ""
    for element in islice(control.iter("img", "svg", "title"), MAX_ELEMENTS):
        yield element.get("aria-label") or ""
        yield (element.get("alt") if element.tag == "img" else element.text) or ""
