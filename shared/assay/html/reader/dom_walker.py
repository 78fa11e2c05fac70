"""A walk over a document's tree that builds blocks of its visible content."""

import re
from itertools import chain, islice
from operator import attrgetter

from assay.html.css.inherited_visibility import INITIAL_STATE, State
from assay.html.css.visibility import VisibilityResolver
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.accessible_names import read_icon
from assay.html.reader.code_blocks import find_line_sign, is_empty_line
from assay.html.reader.disclosures import Disclosures
from assay.html.reader.div_tables import TABLE_NAMES, find_table_tag
from assay.html.reader.element_kinds import BLOCK_TAGS, SEPARABLE_TAGS
from assay.html.reader.element_roles import find_role_tag, read_typed_marker
from assay.html.reader.embedded_media import EMBEDDING_TAGS
from assay.html.reader.page_breaks import breaks_page
from assay.html.reader.special_elements import SpecialElements, classify_names
from assay.html.reader.text_blocks import BlockPage, Token
from assay.html.reader.unseen_siblings import find_before, is_amid_text

BLOCK_STYLE = re.compile(r"(?:^|[;\s])display\s*:\s*(?:block|flex|grid|table|list-item)\s*(?:;|!|$)", re.IGNORECASE)
UNSEEN_STATE = State(visible=False)
CODE_MARK = ("open", "code")
SOURCE_TAGS = frozenset(("footer", "small"))  # which hold the source of a quotation
WORD_ENDS = frozenset(".!?:)%”")
CURRENCIES = frozenset("$€£¥")
BULLETS = frozenset("•▪●‣◦■➢")
PROSE_TAGS = frozenset(("p", "li", "dd"))
MAX_CELL_LEVELS = 4  # elements around an icon in which a cell is looked for
MAX_PIECES = 40  # pieces of text that are examined
MAX_LETTERS = 2
MAX_INITIAL = 3  # characters
MAX_MARKS = 8  # tokens before the end of a text that are examined
CHIP = re.compile(r"(?:(?:^|[\s_-])(?:tag|chip|badge|label|pill)s?|[a-z](?:Tag|Chip|Badge|Label|Pill)s?)(?![^\s_-])")
ITEM_NUMBER = re.compile(r"\s*(?:\d{1,3}\.){0,3}(?:\((?:\d{1,3}|[A-Za-z]{1,4})|\d{1,3}|[A-Za-z])[.)]")  # of a clause
BRACKETS = re.compile(r"\s*[()\[\]（）〔〕［］【】《》]{1,2}\s*")


