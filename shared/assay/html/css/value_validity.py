"""Whether a browser would accept a declared value; it ignores declarations with invalid values (CSS Syntax Level 3)."""

import re

from assay.html.css.css_colors import parse_colour
from assay.text.word_lists import parse_words

CSS_WIDE_KEYWORDS = parse_words("initial inherit unset revert revert-layer")
DISPLAY_KEYWORDS = parse_words(
    "none block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell "
    "table-column table-caption table-row-group table-header-group table-footer-group table-column-group "
    "list-item contents flow flow-root run-in ruby ruby-base ruby-text ruby-base-container ruby-text-container math "
    "subgrid -webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex -ms-flexbox -ms-inline-flexbox "
    "-ms-grid -moz-box "
)
VISIBILITY_KEYWORDS = parse_words("visible hidden collapse")
FONT_SIZE_KEYWORDS = parse_words("xx-small x-small small medium large x-large xx-large xxx-large smaller larger math")
COLOUR_KEYWORDS = parse_words(  # colours of the system, whose values a browser chooses
    "canvas canvastext linktext visitedtext activetext buttonface buttontext buttonborder field fieldtext highlight "
    "highlighttext mark marktext graytext accentcolor accentcolortext windowtext window infotext menutext captiontext "
    "currentcolor"
)
NUMERIC = re.compile(r"[-+.\d]|[a-z-]+\(")
CHECKED_PROPERTIES = frozenset(("display", "visibility", "color", "opacity", "font-size"))


def is_valid(name: str, value: str) -> bool:
    """Return whether the value is valid; values of other properties always count as valid."""
    if name not in CHECKED_PROPERTIES or value in CSS_WIDE_KEYWORDS or "var(" in value:
        return True
    match name:
        case "display":
            return all(word in DISPLAY_KEYWORDS for word in value.split())
        case "visibility":
            return value in VISIBILITY_KEYWORDS
        case "color":
            return "(" in value or value in COLOUR_KEYWORDS or parse_colour(value) is not None
    return NUMERIC.match(value) is not None or (name == "font-size" and value in FONT_SIZE_KEYWORDS)
