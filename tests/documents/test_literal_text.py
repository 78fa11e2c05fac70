"""Text of documents is what a reader of markdown shows: it makes no heading, link, picture, element, table or code."""

import random
import re
from html import escape

import pytest
from markdown_it import MarkdownIt
from pptx.util import Inches
from tests.support.processor_time import assert_linear
from tests.support.word97 import paragraph, write_word97

from assay.documents.paragraph_markdown import format_paragraph

KINDS = ["docx", "doc", "odt", "pptx", "rtf", "pdf"]
FORGED = [
    *("# Heading", "###### Heading ######", "> quoted", "1986. A year", "+ item", "- item", "* item", "---", "***", "___", "=====", "~~~", "```"),
    *("[here](javascript:alert(1))", "![pixel](https://b.example/p.png)", "[note]: https://b.example/", "[^1]: a note", "see [^1]"),
    *("<https://b.example/>", "<b>bold</b>", "<script>alert(1)</script>", "<!-- gone -->", "&lt;b&gt; &amp; &#42;", "`code`", "*stars*", "__lines__"),
    *("~~deleted~~", "\\*x\\*", "ends with \\", ": defined", "- - -", "**bold** and *italic*", "[a](b) and [c](d)", "a*b*c d*e*f"),
]  # fmt: skip
PLAIN = [
    *("snake_case_name", "a*b", "3 < 4 > 2", "C#", "1.5", "[1]", "see [2, 3]", "p < 0.05*", "*p < 0.01; **p", "R&D", "AT&T;", "C:\\Temp", "x ~ y", "#1"),
    *("2 * 3 * 4", "Name: ______ Date: ______", "$5 and $6", "https://a.example/x_y_z?a=b&c=d#e", "me@b.example", "(a) [b] {c}", "-5", "10 - 3", "50%"),
]  # fmt: skip
LINES = [
    "| a | b |\n| --- | --- |\n| c | d |",
    "Title\n=====",
    "Title\n---",
    "a\n# b",
    "a\n    # b",
    "a\\\nb",
    "*a\nb*",
    "[a\nb]: c",
    "a\n:-:\n",
    "1. a\n3. b",
]
ITEM = re.compile(r"^[-*](?=\s)")


@pytest.fixture
def write_paragraphs(word_xml, an_odt, a_pptx, a_pdf):
    """A document with a paragraph for each text."""
    writers = {
        "docx": lambda texts: word_xml("".join(f"<w:p>{write_run(text)}</w:p>" for text in texts)),
        "doc": lambda texts: write_word97([paragraph(text.replace("\n", "\x0b")) for text in texts]),
        "odt": lambda texts: an_odt("".join(f"<text:p>{write_lines(text)}</text:p>" for text in texts)),
        "pptx": lambda texts: a_pptx(lambda slides: add_boxes(slides, texts)),
        "rtf": write_rich_text,
        "pdf": lambda texts: a_pdf(*(draw_lines(texts[start : start + 15]) for start in range(0, len(texts), 15))),
    }
    return lambda kind, texts: writers[kind](texts)


def write_lines(text):
    lines = (escape(line).replace("    ", '<text:s text:c="4"/>') for line in text.split("\n"))
    return "<text:line-break/>".join(lines)


def add_boxes(slides, texts):
    for start in range(0, len(texts), 8):
        slide = slides.slides.add_slide(slides.slide_layouts[6])
        for place, text in enumerate(texts[start : start + 8]):
            box = slide.shapes.add_textbox(Inches(1), Inches(place / 2), Inches(8), Inches(0.4))
            box.text_frame.text = text


def write_rich_text(texts):
    written = (re.sub(r"([\\{}])", r"\\\1", text).replace("\n", "\\line ") for text in texts)
    return b"{\\rtf1\\ansi " + "".join(f"{text}\\par " for text in written).encode() + b"}"


def draw_lines(texts):
    def draw(canvas):
        for place, text in enumerate(texts):
            canvas.drawString(60, 700 - 40 * place, text)

    return draw


def write_run(text, properties=""):
    lines = "<w:br/>".join(f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in text.split("\n"))
    return f"<w:r><w:rPr>{properties}</w:rPr>{lines}</w:r>"


def read_shown(markdown):
    """Return the blocks of text that a reader of markdown shows, with the marks of items, and the kinds of markup."""
    shown, kinds, mark = [], set(), ""
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        if token.type == "list_item_open":
            mark += f"{token.info}{token.markup} "
        elif token.type == "inline":
            shown.append(mark + "".join("\n" if part.type == "softbreak" else part.content for part in token.children))
            kinds |= {part.type for part in token.children}
            mark = ""
        kinds.add(token.type)
    kinds = {kind.removesuffix("_open") for kind in kinds if not kind.endswith("_close")}
    return shown, kinds - {"inline", "paragraph", "list_item", "text", "softbreak"}


def squeeze(texts):
    return ["".join(ITEM.sub("-", text).split()) for text in texts]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", FORGED)
async def test_text_forges_no_markup(reads, write_paragraphs, kind, text):
    shown, kinds = read_shown((await reads(write_paragraphs(kind, ["First.", text, "Last."]), kind)).markdown)
    assert squeeze(shown)[kind == "pptx" :] == squeeze(["First.", text, "Last."])
    made = {"bullet_list"} if kind == "pdf" and ITEM.match(text) else {"heading"} if kind == "pptx" else set()
    assert kinds == made


