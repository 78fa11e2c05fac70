"""PDFs with text from right to left: the characters of a line are placed as they are seen, in any order in the file."""

from io import BytesIO

import pytest
from pypdf import PdfWriter
from pypdf.annotations import Link
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, TextStringObject

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /ToUnicode 7 0 R >>"
CODES = b"1 begincodespacerange <00> <FF> endcodespacerange\n"


def escape(code):
    return b"\\%03o" % code


@pytest.fixture
def a_page(a_raw_pdf):
    """A page of texts at (x, y), whose characters are given as they are seen, from left to right."""

    def make(*texts, marks=(), drawn=b""):
        letters = sorted({letter for _, _, text in texts for letter in text})
        codes = {letter: number for number, letter in enumerate(letters, 33)}
        pairs = b"".join(
            b"<%02x> <%s>\n" % (code, letter.encode("utf-16-be").hex().encode()) for letter, code in codes.items()
        )
        unicode = CODES + b"%d beginbfchar\n%sendbfchar" % (len(codes), pairs)
        content = b"".join(
            b"BT /F2 10 Tf %d %d Td %s (%s) Tj %s ET\n"
            % (
                x,
                y,
                b"/Span << /ActualText <FEFF%s> >> BDC" % text[::-1].encode("utf-16-be").hex().encode()
                if text in marks
                else b"",
                b"".join(escape(codes[letter]) for letter in text),
                b"EMC" if text in marks else b"",
            )
            for x, y, text in texts
        )
        map_of_codes = b"<< /Length %d >> stream\n%s\nendstream" % (len(unicode), unicode)
        return a_raw_pdf(content + drawn, resources=b"/Font << /F2 6 0 R >>", extra=(FONT, map_of_codes))

    return make


async def test_a_line_is_read_from_the_right(reads, a_page):
    body = a_page((100, 700, "הז ףיעסב םיבותכ םירבדה לכ"), (148, 688, "האבה הרושב ףוסה דע"))
    assert (await reads(body, "pdf")).markdown == "כל הדברים כתובים בסעיף זה עד הסוף בשורה הבאה"


async def test_numbers_and_words_in_it_are_read_from_the_left(reads, a_page):
    body = a_page((100, 700, ".2024-ב Windows 10 לש )1.5( הסרג ושמתשה"))
    assert (await reads(body, "pdf")).markdown == "השתמשו גרסה (1.5) של Windows 10 ב-2024."


async def test_brackets_may_be_given_as_they_are_seen(reads, a_page):
    body = a_page((100, 700, ".ןאכ (רצק) [בושח] טסקט"))
    assert (await reads(body, "pdf")).markdown == "טקסט [חשוב] (קצר) כאן."


async def test_an_arabic_line_has_its_sign_of_percent_behind_the_number(reads, a_page):
    body = a_page((100, 700, ".%45 ةبسنب ،2024 ماع يف تعفترا"))
    assert (await reads(body, "pdf")).markdown == "ارتفعت في عام 2024، بنسبة 45%."


async def test_words_within_a_line_from_left_to_right_are_turned(reads, a_page):
    body = a_page((100, 700, "The words םלוע םולש mean (hello) world, as 12 others say."))
    assert (await reads(body, "pdf")).markdown == "The words שלום עולם mean (hello) world, as 12 others say."


async def test_a_replacement_that_repeats_its_letters_does_not_turn_them(reads, a_page):
    body = a_page((100, 700, "ארוק"), (124, 700, " רוחש"), marks=("ארוק", " רוחש"))
    document = await reads(body, "pdf")
    assert (document.markdown, document.notes) == ("שחור קורא", ())


async def test_the_first_column_of_a_table_is_on_the_right(reads, a_page):
    rows = [("רצומ", "ריחמ", "סמ"), ("רפס", "120.50", "15%"), ("טע", "3", "7%")]
    drawn = b"".join(b"100 %d 300 20 re S\n" % (696 - 20 * number) for number in range(3)) + b"200 656 100 60 re S\n"
    body = a_page(
        *[
            (right - 6 * len(text), 702 - 20 * number, text)
            for number, row in enumerate(rows)
            for text, right in zip(row, (390, 290, 190), strict=True)
        ],
        drawn=drawn,
    )
    assert (await reads(body, "pdf")).markdown == (
        "| מוצר | מחיר | מס |\n| --- | --- | --- |\n| ספר | 120.50 | 15% |\n| עט | 3 | 7% |"
    )


async def test_items_have_their_numbers_on_the_right(reads, a_page):
    body = a_page((400, 700, "ןושאר .1"), (412, 688, "ינש .2"), (400, 676, "ישילש .3"))
    assert (await reads(body, "pdf")).markdown == "1. ראשון\n\n2. שני\n\n3. שלישי"


async def test_links_and_fields_stand_at_their_words(reads, a_page):
    writer = PdfWriter(clone_from=BytesIO(a_page((100, 700, "הז ףיעסב םיבותכ םירבדה לכ"))))
    writer.add_annotation(0, Link(rect=(153, 697, 191, 709), url="https://example.org/a"))
    field = {"/Subtype": NameObject("/FreeText"), "/Contents": TextStringObject("2024"), "/DA": TextStringObject("0 g")}
    field["/Rect"] = ArrayObject(map(NumberObject, (60, 696, 95, 710)))
    writer.add_annotation(0, DictionaryObject({NameObject(key): value for key, value in field.items()}))
    body = BytesIO()
    writer.write(body)
    found = (await reads(body.getvalue(), "pdf")).markdown
    assert found == "כל הדברים [כתובים](https://example.org/a) בסעיף זה 2024"
