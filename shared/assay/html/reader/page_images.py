"""The images of a page: which of them count, and where they come from."""

import re

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.text_blocks import Frame, Mark

ZERO_SIZE = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*(?:0*\.?0+[a-z%]*|1px)\s*(?:;|!|$)", re.IGNORECASE)
MAX_FIGURE_LEVELS = 4  # elements between an image and its figure
TRACKER_SIZES = {"0", "1"}  # pixels: the size of a tracking image
MIN_ALTERNATIVE = 3  # characters of the alternative text of an image outside of a figure


def read_image(element: HtmlElement, frame: Frame) -> Mark | None:
    """Return the mark of an image in the frame; None for one without alternative text or size."""
    alt = " ".join((element.get("alt") or "").split())
    if {element.get("width"), element.get("height")} & TRACKER_SIZES or ZERO_SIZE.search(element.get("style") or ""):
        return None
    if _has_caption(frame):
        return ("img", alt, image_source(element), "caption")
    return ("img", alt, image_source(element)) if len(alt) >= MIN_ALTERNATIVE else None


def _has_caption(frame: Frame) -> bool:
    """Return whether the image is in a figure with a caption, which tells what it shows."""
    figure: Frame | None = frame
    for _ in range(MAX_FIGURE_LEVELS):
        if figure is None:
            return False
        if figure.tag == "figure":
            return figure.element.find("figcaption") is not None
        figure = figure.parent
    return False


def image_source(image: HtmlElement) -> str:
    """Return the URL of an image: a lazy-loading attribute, its `src`, or the first of its `srcset`."""
    for name in ("data-src", "data-lazy-src", "data-original", "src"):
        address = image.get(name) or ""
        if address and not address.startswith("data:"):
            return address
    parent = image.getparent()
    holders = [image] if parent is None else [image, parent]  # a picture element has its last source
    sets = (holder.get(name) or "" for holder in holders for name in ("srcset", "data-srcset", "data-lazy-srcset"))
    listed = next((parts[0].rstrip(",") for source_set in sets if (parts := source_set.split())), "")
    return listed or _source_without_scripts(image) or image.get("src") or ""


def _source_without_scripts(image: HtmlElement) -> str:
    """Return the URL of the image in the `noscript` element beside a placeholder."""
    beside = image.getnext()
    if beside is None or beside.tag != "noscript":
        return ""
    inner = next(beside.iter("img"), None)
    return "" if inner is None else inner.get("src") or ""
