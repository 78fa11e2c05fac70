"""A walk over a document's tree that builds blocks of its visible content."""

import re

from assay.html.css.inherited_visibility import INITIAL_STATE, State
from assay.html.css.visibility import VisibilityResolver
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.code_blocks import is_empty_line
from assay.html.reader.disclosures import Disclosures
from assay.html.reader.element_roles import find_role_tag, read_typed_marker
from assay.html.reader.special_elements import SpecialElements, classify_names
from assay.html.reader.text_blocks import BlockPage

BRACKETS = re.compile(r"\s*[()\[\]（）〔〕［］【】《》]{1,2}\s*")


class DomWalker(SpecialElements):
    """One walk over a body: create it, call `run` once, read `page`. `BlockWalk` has the loop."""

    def __init__(self, resolver: VisibilityResolver, with_noscript: bool = False) -> None:
        super().__init__(resolver, INITIAL_STATE, BlockPage())
        self.disclosures = Disclosures(resolver)
        self.classes = classify_names(resolver.root)
        self.with_noscript = with_noscript

    def run(self, body: HtmlElement) -> BlockPage:
        state = self.resolver.resolve(body, INITIAL_STATE, body.get("class"))
        if state is not None and state.shows:  # a hidden body waits for a script that shows it
            self._set(state)
        self.enter_body(body)
        self.walk_siblings(body.first)
        self._flush()
        self.frame.last = len(self.page.blocks)
        return self.page

    def _find_role_tag(self, element: HtmlElement, tag: str) -> str:
        return find_role_tag(element, tag, self.frame)

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
        if tag == "noscript":
            self.page.noscripts.append(element)
            return self.with_noscript
        if tag == "dialog":
            return element.get("open") is not None or self._open(element) is not None
        if tag == "template":
            return element in self.resolver.shadow_roots
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

    def _enter_line(self, element: HtmlElement, tag: str) -> None:
        """Begin a line of preformatted text for a block element in it."""
        self._line()
        if is_empty_line(element, tag):
            self.tokens.append("\n")

    def _is_hollow(self, element: HtmlElement) -> bool:
        """Return whether an `rp` element holds only a bracket around a ruby annotation, which current browsers hide."""
        return element.first is None and BRACKETS.fullmatch(element.text or "") is not None


def walk(body: HtmlElement, resolver: VisibilityResolver, with_noscript: bool = False) -> BlockPage:
    """Return the blocks of a body."""
    return DomWalker(resolver, with_noscript).run(body)
