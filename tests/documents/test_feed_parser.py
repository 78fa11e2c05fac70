"""Feed parsing in all supported formats."""

import pytest

from assay.documents.feed_parser import parse_feed
from assay.errors import UpstreamFailed

RSS = "<rss><channel><title>T</title>{}</channel></rss>"
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>{}</feed>'
MEDIA = 'xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom"'


def items(text: str, **more):
    return parse_feed(text.encode(), **more).items


def test_what_others_add_does_not_stand_for_the_feeds_own():
    body = RSS.replace("<rss>", f"<rss {MEDIA}>").format(
        "<atom:link rel='self' href='https://a.example/feed'/><link>https://a.example/</link>"
        "<item><media:title>Theirs</media:title><title>Own</title><media:description>no</media:description>"
        "<media:content><title>Inner</title></media:content></item>"
    )
    feed = parse_feed(body.encode())
    assert feed.head.link == "https://a.example/"
    assert [(item.title, item.summary) for item in feed.items] == [("Own", "")]


def test_where_a_feed_names_only_itself_that_is_its_link():
    assert (
        parse_feed(ATOM.format('<link rel="self" href="https://a.example/f"/>').encode()).head.link
        == "https://a.example/f"
    )


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ('<link rel="edit" href="https://a.example/e"/><link rel="alternate" href="https://a.example/1"/>', "https://a.example/1"),
        ('<link href="https://a.example/1"/><link rel="enclosure" href="https://a.example/m.mp3"/>', "https://a.example/1"),
        ('<link href="1"/>', "https://a.example/d/1"),
        ('<link href="https://ada:secret@a.example/1"/>', "https://a.example/1"),
        ('<link href="javascript:alert(1)"/>', ""),
        ('<link href="http://[bad"/>', ""),
        ("", ""),
    ],
)  # fmt: skip
def test_an_entrys_page_is_its_alternate_link(links, expected):
    [item] = items(ATOM.format(f"<entry>{links}</entry>"), base="https://a.example/d/feed.xml")
    assert item.link == expected


def test_a_base_in_the_feed_counts():
    entry = '<entry xml:base="https://b.example/x/"><link href="1"/></entry>'
    assert items(ATOM.format(entry), base="https://a.example/")[0].link == "https://b.example/x/1"


def test_bases_of_outer_elements_count():
    entry = '<entry xml:base="y/"><link href="1"/></entry>'
    body = ATOM.replace("<feed", '<feed xml:base="/x/"').format(entry)
    assert items(body, base="https://a.example/feed")[0].link == "https://a.example/x/y/1"


def test_a_bare_ampersand_stands_for_itself():
    body = "<item><title>A & B &#38; C && D&T</title><link>https://a.example/?x=1&y=2</link></item>"
    [item] = items(RSS.format(body))
    assert (item.title, item.link) == ("A & B & C && D&T", "https://a.example/?x=1&y=2")


@pytest.mark.parametrize(
    ("guid", "expected"),
    [
        ("<guid>https://a.example/9</guid>", "https://a.example/9"),
        ('<guid isPermaLink="false">https://a.example/9</guid>', ""),
        ("<guid>tag:9</guid>", ""),
    ],
)
def test_a_guid_that_is_an_address_is_a_link(guid, expected):
    assert items(RSS.format(f"<item>{guid}</item>"))[0].link == expected


def test_rss_1_and_0_90_are_read():
    for namespace in ("http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"):
        body = (
            f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="{namespace}" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>R</title><link>https://r.example/</link></channel>'
            '<item rdf:about="https://r.example/1"><title>One</title><dc:date>2024-03-05</dc:date></item></rdf:RDF>'
        )
        feed = parse_feed(body.encode())
        assert (feed.head.title, feed.head.link, feed.dialect) == ("R", "https://r.example/", "rss")
        assert [(item.link, item.published) for item in feed.items] == [("https://r.example/1", "2024-03-05")]


def test_a_prefix_nobody_declared_is_read():
    [item] = items(
        RSS.format("<item><title>A</title><dc:creator>Ada</dc:creator><content:encoded>C</content:encoded></item>")
    )
    assert (item.author, item.content) == ("Ada", "C")


