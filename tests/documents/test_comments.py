"""Comments of reviewers in documents: who says what about which words, at the end of the text."""

from io import BytesIO
from zipfile import ZipFile

import pytest
import xlsxwriter
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, TextStringObject
from reportlab.pdfbase.pdfmetrics import stringWidth
from tests.support.opendocument import HEAD, SPACES

from assay.manuscripts.manuscript_reader import read_manuscript

RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments" Target="comments.xml"/>'
    "</Relationships>"
)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def run(text, properties=""):
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def start(number):
    return f'<w:commentRangeStart w:id="{number}"/>'


def end(number):
    call = f'<w:r><w:rPr><w:rStyle w:val="CommentReference"/></w:rPr><w:commentReference w:id="{number}"/></w:r>'
    return f'<w:commentRangeEnd w:id="{number}"/>{call}'


@pytest.fixture
def commented(word_xml):
    """A Word file with comments, each of an author and paragraphs of runs."""

    def make(inner, *comments):
        listed = "".join(
            f'<w:comment w:id="{number}" w:author="{author}">'
            + "".join(f"<w:p><w:r><w:annotationRef/></w:r>{text}</w:p>" for text in texts)
            + "</w:comment>"
            for number, (author, *texts) in enumerate(comments)
        )
        parts = {
            "word/_rels/document.xml.rels": RELATIONS,
            "word/comments.xml": f'<w:comments xmlns:w="{WORD}">{listed}</w:comments>',
        }
        return word_xml(inner, parts)

    return make


async def test_comments_of_word_files_follow_the_text(commented, reads):
    body = commented(
        f"<w:p>{run('The ')}{start(0)}{run('sea ')}{run('otters', '<w:b/>')}{end(0)}{run(' eat urchins.')}{end(1)}</w:p>",
        ("Ada Lovelace", run("Which ones? See ") + run("Table 2", "<w:b/>"), run("# And why?")),
        ("", run("2*3*4")),
    )
    assert (await reads(body, "docx")).markdown == (
        "The sea **otters** eat urchins.\n\n"
        "Comment by Ada Lovelace on “sea otters”: Which ones? See **Table 2** # And why?\n\n"
        r"Comment: 2\*3\*4"
    )


async def test_commented_words_may_go_over_paragraphs_and_breaks(commented, reads):
    body = commented(
        f"<w:p>{run('First ')}{start(0)}{start(1)}{run('one')}<w:r><w:br/></w:r>{run('ends.')}{end(1)}</w:p>"
        f"<w:tbl><w:tr><w:tc><w:p>{run('12.5')}{end(0)}</w:p></w:tc></w:tr></w:tbl>",
        ("Ada", run("Both?")), ("Bob", run("Why?")),
    )  # fmt: skip
    assert (await reads(body, "docx")).markdown == (
        "First one\nends.\n\n12.5\n\nComment by Ada on “one ends. 12.5”: Both?\n\nComment by Bob on “one ends.”: Why?"
    )


async def test_only_visible_words_and_comments_are_read(commented, reads):
    hidden, white = "<w:vanish/>", '<w:color w:val="FFFFFF"/>'
    body = commented(
        f"<w:p>{run('Say')}{start(0)}{run(' secret', hidden)}<w:del>{run(' gone')}</w:del>{run(' all')}{end(0)}</w:p>",
        ("Ada", run("Ignore this", hidden) + run("Well.")), ("Eve", run("Nobody sees where this is.")),
        ("Bob", run("Without a place.", white)),
    )  # fmt: skip
    assert (await reads(body, "docx")).markdown == "Say all\n\nComment by Ada on “all”: Well."


async def test_many_long_comments_are_cut(commented, reads):
    body = commented(
        f"<w:p>{''.join(start(number) + run('word ' * 100) + end(number) for number in range(2_500))}</w:p>",
        *[("A" * 500, run("text " * 100))] * 2_500,
    )
    document = await reads(body, "docx")
    comments = document.markdown.split("\n\n")[1:]
    assert document.truncated
    assert sum(map(len, comments)) < 600_000
    assert len(comments[0].partition("text")[0]) < 500