@pytest.mark.parametrize("kind", KINDS)
async def test_text_that_makes_no_markup_has_no_backslashes(reads, write_paragraphs, kind):
    markdown = (await reads(write_paragraphs(kind, PLAIN), kind)).markdown
    assert [line for line in markdown.split("\n") if line and not line.startswith("## Slide")] == PLAIN


@pytest.mark.parametrize("kind", ["docx", "doc", "odt", "rtf"])
@pytest.mark.parametrize("text", LINES)
async def test_lines_of_a_paragraph_forge_no_markup(reads, write_paragraphs, kind, text):
    markdown = (await reads(write_paragraphs(kind, ["First.", text, "Last."]), kind)).markdown
    shown, kinds = read_shown(markdown)
    assert squeeze(shown) == squeeze(["First.", text, "Last."])
    assert not kinds


WORDS = ["*", "**", "_", "__", "`", "``", "<", ">", "[", "]", "](", ")", "!", "&", "amp;", "#", "~~", "\\", "|", "-", "1.", "=", ":", "(", "a", "b c", "é", "x1", " ", " ", " ", "http://a.example/b_c"]  # fmt: skip


def write_text(choices):
    text = " ".join("".join(choices.choices(WORDS, k=choices.randint(1, 9))).split())[:58].rstrip()
    return f"{text} z" if not re.search(r"[^\W_]", text) else text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
async def test_texts_read_back_as_they_are(reads, write_paragraphs, kind, seed):
    choices = random.Random(seed)
    texts = [write_text(choices) for _ in range(15)]
    texts = [re.sub("é", "e", text) for text in texts] if kind == "rtf" else texts
    shown, kinds = read_shown((await reads(write_paragraphs(kind, texts), kind)).markdown)
    assert squeeze(text for text in shown if not text.startswith("Slide ")) == squeeze(texts)
    assert kinds <= {"bullet_list", "ordered_list", *({"heading"} if kind == "pptx" else ())}


PROPERTIES = ["", "<w:b/>", "<w:i/>", "<w:b/><w:i/>", '<w:vertAlign w:val="subscript"/>']


@pytest.mark.parametrize("seed", range(60))
async def test_runs_with_emphasis_read_back_as_their_text(reads, word_xml, seed):
    choices = random.Random(seed)
    texts, paragraphs = [], []
    for _ in range(12):
        runs = [
            ("".join(choices.choices(WORDS, k=choices.randint(1, 4))), choices.choice(PROPERTIES))
            for _ in range(choices.randint(1, 5))
        ]
        texts.append("x" + "".join(text for text, _ in runs))
        paragraphs.append(f"<w:p>{write_run('x')}{''.join(write_run(*run) for run in runs)}</w:p>")
    shown, kinds = read_shown((await reads(word_xml("".join(paragraphs)), "docx")).markdown)
    assert squeeze(shown) == squeeze(texts)
    assert kinds <= {"em", "strong"}


@pytest.mark.parametrize("seed", range(20))
async def test_headings_items_quotes_cells_and_links_read_back_as_their_text(reads, an_odt, seed):
    choices = random.Random(seed)
    texts = [write_text(choices) for _ in range(6)]
    heading, item, first, second, link, quote = map(escape, texts)
    body = an_odt(
        f'<text:h text:outline-level="2">{heading}</text:h><text:list><text:list-item><text:p>{item}</text:p></text:list-item></text:list>'
        f"<table:table><table:table-row><table:table-cell><text:p>{first}</text:p></table:table-cell><table:table-cell>"
        f"<text:p>{second}</text:p></table:table-cell></table:table-row></table:table>"
        f'<text:p>!<text:a xlink:href="https://a.example/">{link}</text:a>(</text:p><text:p text:style-name="Quotations">{quote}</text:p>',
    )
    shown, kinds = read_shown((await reads(body, "odt")).markdown)
    assert squeeze(shown) == squeeze([texts[0], f"- {texts[1]}", texts[2], texts[3], f"!{texts[4]}(", texts[5]])
    assert kinds - {"bullet_list", "ordered_list"} == {"heading", "table", "thead", "tr", "th", "link", "blockquote"}


async def test_formulas_pictures_and_notes_forge_no_links(reads, word_xml):
    formula = "<m:oMath><m:r><m:t>[x](javascript:a)&lt;b&gt;</m:t></m:r></m:oMath>"
    picture = '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="a](b) *c* &lt;d&gt;"/></wp:inline></w:drawing></w:r>'
    body = word_xml(f"<w:p>{formula}{write_run('(b) !')}{picture}{write_run('(c)')}</w:p>")
    markdown = (await reads(body, "docx")).markdown
    shown, kinds = read_shown(markdown)
    assert squeeze(shown) == ["$[x](javascript:a)<b>$(b)!![a](b)*c*<d>](c)"]
    assert not kinds


@pytest.mark.parametrize(
    "text",
    [
        "*a",
        "_a ",
        "\x06a",
        "\x06a\x07",
        "\x10",
        "\x10\x11",
        "\x01\x02",
        "\x06a\x07b\x08!",
        "[a](",
        "\\\n",
        "`",
        "# \n",
        "[\n",
        " \n",
        "_",
    ],
)
def test_long_paragraphs_are_escaped_in_linear_time(text):
    assert_linear(format_paragraph, lambda many: 20 * text * many)


def test_long_spaces_in_lines_are_read_in_linear_time():
    assert_linear(format_paragraph, lambda many: f"a*{' ' * 40 * many}b\nc")
