"""Writes files of Word 97 ([MS-DOC]) that say what a test needs; each paragraph and run has a page of properties of its own."""

import struct
from itertools import accumulate, pairwise

SECTOR, PAGE, TEXT = 512, 512, 1024
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SHORTEST = 4096  # bytes of a stream that is stored in sectors, not in pieces of them
PARTS = {
    "styles": 1, "footnote marks": 2, "footnote texts": 3, "fonts": 15, "pieces": 33, "anchors": 40, "endnote marks": 46,
    "endnote texts": 47, "drawings": 50, "boxes": 56, "lists": 73,
    "comment marks": 4, "comment texts": 5, "comment authors": 36, "comment bookmarks": 37, "comment begins": 42, "comment ends": 43,
    "overrides": 74, "run pages": 12, "paragraph pages": 13,
}  # fmt: skip
STORIES = {"main": 0, "footnotes": 1, "headers": 2, "comments": 4, "endnotes": 5, "boxes": 6}


def sprm(code, value):
    """A property with its operand: a number, or bytes that begin with their length where the code asks for it."""
    size = (1, 1, 2, 4, 2, 2, 0, 3)[code >> 13]
    operand = value if isinstance(value, bytes) else (value % (1 << 8 * size)).to_bytes(size, "little")
    return struct.pack("<H", code) + (b"" if size else bytes([len(operand)])) + operand


def paragraph(*runs, style=0, properties=b"", mark="\r", mark_properties=b""):
    """A paragraph of runs, each a text or a pair of text and properties, with the mark at its end."""
    parts = [(run, b"") if isinstance(run, str) else run for run in runs]
    return [*parts, (mark, mark_properties)], struct.pack("<H", style) + properties


def a_row(*cells, edges=None, depth=1, flags=(), properties=b""):
    """The paragraphs of a row: the cells, each a list of paragraphs whose last ends it, and the mark of the row."""
    edges = edges or range(0, 1000 * (len(cells) + 1), 1000)
    described = b"".join(struct.pack("<H18x", flag) for flag in flags)
    definition = struct.pack(f"<B{len(edges)}h", len(cells), *edges) + described
    table = struct.pack("<HH", 0xD608, len(definition) + 1) + definition + properties
    inner = sprm(0x2416, 1) + sprm(0x6649, depth)
    mark, ending = ("\x07", sprm(0x2417, 1)) if depth == 1 else ("\r", sprm(0x244B, 1) + sprm(0x244C, 1))
    ends_cell = b"" if depth == 1 else sprm(0x244B, 1)
    paragraphs = []
    for cell in cells:
        *others, (runs, properties_) = cell if isinstance(cell, list) else [paragraph(cell)]
        paragraphs += [*(in_cell(other, inner, depth) for other in others)]
        paragraphs.append(([*runs[:-1], (mark, b"")], properties_ + inner + ends_cell))
    return [*paragraphs, ([(mark, b"")], b"\0\0" + inner + ending + table)]


def in_cell(paragraph_, inner, depth):
    runs, properties = paragraph_
    is_inner = any(code in properties for code in (struct.pack("<H", 0x244B), struct.pack("<H", 0x244C)))
    return (runs, properties) if is_inner else (runs, properties + inner)


def a_plc(positions, items):
    return struct.pack(f"<{len(positions)}I", *positions) + b"".join(items)


def a_style(number, name, *, kind=1, base=0xFFF, properties=b"", run=b""):
    """The definition of a style with the number of a built-in one; 0xFFE for one of a user."""
    parts = [struct.pack("<H", 0) + properties, run] if kind == 1 else [run]
    body = struct.pack("<5H", number, kind | base << 4, len(parts), 0, 0)
    body += struct.pack("<H", len(name)) + name.encode("utf-16-le") + b"\0\0"
    for part in parts:
        body += b"\0" * (len(body) % 2) + struct.pack("<H", len(part)) + part
    return struct.pack("<H", len(body)) + body


def a_style_sheet(*styles):
    return struct.pack("<HHH14x", 18, len(styles), 10) + b"".join(styles)


def some_fonts(*names):
    described = [b"\0" * 39 + name.encode("utf-16-le") + b"\0\0" for name in names]
    return struct.pack("<HH", len(names), 0) + b"".join(bytes([len(each)]) + each for each in described)


