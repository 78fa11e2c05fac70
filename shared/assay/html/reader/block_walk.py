"""The loop of the walk over a page.

`_block_walk.c` has the same class, with the same answers; this one serves machines where that is not built. Both leave
what is rare on a page to the methods of `DomWalker`.
"""

from typing import TYPE_CHECKING

from assay.html.css.inherited_visibility import State
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.block_collector import BlockCollector
from assay.html.reader.element_kinds import (
    CODE_CLASS,
    CODE_CONTAINER_TAGS,
    CUSTOM_KIND,
    KIND_BY_TAG,
    MARK_BY_TAG,
    POSITIONED_TAGS,
    PREFORMATTED_TAGS,
    READ_TAGS,
    SEPARABLE_TAGS,
    SPECIAL_CLASS,
    SPECIAL_TAGS,
    STYLED_TAGS,
)
from assay.html.reader.text_blocks import Frame, Mark

MAX_OPEN_MARKS = 12  # inline elements that may be open at once with a mark

type Level = tuple[HtmlElement, str, State]  # an entered element, how to leave it, and the state around it


class BlockWalk(BlockCollector):
    """A walk over a body: call `enter_body` once, then `walk_siblings` with its first element."""

    if TYPE_CHECKING:  # methods of `DomWalker`

        def _is_read(self, element: HtmlElement, tag: str) -> bool: ...
        def _is_hollow(self, element: HtmlElement) -> bool: ...
        def _open(self, element: HtmlElement) -> State | None: ...
        def _drop(self, element: HtmlElement) -> None: ...
        def _change_state(self, element: HtmlElement, state: State) -> None: ...
        def _replace_special(self, element: HtmlElement, tag: str) -> bool: ...
        def _add_standalone(self, element: HtmlElement, tag: str) -> None: ...
        def _enter_line(self, element: HtmlElement, tag: str) -> None: ...
        def _find_role_tag(self, element: HtmlElement, tag: str) -> str: ...
        def _find_inline_role(self, element: HtmlElement, tag: str) -> str: ...
        def _separate(self, element: HtmlElement) -> None: ...
        def _join_sentence(self, element: HtmlElement) -> bool: ...
        def _find_style_mark(self, element: HtmlElement, tag: str) -> str | None: ...

    def enter_body(self, body: HtmlElement) -> None:
        """Begin the outermost frame, and add the text before its first element."""
        self.frame = Frame(body, "body", None, 0)
        self.page.frames.append(self.frame)
        if self.is_shown and body.text:
            self._text(body.text)

    def walk_siblings(self, element: HtmlElement | None) -> None:
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
        kind = KIND_BY_TAG.get(tag, CUSTOM_KIND)
        if kind == "skip" and not self._enter_skipped(element, tag):
            return None
        if kind == "hollow":
            return "inline" if self._is_hollow(element) else None
        name = element.attributes.get("class")
        state = self.resolver.resolve(element, self.state, name)
        if state is None and (state := self._open(element)) is None:
            self._drop(element)
            return None
        is_special = tag in SPECIAL_TAGS or bool(name and self.classes.get(name, 0) & SPECIAL_CLASS)
        if is_special and state.shows and self._replace_special(element, tag):
            return None
        if kind == "alone":
            self._add_standalone(element, tag)
            return None
        if state is not self.state:
            self._change_state(element, state)
        return self._enter_as(element, tag, kind)

    def _enter_as(self, element: HtmlElement, tag: str, kind: str) -> str | None:
        """Enter an element as a block, or as a part of the text around it."""
        if self.has_content and (kind == CUSTOM_KIND or tag == "button") and self._join_sentence(element):
            return "inline"
        if kind == "inline" or (kind == CUSTOM_KIND and element.first is None):
            return self._enter_inline(element, tag, kind)
        return self._enter_block(element, self._find_role_tag(element, tag))

    def _enter_skipped(self, element: HtmlElement, tag: str) -> bool:
        """Return whether the content of a normally skipped element is read."""
        if tag == "br":
            self._break()
        return tag in READ_TAGS and self._is_read(element, tag)

    def _enter_block(self, element: HtmlElement, tag: str) -> str:
        if self.preformatted is not None:
            self._enter_line(element, tag)
            return "line"
        if self.tokens:
            self._flush()
        frame = Frame(element, tag, self.frame, len(self.page.blocks))
        self.frame = frame
        self.page.frames.append(frame)
        if tag == "li" and element.tag == "p":
            frame.marker = ""
        if tag in PREFORMATTED_TAGS or self._is_code_container(tag, element.attributes.get("class")):
            self.preformatted = frame
        elif tag in POSITIONED_TAGS:
            frame.register_position()
        return "block"

    def _is_code_container(self, tag: str, name: str | None) -> bool:
        return bool(tag in CODE_CONTAINER_TAGS and name and self.classes.get(name, 0) & CODE_CLASS)

    def _enter_inline(self, element: HtmlElement, tag: str, kind: str) -> str | None:
        if tag in SEPARABLE_TAGS and self.has_content and element.previous is not None and not element.previous.tail:
            self._separate(element)
        may_stand_for = tag in ("span", "cite") or kind == CUSTOM_KIND
        if may_stand_for and (stands_for := self._find_inline_role(element, tag)):
            return self._enter_block(element, stands_for) if stands_for != "marker" else None
        if kind == CUSTOM_KIND:
            self._space()
            return "custom"
        mark = self._find_style_mark(element, tag) if tag in STYLED_TAGS else MARK_BY_TAG.get(tag)
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
            parent.words += frame.words
            parent.link_words += frame.link_words
            parent.blocks += frame.blocks
            parent.texts += frame.texts
        self.frame = parent