class DomWalker(SpecialElements):
    """One walk over a body: create it, call `run` once, read `page`. `BlockWalk` has the loop."""

    def __init__(self, resolver: VisibilityResolver, with_noscript: bool = False) -> None:
        super().__init__(resolver, INITIAL_STATE, BlockPage(resolver.root))
        self.disclosures = Disclosures(resolver)
        self.classes = classify_names(resolver.root)
        self.has_div_tables = not TABLE_NAMES.isdisjoint(resolver.root.class_names)
        captions = resolver.root.iter("figcaption")
        self.captioned = {caption.parent for caption in captions if caption.parent is not None}
        self.with_noscript = with_noscript
        self.streamed = {place: content for content, place in resolver.places.items()}

    def run(self, body: HtmlElement) -> BlockPage:
        state = self.resolver.resolve(body, INITIAL_STATE, body.get("class"))
        if state is not None and state.shows:  # a hidden body waits for a script that shows it
            self._set(state)
        self.enter_body(body)
        self.walk_siblings(body.first)
        self._flush()
        self.frame.last = len(self.page.blocks)
        self.page.is_cut = bool(self.is_full)
        return self.page

    def _find_role_tag(self, element: HtmlElement, tag: str) -> str:
        part = find_table_tag(element, self.frame) if tag == "div" and self.has_div_tables else ""
        return part or find_role_tag(element, tag, self.frame)

    def _find_inline_role(self, element: HtmlElement, tag: str) -> str:
        """Return what an inline element stands for: the tag of a block by its role, the marker of an item, or ""."""
        if self.frame.marker == "" and (marker := read_typed_marker(element)):
            self.frame.marker = marker
            return "marker"
        if tag == "cite":
            return "div" if self._is_beside_quote(element) else ""
        if element.attributes.get("role") == "img":
            self._read_icon(element)
            return ""
        if element.attributes.get("role") == "tooltip":  # seen on a click only
            self.page.dropped += 1
            return "marker"
        if "role" in element.attributes and (stands_for := find_role_tag(element, tag, self.frame)) != tag:
            return stands_for
        style = element.attributes.get("style") or ""
        return "div" if BLOCK_STYLE.search(style) and not _is_initial(element, style) else ""

    def _join_sentence(self, element: HtmlElement) -> bool:
        """Join a custom element or a button, such as a term explained, to the sentence that it is a part of.

        Return whether there is one. A button gets the space that a style sheet leaves before it.
        """
        if self.preformatted is not None or not is_amid_text(element) or element.get("role") not in (None, "button"):
            return False
        inner = list(islice(element.iter(), 1, MAX_PIECES))
        if len(inner) == MAX_PIECES - 1 or not BLOCK_TAGS.isdisjoint(each.tag for each in inner):
            return False
        if element.tag != "button":
            return True
        end = self.tokens[-1]
        if self.frame.tag in PROSE_TAGS and isinstance(end, str) and end[-1:].isalnum():
            self.tokens.append(" ")
        return self.frame.tag in PROSE_TAGS

    def _is_beside_quote(self, element: HtmlElement) -> bool:
        """Return whether a source stands before or behind the words that a quotation has of it."""
        frame = self.frame
        if frame.tag != "blockquote" and (frame.parent is None or frame.parent.tag != "blockquote"):
            return False
        following = (element.tail or "").lstrip(" ")
        if not self.has_content:
            return following != "" and (following == element.tail or "".join(element.itertext()).rstrip().endswith(":"))
        return element.next is None and not following.strip() and not _follows_words(element)

    def _separate(self, element: HtmlElement) -> None:
        """Add a space between two inline elements, unless their texts may be parts of a word."""
        before, around = find_before(element), element.parent
        if element.tag == "label" and before is not None and before.tag in ("label", "input"):
            self.tokens.append(" ")  # between the labels of fields or tabs beside each other
            return
        if before is None or around is None or before.tag not in SEPARABLE_TAGS or self.preformatted is not None:
            return
        end = next((token for token in islice(reversed(self.tokens), MAX_MARKS) if isinstance(token, str)), "")
        start = element.text or next(iter(element.itertext()), "")
        if end[-1:] == "." and self.frame.tag == "dt":
            return  # the name of a module before that of its member
        if end.strip() in BULLETS and _is_first(end, self.tokens):
            self.tokens.append(" ")
            return
        in_prose = self.frame.tag == "p" or self.frame.heading
        is_border = _is_border(end[-1:], start[:1]) if in_prose else _is_box_border(end, start)
        is_joint = end[-1:].isalnum() and start[:1].isalnum()
        is_chip = is_joint and _is_chip(before, element)
        is_border = is_border or is_chip or (is_joint and _lead_elsewhere(before, element))
        is_numbered = start[:1].isalnum() and ITEM_NUMBER.fullmatch(end) is not None
        if not (is_border or is_numbered):
            return
        is_apart = is_chip or (is_numbered and self.frame.tag == "li" and _is_first(end, self.tokens))
        if CODE_MARK not in self.open_marks and (is_apart or not _has_text(around)):
            self.tokens.append(" ")

    def _add_standalone(self, element: HtmlElement, tag: str) -> None:
        if tag == "hr":
            self._flush()
            if breaks_page(element):
                self.page.page_ends.append(len(self.page.blocks))
        elif tag in EMBEDDING_TAGS:
            self._embed(element, tag)
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
        if not self.is_shown or element in self.resolver.places:
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
            content = self.streamed.get(element)
            if content is not None:
                self._read_streamed(content)
            return element in self.resolver.shadow_roots
        self._add_instead(element, tag)
        return False

    def _add_instead(self, element: HtmlElement, tag: str) -> None:
        """Add what an element whose content is not read stands for: an icon, a formula or a box of a list of tasks."""
        if tag == "svg":
            if self.frame.table is not None:
                self._read_icon(element)
        elif tag == "script":
            kind = element.get("type") or ""
            if kind.startswith("math/tex") and element.text and self.is_shown:
                self._mark(("math", element.text.strip(), "display" if "display" in kind else ""))
        elif tag == "input" and element.get("type") == "checkbox" and self._begins_item():
            self.tokens.append(("check", "x" if element.get("checked") is not None else " "))

    def _read_icon(self, icon: HtmlElement) -> None:
        """Read the name of an icon that is the only content of a table's cell."""
        cell = self.frame
        for _ in range(MAX_CELL_LEVELS):
            if cell.tag == "td" or cell.parent is None:
                break
            cell = cell.parent
        if cell.tag == "td" and self._shows(icon) and (name := read_icon(icon, cell.element)):
            self._text(name)

    def _begins_item(self) -> bool:
        """Return whether no content of the item around was read, which may have it in a paragraph."""
        frame, item = self.frame, self.frame
        if frame.tag == "p" and frame.parent is not None and frame.parent.first == frame.first:
            item = frame.parent
        return item.tag == "li" and not self.has_content

    def _read_streamed(self, content: HtmlElement) -> None:
        """Read at its place what a script moves there."""
        if self.is_shown and content.text:
            self._text(content.text)
        self.walk_siblings(content.first)

    def _drop(self, element: HtmlElement) -> None:
        if element in self.resolver.places:
            return
        self.page.dropped += 1
        cause = self.resolver.hidden_by
        if cause is not None:
            self.page.hidden.setdefault(cause, []).append(element)

    def _enter_line(self, element: HtmlElement, tag: str) -> None:
        """Begin a line of preformatted text for a block element in it; a button there copies the text."""
        if tag == "button":
            self._set(UNSEEN_STATE)
            return
        self._line()
        if is_empty_line(element, tag):
            self.tokens.append("\n")
        if sign := find_line_sign((element.attributes.get("class") or "").split()):
            self.tokens.append(("sign", sign))

    def _is_hollow(self, element: HtmlElement) -> bool:
        """Return whether an `rp` element holds only a bracket around a ruby annotation, which current browsers hide."""
        return element.first is None and BRACKETS.fullmatch(element.text or "") is not None