def a_level(kind, text, start=1, flags=0, restart=0):
    head = struct.pack("<IBB9xB4x4xBBBB", start, kind, flags, 0, 0, 0, restart, 0)
    return head + struct.pack("<H", len(text)) + text.encode("utf-16-le")


def some_lists(*lists):
    """Lists of levels with their numbers from 1, and overrides that name each: the parts `lists` and `overrides`."""
    heads = b"".join(struct.pack("<II18xBB", number, 0, len(levels) == 1, 0) for number, levels in enumerate(lists, 1))
    levels = b"".join(level for levels in lists for level in levels)
    named = b"".join(struct.pack("<I8xBBBB", number, 0, 0, 0, 0) for number in range(1, len(lists) + 1))
    overrides = struct.pack("<I", len(lists)) + named + b"\xff" * 4 * len(lists)
    return {"lists": (struct.pack("<H", len(lists)) + heads, levels), "overrides": overrides}


def a_record(kind, content, number=0, version=0):
    return struct.pack("<HHI", number << 4 | version, kind, len(content)) + content


def a_shape(number, options=(), description="", words=""):
    """A shape with its options, the text that is drawn as an ornament, and its alternative text."""
    given = [
        (code, (text + "\0").encode("utf-16-le")) for code, text in ((0x80C0, words), (0x8381, description)) if text
    ]
    values = [*options, *((code, len(text)) for code, text in given)]
    table = b"".join(struct.pack("<HI", *value) for value in values) + b"".join(text for _, text in given)
    return a_record(
        0xF004, a_record(0xF00A, struct.pack("<II", number, 0)) + a_record(0xF00B, table, len(values)), 0, 15
    )


def some_drawings(*groups):
    patriarch = a_record(0xF003, a_shape(1) + b"".join(groups), 0, 15)
    return a_record(0xF000, b"", 0, 15) + b"\0" + a_record(0xF002, patriarch, 0, 15)


