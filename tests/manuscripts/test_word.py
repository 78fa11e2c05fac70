"""Word files: citation fields of reference managers carry the records; hidden references are told apart."""

import base64
import json

import pytest

from assay.manuscripts.manuscript import Manuscript
from assay.manuscripts.manuscript_reader import read_manuscript

RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="../customXml/item1.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXml"/></Relationships>'
)
SOURCES = (
    '<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"><b:Source><b:Tag>Smi20</b:Tag>'
    "<b:SourceType>JournalArticle</b:SourceType><b:Title>Otters in the kelp</b:Title><b:Year>2020</b:Year>"
    "<b:Author><b:Author><b:NameList><b:Person><b:Last>Smith</b:Last><b:First>Jane</b:First></b:Person></b:NameList>"
    "</b:Author></b:Author><b:JournalName>Journal of Ecology</b:JournalName></b:Source></b:Sources>"
)
ITEM = {
    "type": "article-journal",
    "title": "Otters in the kelp",
    "container-title": "Journal of Ecology",
    "author": [{"family": "Smith", "given": "Jane"}],
    "issued": {"date-parts": [[2020]]},
}
CSL = json.dumps({"citationItems": [{"id": 7, "uris": ["http://zotero.org/x"], "itemData": ITEM}]})
ENDNOTE = (
    "<EndNote><Cite><Author>Smith</Author><record><rec-number>3</rec-number><ref-type name='Journal Article'>17</ref-type>"
    "<contributors><authors><author>Smith, Jane</author></authors></contributors><titles><title>Otters in the kelp</title>"
    "<secondary-title>Journal of Ecology</secondary-title></titles><dates><year>2020</year></dates></record></Cite></EndNote>"
)


def run(text: str, properties: str = "") -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escaped}</w:t></w:r>'


def mark(kind: str, inner: str = "") -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{inner}</w:fldChar></w:r>'


def code(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return f'<w:r><w:instrText xml:space="preserve">{escaped}</w:instrText></w:r>'


def complex_field(instruction: str, shown: str) -> str:
    return mark("begin") + code(instruction) + mark("separate") + run(shown) + mark("end")


def endnote_data() -> str:
    """As EndNote writes it when the record is long: in the data of an inner field."""
    data = base64.b64encode(ENDNOTE.encode()).decode()
    inner = (
        mark("begin", f"<w:fldData>{data}</w:fldData>") + code("ADDIN EN.CITE.DATA ") + mark("separate") + mark("end")
    )
    return mark("begin") + code("ADDIN EN.CITE ") + inner + mark("separate") + run("(Smith, 2020)") + mark("end")


def mendeley() -> str:
    tag = "MENDELEY_CITATION_v3_" + base64.b64encode(CSL.encode()).decode()
    return (
        f'<w:sdt><w:sdtPr><w:tag w:val="{tag}"/></w:sdtPr><w:sdtContent>{run("(Smith, 2020)")}</w:sdtContent></w:sdt>'
    )


FIELDS = {
    "zotero": complex_field(f"ADDIN ZOTERO_ITEM CSL_CITATION {CSL}", "(Smith, 2020)"),
    "mendeley": complex_field(f"ADDIN CSL_CITATION {CSL}", "(Smith, 2020)"),
    "mendeley cite": mendeley(),
    "endnote": complex_field(f"ADDIN EN.CITE {ENDNOTE}", "(Smith, 2020)"),
    "endnote data": endnote_data(),
    "word": complex_field(r" CITATION Smi20 \l 1033 ", "(Smith, 2020)"),
    "simple": f'<w:fldSimple w:instr=" CITATION Smi20 ">{run("(Smith, 2020)")}</w:fldSimple>',
}


@pytest.fixture
def reads_word(word_xml, sandbox):
    async def read(inner: str, parts: dict[str, str] | None = None) -> Manuscript:
        return await read_manuscript(word_xml(inner, parts), sandbox=sandbox)

    return read


@pytest.mark.parametrize("manager", FIELDS)
async def test_the_fields_of_reference_managers_carry_the_records_that_they_cite(reads_word, manager) -> None:
    body = f"<w:p>{run('Otters eat urchins ')}{FIELDS[manager]}{run('. They rest too.')}</w:p>"

    manuscript = await reads_word(body, {"word/_rels/document.xml.rels": RELATIONS, "customXml/item1.xml": SOURCES})

    (reference,) = manuscript.references
    assert (reference.work.title, reference.work.container) == ("Otters in the kelp", "Journal of Ecology")
    assert (reference.work.authors[0].family, reference.work.date) == ("Smith", "2020")
    (citation,) = manuscript.citations
    assert (citation.marker, citation.references) == ("(Smith, 2020)", (1,))
    assert citation.sentence == "Otters eat urchins (Smith, 2020)."


async def test_records_of_fields_are_joined_with_the_list_that_the_field_printed(reads_word) -> None:
    printed = mark("begin") + code('ADDIN ZOTERO_BIBL {"uncited":[]} CSL_BIBLIOGRAPHY') + mark("separate")
    body = (
        f"<w:p>{run('Otters eat ')}{complex_field(f'ADDIN ZOTERO_ITEM CSL_CITATION {CSL}', '[1]')}{run('.')}</w:p>"
        f"<w:p>{run('References')}</w:p>"
        f"<w:p>{printed}{run('[1] J. Smith, “Otters in the kelp,” Journal of Ecology, 2020.')}</w:p>"
        f"<w:p>{run('[2] B. Jones, “Urchins of the north,” Marine Biology, 2019.')}{mark('end')}</w:p>"
    )

    manuscript = await reads_word(body)

    assert [(each.label, each.work.title) for each in manuscript.references] == [
        ("1", "Otters in the kelp"),
        ("2", "Urchins of the north"),
    ]
    assert [(each.marker, each.style, each.references) for each in manuscript.citations] == [("[1]", "numeric", (1,))]


async def test_superscripts_and_footnotes_cite(reads_word) -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    notes = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:id="2"><w:p>'
        f"{run('Ada Byron, Engines of the Sea (London: Press, 1999), 4.')}</w:p></w:footnote></w:footnotes>"
    )
    relations = RELATIONS.replace("../customXml/item1.xml", "footnotes.xml").replace("/customXml", "/footnotes")
    body = (
        f"<w:p>{run('Otters')}{run('a', raised)}{run(' eat 10')}{run('-8', raised)}{run(' urchins.')}"
        f"{run('1', raised)}{run(',', raised)}{run('2', raised)}"
        f'{run(" They rest.")}<w:r><w:footnoteReference w:id="2"/></w:r></w:p><w:p>{run("References")}</w:p>'
        f"<w:p>{run('1. Smith, J. (2020). Otters in the kelp. Journal of Ecology, 12(3), 45–67.')}</w:p>"
        f"<w:p>{run('2. Jones, B. (2019). Urchins of the north. Marine Biology, 3(1), 1–9.')}</w:p>"
    )

    manuscript = await reads_word(body, {"word/_rels/document.xml.rels": relations, "word/footnotes.xml": notes})

    assert [(each.marker, each.style, each.sentence, each.references) for each in manuscript.citations] == [
        ("^1,2^", "numeric", "Ottersa eat 10^-8 urchins.^1,2^", (1, 2)),
        ("[^1]", "footnote", "They rest.[^1]", (3,)),
    ]
    assert manuscript.references[2].work.authors[0].family == "Byron"


