"""Writes files of PowerPoint 97 ([MS-PPT]) that say what a test needs."""

import struct

from tests.support.word97 import a_record, write_compound_file, write_summary

BOLD, ITALIC = 1, 2
TITLE, BODY, NOTES, OTHER, CENTER_BODY = 0, 1, 2, 4, 5
HIDDEN = 4


def a_container(kind, *parts, number=0):
    return a_record(kind, b"".join(parts), number, 15)


def a_string(text, number=0):
    return a_record(0x0FBA, text.encode("utf-16-le"), number)


def a_level(length, level=0, *, bullet=None):
    """The properties of so many characters of paragraphs."""
    flags = b"" if bullet is None else struct.pack("<H", bullet)
    return struct.pack("<IHI", length, level, bullet is not None) + flags


def a_run(length, style=0, *, font=None, symbols=None, size=None, color=None, position=None, group=0):
    """The properties of so many characters."""
    mask, values = 0x3C03, struct.pack("<H", style | group << 10)
    for bit, width, value in (
        (16, "H", font),
        (23, "H", symbols),
        (17, "H", size),
        (18, "I", color),
        (19, "h", position),
    ):
        if value is not None:
            mask |= 1 << bit
            values += struct.pack(f"<{width}", value)
    return struct.pack("<II", length, mask) + values


