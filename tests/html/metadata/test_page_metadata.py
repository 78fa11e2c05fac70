import json

import pytest
from tests.support.processor_time import assert_quick

from assay.html.metadata.page_metadata import extract_facts
from assay.html.parser.html_tree import parse_html

URL = "https://paper.example/2026/tea"


def read(head="", body="", url=URL, lang=""):
    return extract_facts(parse_html(f"<html{lang}><head>{head}</head><body>{body}</body></html>"), url)


def ld(value):
    return f'<script type="application/ld+json">{value if isinstance(value, str) else json.dumps(value)}</script>'


def test_a_page_that_says_nothing_has_no_facts():
    stripped = read(body="<p>Just a line.</p>")
    assert (stripped.title, stripped.authors, stripped.published, stripped.canonical, stripped.structured) == (
        "",
        (),
        "",
        "",
        None,
    )
    assert stripped.access_free is None


def test_everything_is_read_from_an_article_in_a_graph_with_references():
    result = read(
        ld(
            {
                "@context": "https://schema.org",
                "@graph": [
                    {"@type": "WebPage", "@id": "#page"},
                    {
                        "@type": "NewsArticle",
                        "headline": "Tea prices rise",
                        "author": [{"@id": "#ann"}, {"@type": "Person", "name": "Bob Ray"}],
                        "publisher": {"@id": "#paper"},
                        "datePublished": "2026-01-05T09:30:00+01:00",
                        "dateModified": "2026-01-06",
                        "isAccessibleForFree": "False",
                    },
                    {"@type": "Person", "@id": "#ann", "name": "Ann Lee"},
                    {"@type": "Organization", "@id": "#paper", "name": "The Paper"},
                ],
            }
        )
    )
    assert result.title == "Tea prices rise"
    assert result.authors == ("Ann Lee", "Bob Ray")
    assert result.site == "The Paper"
    assert (result.published, result.modified) == ("2026-01-05T09:30:00+01:00", "2026-01-06")
    assert result.access_free is False
    assert "newsarticle" in result.types


@pytest.mark.parametrize(
    "block",
    [
        '<!-- {"@type": "Article", "headline": "Tea", "author": "Ann Lee"} -->',
        '//<![CDATA[\n{"@type": "Article", "headline": "Tea", "author": "Ann Lee"}\n//]]>',
        '{"@type": "Article", "headline": "Tea", "author": {"name": "Ann Lee",},}',
        '{"@type": "Article", "headline": "Tea", "description": "two\nlines", "author": "Ann Lee"};',
        '[{"@type": ["Thing", "http://schema.org/Article"], "headline": "Tea", "author": ["Ann Lee"]}]',
        '{"@type": "WebPage", "mainEntity": {"@type": "Article", "headline": "Tea", "author": "Ann Lee"}}',
        '{"@type": "Article", // see "About"\n "headline": "Tea", "author": "Ann Lee"}',
        "{'@type': 'Article', headline: 'Tea',\n// who\n/* wrote */ 'author': 'Ann Lee', about: 'two\nlines',}",
        "<!-- {&quot;@type&quot;: &quot;Article&quot;, &quot;author&quot;: &quot;Ann Lee&quot;} -->",
    ],
)
def test_slightly_broken_or_nested_json_is_read(block):
    assert read(ld(block)).authors == ("Ann Lee",)


def test_json_that_is_not_json_is_passed_over():
    result = read(ld('{"@type": "Article", author: }') + '<meta name="author" content="Ann Lee">')
    assert result.authors == ("Ann Lee",)
    assert result.structured is None


@pytest.mark.parametrize(
    "text",
    [
        "{bad}",
        "var a = {b: 1};",
        '{"@type":',
        "Tea",
        '{"a": "b" "c": 1}',
        '{"a": 1} {"b": 2}',
        '{a: "\ud800"',
        '{"a": [' * 2_000,
    ],
)
def test_scripts_that_are_neither_json_nor_json5_are_passed_over(text):
    assert read(ld(text)).structured is None


