"""Lists of Word 97 files ([MS-DOC] 2.9.131 to 2.9.150) as those of later ones, of which the numbers are computed."""

from assay.documents.docx_numbering import DEEPEST, Level, Numbering
from assay.documents.little_endian import read_number
from assay.documents.word97_file import Word97File, Word97Part

LIST, OVERRIDE, LEVEL = 28, 16, 28  # bytes of LSTF, LFO and LVLF
LEVELS = DEEPEST + 1
MOST_LEVELS = 50_000  # of all lists
IS_SIMPLE = 1  # a list of one level
IS_LEGAL, HAS_RESTART = 4, 8  # of a level
SETS_START, SETS_FORMAT = 0x10, 0x20  # of an override
KINDS = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 22: "decimalZero",
    23: "bullet", 255: "none",
}  # fmt: skip
MAX_LABEL = 40


def read_lists(file: Word97File) -> Numbering:
    """The lists by the numbers that paragraphs name, which are those of overrides."""
    definitions = _read_definitions(file)
    overrides = file.read_part(Word97Part.LIST_OVERRIDES)
    numbering = Numbering()
    count = min(read_number(overrides, 0, 4), len(overrides) // OVERRIDE)
    place = 4 + OVERRIDE * count
    for number in range(count):
        start = 4 + OVERRIDE * number
        shape, levels, starts = str(read_number(overrides, start, 4)), {}, {}
        place += 4
        for _ in range(min(read_number(overrides, start + 12, 1), LEVELS)):
            first, flags = read_number(overrides, place, 4), read_number(overrides, place + 4, 4)
            place += 8
            if flags & SETS_FORMAT:
                levels[flags & 0xF], place = _read_level(overrides, place)
            elif flags & SETS_START:
                starts[flags & 0xF] = first
        numbering.add_list(str(number + 1), shape, definitions.get(shape, {}) | levels, starts)
    return numbering


def _read_definitions(file: Word97File) -> dict[str, dict[int, Level]]:
    """The levels of the lists by their ids. They stand behind the declared end of the part."""
    lists = file.read_part(Word97Part.LISTS, beyond=len(file.table))
    count = min(read_number(lists, 0, 2), len(lists) // LIST)
    place, left = 2 + LIST * count, MOST_LEVELS
    definitions: dict[str, dict[int, Level]] = {}
    for start in range(2, place, LIST):
        levels = {}
        for depth in range(1 if read_number(lists, start + 26, 1) & IS_SIMPLE else LEVELS):
            if place >= len(lists) or not left:
                break
            levels[depth], place = _read_level(lists, place)
            left -= 1
        definitions[str(read_number(lists, start, 4))] = levels
    return definitions


def _read_level(data: bytes, place: int) -> tuple[Level, int]:
    """The level at a place, and the place behind it."""
    flags = read_number(data, place + 5, 1)
    sizes = read_number(data, place + 24, 1) + read_number(data, place + 25, 1)
    text = place + LEVEL + sizes
    length = read_number(data, text, 2)
    template = data[text + 2 : text + 2 + 2 * min(length, MAX_LABEL)].decode("utf-16-le", "replace")
    level = Level(
        KINDS.get(read_number(data, place + 4, 1), "decimal"),
        "".join(f"%{ord(sign) + 1}" if ord(sign) < LEVELS else sign for sign in template),
        min(read_number(data, place, 4), 100_000),
        read_number(data, place + 26, 1) if flags & HAS_RESTART else None,
        bool(flags & IS_LEGAL),
    )
    return level, text + 2 + 2 * length
