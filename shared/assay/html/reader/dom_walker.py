"""An iterative walk over a document's tree that builds blocks of its visible content."""

import re

from assay.html.css.inherited_visibility import INITIAL_STATE, State
from assay.html.css.visibility import VisibilityResolver
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.code_blocks import is_code_container, is_empty_line
from assay.html.reader.element_roles import find_role_tag, read_typed_marker
from assay.html.reader.special_elements import BLOCK_TAGS, STYLED_TAGS, SpecialElements, find_style_mark
from assay.html.reader.text_blocks import CELLS, HEADINGS, ITEMS, BlockPage, Frame, Mark
from assay.text.word_lists import parse_words

MAX_OPEN_MARKS = 12  # inline elements that may be open at once with a mark

SKIPPED_TAGS = parse_words(
    "script style noscript template svg head link meta select option optgroup datalist input textarea iframe object "
    "canvas video audio area frame frameset noframes noembed title param base dialog basefont "
    "annotation annotation-xml progress meter br source track embed wbr keygen bgsound"
)
MARK_BY_TAG = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "kbd": "code", "samp": "code"}
MARK_BY_TAG |= {"tt": "code", "del": "del", "s": "del", "strike": "del", "sup": "sup", "sub": "sub", "a": "a"}
INLINE_TAGS = parse_words(
    "abbr acronym bdi bdo big cite data dfn font ins label mark nobr output q rb ruby rt rtc small span time u var "
    "map picture slot math"
) | frozenset(MARK_BY_TAG)
PREFORMATTED_TAGS = frozenset(("pre", "listing", "xmp", "plaintext"))
POSITIONED_TAGS = ITEMS | CELLS | frozenset(("table", *HEADINGS))
BRACKETS = re.compile(r"\s*[()\[\]（）〔〕［］【】《》]{1,2}\s*")
KIND_BY_TAG = (
    dict.fromkeys(SKIPPED_TAGS, "skip") | dict.fromkeys(BLOCK_TAGS, "block") | dict.fromkeys(INLINE_TAGS, "inline")
)
KIND_BY_TAG |= {"img": "alone", "amp-img": "alone", "hr": "alone"} | {"rp": "hollow"}

type Level = tuple[HtmlElement, str, State]  # an entered element, how to leave it, and the state around it