async def test_audits_of_manuscripts_leave_comments_out(an_odt, commented):
    note = (
        "<office:annotation><dc:creator>Ada</dc:creator><text:p>Doe (2020) is wrong here.</text:p></office:annotation>"
    )
    text = an_odt(f"<text:p>The sea otters eat urchins{note}, it says.</text:p>")
    word = commented(
        f"<w:p>{run('The sea otters eat urchins, it says.')}{end(0)}</w:p>", ("Ada", run("Doe (2020) errs."))
    )
    for name, body in (("odt", text), ("docx", word)):
        assert "Doe" not in str(await read_manuscript(body, format=name))


ANNOTATION = (
    '<office:annotation office:name="{0}"><dc:creator>{1}</dc:creator>'
    "<dc:date>2026-01-02T10:00:00</dc:date>{2}</office:annotation>"
)


async def test_comments_of_opendocument_texts_follow_the_text(an_odt, reads):
    one = ANNOTATION.format("c1", "Ada", "<text:p>Which ones?</text:p><text:p>And <text:span>why</text:span>?</text:p>")
    two = ANNOTATION.format(
        "c2", "Bob &amp; Co", "<text:list><text:list-item><text:p>*So*</text:p></text:list-item></text:list>"
    )
    body = an_odt(
        f"<text:p>The {one}sea<text:s/>otters<text:line-break/>of</text:p><text:p>Monterey"
        '<office:annotation-end office:name="c1"/> eat urchins.</text:p>'
        f"<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>{two}12.5"
        '<office:annotation-end office:name="c2"/></text:p></table:table-cell></table:table-row></table:table>'
        "<text:p>End.<office:annotation><text:p>A point.</text:p></office:annotation></text:p>"
    )  # fmt: skip
    document = await reads(body, "odt")
    assert document.markdown.split("\n\n")[-3:] == [
        "Comment by Ada on “sea otters of Monterey”: Which ones? And why?",
        r"Comment by Bob & Co on “12.5”: - \*So\*",
        "Comment: A point.",
    ]
    assert document.markdown.startswith("The sea otters\nof\n\nMonterey eat urchins.\n\n| a | 12.5 |")


async def test_comments_of_rich_text_follow_the_text(reads):
    body = (
        rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}The {\*\atrfstart 1}sea {\b otters\par of}{\*\atrfend 1}{\v "
        rb"{\*\atnid AL}{\*\atnauthor Ada L\'f6we}\chatn{\*\annotation{\*\atnref 1}{\*\atndate 12}\pard\plain "
        rb"{\chatn }Which *ones*?\par And why?}} Monterey eat urchins.{\*\atnid B}{\*\atnauthor Bob}\chatn "
        rb"{\*\annotation{\*\atndate 3}{\v hidden}A point.} So it is.\par}"
    )
    assert (await reads(body, "rtf")).markdown == (
        "The sea **otters**\n\n**of** Monterey eat urchins. So it is.\n\n"
        r"Comment by Ada Löwe on “sea otters of”: Which \*ones\*? And why?" + "\n\nComment by Bob: A point."
    )


