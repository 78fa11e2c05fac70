"""One pass over a document's tree, without recursion, that makes blocks of what a reader would see."""

import re
from itertools import islice

from lxml.html import HtmlElement

from assay.html.css.computed_visibility import INITIAL_STATE, UNKNOWN_BACKGROUND, State
from assay.html.css.visibility import VisibilityResolver
from assay.html.reader.block_builder import Gathering
from assay.html.reader.math_formulas import formula, name_of_parent
from assay.html.reader.text_blocks import CELLS, HEADINGS, ITEMS, BlockPage, Frame, Mark
from assay.text.word_lists import parse_words

MATH_ELEMENTS = 2000  # of one formula
SIGNS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
UNSEEN_MATH = frozenset(("annotation", "annotation-xml", "mphantom"))
LINES = 20_000  # of code
TEXTS_OF_WIKIS, LETTERS_OF_WIKIS = 200, 80  # of a link to editing, or of the ways back from a footnote
LINKS_OPEN = 12  # inline elements open at once that are worth a mark

SKIPPED = parse_words(
    "script style noscript template svg head link meta select option optgroup datalist input textarea iframe object "
    "canvas video audio area frame frameset noframes title param base dialog basefont "
    "annotation annotation-xml progress meter br"
)
HOLLOW = frozenset(("source", "track", "embed", "wbr", "keygen", "bgsound"))  # void; the parser nests what follows
MARKED = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "kbd": "code", "samp": "code"}
MARKED |= {"tt": "code", "del": "del", "s": "del", "strike": "del", "sup": "sup", "sub": "sub", "a": "a"}
INLINE = parse_words(
    "abbr acronym bdi bdo big cite data dfn font ins label mark nobr output q rb ruby rt rtc small span time u var "
    "map picture slot math"
) | frozenset(MARKED)
BLOCK = parse_words(
    "html body address article aside blockquote button caption center dd details dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li listing main menu nav ol p plaintext pre search "
    "section summary table tbody td tfoot th thead tr ul xmp"
)
PRE = frozenset(("pre", "listing", "xmp", "plaintext"))
PLACED = ITEMS | CELLS | frozenset(("table", *HEADINGS))
BRACKETS = re.compile(r"\s*[()\[\]（）〔〕［］【】《》]{1,2}\s*")
ICONS = re.compile(r"\b(?:material-icons|material-symbols|notranslate-icon)")
NUMBERS_OF_LINES = re.compile(
    r"(?:^|\s)(?:gutter|linenos?|lineno|linenumbers?|line-?numbers?(?:-rows)?|blob-num|ln-num|hljs-ln-numbers|rouge-gutter)(?:\s|$)"
)
NUMBERS = re.compile(r"[\d\s.:#L]*+")
RENDERED_MATH = re.compile(r"(?:^|\s)(?:katex-html|MathJax(?:_Preview|_SVG|_CHTML|_Display)?|mjx-chtml)(?:\s|$)")
HOLDS_MATH = re.compile(r"(?:^|\s)(?:katex|mwe-math-element|MathJax|mjx-container)(?:\s|$)")
OF_WIKIS = re.compile(r"(?:^|\s)mw-(?:editsection|cite-backlink)(?:\s|$)")  # links to editing, and back from a footnote
SPECIAL = re.compile("katex|math|mjx|material-|notranslate-icon|gutter|line-?n|blob-num|ln-n|MathJax|hljs-ln|mw-")
KIND = dict.fromkeys(SKIPPED, "skip") | dict.fromkeys(BLOCK, "block") | dict.fromkeys(INLINE, "inline")
KIND |= {"img": "alone", "hr": "alone"} | dict.fromkeys(HOLLOW, "hollow") | {"rp": "hollow"}

type Level = tuple[HtmlElement, str, State]  # an element that was entered, how to leave it, and the state around it


