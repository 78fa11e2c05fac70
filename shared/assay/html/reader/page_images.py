"""The images of a page: which of them count, and where they come from."""

import re
from collections.abc import Container
from itertools import chain

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.text_blocks import Frame, Mark

ZERO_SIZE = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*(?:0*\.?0+[a-z%]*|1px)\s*(?:;|!|$)", re.IGNORECASE)
IMAGE_ADDRESS = re.compile(
    r"\s*(?:https?:)?/{1,2}[^\s/]\S*\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]\S*)?\s*\Z", re.IGNORECASE
)
# Names of the files that stand for images until a script loads these.
PLACEHOLDER = re.compile(
    r"(?:.{0,60}[_-])?(?:blank|spacer|pixel|transparent|trans|loading|loader|lazy|placeholder|1x1(?:[._-]trans\w*)?)"
    r"\.(?:gif|png|svg|jpe?g|webp)(?:\?.*)?",
    re.IGNORECASE,
)
MIN_FIGURE_WIDTH = 150  # pixels; a smaller image without alternative text is an icon
MAX_ICON_SIZE = 32  # pixels
PIXELS = re.compile(r"\s*(\d{1,5})(?:\.\d*)?(?:px)?\s*")
MAX_FIGURE_LEVELS = 4  # elements between an image and its figure
MAX_ALONE_LEVELS = 8  # the same where nothing else is in the figure
PICTURE_PARTS = frozenset(("source", "noscript"))
TRACKER_SIZES = {"0", "1"}  # pixels: the size of a tracking image
MIN_ALTERNATIVE = 3  # characters of the alternative text of an image outside of a figure
EMOJI_CLASS = re.compile(r"(?<![^\s_-])(?:emoji(?:one)?|emoticon|smil(?:ey|ie|y)s?)(?![^\s_-])", re.IGNORECASE)
EMOJI = re.compile(r"(?=\w*[^\w\s])\S{1,12}|:[\w+-]{1,40}:")  # a sign, or a name between colons
DECORATIVE_CLASS = re.compile(r"(?<![^\s_-])(?:avatar|userpic|statusicon)(?![^\s_-])", re.IGNORECASE)


def read_emoji(element: HtmlElement) -> str:
    """Return the sign or the name that an image in place of an emoji stands for; "" for other images."""
    name = element.attributes.get("class")
    if not name or not EMOJI_CLASS.search(name):
        return ""
    alt = (element.get("alt") or "").strip()
    return alt if EMOJI.fullmatch(alt) else ""


def read_image(element: HtmlElement, frame: Frame, captioned: Container[HtmlElement]) -> Mark | None:
    """Return the mark of an image in the frame; None for one without alternative text or size, and for avatars.

    `captioned` are the figures of the page that have a caption.
    """
    attributes = element.attributes
    name = attributes.get("class")
    if (name and DECORATIVE_CLASS.search(name)) or has_no_size(element):
        return None
    alt = " ".join((attributes.get("alt") or "").split())
    if _is_content(element, frame, captioned):
        return ("img", alt, image_source(element), "caption")
    if len(alt) < MIN_ALTERNATIVE:
        return None
    return ("img", alt, image_source(element), "icon") if _is_icon(element) else ("img", alt, image_source(element))


def has_no_size(element: HtmlElement) -> bool:
    """Return whether an image or frame has a width or height that leaves nothing to see."""
    attributes = element.attributes
    if attributes.get("width") in TRACKER_SIZES or attributes.get("height") in TRACKER_SIZES:
        return True
    style = attributes.get("style")
    return style is not None and ZERO_SIZE.search(style) is not None


def _is_content(image: HtmlElement, frame: Frame, captioned: Container[HtmlElement]) -> bool:
    """Return whether the image is in a figure with a caption, which tells what it shows, or in one of its own."""
    figure: Frame | None = frame
    for _ in range(MAX_FIGURE_LEVELS):
        if figure is None:
            return False
        if figure.tag == "figure":
            return figure.element in captioned or (_is_alone(image, figure.element) and not _is_small(image))
        figure = figure.parent
    return False


def _is_alone(image: HtmlElement, figure: HtmlElement) -> bool:
    """Return whether a figure holds this image alone, without a link, as pictures of articles are."""
    element: HtmlElement | None = image
    for _ in range(MAX_ALONE_LEVELS):
        if element is None or element is figure:
            break
        beside = (element.previous, element.next)
        if element.tag == "a" or any(other is not None and other.tag not in PICTURE_PARTS for other in beside):
            return False
        element = element.parent
    return element is figure


def _is_icon(image: HtmlElement) -> bool:
    """Return whether an image is as small as a letter, or a little larger."""
    sizes = [PIXELS.fullmatch(size) for name in ("width", "height") if (size := image.attributes.get(name))]
    return bool(sizes) and all(size is not None and int(size[1]) <= MAX_ICON_SIZE for size in sizes)


def _is_small(image: HtmlElement) -> bool:
    width = image.get("width") or ""
    return width.isdecimal() and int(width[:6]) < MIN_FIGURE_WIDTH


def image_source(image: HtmlElement) -> str:
    """Return the URL of an image: a lazy-loading attribute, its `src`, or the first of its `srcset`; "" if it has only
    a placeholder.
    """
    for name in ("data-src", "data-lazy-src", "data-original", "src"):
        address = image.attributes.get(name)
        if address and _is_address(address):
            return address
    parent = image.getparent()
    holders = [image] if parent is None else [image, parent]  # a picture element has its last source
    sets = (holder.get(name) or "" for holder in holders for name in ("srcset", "data-srcset", "data-lazy-srcset"))
    listed = (parts[0].rstrip(",") for source_set in sets if (parts := source_set.split()))
    lazy = (value for name, value in image.attributes.items() if "src" in name and IMAGE_ADDRESS.match(value))
    return next(filter(_is_address, chain(listed, lazy)), "") or _source_without_scripts(image)


def _is_address(address: str) -> bool:
    """Return whether an address is that of an image, not of a placeholder in its place."""
    return not address.startswith("data:") and PLACEHOLDER.fullmatch(address.rpartition("/")[2]) is None


def _source_without_scripts(image: HtmlElement) -> str:
    """Return the URL of the image in the `noscript` element beside a placeholder."""
    beside = image.getnext()
    if beside is None or beside.tag != "noscript":
        return ""
    inner = next(beside.iter("img"), None)
    return "" if inner is None else inner.get("src") or ""