def a_text(text, kind=OTHER, *, levels=(), runs=(), further=b"", is_short=False):
    """The records of a text; links and fields are `further` ones."""
    characters = a_record(0x0FA8, text.encode("latin-1")) if is_short else a_record(0x0FA0, text.encode("utf-16-le"))
    levels = levels or [a_level(len(text.encode("utf-16-le")) // 2 + 1)]
    styles = a_record(0x0FA1, b"".join([*levels, *runs]))
    return a_record(0x0F9F, struct.pack("<I", kind)) + characters + styles + further


def a_link(number, start, end, *, event=0):
    """What makes characters of the text before it lead somewhere."""
    atom = a_record(0x0FF3, struct.pack("<IIB7x", 0, number, 4))
    return a_container(0x0FF2, atom, number=event) + a_record(0x0FDF, struct.pack("<II", start, end), event)


def a_field(kind, place):
    return a_record(kind, struct.pack("<I", place))


def outline_text(number):
    """The text of a shape that is this one of the outline of the slide."""
    return a_record(0x0F9E, struct.pack("<I", number))


def numbers(*firsts, scheme=3):
    """The record that says which groups of paragraphs have numbers."""
    groups = b"".join(
        struct.pack("<I", 0) + bytes(8) if first is None else struct.pack("<IHHHII", 3 << 24, 1, scheme, first, 0, 0)
        for first in firsts
    )
    return a_record(0x0FAC, groups)


def some_tags(name, *records):
    return a_container(0x1388, a_container(0x138A, a_string(name), a_record(0x138B, b"".join(records))))


def a_comment(author, text):
    return some_tags("___PPT10", a_container(0x2EE0, a_string(author, 0), a_string(text, 1), a_string("X", 2)))


def a_shape(text=b"", *, box=(100, 100, 500, 200), placeholder=0, options=(), texts=(), flags=0, client=b"", in_group=False,
            inner=()):  # fmt: skip
    """A shape, or a group with inner ones; `texts` are options that are texts, by their numbers."""
    values = [(number, value, b"") for number, value in options]
    for number, value in texts:
        raw = (value + "\0").encode("utf-16-le")
        values.append((number | 0x8000, len(raw), raw))
    table = b"".join(struct.pack("<HI", number, value) for number, value, _ in values) + b"".join(
        raw for *_, raw in values
    )
    left, top, right, bottom = box
    place = (
        a_record(0xF00F, struct.pack("<4i", *box))
        if in_group
        else a_record(0xF010, struct.pack("<4h", top, left, right, bottom))
    )
    data = (a_record(0x0BC3, struct.pack("<IBB2x", 0, placeholder, 0)) if placeholder else b"") + client
    shape = a_container(
        0xF004, a_record(0xF00A, struct.pack("<II", 1, flags)), a_record(0xF00B, table, len(values), 3), place,
        a_container(0xF011, data) if data else b"", a_container(0xF00D, text) if text else b"",
    )  # fmt: skip
    return a_container(0xF003, shape, *inner) if inner else shape


def a_table(*rows, shape_flags=()):
    """A group of shapes that are the cells of rows, each (text, left edge)."""
    cells = [
        a_shape(a_text(text), box=(100 * column, 50 * row, 100 * column + 100, 50 * row + 50), in_group=True)
        for row, cells in enumerate(rows)
        for column, text in enumerate(cells)
        if text is not None
    ]
    return a_shape(options=[(0x39F, 1), *shape_flags], inner=cells)


def a_slide(*shapes, kind=0x03EE, master=0x80000000, notes=0, show=0, flags=7, further=b"", outline=b""):
    """A slide, and the texts of its outline."""
    is_slide = kind != 0x03F0
    atom = (
        a_record(0x03EF, struct.pack("<12xIIH2x", master, notes, flags), 0, 2)
        if is_slide
        else a_record(0x03F1, bytes(8), 0, 1)
    )
    info = a_record(0x03F9, struct.pack("<10xH4x", show)) if show else b""
    drawing = a_container(0x040C, a_container(0xF002, a_container(0xF003, a_shape(), *shapes)))
    return a_container(kind, atom, info, drawing, further), outline


def a_master_style(kind, *levels):
    """The style of a kind of texts: whether each level has a bullet; None where it does not say."""
    numbered = b"\0\0" if kind >= CENTER_BODY else b""
    held = [
        numbered + (struct.pack("<I", 0) if level is None else struct.pack("<IH", 1, level)) + struct.pack("<I", 0)
        for level in levels
    ]
    return a_record(0x0FA3, struct.pack("<H", len(levels)) + b"".join(held), kind)


def a_master(*shapes, background=None, colors=(), further=b""):
    """The master of slides, with the colour of its background, and the colours of its scheme."""
    scheme = a_record(0x07F0, b"".join(bytes.fromhex(color) + b"\0" for color in colors), 1) if colors else b""
    behind = b"" if background is None else a_shape(options=[(0x181, background), (0x1BF, 0x100010)], flags=0x400)
    drawing = a_container(0x040C, a_container(0xF002, a_container(0xF003, a_shape(), *shapes), behind))
    return a_container(0x03F8, a_record(0x03EF, bytes(24), 0, 2), drawing, scheme, further)


def write_ppt97(*slides, notes=(), masters=(), links=(), fonts=(), further=b"", older=(), size=(5760, 4320), token=0xE391C05F,
                broken_user=False, summary=b"", encrypted=b"", cycle=False,
    storage=""):  # fmt: skip
    """The bytes of a file of slides, each with its outline; `older` are parts that slides of a later version replace."""
    parts, listed = [], {0: b"", 1: b"", 2: b""}
    groups = (
        (1, [(master, b"") for master in masters], 0x80000000),
        (0, slides, 256),
        (2, notes, 512),
    )
    for number, group, first in groups:
        for place, (part, outline) in enumerate(group):
            parts.append(part)
            entry = struct.pack("<IIIII", len(parts) + 1, 0, 0, first + place, 0)
            listed[number] += a_record(0x03F3, entry) + outline
    lists = [a_container(0x0FF0, held, number=number) for number, held in listed.items() if held]
    named = [
        a_record(0x0FB7, name.encode("utf-16-le").ljust(64, b"\0") + bytes(4), place)
        for place, name in enumerate(fonts)
    ]
    hyperlinks = [
        a_container(
            0x0FD7,
            a_record(0x0FD3, struct.pack("<I", place)),
            a_string("Shown", 0),
            *(a_string(text, which) for which, text in strings),
        )
        for place, strings in enumerate(links, 1)
    ]
    document = a_container(
        0x03E8, a_record(0x03E9, struct.pack("<II32x", *size), 0, 1), a_container(0x0409, *hyperlinks),
        a_container(0x03F2, a_container(0x07D5, *named)), *lists, further,
    )  # fmt: skip
    stream, last = b"", 0
    if older:
        stream, last = add_version(stream, older, 0)
    stream, edit = add_version(stream, [document, *parts], last, encrypted)
    if cycle:
        stream = stream[: edit + 16] + struct.pack("<I", edit) + stream[edit + 20 :]
    user = b"" if broken_user else a_record(0x0FF6, struct.pack("<III", 20, token, edit))
    streams = {
        "PowerPoint Document": stream,
        "Current User": user,
        "\x05SummaryInformation": summary or write_summary(title="T"),
    }
    return write_compound_file({storage + name: held for name, held in streams.items() if held})


def add_version(stream, parts, last, encrypted=b""):
    """Add parts with numbers from 1 and the directory that names them, and return the stream and where its edit is."""
    places = []
    for part in parts:
        places.append(len(stream))
        stream += part
    directory = len(stream)
    stream += a_record(0x1772, struct.pack(f"<{len(places) + 1}I", len(places) << 20 | 1, *places))
    edit = len(stream)
    return stream + a_record(
        0x0FF5, struct.pack("<IHBBIIIIHH", 0, 0, 0, 3, last, directory, 1, 0, 0, 0) + encrypted
    ), edit
