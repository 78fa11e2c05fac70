"""Tagged PDFs: the structure tree of the file says what is a heading, an item, a cell or an artifact."""

import time
from itertools import accumulate

import pytest

TABLE_TREE = (
    "Table",
    ("THead", ("TR", ("TH", 0), ("TH", {"ColSpan": 2}, 1))),
    ("TBody", ("TR", ("TD", {"RowSpan": 2}, 2), ("TD", 3), ("TD", 4)), ("TR", ("TD", 5), ("TD", 6))),
)


class Structure:
    """Writes a structure tree as objects; content is its number on the page, or (page, number).

    A text among the parts of an element is its alternative text.
    """

    def __init__(self, first, pages):
        self.first, self.pages = first, pages
        self.objects = []
        self.parents = {}

    def add(self, node, parent):
        kind, *parts = node
        place = len(self.objects)
        self.objects.append(b"")
        number = self.first + place
        attributes, kids = b"", []
        for part in parts:
            if isinstance(part, dict):
                attributes = b"/A << /O /Table %s >>" % b" ".join(b"/%s %d" % (k.encode(), v) for k, v in part.items())
            elif isinstance(part, str):
                attributes = b"/Alt <%s>" % ("\ufeff" + part).encode("utf-16-be").hex().encode()
            elif isinstance(part, int | list):
                page, content = part if isinstance(part, list) else (0, part)
                self.parents[page, content] = number
                kids.append(b"<< /Type /MCR /Pg %d 0 R /MCID %d >>" % (self.pages[page], content))
            else:
                kids.append(b"%d 0 R" % self.add(part, number))
        self.objects[place] = b"<< /Type /StructElem /S /%s /P %d 0 R /K [%s] %s >>" % (
            kind.encode(),
            parent,
            b" ".join(kids),
            attributes,
        )
        return number


def write_pdf(objects):
    pieces = [b"%PDF-1.7\n", *(b"%d 0 obj\n%s\nendobj\n" % numbered for numbered in enumerate(objects, 1))]
    *places, start = accumulate(map(len, pieces))
    pieces.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    pieces += (b"%010d 00000 n \n" % place for place in places)
    pieces.append(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))
    return b"".join(pieces)


def a_tagged_pdf(*pages, tree):
    """A PDF of pages of (number of the content, None or "Artifact", x, y, text, size, font), and its structure tree."""
    numbers = [5 + 2 * page for page in range(len(pages))]
    structure = Structure(6 + 2 * len(pages), numbers)
    root = 5 + 2 * len(pages)
    tops = [structure.add(node, root) for node in tree]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot %d 0 R >>" % root,
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % each for each in numbers), len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    ]
    for place, number in enumerate(numbers):
        content = b"".join(map(write_text, pages[place]))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /StructParents %d /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>" % (place, number + 1)
        )
        objects.append(b"<< /Length %d >> stream\n%s\nendstream" % (len(content), content))
    objects.append(
        b"<< /Type /StructTreeRoot /K [%s] /ParentTree << /Nums [%s] >> >>"
        % (b" ".join(b"%d 0 R" % top for top in tops), b" ".join(write_parents(structure, len(pages))))
    )
    return write_pdf([*objects, *structure.objects])


def write_parents(structure, pages):
    for page in range(pages):
        last = max((content for at, content in structure.parents if at == page), default=-1)
        held = [structure.parents.get((page, content)) for content in range(last + 1)]
        yield b"%d [%s]" % (page, b" ".join(b"%d 0 R" % each if each else b"null" for each in held))


def write_text(piece):
    content, x, y, text, *rest = piece
    size, font = rest[0] if rest else 10, rest[1] if len(rest) > 1 else "F1"
    begin = {None: "", "Artifact": "/Artifact BMC"}.get(content, f"/P << /MCID {content} >> BDC")
    end = "EMC" if begin else ""
    text = text.replace("(", r"\(").replace(")", r"\)")
    return f"{begin} BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET {end}\n".encode("cp1252")


def lines_of(content, x, y, *texts, size=10):
    return [(content, x, y - 12 * number, text, size) for number, text in enumerate(texts)]


async def test_headings_have_the_level_of_their_tag_whatever_their_size(reads):
    body = a_tagged_pdf(
        [
            (0, 50, 700, "Report on rivers", 10),
            (1, 50, 680, "Sources", 10),
            (2, 50, 660, "The rivers of the north were counted in spring."),
            (3, 50, 620, "A large quotation", 20),
        ],
        tree=[("Document", ("H1", 0), ("H3", 1), ("P", 2), ("P", 3))],
    )
    document = await reads(body, "pdf")
    assert document.markdown == (
        "# Report on rivers\n\n### Sources\n\nThe rivers of the north were counted in spring.\n\nA large quotation"
    )