def test_atom_0_3_and_atom_without_a_namespace_are_read():
    for opening in ('<feed version="0.3" xmlns="http://purl.org/atom/ns#">', "<feed>"):
        feed = parse_feed(
            f"{opening}<title>T</title><entry><title>A</title><issued>2004-01-01</issued>"
            "<modified>2004-02-02</modified></entry></feed>".encode()
        )
        assert feed.dialect == "atom"
        assert [(item.title, item.published, item.updated) for item in feed.items] == [
            ("A", "2004-01-01", "2004-02-02")
        ]


def test_the_first_words_that_say_anything_count():
    [item] = items(
        RSS.format("<item><title/><title> Real </title><description></description><description>D</description></item>")
    )
    assert (item.title, item.summary) == ("Real", "D")


def test_html_is_kept_as_html_and_titles_are_text():
    entry = (
        '<entry><title type="html">AT&amp;amp;T &amp;lt;3</title>'
        '<summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <b>bold</b> &lt; b</div></summary></entry>'
    )
    [item] = items(ATOM.format(entry))
    assert item.title == "AT&T <3"
    assert item.summary == "A <b>bold</b> &lt; b"


def test_entities_of_html_are_read_outside_cdata_and_left_alone_within():
    [item] = items(
        RSS.format(
            "<item><title>a&nbsp;b &eacute; &nosuch; &amp;</title><summary><![CDATA[x&nbsp;y]]></summary></item>"
        )
    )
    assert item.title == "a\xa0b é &nosuch; &"
    assert item.summary == "x&nbsp;y"


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", "utf-8"), ("utf-8-sig", ""), ("utf-16", "utf-16"), ("iso-8859-1", "ISO-8859-1"),
        ("windows-1252", "windows-1252"), ("cp1250", "windows-1250"),
    ],
)  # fmt: skip
def test_the_feeds_own_encoding_is_believed(encoding, declared):
    opening = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    assert parse_feed((opening + RSS.replace("T", "é").format("")).encode(encoding)).head.title == "é"


@pytest.mark.parametrize(
    ("encoding", "text"), [("koi8-r", "кошки"), ("shift_jis", "猫のこと"), ("gb18030", "关于猫"), ("euc-kr", "고양이")]
)
def test_many_scripts_are_read_by_declaration_and_by_header(encoding, text):
    body = RSS.replace("T", text).format("")
    assert parse_feed(f'<?xml version="1.0" encoding="{encoding}"?>{body}'.encode(encoding)).head.title == text
    assert parse_feed(body.encode(encoding), encoding).head.title == text


@pytest.mark.parametrize(
    "body",
    [
        "\n\n  " + RSS.format(""), "<!-- x -->" + RSS.format(""), "warning: x\n" + RSS.format(""), RSS.format("")[:-20],
        '<!DOCTYPE rss PUBLIC "-//X//EN" "http://x.example/x.dtd">' + RSS.format(""), RSS.format("\x0b&\x01"),
    ],
)  # fmt: skip
def test_small_faults_are_forgiven(body):
    assert parse_feed(body.encode()).head.title == "T"


def test_json_feed_is_read():
    feed = parse_feed(
        b'{"version": "https://jsonfeed.org/version/1", "title": "J", "home_page_url": "https://j.example/", "items": ['
        b'{"id": "1", "url": "https://j.example/1", "title": "A", "summary": "S", "date_published": "2024-01-01",'
        b' "authors": [{"name": "Ada"}, 5]}, {"id": 2, "title": null, "url": 5}, "x"]}'
    )
    assert (feed.head.title, feed.head.link, feed.dialect) == ("J", "https://j.example/", "json")
    assert [(item.title, item.link, item.author) for item in feed.items] == [
        ("A", "https://j.example/1", "Ada"),
        ("", "", ""),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "", " ", "x", "{", "{}", "[]", "<html/>", "<a><rss/></a>", "<", "<!DOCTYPE rss [<!ENTITY a 'b'>]><rss/>",
        '<!DOCTYPE l SYSTEM "file:///etc/passwd"><rss/>', '{"items": ' * 2000,
    ],
)  # fmt: skip
def test_what_is_not_a_feed_is_refused(body):
    with pytest.raises(UpstreamFailed):
        parse_feed(body.encode())
