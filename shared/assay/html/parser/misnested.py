"""Elements that our parser ends too early: where a browser keeps a paragraph inside, what hides it must hold it too."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache

from lxml.html import HtmlElement

from assay.html.parser.tag_scanner import ENDS, IS_HELD, LETTERS, RAWS, SPACE, TAG, told_apart

# What libxml2 ends (left) when it meets a start tag (right) that a browser leaves within.
FORMATTING = "center p td th"
HEADING = "fieldset form li p table"
LISTING = "dd dl dt fieldset form li table ul"
ENDED = {
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
SPLITS = {name: frozenset(within.split()) for name, within in ENDED.items()}
ENDING = frozenset().union(*SPLITS.values())
CELLS = frozenset(("td", "th"))
PREFIX = "kept-"
# The rest of a tag whose end nobody can be mistaken about.
PLAIN = rf"""(?:[{SPACE}]++[^{SPACE}<>"'=/]++(?:=(?:"[^"<>]*+"|'[^'<>]*+'|[^{SPACE}<>"'=]++))?+)*+[{SPACE}]*+/?>"""


STYLED = re.compile(r"\s(?:style|class|id|hidden|color|bgcolor)\b", re.IGNORECASE)
HIDES = re.compile(
    r"none|hidden|collapse|opacity|clip|transparent|scale|rotate|-\s*\d{2}|\d{4}|color|:\s*[01.]|\\", re.IGNORECASE
)
STYLES = ("style", "class", "id", "hidden", "bgcolor", "color")

type Place = tuple[HtmlElement, str]  # an element, and the name of what was ended early at or in it


def is_suspect(root: HtmlElement, html: str) -> bool:
    """Whether an element that may hide its text looks as if it had been ended early, or as if the end of one were its.

    The root was made of the page `html`.
    """
    concerned: set[Place] = set()
    climbed: set[Place] = set()
    for one in root.iter(*SPLITS):
        if _is_followed(one):
            _note(one, one.tag, concerned)
            _climb(one, climbed, concerned)
    if not concerned:
        return False
    hides = any(HIDES.search(style.text or "") for style in root.iter("style"))
    if not hides and not any(_may_hide(one) for one, _ in concerned):
        return False
    return any(_left_open(name).search(html) for name in {name for _, name in concerned})


@lru_cache(64)
def _left_open(name: str) -> re.Pattern[str]:
    """A start tag of the name, unless its end tag follows with nothing between that might end the element or hide tags.

    What follows is read as far as it is plain, and so never twice.
    """
    ending = rf"(?:{told_apart([name, *SPLITS[name]])}|{RAWS}){ENDS}"
    between = rf"[^<]*+(?:</?(?!{ending})[a-z][\w:-]*+{PLAIN}[^<]*+)*+"
    return re.compile(rf"<{name}{ENDS}(?!{PLAIN}{between}</{name}{ENDS})", LETTERS)


def _is_followed(element: HtmlElement) -> bool:
    """What was ended early is followed by what ended it, with nothing between; so are those that ended with it."""
    ending = SPLITS[element.tag]
    one = element
    while not one.tail:
        after = one.getnext()
        if after is not None:
            return after.tag in ending
        one = one.getparent()
        if one is None or (one.tag not in SPLITS and one.tag != "p"):
            return False
    return False


def _climb(element: HtmlElement, climbed: set[Place], concerned: set[Place]) -> None:
    """Note what ends too early because this element did: all up to the outermost of its name, for each of them is ended
    by the end tag of the one within. No way up is taken twice.
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


def _note(element: HtmlElement, name: str, concerned: set[Place]) -> None:
    if any(element.get(one) is not None for one in STYLES):
        concerned.add((element, name))


def _may_hide(element: HtmlElement) -> bool:
    if element.get("hidden") is not None or element.get("color") is not None:
        return True
    return HIDES.search(element.get("style") or "") is not None


def open_void_tag(tag: re.Match[str], has_sheet: bool) -> str | None:
    """A start tag without the slash at its end, where it has one: in HTML it says nothing, and ends no element.

    Only tags that may hide what they hold are touched, for only there it matters.
    """
    name, attributes, close = tag.groups()
    if close is None or not close.endswith("/>") or not IS_HELD.fullmatch(name):
        return None
    matters = STYLED.search(attributes) if has_sheet else HIDES.search(attributes)
    return f"<{name}{attributes}>" if matters else None


def protect_misnested(html: str) -> str:
    """The same page, where elements that would be ended early have names that the parser knows nothing of."""
    renaming = Renaming()
    done = 0
    for tag in TAG.finditer(html):
        if tag["opaque"]:
            continue
        name = tag["name"].lower()
        if name in SPLITS or name in ENDING or name == "table":
            renaming.pieces.append(html[done : tag.start()])
            done = tag.end()
            renaming.meet(name, is_end=bool(tag["slash"]), tag=tag)
    return "".join(renaming.pieces) + html[done:]


def with_own_names(root: HtmlElement) -> HtmlElement:
    for element in root.iter(*(PREFIX + name for name in SPLITS)):
        element.tag = element.tag.removeprefix(PREFIX)
    return root


@dataclass(slots=True)
class Open:
    """An element that a tag may end early; `place` is that of its start tag among the pieces."""

    name: str
    place: int
    is_open: bool = True
    is_renamed: bool = False


class Renaming:
    """Goes through the tags of a page, once; `pieces` is what they become."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.open: list[Open] = []
        self.names: Counter[str] = Counter()  # of what is open
        self.waiting: defaultdict[str, list[Open]] = defaultdict(list)  # by the tags that would end them
        self.tables = 0

    def meet(self, name: str, *, is_end: bool, tag: re.Match[str]) -> None:
        if name == "table":
            self.tables = max(0, self.tables + (-1 if is_end else 1))
        if is_end:
            self.pieces.append(self._end_element(name, tag.group()))
            return
        if name in self.waiting and not (name in CELLS and self.tables):
            self._rename_around(name)
        self.pieces.append(tag.group())
        if name in SPLITS:
            self._begin_element(Open(name, len(self.pieces) - 1))

    def _begin_element(self, entry: Open) -> None:
        self.open.append(entry)
        self.names[entry.name] += 1
        for name in SPLITS[entry.name]:
            self.waiting[name].append(entry)

    def _end_element(self, name: str, tag: str) -> str:
        while self.names[name]:
            entry = self.open.pop()
            entry.is_open = False
            self.names[entry.name] -= 1
            if entry.name == name:
                return f"</{PREFIX}{name}>" if entry.is_renamed else tag
        return tag

    def _rename_around(self, name: str) -> None:
        """What would be ended by this tag gets a name that is not, for its end tag might end what hides."""
        for entry in self.waiting.pop(name):
            if entry.is_open and not entry.is_renamed:
                entry.is_renamed = True
                self.pieces[entry.place] = f"<{PREFIX}{self.pieces[entry.place][1:]}"