def _is_first(text: str, tokens: list[Token]) -> bool:
    """Return whether the text is the first one of the tokens that is no space."""
    return next((token for token in tokens if isinstance(token, str) and not token.isspace()), "") is text


def _is_initial(element: HtmlElement, style: str) -> bool:
    """Return whether the element is the large first letter or number of a paragraph, beside which the rest stands."""
    return "float" in style and element.first is None and len((element.text or "").strip()) <= MAX_INITIAL


def _is_border(end: str, start: str) -> bool:
    """Return whether two characters look like the end and the beginning of separate texts."""
    return (end.islower() or end.isdigit() or end in WORD_ENDS) and (start.isupper() or start in CURRENCIES)


def _is_box_border(end: str, start: str) -> bool:
    """Return whether a text and the one after it are probably of two boxes, where no prose is around them."""
    if len(end.strip()) + len(start.strip()) <= MAX_LETTERS:
        return False  # letters that a script moves one by one
    is_end = end[-1:].isalnum() or end[-1:] in WORD_ENDS
    return is_end and (start[:1].isupper() or start[:1].isdigit() or start[:1] in CURRENCIES)


def _has_text(element: HtmlElement) -> bool:
    """Return whether the element has text of its own, not only elements."""
    pieces = chain((element.text,), map(attrgetter("tail"), islice(element, MAX_PIECES)))
    return not all(map(str.isspace, filter(None, pieces)))


def _follows_words(source: HtmlElement) -> bool:
    """Return whether a source stands in a line below a quotation that begins otherwise: with a dash, or with a name."""
    around = source.parent
    return around is not None and around.tag in SOURCE_TAGS and bool((around.text or "").strip())


def _lead_elsewhere(one: HtmlElement, other: HtmlElement) -> bool:
    """Return whether both are links, to different targets."""
    targets = [each.attributes.get("href") for each in (one, other) if each.tag == "a"]
    return len(targets) == 2 and targets[0] != targets[1]


def _is_chip(one: HtmlElement, other: HtmlElement) -> bool:
    """Return whether the class of one of the elements says that it is a tag, badge or label, which is a box."""
    return any(CHIP.search(each.attributes.get("class") or "") for each in (one, other))


def walk(body: HtmlElement, resolver: VisibilityResolver, with_noscript: bool = False) -> BlockPage:
    """Return the blocks of a body."""
    return DomWalker(resolver, with_noscript).run(body)