def test_the_article_that_is_this_page_is_preferred_to_its_neighbours():
    others = [
        {"@type": "Article", "headline": "Other", "author": "Bob Ray", "url": "https://paper.example/other"},
        {"@type": "Article", "headline": "Tea", "author": "Ann Lee", "mainEntityOfPage": {"@id": URL}},
    ]
    assert read(ld(others)).authors == ("Ann Lee",)


def test_questions_of_an_faq_are_not_what_the_page_is_called():
    faq = {"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "What is tea?"}]}
    assert read(f"{ld(faq)}<title>Tea insurance | Paper</title>").title == "Tea insurance"


def test_highwire_metas_win_for_papers():
    result = read(
        '<meta name="citation_title" content="On leaves"><meta name="citation_author" content="Lee, Ann">'
        '<meta name="citation_author" content="Bob Ray"><meta name="citation_publication_date" content="2024/03/09">'
        '<meta name="citation_doi" content="10.1000/xyz"><meta name="citation_journal_title" content="J. Tea">'
        "<title>On leaves - J. Tea - Press</title>",
        "<h1>J. Tea</h1>",
    )
    assert result.title == "On leaves"
    assert result.authors == ("Lee, Ann", "Bob Ray")
    assert (result.published, result.doi, result.site) == ("2024-03-09", "10.1000/xyz", "J. Tea")


def test_dublin_core_and_open_graph():
    result = read(
        '<meta name="DC.creator" content="Ann Lee"><meta name="DC.date.issued" content="2023-05">'
        '<meta property="og:site_name" content="The Paper"><meta property="og:title" content="Tea | The Paper">'
        '<meta property="og:description" content="About tea.">'
    )
    assert (result.title, result.authors, result.published) == ("Tea", ("Ann Lee",), "2023-05")
    assert (result.site, result.description) == ("The Paper", "About tea.")


def test_numbered_labels_of_cards_name_the_writer():
    assert read(
        '<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ann Lee">'
    ).authors == ("Ann Lee",)


@pytest.mark.parametrize(
    "author", ["https://paper.example/ann", "admin", "mail@paper.example", "{{author}}", "jdoe_77"]
)
def test_an_author_that_is_nobodys_name_is_none(author):
    assert read(f'<meta name="author" content="{author}">', "<h1>Tea</h1>").authors == ()


def test_a_site_that_names_itself_as_author_is_not_a_person():
    head = '<meta property="og:site_name" content="Teapedia"><meta name="author" content="Teapedia">'
    assert read(head, "<h1>Tea</h1>").authors == ()


@pytest.mark.parametrize(
    ("body", "authors"),
    [
        ("<h1>Tea</h1><p>By Ann Lee</p>", ("Ann Lee",)),
        ("<h1>Tea</h1><p>By <a href='/x'>Ann Lee</a> | 5 min read</p>", ("Ann Lee",)),
        ("<h1>Tea</h1><p>Written by Ann Lee and Bob Ray on May 5, 2025</p>", ("Ann Lee", "Bob Ray")),
        ("<h1>Tee</h1><p>Von Anna Groß</p>", ("Anna Groß",)),
        ("<h1>Thé</h1><p>Par Élodie Brun, le 5 mai 2025</p>", ("Élodie Brun",)),
        ("<h1>茶</h1><p>著者：王小明</p>", ("王小明",)),
        ("<h1>Tea</h1><a rel=author href='/ann'>Ann Lee</a>", ("Ann Lee",)),
        ("<h1>Tea</h1><div class='post-meta'><span class='author-name'>Ann Lee</span></div>", ("Ann Lee",)),
        ("<h1>Tea</h1><a href='/authors/ann-lee'>Ann Lee</a>", ("Ann Lee",)),
        ("<span itemprop=author itemscope><span itemprop=name>Ann Lee</span></span><h1>Tea</h1>", ("Ann Lee",)),
        ("<h1>Tea</h1><p>By clicking here you agree.</p>", ()),
        ("<h1>Tea</h1><p>Photo by Ann Lee</p><p>Reviewed by Bob Ray</p>", ()),
        ("<h1>Tea</h1><p>Sponsored by Tea Corp</p>", ()),
        ("<h1>Tea</h1><p>Text.</p><footer>By Ann Lee</footer>", ()),
        ("<h1>Tea</h1><p class=author>View all posts by Ann Lee</p>", ("Ann Lee",)),
        ("<h1>Tea</h1><p><b class=author>Written by</b> <i>Feb 11, 2019</i></p>", ()),
        ("<h1>Tea</h1><p><b class=author>Posted by</b> <i>Ann Lee</i></p>", ("Ann Lee",)),
        ("<h1>Tea</h1><p><b>Written by</b> <b>Researched by</b></p>", ()),
        ("<h1>Tea</h1><p class=username>80.2k readers</p>", ()),
        ("<h1>Tea</h1><p class=author>View author page</p>", ()),
        ("<h1>Tea</h1><h2 id=about-authorization>About authorization</h2>", ()),
        ("<h1>A pot</h1><p>Step by step process</p>", ()),
        ("<h1>茶</h1><p>2026-01-05 12:11 来源：茶报 作者：王小明 责任编辑：李四</p>", ("王小明",)),
        ("<h1>茶</h1><p class=author>[责任编辑：李四]</p>", ()),
        ("<h1>茶</h1><p class=author>作者：未知</p>", ()),
        ("<h1>茶</h1><p class=author>Ann Lee 著、山田 太郎 訳</p>", ("Ann Lee",)),
        ("<h1>Tea</h1><p class=author>Ann Lee ©</p>", ("Ann Lee",)),
        ("<h1>Tea</h1><b>Ann Lee</b> <a href='mailto:x'>ann at tea.example</a><pre>Hi</pre>", ("Ann Lee",)),
        ("<h1>Tea</h1><p>Hi</p><p>Ann Lee</p> <a href='mailto:x'>ann at tea.example</a>", ()),
        (
            "<h1>Tea</h1><ul><li><b>To</b>: tea<li><b>From</b>: Ann Lee &lt;<a>a@b.example</a>><li><b>Date</b>: x<li>by Date:",
            ("Ann Lee",),
        ),
        ("<h1>Tea</h1><p>From: Ann Lee (ann@tea.example)</p><p>To: all</p><p>Subject: Tea</p>", ("Ann Lee",)),
        ("<h1>Tea</h1><p>From: Oxbow</p><p>To: London</p>", ()),
        ("<h1>Tea</h1><table class='infobox vcard'><tr><th class='infobox-above fn'>Tea</th></table>", ()),
        ("<h1>Tea</h1><div class=mail-author><h2><a>Ann Lee</a></h2></div>", ("Ann Lee",)),
        ("<h1>Tea</h1><p class=jobber-hero__author>Ann Lee</p><p class=author-job>Writer</p>", ("Ann Lee",)),
    ],
)
def test_bylines_are_read_as_readers_read_them(body, authors):
    assert read(body=body).authors == authors


def test_a_post_in_a_network_is_by_its_account_and_has_its_words_as_title():
    shared = '<meta property="og:title" content="Ann Lee (@ann@tea.example) on Tea">'
    result = read(f'<title>Ann Lee on Tea: "The pot leaks." / Tea</title>{shared}', "<h1>Conversation</h1>")
    assert (result.title, result.authors) == ('Ann Lee on Tea: "The pot leaks."', ("Ann Lee",))


def test_a_footnote_names_no_author():
    assert read(body="<h1>Tea</h1><div class=fn id=fn1><sup>a</sup><p>Two pots leaked.</p></div>").authors == ()
    assert read(body="<h1>Tea</h1><p class=fn>Ann Lee</p>").authors == ("Ann Lee",)


def test_teasers_with_many_authors_name_none_of_them():
    teasers = "".join(f"<div class=tease><span class=author>Ann Lee{x}</span></div>" for x in "abcdefgh")
    assert read(body=f"<h1>Tea</h1>{'<p>Long text here.</p>' * 40}{teasers}").authors == ()


def test_a_product_page_has_no_author_though_its_customers_do():
    product = {"@type": "Product", "name": "Pot", "review": {"@type": "Review", "author": {"name": "Bob Ray"}}}
    result = read(ld(product), "<h1>Pot</h1><p>By Ann Lee</p><p>January 5, 2026</p>")
    assert (result.authors, result.published) == ((), "")


def test_a_thread_is_by_whoever_began_it():
    body = "<h1>Which pot?</h1>" + "".join(
        f"<div class=post><a class=username>{name}</a><time datetime='2025-05-0{day}T10:00:00Z'></time><p>Hi</p></div>"
        for day, name in enumerate(["potfan_7", "Bob Ray"], 1)
    )
    result = read(body=body, url="https://pots.example/threads/which.99/")
    assert (result.authors, result.published) == (("potfan_7",), "2025-05-01T10:00:00Z")


@pytest.mark.parametrize(
    ("body", "published", "modified"),
    [
        ("<h1>Tea</h1><p>January 5, 2026</p>", "2026-01-05", ""),
        ("<h1>Tea</h1><p>Published 5 Jan 2026 · Updated 7 Jan 2026</p>", "2026-01-05", "2026-01-07"),
        (
            "<h1>Tea</h1><p>Published on 5th January 2026</p><p>Last updated: 7 January 2026</p>",
            "2026-01-05",
            "2026-01-07",
        ),
        ("<p>05/01/2026</p><h1>Tea</h1>", "2026-05-01", ""),
        ("<h1>Tee</h1><p>5. März 2026</p>", "2026-03-05", ""),
        ("<h1>Thé</h1><p>Publié le 14 août 2025</p>", "2025-08-14", ""),
        ("<h1>Té</h1><p>3 de marzo de 2025</p>", "2025-03-03", ""),
        ("<h1>茶</h1><p>2026年1月5日</p>", "2026-01-05", ""),
        ("<h1>차</h1><p>2026년 1월 5일</p>", "2026-01-05", ""),
        ("<h1>Tea</h1><time datetime='2026-01-05T08:00:00Z'>yesterday</time>", "2026-01-05T08:00:00Z", ""),
        ("<h1>Tea</h1><p>Posted by Ann Lee</p><p>January 5, 2026 02:00 PM</p>", "2026-01-05", ""),
        ("<h1>Tea</h1><p>by Ann Lee / January 5, 2026 /</p>", "2026-01-05", ""),
        ("<h1>Tea</h1><p>by May West, January 5, 2026</p>", "2026-01-05", ""),
        ("<h1>Tea</h1><i>Mon Jan  5 10:00:00 UTC 2026</i><p>On Jan 3, 2026 Ann wrote", "2026-01-05", ""),
        ("<h1>Tea</h1><p>Mon Jan 5 10:00:00 2026 +0200", "2026-01-05", ""),
        ("<h1>Tea</h1><p>Apply by January 5, 2026</p>", "", ""),
        ("<h1>Tea</h1><p>Apply by</p><p>Monday, 5 January 2026</p>", "", ""),
        ("<h1>Tea</h1><p>Sale ends January 5, 2026</p>", "", ""),
        ("<h1>Tea</h1><p>© January 5, 2026</p>", "", ""),
        ("<h1>Tea Act 2020</h1><p>Words in s. 3 inserted (4.5.2021) by Pots Act 2021, s. 7</p>", "", ""),
        ("<h1>Tea</h1><p>February 31, 2026</p>", "", ""),
    ],
)
def test_dates_are_read_where_readers_see_them(body, published, modified):
    result = read(body=body, url="https://paper.example/tea")
    assert (result.published, result.modified) == (published, modified)


def test_the_date_below_a_title_that_is_no_heading_is_read():
    body = "<div class=nav><a>News</a></div><table><tr><td><b>Tea prices rise</b></td></tr><tr><td>5 Jan 2026</td></tr></table>"
    result = read("<title>Tea prices rise - The Paper</title>", body, "https://paper.example/tea")
    assert result.published == "2026-01-05"


def test_a_list_of_dated_things_has_no_date_of_its_own():
    body = "<h1>News</h1>" + "".join(f"<p>January {day}, 2026</p><h3>Item</h3>" for day in range(1, 12))
    assert read(body=body, url="https://paper.example/tea").published == ""


def test_the_address_is_the_last_witness_of_a_date():
    assert read(body="<h1>Tea</h1>", url="https://paper.example/2025/07/09/tea").published == "2025-07-09"
    dated = read(
        '<meta property="article:published_time" content="2025-07-10">', url="https://paper.example/2025/07/09/tea"
    )
    assert dated.published == "2025-07-10"


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Tea | The Paper</title>", "<h1>The Paper</h1><h2>Tea</h2>", "Tea"),
        ("<title>Tea prices rise - The Paper</title>", "<h1>Tea prices rise</h1>", "Tea prices rise"),
        ("<title>Tea prices rise - The Paper</title>", "", "Tea prices rise"),
        ("<title>Tea &amp; cake</title>", "<svg><title>Logo</title></svg>", "Tea & cake"),
        ("", "<svg><title>Logo</title></svg><h1>Tea</h1>", "Tea"),
        ("<title>COVID-19 and tea</title>", "", "COVID-19 and tea"),
        ("", "<h1>Start ¶</h1>", "Start"),
        ("<title>Start — Docs</title>", '<h1>Start<a class="headerlink" href="#start">#</a></h1>', "Start"),
        ("<title>C# | Docs</title>", "<h1>C#</h1>", "C#"),
        ("<title>茶叶涨价！_新闻中心_茶报网</title>", "", "茶叶涨价！"),
        ("<title>茶叶涨价！_新闻中心_茶报网</title>", "<h1>茶报</h1><h2>茶叶涨价！</h2>", "茶叶涨价！"),
        ("<title>Module tea_pot_module</title>", "", "Module tea_pot_module"),
        ("<title>Pots • View topic - Which pot for green tea?</title>", "", "Which pot for green tea?"),
        (
            "<title>今年绿茶的价格上涨了-茶报网</title>",
            "<div class=t>今年绿茶的价格上涨了</div>",
            "今年绿茶的价格上涨了",
        ),
        (
            "<title>Green tea prices rise | Trade | News</title>",
            "<p><b>Green tea prices rise</b></p>",
            "Green tea prices rise",
        ),
        (
            "<title>The Tea Paper: tea prices rise again</title>",
            "<b>The Tea Paper</b>",
            "The Tea Paper: tea prices rise again",
        ),
        ("<title>Tea prices rise - The Paper</title>", "<p>Tea prices rise - The Paper</p>", "Tea prices rise"),
        ("<title>123 – The pot leaks</title>", "<h1>Bugs – Bug 123</h1>", "123 – The pot leaks"),
        ("<title>1984 - The Paper</title>", "<h1>1984</h1>", "1984"),
        ("<title>L_2020EN.xml</title>", "<p class=oj-doc-ti>Rules for tea</p><p class=oj-doc-ti>Cake", "Rules for tea"),
        ("<title>tea.html</title>", "<h1>Tea</h1>", "Tea"),
        ("<title>tea - Models</title>", "<h1><a>tea</a><button></button><button>Copied</button></h1>", "tea"),
        ("<title>Tea - Models</title>", "<h1><button>Tea</button></h1>", "Tea"),
    ],
)
def test_the_title_is_the_pages_and_not_the_sites(head, body, title):
    assert read(head, body).title == title


