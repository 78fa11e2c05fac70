"""Regular expressions that find the tags of a page at the positions where libxml2 finds them.

They cover the tokenizer states of the HTML Standard, section 13.2.5, that decide where a tag ends: comments, raw text,
script data and quoted attributes. Every pattern is possessive and cannot fail after its first characters, so a scan is
linear in the length of the page.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

CASE_INSENSITIVE = re.IGNORECASE | re.ASCII
MAX_ATTRIBUTES = 500  # per tag: libxml2 takes quadratic time in their number

SPACE = r" \t\n\f\r"
NAME_END = rf"(?=[{SPACE}/>])"  # the lookahead that ends a name
NAME = rf"[a-zA-Z][^{SPACE}/>]*+"
QUOTED = r""""[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)"""
VALUE = rf"=(?:{QUOTED})|[{SPACE}]*+=[{SPACE}]*+(?:{QUOTED}|[^{SPACE}>]*+)"
ATTRIBUTE = rf"[{SPACE}/]*+[^{SPACE}/>][^{SPACE}/>=]*+(?:{VALUE}|)"
CLOSE = rf"[{SPACE}/]*+(?:>|\Z)"
UNSLASHED = rf"(?:/*+[{SPACE}]++)*+>"  # without a slash at the end: libxml2 takes such an element as empty
REST = rf"(?:{ATTRIBUTE})*+{CLOSE}"
LIMITED_ATTRIBUTES = rf"(?:{ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+"

COMMENT = r"!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>)?+)|[!?][^>]*+>?+|/(?![a-zA-Z])[^>]*+>?+"
DOUBLE_ESCAPED = rf"(?:[^<-]++|-(?!->)|<(?!/script{NAME_END}))*+(?:</script)?+"
ESCAPED = rf"(?:[^<-]++|-(?!->)|<script{NAME_END}{DOUBLE_ESCAPED}|<(?!/?script{NAME_END}))*+(?:-->)?+"
SCRIPT = rf"(?:[^<]++|<!--(?!-?>){ESCAPED}|<(?!/script{NAME_END}))*+"
RAW_ELEMENTS = (
    "iframe",
    "noembed",
    "noframes",
    "style",
    "textarea",
    "title",
    "xmp",
)  # elements whose content is raw text: it has no tags
# Elements with text content whose start tag is sometimes written with a trailing slash.
HOLDING = (
    "a abbr address article aside b bdi bdo big blockquote center cite code dd del details dfn div dl dt em fieldset "
    "figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup i ins label legend li main mark nav ol p pre q "
    "s section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul"
)


def prefix_tree(names: Iterable[str]) -> str:
    """Build a prefix-tree pattern of the names, which reads each letter once however many names share it."""
    rests_by_letter: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if name:
            rests_by_letter[name[0]].append(name[1:])
    alternatives = [re.escape(letter) + prefix_tree(rests) for letter, rests in sorted(rests_by_letter.items())]
    return f"(?:{'|'.join(alternatives)}){'?+' if '' in names else ''}" if alternatives else ""


def _raw_text_pattern(names: Iterable[str], attributes: str) -> str:
    """Build a pattern of raw-text elements, from behind their `<`."""
    rest = attributes + UNSLASHED
    script = rf"script{NAME_END}{rest}{SCRIPT}|plaintext{NAME_END}{rest}[\s\S]*+"
    others = [rf"{name}{NAME_END}{rest}[^<]*+(?:<(?!/{name}{NAME_END})[^<]*+)*+" for name in names]
    return rf"(?=[instxp])(?:{'|'.join([script, *others])})(?:</{NAME}{REST})?+"


RAW_NAMES = prefix_tree([*RAW_ELEMENTS, "plaintext", "script"])
HOLDING_NAMES = prefix_tree(HOLDING.split()) + rf"|[a-z][^{SPACE}/>-]*+-[^{SPACE}/>]*+"
OPAQUE = rf"<(?:{COMMENT}|{_raw_text_pattern(RAW_ELEMENTS, f'(?:{ATTRIBUTE})*+')})"  # markup that contains no tags
TAG = re.compile(rf"(?P<opaque>{OPAQUE})|<(?P<slash>/?)(?P<name>{NAME})(?P<rest>{REST})", CASE_INSENSITIVE)
START = re.compile(rf"<({NAME})({LIMITED_ATTRIBUTES})({CLOSE})?")
START_TAG = re.compile(rf"<{NAME}{REST}")
# A stretch without a start tag that has a significant slash or too many attributes.
ORDINARY = re.compile(
    rf"[^<]*+(?:<(?:/{NAME}(?:>|{REST})|(?!{RAW_NAMES}{NAME_END}){NAME}(?:>|{LIMITED_ATTRIBUTES}{CLOSE}(?<!/>))"
    rf"|(?!(?:{HOLDING_NAMES}|{RAW_NAMES}){NAME_END}){NAME}{LIMITED_ATTRIBUTES}{CLOSE}"
    rf"|{_raw_text_pattern(['style'], LIMITED_ATTRIBUTES)}|{COMMENT}|(?![a-zA-Z/!?]))[^<]*+)*+",
    CASE_INSENSITIVE,
)
HOLDING_NAME = re.compile(HOLDING_NAMES, CASE_INSENSITIVE)


def find_irregular_tags(html: str) -> Iterator[re.Match[str]]:
    """Yield the start tags that `ORDINARY` does not cover; the groups are name, attributes and end, if present."""
    position = _skip_ordinary(html, 0)
    while position < len(html):
        if start := START.match(html, position):
            yield start
        position = _skip_ordinary(html, TAG.match(html, position).end())  # type: ignore[union-attr]  # it is at a tag


def find_tag_end(html: str, start: int) -> int:
    """Return the offset at which the start tag at `start` ends."""
    return START_TAG.match(html, start).end()  # type: ignore[union-attr]


def _skip_ordinary(html: str, position: int) -> int:
    return ORDINARY.match(html, position).end()  # type: ignore[union-attr]  # the pattern also matches the empty string
