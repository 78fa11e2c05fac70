"""A document as a sequence of text blocks, each with its place: one pass over the tree, without recursion."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from lxml.html import HtmlElement

from assay.text.hidden import Curtain
from assay.text.listed import listed
from assay.text.sight import START, UNGROUNDED, State

BLOCKS = 10_000
CHARACTERS = 4_000_000  # of text in one document
SPAN = 40  # columns or rows that one cell may cover
MATH_ELEMENTS = 2000  # of one formula
SIGNS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
UNSEEN_MATH = frozenset(("annotation", "annotation-xml", "mphantom"))
LINKS_OPEN = 12  # inline elements open at once that are worth a mark

SKIPPED = listed(
    "script style noscript template svg head link meta select option optgroup datalist input textarea iframe object "
    "embed canvas video audio area source track frame frameset noframes title param base dialog basefont"
)
MARKED = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "kbd": "code", "samp": "code"}
MARKED |= {"tt": "code", "del": "del", "s": "del", "strike": "del", "sup": "sup", "sub": "sub", "a": "a"}
INLINE = listed(
    "abbr acronym bdi bdo big cite data dfn font ins label mark nobr output q rb ruby rt rp rtc small span time u var "
    "wbr meter progress map picture slot"
) | frozenset(MARKED)
BLOCK = listed(
    "html body address article aside blockquote button caption center dd details dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li listing main menu nav ol p plaintext pre search "
    "section summary table tbody td tfoot th thead tr ul xmp"
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
PRE = frozenset(("pre", "listing", "xmp", "plaintext"))
ICONS = re.compile(r"\b(?:material-icons|material-symbols|notranslate-icon)")
NUMBERS_OF_LINES = re.compile(
    r"(?:^|\s)(?:gutter|linenos?|lineno|linenumbers?|line-?numbers?(?:-rows)?|blob-num|ln-num|hljs-ln-numbers|rouge-gutter)(?:\s|$)"
)
RENDERED_MATH = re.compile(r"(?:^|\s)(?:katex-html|MathJax(?:_Preview|_SVG|_CHTML|_Display)?|mjx-chtml)(?:\s|$)")
HOLDS_MATH = re.compile(r"(?:^|\s)(?:katex|mwe-math-element|MathJax|mjx-container)(?:\s|$)")
PERMALINKS = listed("¶ # § 🔗 ⚓ ⚓︎ \uf0c1 \ue9cb")

type Mark = tuple[str, ...]
type Token = str | Mark
type Level = tuple[Iterator[HtmlElement], HtmlElement, str, State]  # children, whose, how to leave it, the state around
BREAK: Mark = ("br",)


class Frame:
    """An element that holds blocks: what it is, where it hangs, and what was found in it."""

    __slots__ = (
        "blocks",
        "cells",
        "element",
        "first",
        "heading",
        "items",
        "last",
        "link_words",
        "marks",
        "name",
        "nested",
        "parent",
        "place",
        "rows",
        "table",
        "tag",
        "texts",
        "words",
    )

    def __init__(self, element: HtmlElement, tag: str, parent: "Frame | None", first: int) -> None:
        self.element = element
        self.tag = tag
        self.parent = parent
        self.first = self.last = first
        self.words = self.link_words = self.blocks = self.texts = self.items = 0
        self.place = 0  # among the items of a list
        self.name = ""  # tag and classes: what looks alike is alike
        self.marks = 0
        self.nested = False  # a table that holds a table or a heading
        self.rows: list[list[Frame]] | None = None
        self.cells = 0
        self.heading: int = HEADINGS.get(tag) or (parent.heading if parent is not None else 0)
        self.table: Frame | None = parent.table if parent is not None else None


class Block:
    """A run of text that no block element interrupts."""

    __slots__ = ("characters", "frame", "index", "kind", "link_words", "links", "score", "text", "tokens", "words")

    def __init__(self, index: int, frame: Frame, tokens: list[Token], text: str, kind: str) -> None:
        self.index = index
        self.frame = frame
        self.tokens = tokens
        self.text = text
        self.kind = kind  # text, pre or image
        self.words = 0
        self.characters = len(text)
        self.links = 0
        self.link_words = 0
        self.score = 0.0


class Page:
    """What the walk found."""

    __slots__ = ("blocks", "dropped", "frames", "hidden")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.frames: list[Frame] = []
        self.hidden: dict[object, list[HtmlElement]] = {}  # what hid it: the elements hidden
        self.dropped = 0


KIND = dict.fromkeys(SKIPPED, "skip") | dict.fromkeys(BLOCK, "block") | dict.fromkeys(INLINE, "inline")
KIND |= {tag: tag for tag in ("br", "img", "hr", "math")}


def size(text: str) -> int:
    """Words, or what stands for them in scripts that do not part them."""
    words = text.count(" ") + 1 if text else 0
    if words and not text.isascii() and len(text) > 14 * words:
        return max(words, len(text) // 3)
    return words


class Walk:
    """One pass over a body. Made, run once, and read through `page`."""

    def __init__(self, curtain: Curtain, with_noscript: bool = False) -> None:
        self.page = Page()
        self.curtain = curtain
        self.with_noscript = with_noscript
        self.tokens: list[Token] = []
        self.filled = False  # whether the tokens hold more than space and marks
        self.open: list[Mark] = []  # inline marks that reach over block borders
        self.links_open = 0
        self.link_characters = 0
        self.links = 0
        self.breaks = 0
        self.pre: Frame | None = None
        self.state: State = START
        self.shows = True
        self.characters = 0
        self.full = False  # enough was found
        self.frame: Frame

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

    def _set(self, state: State) -> None:
        self.state = state
        self.shows = state is START or state is UNGROUNDED or state.shows

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
                display = display or "katex-display" in _name_of_parent(element)
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

    def _mark(self, mark: Mark) -> None:
        self.tokens.append(mark)
        self.filled = True
        self.breaks = 0

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

    def _line(self) -> None:
        """Inside preformatted text a block begins a new line."""
        for token in reversed(self.tokens):
            if isinstance(token, str) and token:
                if not token.endswith("\n"):
                    self.tokens.append("\n")
                return

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

    def _text(self, text: str | None) -> None:
        if not text or not self.shows:
            return
        self.tokens.append(text)
        if self.pre is not None:
            self.filled = True
        elif not text.isspace():
            self.filled = True
            self.breaks = 0
            if self.links_open:
                self.link_characters += len(text)

    def _break(self) -> None:
        if self.pre is not None:
            self.tokens.append("\n")
            return
        self.breaks += 1
        if self.breaks >= 2 and self.filled:
            self._flush()
        elif self.filled:
            self.tokens.append(BREAK)

    def _image(self, element: HtmlElement) -> None:
        alt = " ".join((element.get("alt") or "").split())
        if len(alt) < 3 or self.pre is not None:
            return
        source = element.get("src") or ""
        if not source or source.startswith("data:"):
            source = element.get("data-src") or element.get("data-lazy-src") or element.get("data-original") or ""
        self.tokens.append(("img", alt, source))

    def _flush(self) -> None:
        """What was gathered becomes a block."""
        tokens, filled = self.tokens, self.filled
        self.tokens = list(self.open)
        self.breaks = 0
        if not filled:
            if len(tokens) > len(self.open) and any(
                token[0] == "img" for token in tokens if not isinstance(token, str)
            ):
                self._add(tokens, "", "image")
            self.links = self.links_open
            return
        self.filled = False
        pieces = [
            token if isinstance(token, str) else " " for token in tokens if isinstance(token, str) or token is BREAK
        ]
        raw = "".join(pieces)
        self.characters += len(raw)
        text = " ".join(raw.split())
        if self.pre is not None:
            if text:
                self._add(tokens, text, "pre")
        else:
            self._add(tokens, text, "text")
        self.link_characters = 0
        self.links = self.links_open

    def _add(self, tokens: list[Token], text: str, kind: str) -> None:
        tokens.extend(("close", mark[1]) for mark in reversed(self.open))
        frame = self.frame
        block = Block(len(self.page.blocks), frame, tokens, text, kind)
        block.words = words = size(text)
        block.links = self.links
        if self.link_characters and words:
            block.link_words = min(words, round(words * min(1.0, self.link_characters / len(text))))
        frame.words += words
        frame.link_words += block.link_words
        frame.blocks += 1
        frame.texts += words > 12 and block.link_words * 3 < words
        self.page.blocks.append(block)
        self.full = len(self.page.blocks) >= BLOCKS or self.characters > CHARACTERS


@lru_cache(8192)
def is_special(name: str) -> bool:
    """Whether elements of this class may be formulas, icons or numbers of lines."""
    return SPECIAL.search(name) is not None


SPECIAL = re.compile("katex|math|mjx|material-|notranslate-icon|gutter|line-?n|blob-num|ln-n|MathJax|hljs-ln")


def _name_of_parent(element: HtmlElement) -> str:
    parent = element.getparent()
    return "" if parent is None else parent.get("class") or ""


def formula(element: HtmlElement) -> str:
    """The TeX of a formula, where the page carries it, else ""."""
    for annotation in element.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and annotation.text:
            return " ".join(annotation.text.split())
    for math in element.iter("math"):
        if alternative := math.get("alttext"):
            return " ".join(alternative.split())
    return ""


def walk(body: HtmlElement, curtain: Curtain, with_noscript: bool = False) -> Page:
    return Walk(curtain, with_noscript).run(body)
