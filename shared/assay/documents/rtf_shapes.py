"""Shapes of RTF files: which of them are hidden, and in which of them white text shows.

The properties of a shape may stand behind its text, and so may the pictures that its text stands before. A file in
which that matters is therefore read twice: the second time with the shapes of the first.
"""

import re
from dataclasses import dataclass, field

from assay.documents.painted_areas import Fill, PaintedAreas, Size

MIN_OPACITY = 0x10000 // 10  # of a fill that counts: a tenth of that of one through which nothing shows
BRIGHT = 244  # minimum of each channel (0 to 255) of a fill that counts as white
COLOR, OPACITY = re.compile(r"\d{1,8}"), re.compile(r"\d{1,4}")
EDGES = (("shpleft", "shpright", "picwgoal", "picscalex"), ("shptop", "shpbottom", "pichgoal", "picscaley"))
MEASURES = frozenset(word for side in EDGES for word in side)
DECISIVE = frozenset(("fHidden", "fFilled", "fillColor", "fillType", "fillOpacity", "pib"))


@dataclass
class RtfShape:
    """A shape, a picture, or a drawing of an old program, whose properties are not read."""

    is_shape: bool
    depth: int = 0  # of its group
    boxes_before: int = 0  # text boxes of the file
    properties: dict[str, str] = field(default_factory=dict)
    measures: dict[str, int] = field(default_factory=dict)

    @property
    def is_hidden(self) -> bool:
        return self.properties.get("fHidden", "") not in ("", "0")

    @property
    def fill(self) -> Fill:
        """What fills it. A shape that does not say so is filled with white."""
        say = self.properties.get
        if not self.is_shape or "pib" in self.properties:
            return "paint"
        opacity = say("fillOpacity", "")
        if say("fFilled") == "0" or (OPACITY.fullmatch(opacity) and int(opacity) < MIN_OPACITY):
            return "none"
        if say("fillType", "0") != "0":
            return "paint"
        color = say("fillColor", str(0xFFFFFF))
        whole = int(color) if COLOR.fullmatch(color) else 0
        is_white = whole <= 0xFFFFFF and min(whole.to_bytes(3)) >= BRIGHT
        return "paper" if is_white else "paint"

    def find_size(self) -> Size:
        """The width and height in twips, None where unknown."""
        width, height = (
            self.measures[end] - self.measures[start]
            if start in self.measures and end in self.measures
            else self.measures[goal] * self.measures.get(scale, 100) // 100
            if goal in self.measures
            else None
            for start, end, goal, scale in EDGES
        )
        return width, height


class RtfShapes:
    """The shapes of a file in their order. `known` are those that an earlier reading found."""

    def __init__(self, known: list[RtfShape] | None = None) -> None:
        self.found: list[RtfShape] = []
        self.is_unsettled = False  # whether text depends on what an earlier reading would have found
        self._known = known
        self._open: list[tuple[int, bool]] = []  # the numbers of the open shapes, and whether one around is hidden
        self._boxes = 0
        self._painted = PaintedAreas(
            shape.find_size() for shape in known or () if shape.fill == "paint" and not shape.is_hidden
        )

    def begin(self, depth: int, *, is_shape: bool) -> None:
        """Begin a shape whose group is at this depth."""
        self.end(depth)
        self._open.append((len(self.found), self.is_hidden()))
        self.found.append(RtfShape(is_shape, depth, self._boxes))

    def add_picture(self) -> None:
        self.found.append(RtfShape(is_shape=False))

    def end(self, depth: int) -> None:
        """End the shapes whose groups are at this depth or deeper."""
        while self._open and self.found[self._open[-1][0]].depth >= depth:
            self._open.pop()

    def measure(self, word: str, number: int) -> None:
        """Take an edge or a size of the last shape or picture."""
        if self.found:
            self.found[-1].measures[word] = number

    def add_property(self, name: str, value: str) -> None:
        if self._open and name in DECISIVE:
            shape = self.found[self._open[-1][0]]
            shape.properties[name] = value[:20]
            is_late = shape.is_hidden and shape.boxes_before < self._boxes
            self.is_unsettled = self.is_unsettled or is_late

    def is_hidden(self) -> bool:
        """Whether the open shape or one around it is hidden."""
        if not self._open:
            return False
        number, is_in_hidden = self._open[-1]
        return is_in_hidden or self._find(number).is_hidden

    def _find(self, number: int) -> RtfShape:
        known = self._known or ()
        return known[number] if number < len(known) else self.found[number]

    def begin_box(self, *, is_filled: bool) -> bool:
        """Return whether white text shows in the open shape; `is_filled` tells whether it does around it."""
        self._boxes += 1
        if self._known is None:
            return True
        shape = self._find(self._open[-1][0])
        return self._painted.shows_white(shape.fill, shape.find_size(), is_filled=is_filled)
