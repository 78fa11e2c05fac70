"""Text that PowerPoint 97 to 2003 draws without size or in the colour of what is behind it ([MS-PPT] 2.12.2)."""

from assay.documents.docx_formatting import is_similar_color
from assay.documents.little_endian import read_number
from assay.documents.office_drawings import DrawingRecord, iter_records
from assay.documents.ppt_shapes import IS_BACKGROUND, Box, PptShape, read_shapes
from assay.documents.ppt_text import PptRun, read_master_bullets

SLIDE_ATOM, SCHEME, MASTER_STYLE = 0x03EF, 0x07F0, 0x0FA3  # kinds of records
FLAGS, HAS_MASTER_SCHEME, HAS_MASTER_BACKGROUND = 20, 2, 4
COLORS, RGB = 8, 0xFE  # of a scheme; what says that a colour of a text is none of them
FILL_RGB, FILL_SCHEME = 0, 8  # what a colour of a fill is
TINY = 2  # points; smaller text counts as hidden
PAINTED = 200  # maximum number of painted shapes; before more, the background of a text is unknown


class PptLook:
    """What decides the look of a slide, or of the slides of a master. A colour is RRGGBB, "" if unknown."""

    def __init__(self, data: bytes, slide: DrawingRecord) -> None:
        self.shapes = read_shapes(data, slide)
        self.flags = 0
        self.colors: dict[int, str] = {}  # by their numbers in the scheme
        self.bullets: dict[int, list[bool]] = {}  # by the kinds of texts and by level
        for record in iter_records(data, slide.start, slide.end):
            if record.kind == SLIDE_ATOM:
                self.flags = read_number(data, record.start + FLAGS, 2)
            elif record.kind == SCHEME and record.number == 1:
                colors = (data[start : start + 3] for start in range(record.start, record.start + 4 * COLORS, 4))
                self.colors = {number: color.hex() for number, color in enumerate(colors)}
            elif record.kind == MASTER_STYLE:
                bullets = read_master_bullets(data, record.start, record.end, record.number)
                self.bullets[record.number] = bullets


class PptColors:
    """Decides which text of a slide is invisible."""

    def __init__(self, slide: PptLook, master: PptLook | None) -> None:
        master = master or slide
        self.bullets = master.bullets
        self._colors = (master if slide.flags & HAS_MASTER_SCHEME else slide).colors
        self._background = self._read_background(master if slide.flags & HAS_MASTER_BACKGROUND else slide)
        behind = [
            each.box for each in master.shapes if master is not slide and _is_painted(each) and not each.placeholder
        ]
        self._behind: dict[int, list[Box | None]] = {}  # the places of what may be behind each shape
        for shape in slide.shapes:
            self._behind[id(shape)] = behind
            if _is_painted(shape):
                behind = [*behind[:PAINTED], shape.box]

    def _read_background(self, look: PptLook) -> str:
        background = next((shape for shape in look.shapes if shape.flags & IS_BACKGROUND), None)
        return self._read_fill(background) if background else ""

    def is_hidden(self, run: PptRun, shape: PptShape) -> bool:
        """Whether text of a shape is invisible."""
        if 0 < run.size < TINY:
            return True
        color = "" if run.color < 0 else self._find_color(run.color, run.color >> 24 if run.color >> 24 != RGB else -1)
        ground = self._find_ground(shape) if color else ""
        return bool(ground) and is_similar_color(color, ground)

    def _find_color(self, value: int, number: int) -> str:
        """A colour by its number in the scheme; -1 for one of none."""
        return (value & 0xFFFFFF).to_bytes(3, "little").hex() if number < 0 else self._colors.get(number, "")

    def _find_ground(self, shape: PptShape) -> str:
        """The colour behind the text of a shape."""
        declared = shape.drawn.declared.properties
        if declared.get("fFilled", "0" if shape.placeholder else "1") == "1":
            return self._read_fill(shape) if "fFilled" in declared else ""
        behind = self._behind.get(id(shape))
        if behind is None or shape.box is None or len(behind) > PAINTED:
            return ""
        return "" if any(box is None or _overlaps(box, shape.box) for box in behind) else self._background

    def _read_fill(self, shape: PptShape) -> str:
        declared = shape.drawn.declared.properties
        color = declared.get("fillColor", "")
        if declared.get("fillType", "0") != "0" or "pib" in declared or "fillOpacity" in declared or not color:
            return ""
        value = int(color)
        numbers = {FILL_RGB: -1, FILL_SCHEME: value & 0xFF}
        return self._find_color(value, numbers.get(value >> 24, COLORS))


def _is_painted(shape: PptShape) -> bool:
    """Whether a shape may cover what is behind it."""
    declared = shape.drawn.declared.properties
    is_filled = declared.get("fFilled", "0" if shape.placeholder else "1") == "1"
    return shape.is_shown and (is_filled or "pib" in declared or bool(shape.inner))


def _overlaps(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