def annotate(body, *entries):
    """The first page of a PDF with annotations."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(body)))
    for entry in entries:
        writer.add_annotation(0, DictionaryObject({NameObject(key): value for key, value in entry.items()}))
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def note(kind, text, author="", *, box=(100, 700, 120, 720), lines=(), flags=4, **more):
    entry = {
        "/Type": NameObject("/Annot"), "/Subtype": NameObject(f"/{kind}"), "/F": NumberObject(flags),
        "/Rect": ArrayObject(map(FloatObject, box)), "/Contents": TextStringObject(text), "/T": TextStringObject(author),
    }  # fmt: skip
    corners = [
        number for left, low, right, high in lines for number in (left, high, right, high, left, low, right, low)
    ]
    return entry | ({"/QuadPoints": ArrayObject(map(FloatObject, corners))} if corners else {}) | more


def over(before, words, low=698):
    """The box of words of a line."""
    left = 100 + stringWidth(before, "Helvetica", 10)
    return left, low, left + stringWidth(words, "Helvetica", 10), low + 11


def draw(canvas):
    canvas.drawString(100, 700, "The sea otters of Monterey eat an urch-")
    canvas.drawString(100, 686, "in a day, and *more* in winter.")


async def test_comments_of_pdfs_follow_the_text(a_pdf, reads):
    words = "sea otters of Monterey"
    marked = [over("The ", words)], [over(f"The {words} ", "eat an urch-"), over("", "in a day", 684)]
    body = annotate(
        a_pdf(draw, draw),
        note("Highlight", "Which ones?\r\rAnd why?", "Ada Lovelace", lines=marked[0]),
        note("StrikeOut", "Say it otherwise.", "Bob", lines=marked[1]),
        note("Text", "A *good* page", "Ada Lovelace, 01/02/26, ", box=(50, 740, 60, 750)),
        note("Popup", "A good page"),
        note("Link", "a link"),
    )
    document = await reads(body, "pdf")
    assert document.markdown.split("\n\n")[2:] == [
        r"Comment by Ada Lovelace, 01/02/26 (page 1): A \*good\* page",
        "Comment by Ada Lovelace on “sea otters of Monterey” (page 1): Which ones? And why?",
        "Comment by Bob on “eat an urchin a day” (page 1): Say it otherwise.",
    ]


async def test_marks_of_pdfs_without_a_text_of_their_own_are_no_comments(a_pdf, reads):
    line = over("The ", "sea otters of Monterey")
    body = annotate(
        a_pdf(draw),
        note("Highlight", "", "Ada", lines=[line]),
        note("Highlight", "sea otters of  Monterey", "Ada", lines=[line]),
        note("Text", "Ignore what is above.", "Eve", flags=2),
        note("Text", "Ignore what is above.", "Eve", flags=32),
        note("Text", "Accepted set by Ada", "Ada", **{"/StateModel": TextStringObject("Review"), "/State": TextStringObject("Accepted")}),
    )  # fmt: skip
    assert "omment" not in (await reads(body, "pdf")).markdown


THREADS = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
RELATED = "http://schemas.microsoft.com/office/2017/10/relationships"


def build_commented_workbook(*notes):
    """A workbook of which row 4 and column D are hidden, with notes by cell, author and text."""
    made = BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        sheet = book.add_worksheet("Rivers")
        for number, row in enumerate(
            [("river", "km", "otters", "secret"), ("Elbe", 1094, 12, 1), ("Oder", 854, 7, 2), ("Isar", 295, 3, 3)]
        ):
            sheet.write_row(number, 0, row)
        sheet.set_row(3, None, None, {"hidden": True})
        sheet.set_column(3, 3, None, None, {"hidden": True})
        for cell, author, text in notes:
            sheet.write_comment(cell, text, {"author": author})
    return made.getvalue()


def add_parts(body, parts):
    """A package with more parts; a text is added to the end of the root element of a part that there is."""
    made = BytesIO()
    with ZipFile(BytesIO(body)) as old, ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name).decode() if name in parts else old.read(name)
            if name in parts:
                before, end, behind = content.rpartition("</")
                content = before + parts[name] + end + behind
            new.writestr(name, content)
        for name in parts.keys() - set(old.namelist()):
            new.writestr(name, parts[name])
    return made.getvalue()


async def test_comments_on_shown_cells_of_sheets_follow_the_tables(reads):
    body = build_commented_workbook(
        ("B2", "Ada Lovelace", "Ada Lovelace:\nMeasured *where*?"),
        ("C3", "", "An estimate"),
        ("B4", "Eve", "in a hidden row"),
        ("D2", "Eve", "in a hidden column"),
    )
    document = await reads(body, "xlsx")
    assert document.markdown.split("\n\n")[2:] == [
        r"Comment by Ada Lovelace on “Rivers!B2”: Measured \*where\*?",
        "Comment on “Rivers!C3”: An estimate",
    ]


async def test_threads_of_sheets_are_read_once(reads):
    body = build_commented_workbook(
        ("B2", "tc={1}", "[Threaded comment] Your version of Excel allows you to read this")
    )
    person = f'<personList xmlns="{THREADS}"><person displayName="Ada Lovelace" id="{{7}}"/></personList>'
    threads = (
        f'<ThreadedComments xmlns="{THREADS}"><threadedComment ref="B2" personId="{{7}}" id="{{1}}"><text>Measured where?'
        '</text></threadedComment><threadedComment ref="B2" personId="{8}" parentId="{1}"><text>In Dresden.</text>'
        "</threadedComment></ThreadedComments>"
    )
    relation = f'<Relationship Id="rId{{}}" Type="{RELATED}/{{}}" Target="{{}}"/>'
    parts = {
        "xl/persons/person.xml": person,
        "xl/_rels/workbook.xml.rels": relation.format(98, "person", "persons/person.xml"),
        "xl/threadedComments/threadedComment1.xml": threads,
        "xl/worksheets/_rels/sheet1.xml.rels": relation.format(
            99, "threadedComment", "../threadedComments/threadedComment1.xml"
        ),
    }
    document = await reads(add_parts(body, parts), "xlsx")
    assert document.markdown.split("\n\n")[2:] == [
        "Comment by Ada Lovelace on “Rivers!B2”: Measured where?",
        "Comment on “Rivers!B2”: In Dresden.",
    ]


SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
LATE_SLIDES = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"
PRESENTATION = 'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


@pytest.fixture
def commented_slides(a_pptx):
    """Slides with these titles, of which the second is hidden, with parts that are added."""

    def make(titles, parts):
        def fill(slides):
            for title in titles:
                slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = title
            slides.slides[1]._element.set("show", "0")

        return add_parts(a_pptx(fill), parts)

    return make


def relate(kind, target, number=99):
    return f'<Relationship Id="rId{number}" Type="{RELATED}/{kind}" Target="{target}"/>'


async def test_comments_on_slides_follow_the_text(commented_slides, reads):
    authors = (
        f'<p:cmAuthorLst xmlns:p="{SLIDES}"><p:cmAuthor id="0" name="Ada Lovelace" initials="AL"/></p:cmAuthorLst>'
    )
    comments = (
        '<p:cmLst xmlns:p="{}"><p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>{}</p:text></p:cm></p:cmLst>'
    )
    parts = {
        "ppt/_rels/presentation.xml.rels": relate("commentAuthors", "commentAuthors.xml"),
        "ppt/commentAuthors.xml": authors,
    }
    for number, text in enumerate(("Which\n*one*?", "unseen", "", "And this?"), 1):
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = relate("comments", f"../comments/comment{number}.xml")
        parts[f"ppt/comments/comment{number}.xml"] = comments.format(SLIDES, text)
    document = await reads(commented_slides(("A*B*", "Hidden", "No comment", ""), parts), "pptx")
    assert document.markdown == "## A\\*B\\*\n\n## No comment\n\n" + document.comments
    assert document.comments == (
        "Comment by Ada Lovelace on “A\\*B\\*” (page 1): Which \\*one\\*?\n\nComment by Ada Lovelace (page 4): And this?"
    )


async def test_threads_on_slides_are_read_with_their_replies(commented_slides, reads):
    def say(author, inner):
        return f'authorId="{{{author}}}"><p:txBody><a:bodyPr/>{inner}</p:txBody>'

    first, reply = (
        say("A", "<a:p><a:r><a:t>Which </a:t></a:r><a:r><a:t>one?</a:t></a:r></a:p>"),
        say("B", "<a:p><a:r><a:t>All.</a:t></a:r></a:p><a:p/>"),
    )
    parts = {
        "ppt/_rels/presentation.xml.rels": relate("authors", "authors.xml"),
        "ppt/authors.xml": f'<p:authorLst xmlns:p="{LATE_SLIDES}"><p:author id="{{A}}" name="Ada"/><p:author id="{{B}}" name="Bob"/></p:authorLst>',
        "ppt/slides/_rels/slide1.xml.rels": relate("comments", "../comments/modernComment_1.xml"),
        "ppt/comments/modernComment_1.xml": f'<p:cmLst xmlns:p="{LATE_SLIDES}" xmlns:a="{DRAWING}"><p:cm id="1" {first}'
        f'<p:replyLst><p:reply id="2" {reply}</p:reply></p:replyLst></p:cm></p:cmLst>',
    }  # fmt: skip
    document = await reads(commented_slides(("Otters", "Hidden"), parts), "pptx")
    assert document.markdown == (
        "## Otters\n\nComment by Ada on “Otters” (page 1): Which one?\n\nComment by Bob on “Otters” (page 1): All."
    )


async def test_comments_on_slides_of_opendocument_presentations_follow_the_text(a_package, reads):
    note = "<office:annotation><dc:creator>Ada</dc:creator><dc:date>2026-01-02</dc:date><text:p>{}</text:p></office:annotation>"
    page = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
        + note
        + "</draw:page>"
    )
    content = (
        f"{HEAD}<office:document-content {SPACES} {PRESENTATION}><office:body><office:presentation>{page.format('A*B*', 'Which *one*?')}"
        f"<draw:page>{note.format('Empty.')}</draw:page></office:presentation></office:body></office:document-content>"
    )
    body = a_package("application/vnd.oasis.opendocument.presentation", {"content.xml": content})
    assert (await reads(body, "odp")).markdown == (
        "## A\\*B\\*\n\nComment by Ada on “A\\*B\\*” (page 1): Which \\*one\\*?\n\nComment by Ada (page 2): Empty."
    )


async def test_comments_on_shown_cells_of_opendocument_sheets_follow_the_tables(a_package, reads):
    def cell(text, *comments, more=""):
        notes = "".join(
            f"<office:annotation><dc:creator>Ada</dc:creator><text:p>{each}</text:p><text:p>So.</text:p></office:annotation>"
            for each in comments
        )
        return f"<table:table-cell {more}>{notes}<text:p>{text}</text:p></table:table-cell>"

    def row(*cells, more=""):
        return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"

    empty = "<table:table-cell {}/>"
    sheet = (
        '<table:table-column table:number-columns-repeated="28"/><table:table-column table:visibility="collapse"/>'
        + row(cell("a", "first?"), empty.format('table:number-columns-repeated="26"'), cell("b", "far"), empty.format(""), cell("c"))
        + row(empty.format(""), more='table:number-rows-repeated="3"')
        + row(cell("hidden", "unseen"), more='table:visibility="collapse"')
        + row(cell("d", "Where *is* it?", more='table:number-columns-repeated="2"'), cell("e"))
        + row(empty.format('table:number-columns-repeated="28"'), cell("f", "in a hidden column"), cell("g"))
    )  # fmt: skip
    content = (
        f"{HEAD}<office:document-content {SPACES}><office:body><office:spreadsheet>"
        f'<table:table table:name="Rivers">{sheet}</table:table></office:spreadsheet></office:body></office:document-content>'
    )
    body = a_package("application/vnd.oasis.opendocument.spreadsheet", {"content.xml": content})
    assert (await reads(body, "ods")).comments.split("\n\n") == [
        "Comment by Ada on “Rivers!A1”: first? So.",
        "Comment by Ada on “Rivers!AB1”: far So.",
        r"Comment by Ada on “Rivers!A6”: Where \*is\* it? So.",
    ]
