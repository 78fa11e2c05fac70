"""Whether a browser would take a declared value: it passes over one that it does not know."""

import re

from assay.html.css.css_colors import colour
from assay.text.word_lists import parse_words

GLOBAL = parse_words("initial inherit unset revert revert-layer")
DISPLAYS = parse_words(
    "none block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell "
    "table-column table-caption table-row-group table-header-group table-footer-group table-column-group list- "
    "item contents flow flow-root run-in ruby ruby-base ruby-text ruby-base-container ruby-text-container math "
    "subgrid -webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex -ms-flexbox -ms-inline-flexbox "
    "-ms-grid -moz-box "
)
VISIBILITIES = parse_words("visible hidden collapse")
SIZES = parse_words("xx-small x-small small medium large x-large xx-large xxx-large smaller larger math")
COLOURS = parse_words(  # beside those whose shade `colours` knows
    "antiquewhite aquamarine bisque blanchedalmond blueviolet burlywood cadetblue chartreuse chocolate coral "
    "cornflowerblue cornsilk darkblue darkcyan darkgoldenrod darkgreen darkkhaki darkmagenta darkolivegreen "
    "darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey "
    "darkturquoise darkviolet deeppink deepskyblue dimgrey dodgerblue firebrick forestgreen goldenrod "
    "greenyellow hotpink indianred khaki lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan "
    "lightgoldenrodyellow lightgreen lightpink lightsalmon lightseagreen lightskyblue lightslategray "
    "lightslategrey lightsteelblue lightyellow limegreen mediumaquamarine mediumblue mediumorchid mediumpurple "
    "mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mistyrose "
    "moccasin navajowhite oldlace olivedrab orangered orchid palegoldenrod palegreen paleturquoise "
    "palevioletred papayawhip peachpuff peru plum powderblue rebeccapurple rosybrown royalblue saddlebrown "
    "salmon sandybrown seagreen sienna skyblue slateblue slategray slategrey springgreen steelblue tan thistle "
    "tomato turquoise violet wheat yellowgreen canvas canvastext linktext visitedtext activetext buttonface "
    "buttontext buttonborder field fieldtext highlight highlighttext mark marktext graytext accentcolor "
    "accentcolortext windowtext window infotext menutext captiontext "
    "currentcolor"
)
NUMERIC = re.compile(r"[-+.\d]|[a-z-]+\(")
PROPERTIES = frozenset(("display", "visibility", "color", "opacity", "font-size"))


def is_valid(name: str, value: str) -> bool:
    """Whether the value counts; of other properties every value does."""
    if name not in PROPERTIES or value in GLOBAL or "var(" in value:
        return True
    match name:
        case "display":
            return all(word in DISPLAYS for word in value.split())
        case "visibility":
            return value in VISIBILITIES
        case "color":
            return not value.isalpha() or value in COLOURS or colour(value) is not None
    return NUMERIC.match(value) is not None or (name == "font-size" and value in SIZES)
