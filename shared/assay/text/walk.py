"""One pass over a document's tree, without recursion, that makes blocks of what a reader would see."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from lxml.html import HtmlElement

from assay.text.blocks import HEADINGS, Frame, Mark, Page
from assay.text.formulas import formula, name_of_parent
from assay.text.gathering import Gathering
from assay.text.hidden import Curtain
from assay.text.listed import listed
from assay.text.sight import START, UNGROUNDED, State

MATH_ELEMENTS = 2000  # of one formula
SIGNS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
UNSEEN_MATH = frozenset(("annotation", "annotation-xml", "mphantom"))
LINKS_OPEN = 12  # inline elements open at once that are worth a mark

SKIPPED = listed(
    "script style noscript template svg head link meta select option optgroup datalist input textarea iframe object "
    "embed canvas video audio area source track frame frameset noframes title param base dialog basefont "
    "annotation annotation-xml progress meter"
)
MARKED = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "kbd": "code", "samp": "code"}
MARKED |= {"tt": "code", "del": "del", "s": "del", "strike": "del", "sup": "sup", "sub": "sub", "a": "a"}
INLINE = listed(
    "abbr acronym bdi bdo big cite data dfn font ins label mark nobr output q rb ruby rt rp rtc small span time u var "
    "wbr map picture slot"
) | frozenset(MARKED)
BLOCK = listed(
    "html body address article aside blockquote button caption center dd details dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li listing main menu nav ol p plaintext pre search "
    "section summary table tbody td tfoot th thead tr ul xmp"
)
PRE = frozenset(("pre", "listing", "xmp", "plaintext"))
ICONS = re.compile(r"\b(?:material-icons|material-symbols|notranslate-icon)")
NUMBERS_OF_LINES = re.compile(
    r"(?:^|\s)(?:gutter|linenos?|lineno|linenumbers?|line-?numbers?(?:-rows)?|blob-num|ln-num|hljs-ln-numbers|rouge-gutter)(?:\s|$)"
)
RENDERED_MATH = re.compile(r"(?:^|\s)(?:katex-html|MathJax(?:_Preview|_SVG|_CHTML|_Display)?|mjx-chtml)(?:\s|$)")
HOLDS_MATH = re.compile(r"(?:^|\s)(?:katex|mwe-math-element|MathJax|mjx-container)(?:\s|$)")
KIND = dict.fromkeys(SKIPPED, "skip") | dict.fromkeys(BLOCK, "block") | dict.fromkeys(INLINE, "inline")
KIND |= {tag: tag for tag in ("br", "img", "hr", "math")}

type Level = tuple[Iterator[HtmlElement], HtmlElement, str, State]  # children, whose, how to leave it, the state around


class Walk(Gathering):
    """One pass over a body. Made, run once, and read through `page`."""

    def run(self, body: HtmlElement) -> Page:
        state = self.curtain.enter(body, START, body.get("class"))
        if state is None or not state.shows:  # a page that hides itself waits for a script that shows it
            state = START
        self._set(state)
        self.frame = Frame(body, "body", None, 0)
        self.page.frames.append(self.frame)
        self._text(body.text)
        stack: list[Level] = [(iter(body), body, "", START)]
        while stack:
            if self._goes_down(stack):
                continue
            _, element, how, outer = stack.pop()
            if stack:
                self._finish(element, how, outer)
        self._flush()
        self.frame.last = len(self.page.blocks)
        return self.page

    def _goes_down(self, stack: list[Level]) -> bool:
        """Read on to the next element with children and enter it; False when the children are at their end."""
        for child in stack[-1][0]:
            if self.full:
                return False
            entered = self._enter(child)
            if entered is None:
                if child.tail:
                    self._text(child.tail)
                continue
            how, state = entered
            outer = self.state
            if state is not outer:
                self._set(state)
            if child.text:
                self._text(child.text)
            if len(child):
                stack.append((iter(child), child, how, outer))
                return True
            self._finish(child, how, outer)
        return False

    def _finish(self, element: HtmlElement, how: str, outer: State) -> None:
        self._leave(how)
        if outer is not self.state:
            self._set(outer)
        if element.tail:
            self._text(element.tail)

    def _enter(self, element: HtmlElement) -> tuple[str, State] | None:
        """How to leave the element and what it hands down; None when there is nothing to go down to."""
        tag = element.tag
        kind = KIND.get(tag, "custom")
        if kind == "br":
            self._break()
            return None
        if kind == "skip":
            if not self._opens(element, tag):
                return None
            kind = "block"
        name = element.get("class")
        state = self.curtain.enter(element, self.state, name)
        if state is None:
            self._drop(element)
            return None
        if (kind == "math" or (name and is_special(name))) and state.shows and self._aside(element, tag):
            return None
        return self._enter_seen(element, tag, kind, state)

    def _enter_seen(self, element: HtmlElement, tag: str, kind: str, state: State) -> tuple[str, State] | None:
        if kind == "img":
            if self.shows:
                self._image(element)
            return None
        if kind == "hr":
            self._flush()
            return None
        if state is not self.state and state is not UNGROUNDED and self.shows and not state.shows:
            self.page.dropped += 1
            self.page.hidden.setdefault(element, []).append(element)
        if kind == "block" or (kind == "custom" and len(element)):
            return self._enter_block(element, tag), state
        return self._enter_inline(element, tag, kind), state

    def _opens(self, element: HtmlElement, tag: str) -> bool:
        """Whether an element that is not shown as a rule is shown here."""
        if tag == "noscript":
            return self.with_noscript
        if tag == "dialog":
            return bool(element.get("open") is not None)
        if tag == "template":
            return bool(element.get("shadowrootmode") == "open")
        if tag == "script":
            kind = element.get("type") or ""
            if kind.startswith("math/tex") and element.text and self.shows:
                self._mark(("math", element.text.strip(), "display" if "display" in kind else ""))
        elif tag == "input" and element.get("type") == "checkbox" and self.frame.tag == "li" and not self.filled:
            self.tokens.append(("check", "x" if element.get("checked") is not None else " "))
        return False

    def _drop(self, element: HtmlElement) -> None:
        self.page.dropped += 1
        cause = self.curtain.dropped_by
        if cause is not None:
            self.page.hidden.setdefault(cause, []).append(element)

    def _aside(self, element: HtmlElement, tag: str) -> bool:
        """Elements whose content is replaced: formulas, and what only decorates code."""
        name = element.get("class") or ""
        if tag == "math" or HOLDS_MATH.search(name):
            if any(inner.tag in BLOCK for inner in islice(element.iter(), MATH_ELEMENTS)):
                return False  # a formula that was never closed, and text that fell into it
            tex = formula(element) or self._spelled(element)
            if tex:
                display = "display" in name or element.get("display") == "block"
                display = display or "katex-display" in name_of_parent(element)
                self._mark(("math", tex, "display" if display else ""))
            return bool(tex) or tag == "math" or bool(RENDERED_MATH.search(name))
        if RENDERED_MATH.search(name) or ICONS.search(name):
            return True
        return bool(NUMBERS_OF_LINES.search(name))

    def _spelled(self, element: HtmlElement) -> str:
        """The signs of a formula that has no source, as far as they are seen."""
        if element.tag != "math":
            return ""
        found: list[str] = []
        waiting = [element]
        while waiting and len(found) < MATH_ELEMENTS:
            inner = waiting.pop()
            if inner.tag in UNSEEN_MATH:
                continue
            state = self.curtain.enter(inner, self.state, inner.get("class"))
            if state is None or not state.shows:
                continue
            if inner.tag in SIGNS and inner.text:
                found.append(inner.text)
            waiting.extend(reversed(inner))
        return " ".join("".join(found).split())

    def _enter_block(self, element: HtmlElement, tag: str) -> str:
        if self.pre is not None:
            self._line()
            return "line"
        if self.tokens:
            self._flush()
        frame = Frame(element, tag, self.frame, len(self.page.blocks))
        self.frame = frame
        self.page.frames.append(frame)
        if tag in PRE:
            self.pre = frame
        elif tag in ("li", "dt", "dd"):
            parent = frame.parent
            if parent is not None:
                parent.items += 1
                frame.place = parent.items
        elif tag in ("table", "tr", "td", "th"):
            self._enter_table(frame, tag)
        elif frame.heading and tag in HEADINGS and frame.table is not None:
            frame.table.nested = True
        return "block"

    def _enter_table(self, frame: Frame, tag: str) -> None:
        table = frame.table
        if tag == "table":
            while table is not None:
                table.nested = True
                table = table.parent.table if table.parent is not None else None
            frame.table, frame.rows = frame, []
        elif table is not None and table.rows is not None:
            if tag == "tr" or not table.rows:
                table.rows.append([])
            if tag != "tr":
                table.rows[-1].append(frame)
                table.cells += 1

    def _enter_inline(self, element: HtmlElement, tag: str, kind: str) -> str:
        if kind == "custom":
            self.tokens.append(" ")
            return "custom"
        mark = MARKED.get(tag)
        if mark is None or len(self.open) >= LINKS_OPEN:
            if tag == "q":
                self._text("“")
                return "quote"
            return "inline"
        if mark == "a":
            href = element.get("href")
            if href is None:
                return "inline"
            self.links_open += 1
            self.links += 1
            opened: Mark = ("open", "a", href)
        else:
            opened = ("open", mark)
        self.open.append(opened)
        self.tokens.append(opened)
        return "mark"

    def _leave(self, kind: str) -> None:
        if kind == "block":
            self._leave_block()
        elif kind == "mark":
            mark = self.open.pop()
            self.tokens.append(("close", mark[1]))
            if mark[1] == "a":
                self.links_open -= 1
        elif kind == "line":
            self._line()
        elif kind == "custom":
            self.tokens.append(" ")
        elif kind == "quote":
            self._text("”")

    def _leave_block(self) -> None:
        if self.tokens:
            self._flush()
        frame, parent = self.frame, self.frame.parent
        assert parent is not None
        if frame is self.pre:
            self.pre = None
        frame.last = len(self.page.blocks)
        parent.words += frame.words
        parent.link_words += frame.link_words
        parent.blocks += frame.blocks
        parent.texts += frame.texts
        self.frame = parent


@lru_cache(8192)
def is_special(name: str) -> bool:
    """Whether elements of this class may be formulas, icons or numbers of lines."""
    return SPECIAL.search(name) is not None


SPECIAL = re.compile("katex|math|mjx|material-|notranslate-icon|gutter|line-?n|blob-num|ln-n|MathJax|hljs-ln")


def walk(body: HtmlElement, curtain: Curtain, with_noscript: bool = False) -> Page:
    return Walk(curtain, with_noscript).run(body)