class DomWalker(SpecialElements):
    """One walk over a body: create it, call `run` once, read `page`."""

    def run(self, body: HtmlElement) -> BlockPage:
        state = self.resolver.resolve(body, INITIAL_STATE, body.get("class"))
        if state is None or not state.shows:  # a hidden body waits for a script that shows it
            state = INITIAL_STATE
        self._set(state)
        self.frame = Frame(body, "body", None, 0)
        self.page.frames.append(self.frame)
        if self.is_shown and body.text:
            self._text(body.text)
        self._walk_siblings(body.first)
        self._flush()
        self.frame.last = len(self.page.blocks)
        return self.page

    def _walk_siblings(self, element: HtmlElement | None) -> None:
        """Walk from the element to the end of its parent."""
        above: list[Level] = []
        while element is not None:
            outer = self.state
            how = self._enter(element)
            if how is not None:
                if self.is_shown and (text := element.text):
                    self._text(text)
                if element.first is not None and not self.is_full:
                    above.append((element, how, outer))
                    element = element.first
                    continue
                if how != "inline" or outer is not self.state:
                    self._leave(how, outer)
            if self.is_shown and (tail := element.tail):
                self._text(tail)
            following = element.next
            if following is None or self.is_full:
                following = self._leave_parents(above)
            element = following

    def _leave_parents(self, above: list[Level]) -> HtmlElement | None:
        """Leave the elements that end here; return the element that follows them in document order."""
        while above:
            element, how, outer = above.pop()
            self._leave(how, outer)
            if self.is_shown and (tail := element.tail):
                self._text(tail)
            if element.next is not None and not self.is_full:
                return element.next
        return None

    def _enter(self, element: HtmlElement) -> str | None:
        """Return how to leave the element; None if its content is not walked."""
        tag = element.tag
        kind = KIND_BY_TAG.get(tag, "custom")
        if kind == "skip" and not self._is_read(element, tag):
            return None
        if kind == "hollow":
            return "inline" if _is_bracket(element) else None
        name = element.attributes.get("class")
        state = self.resolver.resolve(element, self.state, name)
        if state is None and (state := self._open(element)) is None:
            self._drop(element)
            return None
        if (tag == "math" or (name and self._is_special(name))) and state.shows and self._replace_special(element, tag):
            return None
        if kind == "alone":
            self._add_standalone(element, tag)
            return None
        if state is not self.state:
            self._change_state(element, state)
        if kind == "inline" or (kind == "custom" and element.first is None):
            return self._enter_inline(element, tag, kind)
        return self._enter_block(element, find_role_tag(element, tag, self.frame))

    def _find_inline_role(self, element: HtmlElement, tag: str) -> str:
        """Return what an inline element stands for: the tag of a block by its role, the marker of an item, or ""."""
        if self.frame.marker == "" and (marker := read_typed_marker(element)):
            self.frame.marker = marker
            return "marker"
        stands_for = find_role_tag(element, tag, self.frame) if "role" in element.attributes else tag
        return "" if stands_for == tag else stands_for

    def _add_standalone(self, element: HtmlElement, tag: str) -> None:
        if tag == "hr":
            self._flush()
        elif self.is_shown and not self._replace_image(element):
            self.may_have_image = True
            self._image(element)

    def _change_state(self, element: HtmlElement, state: State) -> None:
        """Switch to the visibility state of the element's content."""
        if self.is_shown and not state.shows:
            opened = self._open(element)
            if opened is None:
                self._drop(element)
            else:
                state = opened
        self._set(state)

    def _open(self, element: HtmlElement) -> State | None:
        """Return the state inside a hidden section as if a click had opened it; None if no control opens it."""
        if not self.is_shown:
            return None
        state = self.disclosures.open(element, self.state)
        if state is not None:
            self.page.opened[element] = len(self.page.blocks)
        return state

    def _is_read(self, element: HtmlElement, tag: str) -> bool:
        """Return whether the content of a normally skipped element is read here."""
        if tag == "br":
            self._break()
            return False
        if tag == "noscript":
            self.page.noscripts.append(element)
            return self.with_noscript
        if tag == "dialog":
            return element.get("open") is not None or self._open(element) is not None
        if tag == "template":
            return bool(element.get("shadowrootmode") == "open")
        if tag == "script":
            kind = element.get("type") or ""
            if kind.startswith("math/tex") and element.text and self.is_shown:
                self._mark(("math", element.text.strip(), "display" if "display" in kind else ""))
        elif tag == "input" and element.get("type") == "checkbox" and self.frame.tag == "li" and not self.has_content:
            self.tokens.append(("check", "x" if element.get("checked") is not None else " "))
        return False

    def _drop(self, element: HtmlElement) -> None:
        self.page.dropped += 1
        cause = self.resolver.hidden_by
        if cause is not None:
            self.page.hidden.setdefault(cause, []).append(element)

    def _enter_block(self, element: HtmlElement, tag: str) -> str:
        if self.preformatted is not None:
            self._line()
            if is_empty_line(element, tag):
                self.tokens.append("\n")
            return "line"
        if self.tokens:
            self._flush()
        frame = Frame(element, tag, self.frame, len(self.page.blocks))
        self.frame = frame
        self.page.frames.append(frame)
        if tag == "li" and element.tag == "p":
            frame.marker = ""
        if tag in PREFORMATTED_TAGS or is_code_container(tag, element.attributes.get("class")):
            self.preformatted = frame
        elif tag in POSITIONED_TAGS:
            frame.register_position()
        return "block"

    def _enter_inline(self, element: HtmlElement, tag: str, kind: str) -> str | None:
        if (tag == "span" or kind == "custom") and (stands_for := self._find_inline_role(element, tag)):
            return self._enter_block(element, stands_for) if stands_for != "marker" else None
        if kind == "custom":
            self._space()
            return "custom"
        mark = find_style_mark(element, tag) if tag in STYLED_TAGS else MARK_BY_TAG.get(tag)
        if mark is None or len(self.open_marks) >= MAX_OPEN_MARKS:
            if tag == "q" and self.is_shown:
                self._text("“")
                return "quote"
            return "inline"
        if mark == "a":
            href = element.attributes.get("href")
            if href is None:
                return "inline"
            self.links_open += 1
            self.links += 1
            opened: Mark = ("open", "a", href)
        else:
            opened = ("open", mark)
        self.open_marks.append(opened)
        self.tokens.append(opened)
        return "mark"

    def _leave(self, how: str, outer: State) -> None:
        if how == "block":
            self._leave_block()
        elif how == "mark":
            mark = self.open_marks.pop()
            self.tokens.append(("close", mark[1]))
            if mark[1] == "a":
                self.links_open -= 1
        elif how != "inline":
            self._leave_other(how)
        if outer is not self.state:
            self._set(outer)

    def _leave_other(self, how: str) -> None:
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
        if frame is self.preformatted:
            self.preformatted = None
        frame.last = len(self.page.blocks)
        if frame.blocks:
            parent.add(frame)
        self.frame = parent


def _is_bracket(element: HtmlElement) -> bool:
    """Return whether an `rp` element holds only a bracket around a ruby annotation, which current browsers hide."""
    return element.first is None and BRACKETS.fullmatch(element.text or "") is not None


def walk(body: HtmlElement, resolver: VisibilityResolver, with_noscript: bool = False) -> BlockPage:
    """Return the blocks of a body."""
    return DomWalker(resolver, with_noscript).run(body)