@pytest.mark.parametrize(
    ("link", "canonical"),
    [
        ("/tea", "https://paper.example/tea"),
        ("tea?x=1", "https://paper.example/2026/tea?x=1"),
        ("//other.example/tea", "https://other.example/tea"),
        ("https://ada:secret@other.example/tea", "https://other.example/tea"),
        ("javascript:alert(1)", ""),
        ("https://[broken", ""),
    ],
)
def test_the_canonical_address_is_absolute_or_nothing(link, canonical):
    assert read(f'<link rel="canonical" href="{link}">').canonical == canonical


def test_the_language_is_the_documents():
    assert read(lang=' lang="pt_BR"').language == "pt-BR"
    assert read('<meta property="og:locale" content="de_DE">').language == "de-DE"


@pytest.mark.parametrize(
    ("head", "free"),
    [
        (ld({"@type": "Article", "isAccessibleForFree": True}), True),
        (ld({"@type": "Article", "isAccessibleForFree": "http://schema.org/False"}), False),
        ('<meta property="article:content_tier" content="locked">', False),
        ('<meta property="article:content_tier" content="free">', True),
    ],
)
def test_a_page_may_say_whether_it_is_free_to_read(head, free):
    assert read(head).access_free is free


def test_structured_data_keep_their_names_and_shapes():
    result = read(
        ld({"@type": "Article", "name": "Tea"})
        + '<meta property="og:title" content="Tea"><meta property="article:tag" content="a">'
        + '<meta property="article:tag" content="b">'
        + '<meta name="citation_doi" content="10.1/x"><meta name="viewport" content="w">'
    ).structured
    assert result.wire() == {
        "jsonLd": [{"@type": "Article", "name": "Tea"}],
        "openGraph": {"og:title": "Tea", "article:tag": "a; b"},
        "citation": {"citation_doi": "10.1/x"},
    }


