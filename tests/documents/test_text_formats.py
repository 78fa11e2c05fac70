"""Text, JSON, CSV, XML and feeds."""

import json

import pytest

from assay.errors import ContentEmpty, UpstreamFailed


async def test_text_is_kept_without_what_nobody_sees(reads):
    document = await reads("# Keep\r\n\tthis\u200b \U000e0041as it is".encode(), "text")
    assert document.markdown == "# Keep\n\tthis as it is"


async def test_bytes_that_are_not_text_are_replaced_and_reported(reads):
    document = await reads("Gr\u00fc\u00df dich, ".encode() * 20 + b"\xff\xfe\xfd ende", "text")
    assert "Gr\u00fc\u00df" in document.markdown
    assert document.notes[0].startswith("Some bytes are no text")


async def test_json_is_fenced_and_one_long_line_is_broken(reads):
    body = b'{"a":1.10,"b":[1e5,{"c":"x, {y}: \\"z\\""}],"d":{},"e":"' + b"x" * 100 + b'","f":[]}'
    text = (await reads(body, "json")).markdown
    lines = text.splitlines()
    assert lines[:4] == ["```json", "{", '  "a": 1.10,', '  "b": [']
    assert '      "c": "x, {y}: \\"z\\""' in lines
    assert '  "d": {},' in lines or '  "d": {' in lines
    assert lines[-1] == "```"
    stored = b'{\n "a": 1\n}'
    assert (await reads(stored, "json")).markdown == "```json\n" + stored.decode() + "\n```"
    assert (await reads(b'"a ``` b"', "json")).markdown.startswith("````json\n")


@pytest.mark.parametrize("body", [b'{"n": NaN}', b'{"a": }', b"{" * 50, b'{"a": 1} trailing'])
async def test_what_is_not_json_is_shown_and_reported(reads, body):
    document = await reads(body, "json")
    assert document.markdown == body.decode()
    assert "not valid JSON" in document.notes[0]


async def test_a_notebook_is_its_cells(reads):
    cells = [
        {"cell_type": "markdown", "source": ["# Otters\n", "We *count*."]},
        {"cell_type": "code", "source": "print(12)", "outputs": [{"output_type": "stream", "text": "12\n"}]},
    ]
    notebook = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    document = await reads(json.dumps(notebook).encode(), "json")
    assert document.markdown == "# Otters\nWe *count*.\n\n```python\nprint(12)\n```\n\n```text\n12\n```"


@pytest.mark.parametrize("body", [{"nbformat": 4}, {"nbformat": 4, "cells": []}, ["nbformat"]])
async def test_what_only_names_the_format_of_notebooks_is_json(reads, body):
    assert (await reads(json.dumps(body).encode(), "json")).markdown.startswith("```json\n")


WEBVTT = (
    "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>Otters hold hands\n\n00:04.000 --> 00:06.000\n<v Ada>while they sleep.\n"
)
SUBRIP = "1\r\n00:00:01,000 --> 00:00:04,000\r\nOtters hold <i>hands</i>\r\n\r\n2\r\n00:01:04,000 --> 00:01:06,000\r\nEach day.\r\n"


@pytest.mark.parametrize(
    ("captions", "spoken"),
    [
        (WEBVTT, "[00:01] Ada: Otters hold hands while they sleep."),
        (SUBRIP, "[00:01] Otters hold hands Each day."),
        ("WEBVTT is a format for captions.", "WEBVTT is a format for captions."),
        ("1\nOtters --> hands", "1\nOtters --> hands"),
    ],
)
async def test_captions_are_what_is_said(reads, captions, spoken):
    assert (await reads(captions.encode(), "text")).markdown == spoken


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ("Name,Age\nTom,3\n", "| Name | Age |"),
        ('Name;Age\n"Tom; Jr";3,5\n', "| Name | Age |"),
        ("Name\tAge\nTom\t3\n", "| Name | Age |"),
        ("\ufeffName|Age\r\nTom|3\r\n", "| Name | Age |"),
    ],
)
async def test_csv_is_a_table_whatever_parts_its_cells(reads, body, first):
    lines = (await reads(body.encode(), "csv")).markdown.splitlines()
    assert lines[:2] == [first, "| --- | --- |"]
    assert lines[2].startswith("| Tom")


async def test_csv_forges_no_link(reads):
    markdown = (await reads(b"a,b\n\x06click\x07javascript:alert(1)\x08,x\n", "csv")).markdown
    assert markdown.splitlines()[2] == "| clickjavascript:alert(1) | x |"


async def test_many_rows_are_cut_and_counted(reads):
    document = await reads(b"a,b\n" + b"1,2\n" * 4999, "csv")
    assert document.truncated
    assert document.notes == ("The first 1,000 of 5,000 rows are shown.",)
    assert len(document.markdown.splitlines()) == 1001


async def test_a_wide_table_says_that_columns_are_missing(reads):
    rows = "\n".join(",".join(f"gauge {number}" for number in range(columns)) for columns in (120, 101, 3))
    document = await reads(rows.encode(), "csv")
    assert (document.truncated, document.notes) == (True, ("The first 100 of 120 columns are shown.",))
    whole = await reads(",".join(f"gauge {number}" for number in range(100)).encode() + b",,,", "csv")
    assert (whole.truncated, whole.notes) == (False, ())