async def test_headings_are_found_by_their_size_where_no_tag_tells_them(reads):
    body = a_tagged_pdf(
        [
            (0, 50, 700, "Report on rivers", 18),
            *lines_of(
                1, 50, 660, "The rivers of the north were counted in spring by", "students of the island school."
            ),
            (2, 50, 620, "- otters"),
        ],
        tree=[("Document", ("P", 0), ("P", 1), ("L", ("LI", ("LBody", 2))))],
    )
    document = await reads(body, "pdf")
    assert document.markdown.startswith("# Report on rivers\n\nThe rivers of the north were counted in spring by stud")


async def test_a_tagged_paragraph_stays_one_however_its_lines_lie(reads):
    body = a_tagged_pdf(
        [
            (0, 50, 760, "Title"),
            *lines_of(1, 50, 700, "The first line ends.", "Second line of the same paragraph"),
            (1, 90, 640, "and its third line"),
            *lines_of(2, 50, 625, "another paragraph"),
        ],
        tree=[("H1", 0), ("P", 1), ("P", 2)],
    )
    document = await reads(body, "pdf")
    assert document.markdown == (
        "# Title\n\nThe first line ends. Second line of the same paragraph and its third line\n\nanother paragraph"
    )


async def test_items_are_nested_as_their_tags_are(reads):
    body = a_tagged_pdf(
        [
            (0, 50, 700, "1."),
            (1, 70, 700, "Birds of the"),
            (1, 70, 688, "shore"),
            (2, 50, 676, "•"),
            (3, 70, 676, "Heron"),
            (4, 50, 664, "a)"),
            (5, 70, 664, "Grey heron"),
            (6, 50, 652, "2."),
            (7, 70, 652, "Fish"),
            (8, 70, 640, "They are seen in spring."),
        ],
        tree=[
            (
                "L",
                (
                    "LI",
                    ("Lbl", 0),
                    (
                        "LBody",
                        ("P", 1),
                        ("L", ("LI", ("Lbl", 2), ("LBody", 3, ("L", ("LI", ("Lbl", 4), ("LBody", 5)))))),
                    ),
                ),
                ("LI", ("Lbl", 6), ("LBody", ("P", 7), ("P", 8))),
            )
        ],
    )
    document = await reads(body, "pdf")
    assert document.markdown == (
        "1. Birds of the shore\n\n   - Heron\n     - a) Grey heron\n\n2. Fish\n\n   They are seen in spring."
    )


async def test_items_without_labels_are_items(reads):
    body = a_tagged_pdf(
        [(0, 50, 700, "heron"), (1, 50, 688, "otter")], tree=[("L", ("LI", ("LBody", 0)), ("LI", ("LBody", 1)))]
    )
    document = await reads(body, "pdf")
    assert document.markdown == "- heron\n- otter"


async def test_the_cells_of_a_table_are_in_the_columns_of_their_tags(reads):
    texts = [(50, 700, "Region"), (150, 700, "Counts"), (50, 688, "North"), (150, 688, "12")]
    texts += [(160, 688, "14"), (150, 676, "7"), (160, 676, "9")]  # closer than columns are
    body = a_tagged_pdf([(number, *text) for number, text in enumerate(texts)], tree=[TABLE_TREE])
    document = await reads(body, "pdf")
    assert document.markdown == ("| Region | Counts |  |\n| --- | --- | --- |\n| North | 12 | 14 |\n|  | 7 | 9 |")


async def test_rows_with_empty_cells_keep_their_columns(reads):
    rows = [("Name", "Spring", "Autumn"), ("Heron", "12", "14"), ("Otter", "", "9")]
    texts = [
        (3 * row + column, 50 + 100 * column, 700 - 12 * row, text)
        for row, cells in enumerate(rows)
        for column, text in enumerate(cells)
        if text
    ]
    cells = [
        [("TD", 3 * row + column) if text else ("TD",) for column, text in enumerate(c)] for row, c in enumerate(rows)
    ]
    body = a_tagged_pdf(texts, tree=[("Table", *(("TR", *row) for row in cells))])
    document = await reads(body, "pdf")
    assert document.markdown.endswith("| Heron | 12 | 14 |\n| Otter |  | 9 |")