def test_structured_data_keep_no_user_names_and_passwords_of_addresses():
    secret = "https://ada:secret@paper.example/a@b"
    result = read(
        ld({"@type": "Article", "image": [{"url": secret}], "name": "Ask ada@paper.example"})
        + f'<meta property="og:url" content="{secret}"><meta property="article:author" content="{secret}">'
        + f'<meta name="citation_pdf_url" content="{secret}">'
    ).structured
    address = "https://paper.example/a@b"
    assert result.wire() == {
        "jsonLd": [{"@type": "Article", "image": [{"url": address}], "name": "Ask ada@paper.example"}],
        "openGraph": {"og:url": address, "article:author": address},
        "citation": {"citation_pdf_url": address},
    }


def test_texts_of_structured_data_that_begin_like_an_address_stay_as_they_are():
    text = "https://ok.example by @ada, ask me@b.example"
    head = ld({"@type": "Article", "articleBody": text}) + f'<meta property="og:description" content="{text}">'
    result = read(head + '<meta property="og:url" content="ht\ntps://ada:secret@b.example/x">').structured
    assert result.wire() == {
        "jsonLd": [{"@type": "Article", "articleBody": text}],
        "openGraph": {"og:description": text, "og:url": "https://b.example/x"},
    }


def test_structured_data_are_bounded():
    big = ld({"@type": "Thing", "text": "x" * 40_000})
    many = "".join(ld({"@type": "Thing", "number": number, "text": "x" * 5_000}) for number in range(30))
    metas = "".join(f'<meta property="og:x{number}" content="{"y" * 3000}">' for number in range(100))
    result = read(big + many + metas).structured
    assert [one["number"] for one in result.json_ld] == list(range(len(result.json_ld)))
    assert 60_000 < len(json.dumps(result.json_ld)) < 66_000
    assert len(result.open_graph) == 64
    assert {len(value) for value in result.open_graph.values()} == {2048}


@pytest.mark.parametrize("block", ['{"a": NaN}', '{"a": "\\ud800"}', "[" * 100_000, '{"a":' * 3000 + "1" + "}" * 3000])
def test_what_could_not_be_sent_on_is_left_out(block):
    assert read(ld(block)).structured is None


def test_hostile_markup_costs_little_time():
    nasty = (
        "<script type=application/ld+json>" + " " * 300_000 + "x</script>" + "<meta " * 20_000 + "<h1>" + "by " * 50_000
    )
    tree = parse_html(f"<html><head>{nasty}</h1>")
    assert_quick(lambda: extract_facts(tree, "https://paper.example/" + "t/" * 900), 2)
