"""Reads a tree of elements, such as HTML or JATS, into blocks with markers, and entries of the list of references."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from assay.manuscripts.manuscript import CitationStyle
from assay.manuscripts.manuscript_draft import Block, BlockKind, DraftReference, Marker

type Element = Any  # lxml has no complete types
type Role = Literal[
    "skip", "block", "heading", "quote", "entry", "anchor", "raised", "quoted", "inline", "space", "note"
]

SPACES = re.compile(r"\s+")
RAISED_NUMBERS = re.compile(r"\d{1,4}(?:\s?[,–—-]\s?\d{1,4}){0,60}")
NUMERIC = re.compile(r"[\s\[\]()^]*\d{1,3}(?:\s?[-–,]\s?\d{1,3}){0,20}[\s\[\]()]*")
DASH = re.compile(r"\s?[-–—]\s?")
WIDEST = 60  # references that a range of links may cite
MOST_ENTRIES = 50_000


class MarkupRoles(Protocol):
    """What the elements of a format mean."""

    def find_role(self, element: Element) -> Role: ...

    def is_hidden(self, element: Element, parent: Any) -> tuple[bool, Any]:
        """Return whether readers do not see the element, and what its children are given as `parent`."""

    def find_targets(self, element: Element) -> tuple[str, ...]:
        """Return the addresses of an anchor; a place in the same document begins with "#"."""

    def build_reference(self, element: Element, text: str) -> DraftReference | None:
        """Build the reference of an entry of the list; None if it has none."""


@dataclass
class OpenBlock:
    """The text of a block, a note or an entry that is being read."""

    kind: BlockKind
    label: str = ""
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    markers: list[Marker] = field(default_factory=list)

    def add(self, text: str) -> None:
        text = SPACES.sub(" ", text)
        if text[:1] == " " and (not self.pieces or self.pieces[-1].endswith(" ")):
            text = text[1:]
        if text:
            self.pieces.append(text)
            self.length += len(text)

    @property
    def text(self) -> str:
        return "".join(self.pieces).rstrip()


class OpenElement(NamedTuple):
    """An element whose children are being read."""

    element: Element
    role: Role
    state: Any
    block: OpenBlock
    piece: int  # of the block, with which its text begins
    start: int  # offset of that text in the block

    def read_text(self) -> str:
        return "".join(self.block.pieces[self.piece :])


class MarkupReader:
    """One walk over a tree: create it, call `read` once, then use `blocks`, `entries` and `links`."""

    def __init__(self, roles: MarkupRoles) -> None:
        self._roles = roles
        self.blocks: list[Block] = []
        self.entries: list[tuple[DraftReference, tuple[str, ...]]] = []  # with the ids of the entry
        self.links: list[str] = []
        self._block = OpenBlock("paragraph")
        self._outer: list[OpenBlock] = []
        self._quotes = 0

    def read(self, root: Element, state: Any) -> None:
        """Read all visible text below `root`, in document order and without recursion."""
        stack: list[OpenElement] = []
        element, parent_state = root, state
        while True:
            hidden, inner = self._roles.is_hidden(element, parent_state)
            role: Role = "skip" if hidden else self._roles.find_role(element)
            if hidden:
                self._read_hidden(element)
            if role != "skip":
                self._enter(element, role)
                stack.append(
                    OpenElement(element, role, inner, self._block, len(self._block.pieces), self._block.length)
                )
                self._block.add(element.text or "")
                if len(element):
                    element, parent_state = element[0], inner
                    continue
                element = self._leave(stack)
            while element.getnext() is None or element is root:
                if not stack or element is root:
                    self._close()
                    return
                self._add_tail(element)
                element = self._leave(stack)
            self._add_tail(element)
            element, parent_state = element.getnext(), stack[-1].state if stack else state

    def _add_tail(self, element: Element) -> None:
        self._block.add(element.tail or "")

    def _enter(self, element: Element, role: Role) -> None:
        if role in ("block", "heading", "quote"):
            self._close()
            self._quotes += role == "quote"
            self._block.kind = "heading" if role == "heading" else "quote" if self._quotes else "paragraph"
        elif role in ("entry", "note"):
            self._outer.append(self._block)
            self._block = OpenBlock("note", element.get("id") or "")
        elif role == "quoted":
            self._block.add("“")
        elif role == "space":
            self._block.add(" ")

    def _leave(self, stack: list[OpenElement]) -> Element:
        inner = stack.pop()
        element, role = inner.element, inner.role
        if role in ("block", "heading", "quote"):
            self._close()
            self._quotes -= role == "quote"
            self._block.kind = "quote" if self._quotes else "paragraph"
        elif role in ("entry", "note"):
            self._end_entry(element, role)
        elif role == "anchor":
            self._end_anchor(inner)
        elif role == "raised":
            self._end_raised(inner)
        elif role == "quoted":
            self._block.add("”")
        return element

    def _end_entry(self, element: Element, role: Role) -> None:
        inner, self._block = self._block, self._outer.pop()
        if role == "entry" and len(self.entries) < MOST_ENTRIES:
            reference = self._roles.build_reference(element, inner.text)
            if reference:
                self.entries.append((reference, list_ids(element)))
        elif inner.text:
            self.blocks.append(Block("note", inner.text, tuple(inner.markers), label=inner.label))

    def _read_hidden(self, hidden: Element) -> None:
        """Keep hidden references, which nobody must take for ones that readers see."""
        for element in hidden.iter():
            if len(self.entries) < MOST_ENTRIES and self._roles.find_role(element) == "entry":
                text = SPACES.sub(" ", "".join(element.itertext())[:5_000]).strip()
                reference = self._roles.build_reference(element, text)
                if reference:
                    self.entries.append((reference._replace(hidden=True), ()))

    def _end_anchor(self, anchor: OpenElement) -> None:
        targets = self._roles.find_targets(anchor.element)
        self.links += [target for target in targets if not target.startswith("#") and not self._outer]
        text = anchor.read_text() if targets and anchor.block is self._block else ""
        if text.strip():
            is_inner = all(target.startswith("#") for target in targets)
            style: CitationStyle = "link" if not is_inner else "numeric" if NUMERIC.fullmatch(text) else "author-year"
            end = anchor.start + len(text.rstrip())
            self._block.markers.append(Marker(anchor.start, end, style, targets, is_certain=False))

    def _end_raised(self, raised: OpenElement) -> None:
        """Write a superscript number as `^3^`, unless links in it say what it cites."""
        text = raised.read_text().strip() if raised.block is self._block else ""
        is_linked = bool(self._block.markers) and self._block.markers[-1].start >= raised.start
        if not is_linked and RAISED_NUMBERS.fullmatch(text):
            self._block.pieces[raised.piece :] = [f"^{text}^"]
            self._block.length = raised.start + len(text) + 2

    def _close(self) -> None:
        if self._outer:
            self._block.add(" ")
            return
        text = self._block.text
        if text:
            markers = tuple(marker for marker in self._block.markers if marker.end <= len(text))
            self.blocks.append(Block(self._block.kind, text, markers))
        self._block = OpenBlock(self._block.kind)


def list_ids(element: Element) -> tuple[str, ...]:
    """Return the ids of an element and of those in it, to which markers may lead."""
    return tuple(each.get("id") for each in element.iter() if each.get("id"))[:50]


def keep_known_anchors(blocks: list[Block], known: dict[str, int], *, find_note: Callable[[str], str]) -> None:
    """Turn links to places in the document into citations of the entries there, or into marks of notes; drop others.

    `known` has the labels of references by id. Two links with a dash between them are a range.
    """
    for block in blocks:
        markers: list[Marker] = []
        for marker in block.markers:
            inner = [str(label)[1:] for label in marker.labels if str(label).startswith("#")]
            if not inner:
                markers.append(marker._replace(is_certain=True))
                continue
            places = [known[each] for each in inner if each in known]
            note = find_note(inner[0])
            if places:
                markers.append(_extend_range(block.text, markers, marker, places))
            elif note:
                markers.append(marker._replace(style="footnote", labels=(note,)))
        block.markers = tuple(markers)


def _extend_range(text: str, markers: list[Marker], marker: Marker, places: list[int]) -> Marker:
    """Add to a marker the references between it and the one before, if a dash stands between them."""
    before = markers[-1] if markers else None
    if before and before.style == marker.style == "numeric" and DASH.fullmatch(text[before.end : marker.start]):
        last = before.labels[-1]
        if isinstance(last, int) and last < places[0] <= last + WIDEST:
            places = [*range(last + 1, places[0]), *places]
    return marker._replace(labels=tuple(places), is_certain=True)