async def test_a_hidden_reference_is_reported_and_never_taken_for_a_visible_one(reads_word) -> None:
    body = (
        f"<w:p>{run('Otters eat urchins [1]. Nothing supports this [2].')}</w:p><w:p>{run('References')}</w:p>"
        f"<w:p>{run('[1] Smith, J. (2020). Otters in the kelp. Journal of Ecology, 12(3), 45–67.')}</w:p>"
        f"<w:p>{run('[2] Jones, B. (2019). Urchins of the north. Marine Biology, 3(1), 1–9.', '<w:vanish/>')}</w:p>"
    )

    manuscript = await reads_word(body)

    assert [(each.work.authors[0].family, each.hidden) for each in manuscript.references] == [
        ("Smith", False),
        ("Jones", True),
    ]
    assert [(each.references, each.unlisted) for each in manuscript.citations] == [((1,), ()), ((), ("2",))]
    assert "1 of them references: “Jones, B. (2019)." in manuscript.notes[0]


async def test_signs_of_text_quotations_and_references_stay(reads_word) -> None:
    text = "Otters ate *all* urchins <b>here</b> in [x](y) of a_b, &amp; # more."
    quoted = "the p_value of *all* otters < 0.05 and <b>more</b>"
    entry = "Smith, J. (2020). *Otters* <in> the _kelp_. Journal of Ecology, 12(3), 45–67."
    printed = mark("begin") + code('ADDIN ZOTERO_BIBL {"uncited":[]} CSL_BIBLIOGRAPHY') + mark("separate")
    lines = [
        run("# One"),
        run(text),
        run(f"It says “{quoted}” [1]."),
        run("References"),
        printed + run(f"1. {entry}") + mark("end"),
    ]

    manuscript = await reads_word("".join(f"<w:p>{line}</w:p>" for line in lines))

    assert [each.text for each in manuscript.paragraphs[:3]] == ["# One", text, f"It says “{quoted}” [1]."]
    assert [each.text for each in manuscript.quotations] == [quoted]
    assert [(each.label, each.work.printed) for each in manuscript.references] == [("1", entry)]


@pytest.mark.parametrize("sign", [".", ")"])
async def test_typed_numbers_of_references_are_their_labels(reads_word, sign) -> None:
    entries = ["Smith, J. (2020). Otters in the kelp. Ecology, 2, 4–6.", "Brown, C. (2018). Kelp. Botany, 1, 2–3."]
    lines = ["Otters eat.", "References", f"1{sign} {entries[0]}", f"3{sign} {entries[1]}"]

    manuscript = await reads_word("".join(f"<w:p>{run(line)}</w:p>" for line in lines))

    assert [(each.label, each.work.printed) for each in manuscript.references] == [("1", entries[0]), ("3", entries[1])]