async def test_text_is_in_the_order_of_the_tags_not_of_the_file(reads):
    body = a_tagged_pdf(
        [
            *lines_of(2, 320, 700, "Third the right column goes", "on below its head"),
            *lines_of(1, 50, 700, "Second the left column has", "two lines as well"),
            (0, 50, 740, "First"),
        ],
        tree=[("Sect", ("H1", 0), ("P", 1), ("P", 2))],
    )
    document = await reads(body, "pdf")
    assert document.markdown == (
        "# First\n\nSecond the left column has two lines as well\n\nThird the right column goes on below its head"
    )


async def test_artifacts_are_left_out(reads):
    body = a_tagged_pdf(
        [
            ("Artifact", 50, 770, "Annual report"),
            (0, 50, 700, "Rivers"),
            (1, 50, 680, "The rivers of the north were counted in spring."),
            ("Artifact", 300, 20, "Page 7"),
        ],
        tree=[("H1", 0), ("P", 1)],
    )
    document = await reads(body, "pdf")
    assert document.markdown == "# Rivers\n\nThe rivers of the north were counted in spring."


async def test_artifacts_that_are_most_of_the_text_are_read(reads):
    body = a_tagged_pdf(
        [(0, 50, 700, "Rivers"), ("Artifact", 50, 600, "The rivers of the north were counted in spring.")],
        tree=[("H1", 0)],
    )
    document = await reads(body, "pdf")
    assert "were counted" in document.markdown


async def test_tags_of_a_part_of_the_text_are_ignored(reads):
    body = a_tagged_pdf(
        [
            *lines_of(None, 50, 700, "The rivers of the north were counted in spring by", "students of the school."),
            (0, 50, 660, "Heron"),
        ],
        tree=[("H1", 0)],
    )
    document = await reads(body, "pdf")
    assert document.markdown == ("The rivers of the north were counted in spring by students of the school.\n\nHeron")


async def test_lines_that_are_tagged_as_paragraphs_are_joined(reads):
    texts = [f"line {number} of the long text that the next line continues" for number in range(8)]
    body = a_tagged_pdf(
        [(0, 50, 740, "Title", 18), *((number, 50, 700 - 12 * number, text) for number, text in enumerate(texts, 1))],
        tree=[("H1", 0), *(("P", number) for number in range(1, 9))],
    )
    document = await reads(body, "pdf")
    assert "continues line 1 of" in document.markdown


async def test_a_heading_as_long_as_text_is_a_paragraph(reads):
    texts = ["The rivers of the north were counted in spring by students"] * 8
    body = a_tagged_pdf([*lines_of(0, 50, 700, *texts), (1, 50, 500, "Heron")], tree=[("H1", 0), ("H2", 1)])
    document = await reads(body, "pdf")
    assert document.markdown.startswith("The rivers")


async def test_a_paragraph_goes_on_over_the_end_of_a_page(reads):
    body = a_tagged_pdf(
        [(0, 50, 700, "Title"), (1, 50, 100, "Ended here.")],
        [(0, 50, 700, "Or so it seemed."), (1, 50, 650, "Next")],
        tree=[("H1", 0), ("P", 1, [1, 0]), ("H2", [1, 1])],
    )
    document = await reads(body, "pdf")
    assert document.markdown == "# Title\n\nEnded here. Or so it seemed.\n\n## Next"


async def test_a_table_goes_on_over_the_end_of_a_page(reads):
    body = a_tagged_pdf(
        [(0, 50, 200, "Name"), (1, 150, 200, "Count"), (2, 50, 100, "Heron"), (3, 150, 100, "12")],
        [(0, 50, 700, "Otter of the north"), (1, 350, 700, "14"), (2, 50, 650, "Eel"), (3, 150, 650, "3")],
        tree=[
            (
                "Table",
                *(("TR", ("TD", [page, one]), ("TD", [page, one + 1])) for page in (0, 1) for one in (0, 2)),
            )
        ],
    )
    document = await reads(body, "pdf")
    assert document.markdown == (
        "| Name | Count |\n| --- | --- |\n| Heron | 12 |\n| Otter of the north | 14 |\n| Eel | 3 |"
    )


