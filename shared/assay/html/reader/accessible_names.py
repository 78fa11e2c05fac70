"""Names of controls that have only an icon. https://www.w3.org/TR/accname-1.2/"""

import re
from collections.abc import Iterator
from itertools import islice

from assay.html.parser.html_element import HtmlElement, HtmlRoot

MAX_ELEMENTS = 60  # elements that are searched for a name
MAX_LABELS = 4  # elements that one attribute may name
UNSEEN_LENGTH = re.compile(r"\s*[01]?(\.\d*)?\s*(px|%)?\s*")  # up to one pixel


def is_icon(element: HtmlElement) -> bool:
    """Return whether the element is an image with content and an area that can be seen."""
    if element.tag == "svg":
        has_content = any(child.tag not in ("title", "desc", "defs") for child in element)
    else:
        has_content = element.tag == "img" and bool(element.get("src"))
    lengths = [value for name in ("width", "height") if (value := element.get(name))]
    return has_content and not any(UNSEEN_LENGTH.fullmatch(value) for value in lengths)


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
