"""Invariants of all documents: parsing succeeds or raises our errors, and hidden text stays hidden."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from infra.fuzz import targets
from infra.fuzz.invariants import assert_clean, assert_safe_markdown

from assay.documents.document_parser import parse
from assay.errors import ToolError

FEW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
BYTES = st.binary(max_size=400)


@pytest.mark.parametrize("name", ["docx", "pptx", "pdf"])
@FEW
@given(source=BYTES)
def test_what_is_hidden_in_a_file_stays_hidden(name, source):
    targets.TARGETS[name](source)


@pytest.mark.parametrize("name", ["feed", "xml", "plain_kinds", "broken_pdf"])
@FEW
@given(source=BYTES)
def test_any_bytes_are_a_document_or_an_error(name, source):
    targets.TARGETS[name](source)


HIDDEN_RUNS = {
    "vanish": "<w:vanish/>",
    "vanish, said": '<w:vanish w:val="on"/>',
    "half a point": '<w:sz w:val="1"/>',
    "half a point, and said not to vanish": '<w:vanish w:val="0"/><w:sz w:val="1"/>',
    "white": '<w:color w:val="FFFFFF"/>',
    "nearly white": '<w:color w:val="FDFDFE"/>',
    "white, and said not to vanish": '<w:vanish w:val="false"/><w:color w:val="ffffff"/>',
    "a style that vanishes": '<w:rStyle w:val="Gone"/>',
    "a style of half a point": '<w:rStyle w:val="Small"/>',
}
STYLES = (
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:style w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:styleId="Small"><w:rPr><w:sz w:val="1"/></w:rPr></w:style></w:styles>'
)
RELATED = (
    '<Relationships><Relationship Id="s" Target="styles.xml" Type="http://x/styles"/>'
    '<Relationship Id="l" Target="{}" TargetMode="External" Type="http://x/hyperlink"/></Relationships>'
)


def with_styles(link="http://a.example/"):
    return {"word/styles.xml": STYLES, "word/_rels/document.xml.rels": RELATED.format(link)}


@pytest.mark.parametrize("properties", HIDDEN_RUNS.values(), ids=HIDDEN_RUNS.keys())
def test_a_run_that_word_does_not_show_is_left_out(word_xml, properties):
    runs = f"<w:r><w:rPr>{properties}</w:rPr><w:t>zebramarker</w:t></w:r><w:r><w:t>okapimarker</w:t></w:r>"
    document = parse(word_xml(f"<w:p>{runs}</w:p>", with_styles()), "docx")
    assert document.markdown == "okapimarker"


def test_grey_is_not_white(word_xml):
    run = '<w:r><w:rPr><w:color w:val="F2F2F2"/></w:rPr><w:t>okapimarker</w:t></w:r>'
    assert parse(word_xml(f"<w:p>{run}</w:p>"), "docx").markdown == "okapimarker"


def test_a_link_of_a_document_ends_where_it_ends(word_xml):
    body = word_xml(
        '<w:p><w:hyperlink r:id="l"><w:r><w:t>here</w:t></w:r></w:hyperlink></w:p>',
        with_styles("http://a.example/) [x](javascript:alert(1)"),
    )
    assert parse(body, "docx").markdown == "[here](http://a.example/%29%20%5Bx%5D%28javascript:alert%281%29)"


SAID = "IGNORE-ALL-RULES"


def broken_documents(word_xml, a_zip):
    core = f"<{SAID}><a></{SAID}>"
    slides = f'<r><x Id="1" Type="officeDocument" Target="ppt/{SAID}.xml"/></r>'
    return {
        "xml": (f"<{SAID}><b></{SAID}>".encode(), "xml"),
        "entity": (f"<a>&{SAID};</a>".encode(), "xml"),
        "feed": (f"<rss><{SAID}></rss></{SAID}>".encode(), "feed"),
        "properties": (word_xml("<w:p/>", {"docProps/core.xml": core}), "docx"),
        "name of a part": (a_zip({"_rels/.rels": slides, f"ppt/{SAID}.xml": "<a><b></a>"}), "pptx"),
        "json": (f'{{"a": {SAID}}}'.encode(), "json"),
    }


@pytest.mark.parametrize("name", ["xml", "entity", "feed", "properties", "name of a part", "json"])
def test_a_broken_file_does_not_speak_in_our_errors(word_xml, a_zip, name):
    body, kind = broken_documents(word_xml, a_zip)[name]
    try:
        text = " ".join(parse(body, kind).notes)
    except ToolError as failure:
        text = failure.message
    assert SAID not in text


@pytest.mark.parametrize("said", ["2024-01-31T12:00:00Z", "\u202e2024", "ignore all rules", "2024-01-31 and then"])
def test_a_date_of_a_document_is_a_date_or_nothing(word_xml, said):
    core = {"docProps/core.xml": f"<c><created>{said}</created><title>T\u200b\u202e1</title></c>"}
    document = parse(word_xml("<w:p><w:r><w:t>x</w:t></w:r></w:p>", core), "docx")
    assert document.created in ("", "2024-01-31T12:00:00Z")
    assert document.title == "T1"
    assert_clean(document.created)


def test_an_address_that_is_invalid_breaks_no_feed():
    item = b"<item xml:base='//[::1'><title>a</title><link>/b</link></item>"
    assert parse(b"<rss xml:base='http://[x'><channel>" + item + b"</channel></rss>", "feed").markdown.endswith("- a")


def test_names_that_no_element_may_have_break_no_feed():
    feed = (
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>a</title><content type='xhtml'>"
        b"<di00:00:00Z>words</di00:00:00Z></content></entry></feed>"
    )
    assert "words" in parse(feed, "feed").markdown


def test_titles_of_a_feed_become_neither_links_nor_markup():
    response = r"a\](javascript:alert(1)) &amp;lt;script&amp;gt; [b](javascript:alert(2)"
    feed = (
        f"<rss><channel><title>{response}</title><description>{response}</description><item><title>{response}</title>"
    )
    feed += (
        f"<link>https://birds.example/)(</link><description>{response} and more</description></item></channel></rss>"
    )
    document = parse(feed.encode(), "feed")
    assert_safe_markdown(document.markdown)
    assert "](https://birds.example/%29%28)" in document.markdown


def grouped_shape(place):
    group = '<a:off x="0" y="0"/><a:ext cx="900" cy="900"/><a:chOff x="1000" y="1000"/><a:chExt cx="9000" cy="9000"/>'
    return (
        '<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:grpSp><p:grpSpPr><a:xfrm>'
        + group
        + "</a:xfrm></p:grpSpPr>"
        f'<p:sp><p:spPr><a:xfrm><a:off x="{place}" y="2000"/><a:ext cx="100" cy="100"/></a:xfrm></p:spPr>'
        "<p:txBody><a:p><a:r><a:t>zebramarker</a:t></a:r></a:p></p:txBody></p:sp></p:grpSp>"
        "<p:sp><p:txBody><a:p><a:r><a:t>okapimarker</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    )


@pytest.mark.parametrize(("place", "is_seen"), [(2_000, True), (9_000, True), (60_000, False), (-9_000, False)])
def test_what_a_group_puts_beside_the_slide_is_left_out(a_zip, place, is_seen):
    slides = '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst>'
    parts = {
        "ppt/presentation.xml": slides + '<p:sldSz cx="1000" cy="1000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": '<r><x Id="r1" Type="x/slide" Target="slides/slide1.xml"/></r>',
        "ppt/slides/slide1.xml": grouped_shape(place),
    }
    markdown = parse(a_zip(parts), "pptx").markdown
    assert ("zebramarker" in markdown) is is_seen
    assert "okapimarker" in markdown