def write_word97(main, *, parts=None, data=b"", summary=b"", version=0xC1, flags=0x200, is_compressed=False,
                 pieces=None, changes=(), **stories):  # fmt: skip
    """The bytes of a file; `pieces` are lengths and changes (prm) of the pieces of its text, and whether they repeat it."""
    written = {"main": main, **stories}
    ordered = sorted(written, key=STORIES.get)
    paragraphs = [each for name in ordered for each in written[name]]
    encoding, width = ("cp1252", 1) if is_compressed else ("utf-16-le", 2)

    def measure(paragraphs):
        return sum(len(text.encode(encoding)) for runs, _ in paragraphs for text, _ in runs)

    lengths = {name: measure(written[name]) // width for name in ordered}
    runs = [run for runs, _ in paragraphs for run in runs]
    text = "".join(text for text, _ in runs).encode(encoding)
    stream = bytearray(TEXT) + text
    parts = dict(parts or {})
    run_ends = accumulate((len(run.encode(encoding)) for run, _ in runs), initial=TEXT)
    paragraph_ends = accumulate((measure([each]) for each in paragraphs), initial=TEXT)
    parts["run pages"] = add_pages(stream, run_ends, [bytes([len(found)]) + found for _, found in runs], 1)
    properties = [found + b"\0" * (1 - len(found) % 2) for _, found in paragraphs]
    bodies = [bytes([(len(found) + 1) // 2]) + found for found in properties]
    parts["paragraph pages"] = add_pages(stream, paragraph_ends, bodies, 13)
    parts["pieces"] = write_pieces(pieces or [(len(text) // width, 0)], changes, width)
    table = bytearray(b"\0" * 16)
    struct.pack_into("<HH", stream, 0, 0xA5EC, version)
    struct.pack_into("<H", stream, 0x0A, flags)
    for name, length in lengths.items():
        struct.pack_into("<I", stream, 0x4C + 4 * STORIES[name], length)
    for name, part in parts.items():
        declared, beyond = part if isinstance(part, tuple) else (part, b"")
        struct.pack_into("<II", stream, 0x9A + 8 * PARTS[name], len(table), len(declared))
        table += declared + beyond
    streams = {"WordDocument": bytes(stream), "1Table": bytes(table), "Data": data, "\x05SummaryInformation": summary}
    return write_compound_file({name: held for name, held in streams.items() if held})


def add_pages(stream, ends, contents, size):
    """Add a page for each of the contents, and return the table of the pages."""
    places, numbers = list(ends), []
    for (start, end), content in zip(pairwise(places), contents, strict=True):
        stream += b"\0" * (-len(stream) % PAGE)
        numbers.append(len(stream) // PAGE)
        at = (PAGE - 1 - len(content)) // 2 * 2
        head = struct.pack("<IIB", start, end, at // 2) + b"\0" * (size - 1)
        stream += (head.ljust(at, b"\0") + content).ljust(PAGE - 1, b"\0") + b"\1"
    return a_plc(places, [struct.pack("<I", number) for number in numbers])


def write_pieces(pieces, changes, width):
    places = list(accumulate((length for length, *_ in pieces), initial=0))
    items = []
    for (_, change, *repeated), place in zip(pieces, places, strict=False):
        offset = TEXT if repeated else TEXT + place * width
        items.append(struct.pack("<HIH", 0, offset if width == 2 else offset * 2 | 1 << 30, change))
    plc = a_plc(places, items)
    return (
        b"".join(struct.pack("<BH", 1, len(change)) + change for change in changes)
        + struct.pack("<BI", 2, len(plc))
        + plc
    )


def write_summary(**values):
    """The stream of properties: title, author and page count."""
    numbers = {"title": 2, "author": 4, "pages": 14}
    items = [(1, struct.pack("<IHH", 2, 1252, 0))]
    for name, value in values.items():
        raw = value.encode("cp1252") + b"\0" if isinstance(value, str) else b""
        held = struct.pack("<II", 0x1E, len(raw)) + raw if raw else struct.pack("<II", 3, value)
        items.append((numbers[name], held + b"\0" * (-len(held) % 4)))
    place, offsets, body = 8 + 8 * len(items), [], b""
    for number, held in items:
        offsets.append(struct.pack("<II", number, place + len(body)))
        body += held
    section = struct.pack("<II", 8 + 8 * len(items) + len(body), len(items)) + b"".join(offsets) + body
    return struct.pack("<HHI16xI16xI", 0xFFFE, 0, 0, 1, 48) + section


def write_compound_file(streams):
    """A compound file ([MS-CFB]) of these streams, which may all be in one storage: `Name/Stream`."""
    names = list(streams)
    storage = names[0].rpartition("/")[0]
    held = [stream.ljust(SHORTEST, b"\0") for stream in streams.values()]
    counts = [-(-len(stream) // SECTOR) for stream in held]
    folders = -(-(len(names) + 2) // 4)
    used = folders + sum(counts)
    tables = next(number for number in range(1, 110) if number * SECTOR // 4 >= used + number)
    fat = [FAT] * tables
    for count in (folders, *counts):
        fat += [*range(len(fat) + 1, len(fat) + count), END]
    fat += [FREE] * (tables * SECTOR // 4 - len(fat))
    starts = list(accumulate(counts, initial=tables + folders))
    entries = [write_entry("Root Entry", 5, child=len(names) + 1 if storage else 1)]
    for number, name in enumerate(names, 1):
        following = number + 1 if number < len(names) else FREE
        own_name = name.rpartition("/")[2]
        entries.append(write_entry(own_name, 2, right=following, start=starts[number - 1], size=len(held[number - 1])))
    entries += [write_entry(storage, 1, child=1)] if storage else []
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<9I", 0, tables, tables, 0, SHORTEST, END, 0, END, 0)
    head += struct.pack("<109I", *range(tables), *[FREE] * (109 - tables))
    body = struct.pack(f"<{len(fat)}I", *fat) + b"".join(entries).ljust(folders * SECTOR, b"\0")
    return head + body + b"".join(stream.ljust(-(-len(stream) // SECTOR) * SECTOR, b"\0") for stream in held)


def write_entry(name, kind, *, child=FREE, right=FREE, start=END, size=0):
    raw = name.encode("utf-16-le") + b"\0\0"
    head = raw.ljust(64, b"\0") + struct.pack("<HBBIII", len(raw), kind, 1, FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)