async def test_a_field_without_end_is_text(reads):
    document = await reads(b'a,b\n1,"' + b"x" * 200_000, "csv")
    assert document.notes[0].startswith("No table")


async def test_very_long_text_is_cut_at_a_line(reads):
    document = await reads(b"word\n" * 1_200_000, "text")
    assert document.truncated
    assert document.markdown.endswith("word")
    assert len(document.markdown) <= 5_000_000


async def test_xml_is_an_outline(reads):
    body = b'<?xml version="1.0"?><shop><title>Cats</title>'
    body += b'<item id="1"><price>3</price></item><p>So <b>much</b> fun</p></shop>'
    document = await reads(body, "xml")
    assert document.markdown.splitlines() == [
        "- shop",
        "  - title: Cats",
        "  - item (id=1)",
        "    - price: 3",
        "  - p: So much fun",
    ]
    assert document.title == "Cats"


async def test_text_of_xml_forges_no_markup(reads):
    body = b'<shop note="&lt;b&gt;"><item>[here](javascript:alert(1)) *x* a_b</item></shop>'
    assert (
        await reads(body, "xml")
    ).markdown == "- shop (note=\\<b>)\n  - item: [here\\](javascript:alert(1)) \\*x\\* a_b"


async def test_titles_and_summaries_of_a_feed_begin_no_block(reads):
    item = "<item><title># One</title><description>- two</description></item>"
    body = f"<rss><channel><title>C #</title><description>1. All</description>{item}</channel></rss>".encode()
    assert (await reads(body, "feed")).markdown == "# C \\#\n\n1\\. All\n\n- \\# One\n  \\- two"


RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Cat News</title>
<link>https://a.example/</link><description>All of it</description><item><title>A [new] cat</title>
<link>https://a.example/1?(x)</link><pubDate>Tue, 05 Mar 2024 10:00:00 +0100</pubDate>
<description><![CDATA[<p>It <b>purrs</b> &amp; sleeps</p><script>x()</script>]]></description></item>
<item><guid>https://a.example/2</guid><title>Second</title></item>
<item><title>Third</title><link>javascript:alert(1)</link></item></channel></rss>"""

EXPECTED = [
    "# Cat News",
    "All of it",
    (
        "- [A \\[new\\] cat](https://a.example/1?%28x%29) (2024-03-05T09:00:00Z)\n  It purrs & sleeps\n"
        "- [Second](https://a.example/2)\n- Third"
    ),
]


async def test_rss_is_a_list(reads):
    document = await reads(RSS.encode(), "feed")
    assert document.markdown.split("\n\n") == EXPECTED
    assert document.title == "Cat News"


async def test_rss_in_utf_16_and_with_broken_markup_is_read(reads):
    assert (await reads(RSS.encode("utf-16"), "feed")).markdown.split("\n\n") == EXPECTED
    assert "Second" in (await reads(RSS.replace("</channel></rss>", "").encode(), "feed")).markdown


async def test_the_oldest_and_other_dialects_are_lists_too(reads):
    old = (
        '<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" '
        '"http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel><title>Old</title>'
        "<item><title>One</title><link>http://a.example/1</link></item></channel></rss>"
    )
    assert "- [One](http://a.example/1)" in (await reads(old.encode(), "feed")).markdown
    rdf = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>R</title></channel>'
        "<item><title>One</title><link>http://a.example/1</link><dc:date>2024-03-05</dc:date></item></rdf:RDF>"
    )
    assert "- [One](http://a.example/1) (2024-03-05T00:00:00Z)" in (await reads(rdf.encode(), "feed")).markdown
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><author><name>Tom</name></author><entry><title>One</title>'
        '<link rel="self" href="http://a.example/self"/><link href="http://a.example/1"/>'
        '<updated>2024-03-05T01:02:03Z</updated><summary type="html">&lt;i&gt;Short&lt;/i&gt;</summary></entry></feed>'
    )
    document = await reads(atom.encode(), "feed")
    assert "- [One](http://a.example/1) (2024-03-05T01:02:03Z)\n  Short" in document.markdown
    assert document.author == "Tom"
    json_feed = b"""{"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [
        {"title": "One", "url": "http://a.example/1", "date_published": "2024-03-05T01:02:03Z",
         "content_html": "<p>Text</p>"}]}"""
    assert "- [One](http://a.example/1) (2024-03-05T01:02:03Z)\n  Text" in (await reads(json_feed, "feed")).markdown


@pytest.mark.parametrize("body", [b"<html/>", b'{"items": 1}', b"[1"])
async def test_what_is_not_a_feed_is_refused(reads, body):
    with pytest.raises(UpstreamFailed):
        await reads(body, "feed")


async def test_nothing_but_invisible_signs_is_empty(reads):
    with pytest.raises(ContentEmpty):
        await reads("\u200b\u200b\ufeff".encode(), "text")


async def test_a_large_file_of_many_small_things_is_read_in_the_jail(reads):
    document = await reads(b"[" + b"[]," * 1_500_000 + b"[]]", "json", seconds=30)
    assert document.kind == "json"
    assert document.file_size == 4_500_004