async def test_code_stays_code_with_its_spaces(reads):
    body = a_tagged_pdf(
        [
            (0, 50, 700, "Use"),
            (1, 50, 660, "for each in found:", 10, "F2"),
            (2, 74, 648, "print(each)", 10, "F2"),
            (3, 50, 620, "and see."),
        ],
        tree=[("H1", 0), ("Code", 1, 2), ("P", 3)],
    )
    document = await reads(body, "pdf")
    assert document.markdown == "# Use\n\n```\nfor each in found:\n    print(each)\n```\n\nand see."


def nest(node, depth):
    """A node in as many parts of a document; not recursive."""
    for _ in range(depth):
        node = ("Div", node)
    return node


async def test_deep_trees_are_read_as_if_untagged(reads):
    body = a_tagged_pdf([(0, 50, 700, "Deep text"), (1, 50, 740, "Title")], tree=[("H1", 1), nest(("P", 0), 400)])
    document = await reads(body, "pdf")
    assert "Deep text" in document.markdown


async def test_trees_with_cycles_are_read_once(reads):
    body = a_tagged_pdf(
        [(0, 50, 700, "Some text"), (1, 50, 740, "Title")], tree=[("H1", 1), ("P", 0, ("Span",), ("Span",))]
    )
    first = body.index(b"/S /Span")
    paragraph = body[body.index(b"/P ", first) + 3 :].split(b" ", 1)[0]
    body = body.replace(b"/K [] ", b"/K %s 0 R" % paragraph)
    document = await reads(body, "pdf")
    assert sorted(document.markdown.replace("#", "").split()) == ["Some", "Title", "text"]


async def test_trees_with_many_elements_cost_little(reads):
    body = a_tagged_pdf(
        [(0, 50, 700, "Some text"), (1, 50, 740, "Title")],
        tree=[("H1", 1), ("P", 0), *(("P",) for _ in range(100_000))],
    )
    start = time.monotonic()
    document = await reads(body, "pdf")
    assert sorted(document.markdown.replace("#", "").split()) == ["Some", "Title", "text"]
    assert time.monotonic() - start < 10


def a_report_with_a_figure(figure, *more):
    return a_tagged_pdf(
        [
            (0, 50, 700, "Report on rivers"),
            (1, 50, 680, "The rivers were counted in spring."),
            (3, 50, 500, "They are shown above."),
            *more,
        ],
        tree=[("H1", 0), ("P", 1), figure, ("P", 3)],
    )


async def test_the_alternative_text_of_a_figure_stands_in_its_place(reads):
    document = await reads(a_report_with_a_figure(("Figure", "Bars: 3 rivers in [2024], *5* in 2025", 2)), "pdf")
    assert document.markdown == (
        "# Report on rivers\n\nThe rivers were counted in spring.\n\n"
        r"![Bars: 3 rivers in [2024], \*5\* in 2025]" + "\n\nThey are shown above."
    )


@pytest.mark.parametrize("alternative", ["image", "IMG_20240301.jpg", ""])
async def test_alternative_texts_that_say_nothing_are_left_out(reads, alternative):
    document = await reads(a_report_with_a_figure(("Figure", alternative, 2)), "pdf")
    assert "![" not in document.markdown


async def test_the_words_in_a_figure_are_read_in_place_of_its_alternative_text(reads):
    figure = ("Figure", "Bars of three rivers", 2)
    document = await reads(a_report_with_a_figure(figure, (2, 50, 600, "Otters per river")), "pdf")
    assert "Otters per river" in document.markdown
    assert "Bars" not in document.markdown


async def test_an_alternative_text_forges_no_markdown(reads):
    document = await reads(a_report_with_a_figure(("Figure", "\x10[a](https://b.example)\x11 otter", 2)), "pdf")
    assert r"![[a\](https://b.example) otter]" in document.markdown


async def test_figures_in_cells_and_within_a_paragraph_do_not_divide_it(reads):
    body = a_tagged_pdf(
        [
            (0, 50, 700, "Report"),
            *lines_of(1, 50, 680, "The rivers were", "counted in spring."),
            *((2 + place, 50 + 100 * (place % 2), 600 - 20 * (place // 2), text) for place, text in enumerate("abcd")),
        ],
        tree=[
            ("H1", 0),
            ("P", 1, ("Figure", "A small otter", 20)),
            ("Table", ("TR", ("TD", 2), ("TD", 3)), ("TR", ("TD", 4), ("TD", ("Figure", "A red mark", 21), 5))),
        ],
    )
    assert (await reads(body, "pdf")).markdown == (
        "# Report\n\nThe rivers were counted in spring.\n\n![A small otter]\n\n| a | b |\n| --- | --- |\n| c | ![A red mark] d |"
    )
