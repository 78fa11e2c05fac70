"""Articles in JATS XML, as publishers and repositories hand them out, read as articles."""

import pytest
from tests.support.processor_time import assert_linear

from assay.documents.document_parser import parse
from assay.errors import UpstreamFailed

DOCTYPE = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.3//EN" "JATS-archivearticle1.dtd">'
)
NAMESPACES = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML"'
FRONT = """<journal-meta><journal-title-group><journal-title>River Letters</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">77</article-id><article-id pub-id-type="doi">10.5555/river.9</article-id>
<title-group><article-title>How <italic>Lutra</italic> eats</article-title><subtitle>A survey</subtitle></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Brook</surname><given-names>Ada</given-names></name>
<xref ref-type="aff" rid="a1">1</xref></contrib><contrib><collab>The River Group</collab></contrib>
<contrib contrib-type="editor"><name><surname>Reed</surname><given-names>Eve</given-names></name></contrib></contrib-group>
<aff id="a1"><label>1</label>The University</aff><pub-date pub-type="ppub"><year>2023</year></pub-date>
<pub-date><day>7</day><month>2</month><year>2023</year></pub-date><volume>4</volume><issue>2</issue><fpage>10</fpage>
<lpage>19</lpage><permissions><copyright-statement>All rights</copyright-statement></permissions>
<abstract><p>They eat fish.</p></abstract><abstract abstract-type="graphical"><p>A picture</p></abstract>
<kwd-group><kwd>otter</kwd><kwd>fish</kwd></kwd-group></article-meta>"""


def article(body="", back="", front=FRONT, rest=""):
    parts = f"<front>{front}</front><body>{body}</body><back>{back}</back>{rest}"
    return f'<?xml version="1.0"?>{DOCTYPE}<article article-type="research-article" {NAMESPACES}>{parts}</article>'.encode()


async def test_an_article_begins_with_its_title_authors_and_source(reads):
    document = await reads(article("<p>Text.</p>"), "xml")
    assert document.markdown.split("\n\n") == [
        "# How Lutra eats: A survey",
        "Ada Brook, The River Group",
        "*River Letters*, 4(2):10–19, 2023-02-07, [https://doi.org/10.5555/river.9](https://doi.org/10.5555/river.9)",
        "## Abstract",
        "They eat fish.",
        "**Keywords:** otter, fish",
        "Text.",
    ]
    assert (document.title, document.authors) == ("How Lutra eats: A survey", ["Ada Brook", "The River Group"])
    assert (document.kind, document.created, document.doi, document.truncated) == (
        "xml",
        "2023-02-07",
        "10.5555/river.9",
        False,
    )


async def read_body(reads, body="", back="", rest=""):
    markdown = (await reads(article(body, back, front="<article-meta/>", rest=rest), "xml")).markdown
    return markdown.strip()


