"""The tags of a page, found in its text exactly where the parser finds them.

Every pattern is possessive and never fails once it is well begun, so that a scan is linear whatever is left open.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

LETTERS = re.IGNORECASE | re.ASCII
ATTRIBUTES = 500  # kept of one tag: the parser is quadratic in them

SPACE = r" \t\n\f\r"
ENDS = rf"(?=[{SPACE}/>])"  # of a name
NAME = rf"[a-zA-Z][^{SPACE}/>]*+"
QUOTED = r""""[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)"""
VALUE = rf"=(?:{QUOTED})|[{SPACE}]*+=[{SPACE}]*+(?:{QUOTED}|[^{SPACE}>]*+)"
ATTRIBUTE = rf"[{SPACE}/]*+[^{SPACE}/>][^{SPACE}/>=]*+(?:{VALUE}|)"
CLOSE = rf"[{SPACE}/]*+(?:>|\Z)"
UNSLASHED = rf"(?:/*+[{SPACE}]++)*+>"  # an element whose tag ends with a slash holds nothing, the parser says
REST = rf"(?:{ATTRIBUTE})*+{CLOSE}"
FEW = rf"(?:{ATTRIBUTE}){{0,{ATTRIBUTES}}}+"

COMMENT = r"!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>)?+)|[!?][^>]*+>?+|/(?![a-zA-Z])[^>]*+>?+"
TWICE_ESCAPED = rf"(?:[^<-]++|-(?!->)|<(?!/script{ENDS}))*+(?:</script)?+"
ESCAPED = rf"(?:[^<-]++|-(?!->)|<script{ENDS}{TWICE_ESCAPED}|<(?!/?script{ENDS}))*+(?:-->)?+"
SCRIPT = rf"(?:[^<]++|<!--(?!-?>){ESCAPED}|<(?!/script{ENDS}))*+"
RAW = ("iframe", "noembed", "noframes", "style", "textarea", "title", "xmp")  # their text holds no tags
# What may hold text and has a start tag that some end with a slash.
HOLDING = (
    "a abbr address article aside b bdi bdo big blockquote center cite code dd del details dfn div dl dt em fieldset "
    "figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup i ins label legend li main mark nav ol p pre q "
    "s section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul"
)


def told_apart(names: Iterable[str]) -> str:
    """A pattern of the names that looks at each letter once, however many names begin with it."""
    after: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if name:
            after[name[0]].append(name[1:])
    ways = [re.escape(letter) + told_apart(rests) for letter, rests in sorted(after.items())]
    return f"(?:{'|'.join(ways)}){'?+' if '' in names else ''}" if ways else ""


def _raw(names: Iterable[str], attributes: str) -> str:
    """A pattern of elements of raw text, behind their `<`."""
    rest = attributes + UNSLASHED
    script = rf"script{ENDS}{rest}{SCRIPT}|plaintext{ENDS}{rest}[\s\S]*+"
    others = [rf"{name}{ENDS}{rest}[^<]*+(?:<(?!/{name}{ENDS})[^<]*+)*+" for name in names]
    return rf"(?=[instxp])(?:{'|'.join([script, *others])})(?:</{NAME}{REST})?+"


RAWS = told_apart([*RAW, "plaintext", "script"])
HELD = told_apart(HOLDING.split()) + rf"|[a-z][^{SPACE}/>-]*+-[^{SPACE}/>]*+"
OPAQUE = rf"<(?:{COMMENT}|{_raw(RAW, f'(?:{ATTRIBUTE})*+')})"  # what holds no tags
TAG = re.compile(rf"(?P<opaque>{OPAQUE})|<(?P<slash>/?)(?P<name>{NAME})(?P<rest>{REST})", LETTERS)
START = re.compile(rf"<({NAME})({FEW})({CLOSE})?")
WHOLE = re.compile(rf"<{NAME}{REST}")
# As much of a page as holds no start tag with a slash that matters and none of too many attributes.
ORDINARY = re.compile(
    rf"[^<]*+(?:<(?:/{NAME}(?:>|{REST})|(?!{RAWS}{ENDS}){NAME}(?:>|{FEW}{CLOSE}(?<!/>))"
    rf"|(?!(?:{HELD}|{RAWS}){ENDS}){NAME}{FEW}{CLOSE}|{_raw(['style'], FEW)}|{COMMENT}|(?![a-zA-Z/!?]))[^<]*+)*+",
    LETTERS,
)
IS_HELD = re.compile(HELD, LETTERS)


def odd(html: str) -> Iterator[re.Match[str]]:
    """The start tags that `ORDINARY` leaves; groups of each are the name, the attributes, and its end if it comes."""
    position = _end(html, 0)
    while position < len(html):
        if start := START.match(html, position):
            yield start
        position = _end(html, TAG.match(html, position).end())  # type: ignore[union-attr]  # it is at a tag


def end_of(html: str, start: int) -> int:
    """Where the start tag at `start` ends."""
    return WHOLE.match(html, start).end()  # type: ignore[union-attr]


def _end(html: str, position: int) -> int:
    return ORDINARY.match(html, position).end()  # type: ignore[union-attr]  # it matches nothing, too