class DomWalker(Gathering):
    """One pass over a body. Made, run once, and read through `page`."""

    def run(self, body: HtmlElement) -> BlockPage:
        state = self.curtain.resolve(body, INITIAL_STATE, body.get("class"))
        if state is None or not state.shows:  # a page that hides itself waits for a script that shows it
            state = INITIAL_STATE
        self._set(state)
        self.frame = Frame(body, "body", None, 0)
        self.page.frames.append(self.frame)
        if self.shows and body.text:
            self._text(body.text)
        if len(body):
            self._read_on(body[0])
        self._flush()
        self.frame.last = len(self.page.blocks)
        return self.page

    def _read_on(self, element: HtmlElement | None) -> None:
        """From the element to the end of what is around it."""
        above: list[Level] = []
        while element is not None:
            outer = self.state
            how = self._enter(element)
            if how is not None:
                if self.shows and (text := element.text):
                    self._text(text)
                if len(element) and not self.full:
                    above.append((element, how, outer))
                    element = element[0]
                    continue
                self._leave(how, outer)
            element = self._after(element, above)

    def _after(self, element: HtmlElement, above: list[Level]) -> HtmlElement | None:
        """The element that follows, once those are left that end before it."""
        while True:
            if self.shows and (tail := element.tail):
                self._text(tail)
            following = None if self.full else element.getnext()
            if following is not None or not above:
                return following
            element, how, outer = above.pop()
            self._leave(how, outer)

    def _enter(self, element: HtmlElement) -> str | None:
        """How to leave the element; None when there is nothing to go down to."""
        tag = element.tag
        kind = KIND.get(tag, "custom")
        if kind == "skip" and not self._opens(element, tag):
            return None
        if kind == "hollow":
            return "inline" if tag != "rp" or _is_bracket(element) else None
        name = element.get("class")
        state = self.curtain.resolve(element, self.state, name)
        if state is None:
            self._drop(element)
            return None
        if (tag == "math" or (name and self._is_special(name))) and state.shows and self._aside(element, tag):
            return None
        if kind == "alone":
            self._stand_alone(element, tag)
            return None
        if state is not self.state:
            self._change(element, state)
        if kind == "inline" or (kind == "custom" and not len(element)):
            return self._enter_inline(element, tag, kind)
        return self._enter_block(element, tag)

    def _stand_alone(self, element: HtmlElement, tag: str) -> None:
        if tag == "hr":
            self._flush()
        elif self.shows:
            self.pictured = True
            self._image(element)

    def _change(self, element: HtmlElement, state: State) -> None:
        """What is below the element is seen in another way than what is around it."""
        if self.shows and state is not UNKNOWN_BACKGROUND and not state.shows:
            self._drop(element)
        self._set(state)

    def _opens(self, element: HtmlElement, tag: str) -> bool:
        """Whether an element whose content is not read as a rule is read here."""
        if tag == "br":
            self._break()
            return False
        if tag == "noscript":
            self.page.noscripts.append(element)
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
        cause = self.curtain.hidden_by
        if cause is not None:
            self.page.hidden.setdefault(cause, []).append(element)

    def _is_special(self, name: str) -> bool:
        """Whether elements of this class may be formulas, icons or numbers of lines."""
        found = self.special.get(name)
        if found is None:
            found = self.special[name] = SPECIAL.search(name) is not None
        return found

    def _aside(self, element: HtmlElement, tag: str) -> bool:
        """Elements whose content is replaced: formulas, and what only decorates code."""
        name = element.get("class") or ""
        if tag == "math" or HOLDS_MATH.search(name):
            if any(inner.tag in BLOCK for inner in islice(element.iter(), MATH_ELEMENTS)):
                return False  # a formula that was never closed, and text that fell into it
            tex = formula(element) or self._formula_text(element)
            if tex:
                display = "display" in name or element.get("display") == "block"
                display = display or "katex-display" in name_of_parent(element)
                self._mark(("math", tex, "display" if display else ""))
            return bool(tex) or tag == "math" or bool(RENDERED_MATH.search(name))
        if RENDERED_MATH.search(name) or ICONS.search(name):
            return True
        if OF_WIKIS.search(name):  # unless it holds more than they do, which is text that a reader sees
            return len("".join(islice(element.itertext(), TEXTS_OF_WIKIS))) <= LETTERS_OF_WIKIS
        return NUMBERS_OF_LINES.search(name) is not None and all(
            NUMBERS.fullmatch(text) for text in islice(element.itertext(), LINES)
        )

    def _formula_text(self, element: HtmlElement) -> str:
        """The signs of a formula that has no source, as far as they are seen."""
        if element.tag != "math":
            return ""
        found: list[str] = []
        waiting = [element]
        while waiting and len(found) < MATH_ELEMENTS:
            inner = waiting.pop()
            if inner.tag in UNSEEN_MATH:
                continue
            state = self.curtain.resolve(inner, self.state, inner.get("class"))
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
        elif tag in PLACED:
            frame.take_place()
        return "block"

    def _enter_inline(self, element: HtmlElement, tag: str, kind: str) -> str:
        if kind == "custom":
            self._space()
            return "custom"
        mark = MARKED.get(tag)
        if mark is None or len(self.open) >= LINKS_OPEN:
            if tag == "q" and self.shows:
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

    def _leave(self, how: str, outer: State) -> None:
        if how == "block":
            self._leave_block()
        elif how == "mark":
            mark = self.open.pop()
            self.tokens.append(("close", mark[1]))
            if mark[1] == "a":
                self.links_open -= 1
        elif how != "inline":
            self._leave_odd(how)
        if outer is not self.state:
            self._set(outer)

    def _leave_odd(self, how: str) -> None:
        if how == "line":
            self._line()
        elif how == "custom":
            self._space()
        elif how == "quote":
            self._text("”")

    def _leave_block(self) -> None:
        if self.tokens:
            self._flush()
        frame, parent = self.frame, self.frame.parent
        assert parent is not None
        if frame is self.pre:
            self.pre = None
        frame.last = len(self.page.blocks)
        if frame.blocks:
            parent.add(frame)
        self.frame = parent


def _is_bracket(element: HtmlElement) -> bool:
    """Whether it only holds a bracket around how a word is read; nobody but old browsers shows it."""
    return not len(element) and BRACKETS.fullmatch(element.text or "") is not None


def walk(body: HtmlElement, curtain: VisibilityResolver, with_noscript: bool = False) -> BlockPage:
    return DomWalker(curtain, with_noscript).run(body)
