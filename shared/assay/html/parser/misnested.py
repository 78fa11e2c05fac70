"""Protects elements that libxml2 closes too early from losing the content that their style hides.

libxml2 closes certain elements at start tags (table ENDED_BY) at which the HTML Standard, section 13.2.6.4.7, keeps
them open. If the element hides its content, the rest of that content would become visible.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache

from lxml.html import HtmlElement

from assay.html.parser.tag_scanner import CASE_INSENSITIVE, HOLDING_NAME, NAME_END, RAW_NAMES, SPACE, TAG, prefix_tree

# Each element (left) with the start tags (right) at which libxml2 closes it and the HTML Standard does not.
FORMATTING = "center p td th"
HEADING = "fieldset form li p table"
LISTING = "dd dl dt fieldset form li table ul"
ENDED_BY = {
    **dict.fromkeys(("b", "i", "u"), FORMATTING),
    **dict.fromkeys(("big", "small", "s", "strike", "tt"), "p"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), HEADING),
    **dict.fromkeys(("pre", "listing"), LISTING),
    **dict.fromkeys(("dir", "menu"), "dd dl dt form ul"),
    "a": "fieldset table td th",
    "address": "dd dl dt form li ul",
    "dl": "form li",
    "dt": "dl",
    "font": "center td th",
    "form": "form",
    "legend": "fieldset",
    "ol": "form",
    "span": "td th",
    "ul": "address form menu pre",
}
CLOSED_BY = {name: frozenset(within.split()) for name, within in ENDED_BY.items()}
CLOSING_TAGS = frozenset().union(*CLOSED_BY.values())
CELLS = frozenset(("td", "th"))
PREFIX = "kept-"
# The rest of a tag whose attributes are all well formed, so that its end is unambiguous.
WELL_FORMED_REST = (
    rf"""(?:[{SPACE}]++[^{SPACE}<>"'=/]++(?:=(?:"[^"<>]*+"|'[^'<>]*+'|[^{SPACE}<>"'=]++))?+)*+[{SPACE}]*+/?>"""
)


STYLED = re.compile(r"\s(?:style|class|id|hidden|color|bgcolor)\b", re.IGNORECASE)
HIDES = re.compile(
    r"none|hidden|collapse|opacity|clip|transparent|scale|rotate|-\s*\d{2}|\d{4}|color|:\s*[01.]|\\", re.IGNORECASE
)
STYLE_ATTRIBUTES = ("style", "class", "id", "hidden", "bgcolor", "color")

type EarlyEnd = tuple[HtmlElement, str]  # an element, and the name of what was closed early at it


def is_suspect(root: HtmlElement, html: str) -> bool:
    """Return whether an element of the tree that may hide its text seems to have been closed too early in `html`."""
    hidden_candidates: set[EarlyEnd] = set()
    climbed: set[EarlyEnd] = set()
    for element in root.iter(*CLOSED_BY):
        if _is_followed(element):
            _note(element, element.tag, hidden_candidates)
            _note_ancestors(element, climbed, hidden_candidates)
    if not hidden_candidates:
        return False
    hides = any(HIDES.search(style.text or "") for style in root.iter("style"))
    if not hides and not any(_may_hide(element) for element, _ in hidden_candidates):
        return False
    return any(_left_open(name).search(html) for name in {name for _, name in hidden_candidates})


@lru_cache(64)
def _left_open(name: str) -> re.Pattern[str]:
    """Build a pattern for a start tag of this name that is not plainly closed by its own end tag.

    The markup between is scanned possessively, so no part of it is read twice.
    """
    ending = rf"(?:{prefix_tree([name, *CLOSED_BY[name]])}|{RAW_NAMES}){NAME_END}"
    between = rf"[^<]*+(?:</?(?!{ending})[a-z][\w:-]*+{WELL_FORMED_REST}[^<]*+)*+"
    return re.compile(rf"<{name}{NAME_END}(?!{WELL_FORMED_REST}{between}</{name}{NAME_END})", CASE_INSENSITIVE)


def _is_followed(element: HtmlElement) -> bool:
    """Return whether a tag that closes the element early comes directly after it, or after ancestors closed with it."""
    ending = CLOSED_BY[element.tag]
    one = element
    while not one.tail:
        after = one.getnext()
        if after is not None:
            return after.tag in ending
        one = one.getparent()
        if one is None or (one.tag not in CLOSED_BY and one.tag != "p"):
            return False
    return False


def _note_ancestors(element: HtmlElement, climbed: set[EarlyEnd], concerned: set[EarlyEnd]) -> None:
    """Record the ancestors up to the outermost one of the same name, because the inner end tag closes each of them.

    `climbed` stops the same path from being walked twice.
    """
    name = element.tag
    around = list(element.iterancestors(name))
    if not around:
        return
    for one in element.iterancestors():
        if (one, name) in climbed:
            return
        climbed.add((one, name))
        _note(one, name, concerned)
        if one is around[-1]:
            return


def _note(element: HtmlElement, name: str, concerned: set[EarlyEnd]) -> None:
    if any(element.get(one) is not None for one in STYLE_ATTRIBUTES):
        concerned.add((element, name))


def _may_hide(element: HtmlElement) -> bool:
    if element.get("hidden") is not None or element.get("color") is not None:
        return True
    return HIDES.search(element.get("style") or "") is not None


def drop_trailing_slash(tag: re.Match[str], has_sheet: bool) -> str | None:
    """Return the start tag without its trailing slash; None when it has none or cannot hide text.

    In HTML the slash of a non-void element has no meaning (section 13.1.2.1), but libxml2 treats it as an end tag.
    """
    name, attributes, close = tag.groups()
    if close is None or not close.endswith("/>") or not HOLDING_NAME.fullmatch(name):
        return None
    matters = STYLED.search(attributes) if has_sheet else HIDES.search(attributes)
    return f"<{name}{attributes}>" if matters else None


def protect_misnested(html: str) -> str:
    """Return the page with the elements that libxml2 would close early renamed to names it has no rules for."""
    renamer = TagRenamer()
    copied = 0
    for tag in TAG.finditer(html):
        if tag["opaque"]:
            continue
        name = tag["name"].lower()
        if name in CLOSED_BY or name in CLOSING_TAGS or name == "table":
            renamer.pieces.append(html[copied : tag.start()])
            copied = tag.end()
            renamer.add_tag(name, is_end=bool(tag["slash"]), tag=tag)
    return "".join(renamer.pieces) + html[copied:]


def restore_names(root: HtmlElement) -> HtmlElement:
    """Restore the names that `protect_misnested` changed."""
    for element in root.iter(*(PREFIX + name for name in CLOSED_BY)):
        element.tag = element.tag.removeprefix(PREFIX)
    return root


@dataclass(slots=True)
class OpenElement:
    """An open element that a later start tag may close; `place` is the index of its start tag in the pieces."""

    name: str
    place: int
    is_open: bool = True
    is_renamed: bool = False


class TagRenamer:
    """Receives the tags of a page in order; `pieces` is the rewritten markup."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.open: list[OpenElement] = []
        self.open_counts: Counter[str] = Counter()  # number of open elements by name
        self.closable_by: defaultdict[str, list[OpenElement]] = defaultdict(list)  # by the tags that would close them
        self.tables = 0

    def add_tag(self, name: str, *, is_end: bool, tag: re.Match[str]) -> None:
        if name == "table":
            self.tables = max(0, self.tables + (-1 if is_end else 1))
        if is_end:
            self.pieces.append(self._end_element(name, tag.group()))
            return
        if name in self.closable_by and not (name in CELLS and self.tables):
            self._rename_around(name)
        self.pieces.append(tag.group())
        if name in CLOSED_BY:
            self._begin_element(OpenElement(name, len(self.pieces) - 1))

    def _begin_element(self, entry: OpenElement) -> None:
        self.open.append(entry)
        self.open_counts[entry.name] += 1
        for name in CLOSED_BY[entry.name]:
            self.closable_by[name].append(entry)

    def _end_element(self, name: str, tag: str) -> str:
        while self.open_counts[name]:
            entry = self.open.pop()
            entry.is_open = False
            self.open_counts[entry.name] -= 1
            if entry.name == name:
                return f"</{PREFIX}{name}>" if entry.is_renamed else tag
        return tag

    def _rename_around(self, name: str) -> None:
        """Rename the open elements that this start tag would close early."""
        for entry in self.closable_by.pop(name):
            if entry.is_open and not entry.is_renamed:
                entry.is_renamed = True
                self.pieces[entry.place] = f"<{PREFIX}{self.pieces[entry.place][1:]}"