CASES = {
    "sections": (
        "<sec><label>1</label><title>Diet</title><p>A</p><sec><title>Winter</title><p>B</p></sec></sec>",
        "## 1 Diet\n\nA\n\n### Winter\n\nB",
    ),
    "emphasis": (
        "<p><bold>All</bold> <italic>eat</italic> <monospace>fish</monospace> x<sup>2</sup> CO<sub>2</sub></p>",
        "**All** *eat* `fish` x^2 CO2",
    ),
    "a numbered list": (
        ('<list list-type="order"><list-item><label>1.</label><p>Look</p></list-item>'
        '<list-item><label>2.</label><p>Count</p><list list-type="bullet"><list-item><p>twice</p></list-item></list>'
        "</list-item></list>"),
        "1. Look\n2. Count\n   - twice",
    ),
    "a list with signs of its own": (
        '<list list-type="simple"><list-item><label>(a)</label><p>Look</p></list-item></list>', "- (a) Look",
    ),
    "a figure": (
        ("<fig><label>Figure 1.</label><caption><title>Prey.</title><p>By month.</p></caption>"
        '<graphic xlink:href="f1.tif"/></fig>'),
        "**Figure 1.** Prey. By month.",
    ),
    "a table with notes": (
        ("<table-wrap><label>Table 1</label><caption><p>Counts</p></caption><table><thead><tr><th>Site</th><th>n</th></tr>"
        '</thead><tbody><tr><td>A<xref ref-type="table-fn" rid="t1">*</xref></td><td>3</td></tr>'
        '<tr><td colspan="2">none</td></tr></tbody></table><table-wrap-foot><fn id="t1"><label>*</label><p>Dry.</p></fn>'
        "</table-wrap-foot></table-wrap>"),
        "**Table 1** Counts\n\n| Site | n |\n| --- | --- |\n| A\\* | 3 |\n| none |  |\n\n\\* Dry.",
    ),
    "a table in the model of OASIS": (
        ('<table-wrap><label>T</label><oasis:table xmlns:oasis="http://www.niso.org/standards/z39-96/ns/oasis-exchange/table">'
        '<oasis:tgroup cols="3"><oasis:colspec colname="a"/><oasis:colspec colname="b"/><oasis:colspec colname="c"/>'
        '<oasis:thead><oasis:row><oasis:entry>Site</oasis:entry><oasis:entry namest="b" nameend="c">Both</oasis:entry>'
        '</oasis:row></oasis:thead><oasis:tbody><oasis:row><oasis:entry morerows="1">A</oasis:entry><oasis:entry>1'
        "</oasis:entry><oasis:entry>2</oasis:entry></oasis:row><oasis:row><oasis:entry>3</oasis:entry><oasis:entry>4"
        "</oasis:entry></oasis:row></oasis:tbody></oasis:tgroup></oasis:table></table-wrap>"),
        "**T**\n\n| Site | Both | Both |\n| --- | --- | --- |\n| A | 1 | 2 |\n| A | 3 | 4 |",
    ),
    "a formula with its picture": (
        ("<p>So <disp-formula><label>(3)</label><alternatives><graphic xlink:href='e.gif'/><tex-math>"
        r"\documentclass{minimal}\begin{document}$$y = \frac{1}{n}$$\end{document}"
        "</tex-math></alternatives></disp-formula> holds.</p>"),
        "So\n\n$$y = \\frac{1}{n} \\tag{3}$$\n\nholds.",
    ),
    "a formula in MathML": (
        ("<p>If <inline-formula><mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>"
        "</inline-formula> is odd.</p>"),
        "If $x^{2}$ is odd.",
    ),
    "links": (
        ('<p>See <ext-link xlink:href="https://river.example/d">the data</ext-link>, <uri>https://river.example/e</uri> '
        'and <xref ref-type="fig" rid="f1">Figure 1</xref>, not <ext-link xlink:href="javascript:x()">this</ext-link>.</p>'),
        "See [the data](https://river.example/d), [https://river.example/e](https://river.example/e) and Figure 1, not this.",
    ),
    "quotations and code": (
        "<disp-quote><p>We saw <bold>it</bold>.</p><attrib>Eve</attrib></disp-quote><preformat>a  b\nc</preformat>",
        "> We saw **it**.\n>\n> Eve\n\n```\na  b\nc\n```",
    ),
    "two tables in one": (
        ("<table-wrap><label>T</label><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><p>And:</p>"
        "<table><tr><th>c</th><th>d</th></tr><tr><td>3</td><td>4</td></tr></table></table-wrap>"),
        "**T**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nAnd:\n\n| c | d |\n| --- | --- |\n| 3 | 4 |",
    ),
    "a box and a group of figures": (
        ("<boxed-text><caption><title>What is known</title></caption><p>Little.</p></boxed-text><fig-group><label>Figure 2</label>"
        "<caption><p>Both sites.</p></caption><fig><label>A</label><caption><p>North</p></caption></fig></fig-group>"),
        "## What is known\n\nLittle.\n\n**Figure 2** Both sites.\n\n**A** North",
    ),
    "a supplement": (
        ('<supplementary-material xlink:href="s1.csv"><label>S1</label><caption><p>All counts</p></caption>'
        "</supplementary-material>"),
        "**S1** All counts",
    ),
    "signs of markup": ("<p>1 &lt; 2 &amp; &lt;b&gt;</p>", "1 < 2 & \\<b>"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
async def test_the_text_keeps_its_structure(reads, name):
    body, expected = CASES[name]
    assert await read_body(reads, body) == expected


async def test_marks_notes_and_references_stay_together(reads):
    back = """<ack><p>To Eve.</p></ack><fn-group><fn id="n1"><label>a</label><p>In spring.</p></fn></fn-group><ref-list>
    <ref id="r1"><label>[1]</label><mixed-citation>Reed E. <italic>Nets</italic>. doi:<pub-id pub-id-type="doi">10.5/n</pub-id>
    </mixed-citation></ref><ref id="r2"><label>[2]</label><element-citation><person-group><name><surname>Lee</surname>
    <given-names>K</given-names></name><name><surname>Poe</surname><given-names>M</given-names></name></person-group>
    <year>2001</year><article-title>On <italic>L. lutra</italic></article-title><source>J Otters</source><volume>2</volume>
    <issue>1</issue><fpage>3</fpage><lpage>9</lpage><pub-id pub-id-type="pmid">99</pub-id></element-citation></ref></ref-list>"""
    body = """<p>Seen<sup><xref ref-type="bibr" rid="r1">1</xref>,<xref ref-type="bibr" rid="r2">2</xref></sup>, and
    often<xref ref-type="fn" rid="n1">a</xref> (<xref ref-type="bibr" rid="r2">Lee and Poe, 2001</xref>).</p>"""
    assert (await read_body(reads, body, back)).split("\n\n") == [
        "Seen[1],[2], and often[a] (Lee and Poe, 2001).",
        "## Acknowledgements",
        "To Eve.",
        "a In spring.",
        "## References",
        (
            "1. Reed E. *Nets*. doi:[10.5/n](https://doi.org/10.5/n)\n2. Lee K, Poe M. 2001. On *L. lutra*. *J Otters*. 2(1):3–9. "
            "[PMID 99](https://pubmed.ncbi.nlm.nih.gov/99)"
        ),
    ]


async def test_references_with_other_labels_keep_them(reads):
    back = "<ref-list><title>Sources</title><ref><label>Lee01</label><mixed-citation>Lee K.</mixed-citation></ref></ref-list>"
    assert await read_body(reads, "", back) == "## Sources\n\n- Lee01 Lee K."


async def test_letters_of_reviewers_follow_the_article(reads):
    reply = """<sub-article><front-stub><title-group><article-title>Decision letter</article-title></title-group>
    <contrib-group><contrib contrib-type="author"><name><surname>Reed</surname><given-names>Eve</given-names></name></contrib>
    </contrib-group></front-stub><body><sec><title>Summary</title><p>Good.</p></sec></body></sub-article>"""
    expected = "Text.\n\n## Decision letter\n\nEve Reed\n\n### Summary\n\nGood."
    assert await read_body(reads, "<p>Text.</p>", rest=reply) == expected


async def test_a_set_has_all_its_articles(reads):
    one = "<article><front><article-meta><title-group><article-title>{}</article-title></title-group></article-meta></front></article>"
    head = '<!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN" "https://dtd.nlm.nih.gov/ncbi/pmc/articleset.dtd">'
    both = f"{head}<pmc-articleset>{one.format('First')}{one.format('Second')}</pmc-articleset>".encode()
    document = await reads(both, "xml")
    assert (document.title, document.markdown) == ("First", "# First\n\n# Second")


async def test_records_of_pubmed_are_an_outline(reads):
    head = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://dtd.nlm.nih.gov/p.dtd">'
    record = (
        f"{head}<PubmedArticleSet><PubmedArticle><ArticleTitle>Otters</ArticleTitle></PubmedArticle></PubmedArticleSet>"
    )
    assert "    - ArticleTitle: Otters" in (await reads(record.encode(), "xml")).markdown


async def test_an_article_of_another_vocabulary_is_an_outline(reads):
    assert "- title: Otters" in (await reads(b"<article><title>Otters</title></article>", "xml")).markdown


@pytest.mark.parametrize(
    "head",
    [
        DOCTYPE.removesuffix(">") + "[<!ENTITY a 'b'>]>",
        DOCTYPE.replace("NLM", "RIVER"),
        DOCTYPE.replace("PUBLIC", "SYSTEM"),
        DOCTYPE + "<!DOCTYPE x [<!ENTITY a 'b'>]>",
    ],
)
async def test_only_the_name_of_the_format_is_accepted_as_a_doctype(reads, head):
    with pytest.raises(UpstreamFailed):
        await reads(article().replace(DOCTYPE.encode(), head.encode()), "xml")


HOSTILE = {
    "sections in sections": lambda size: "<sec><title>a</title>" * 200 + "<p>b</p>" * size + "</sec>" * 200,
    "tables in cells": lambda size: "<table><tr><td>" * 60 + "a " * size + "</td></tr></table>" * 60,
    "lists in lists": lambda size: "<list><list-item>" * 100 + "<p>a</p>" * size + "</list-item></list>" * 100,
    "articles in articles": lambda size: "<article><front/><body>" * 50 + "<p>a</p>" * size + "</body></article>" * 50,
    "references in references": lambda size: "<ref-list><ref><note>" * 60 + "<p>a</p>" * size + "</note></ref></ref-list>" * 60,
    "many marks": lambda size: '<p><xref ref-type="bibr" rid="r1">1</xref></p>' * size,
    "many formulas": lambda size: "<disp-formula><label>(1)</label><tex-math>$x$</tex-math></disp-formula>" * size,
    "many references": lambda size: "<ref-list>" + "<ref><mixed-citation>a</mixed-citation></ref>" * size + "</ref-list>",
    "a formula of many rows": lambda size: "<disp-formula><mml:math>" + "<mml:mi>x</mml:mi>" * size + "</mml:math></disp-formula>",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_is_read_in_linear_time(name):
    assert_linear(lambda body: parse(body, "xml"), make=lambda size: article(HOSTILE[name](size)), first=500)


@pytest.mark.parametrize(
    "name", ["sec", "sub-article", "list", "ref-list", "disp-quote", "xref", "verse-line", "fig", "fn", "app"]
)
def test_what_is_nested_as_deep_as_xml_may_be_is_read(name):
    assert parse(article(f"<{name}>" * 252 + "<p>Text.</p>" + f"</{name}>" * 252), "xml").markdown
