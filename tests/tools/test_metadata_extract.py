"""What a page declares for machines, by the path that every caller takes."""

import json

import pytest

BASE = "https://example.org/dir/page"


@pytest.fixture
def extract(ask):
    async def extract(html: str, base_url: str = BASE):
        reply = await ask("metadata_extract", html=html, base_url=base_url)
        assert reply.error is None, reply.error
        return reply.wire

    return extract


def script(text: str, kind: str = "application/ld+json") -> str:
    return f'<script type="{kind}">{text}</script>'


async def test_the_three_families_are_distinguished(extract):
    result = await extract(
        '<head><meta property="og:title" content="Otters"><meta name="twitter:card" content="summary">'
        '<meta name="author" content="Ada"><meta property="article:tag" content="x">'
        + script('{"@type": "Article", "headline": "On otters"}')
    )
    assert result == {
        "opengraph": {"og:title": "Otters"},
        "twitter": {"twitter:card": "summary"},
        "jsonld": [{"@type": "Article", "headline": "On otters"}],
    }


async def test_addresses_are_without_user_names_and_passwords(extract):
    secret = "https://ada:secret@example.org/x"
    result = await extract(
        f'<meta property="og:image" content="{secret}"><meta name="twitter:image" content="{secret}">'
        + script(f'[{{"@id": "{secret}", "sameAs": ["{secret}", "@ada"]}}]')
    )
    assert result == {
        "opengraph": {"og:image": "https://example.org/x"},
        "twitter": {"twitter:image": "https://example.org/x"},
        "jsonld": [{"@id": "https://example.org/x", "sameAs": ["https://example.org/x", "@ada"]}],
    }


TEXTS = [
    "https://ok.example by @ada, ask me@b.example",
    "// Hello, by @ada",
    "https://ok.example是好网站,写信给ada@b.example",
    "//@ada",
    "https://ok.example\n\nA long text\nWrite to ada@b.example",
    "https: write to me@x.example",
    "mailto://ada@b.example",
    "feed:mailto://ada@b.example",
    "git+ssh://git@github.com/x/y.git",
    "git@github.com:x/y.git",
    "https://medium.com/@ada",
    "https://a.example?to=a@b",
    "One, https://ada@b.example and so on",
]


@pytest.mark.parametrize("text", TEXTS)
async def test_texts_that_begin_like_an_address_stay_as_they_are(extract, text):
    result = await extract(
        f'<meta property="og:title" content="{text}"><meta name="twitter:title" content="{text}">'
        + script(json.dumps({"articleBody": text, "about": [text]}))
    )
    assert result == {
        "opengraph": {"og:title": text},
        "twitter": {"twitter:title": text},
        "jsonld": [{"articleBody": text, "about": [text]}],
    }


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("https://ada:secret@b.example by @ada", "https://b.example by @ada"),
        ("git+ssh://git:secret@github.com/x/y.git", "git+ssh://git@github.com/x/y.git"),
        ("ssh://:secret@b.example", "ssh://b.example"),
        ("\u00a0https://ada:secret@b.example/", "https://b.example/"),
        ("\u200b\t //ada:secret@b.example/", "\t //b.example/"),
        ("feed:https://ada:secret@b.example/", "feed:https://b.example/"),
        ("view-source:https:ada:secret@b.example/", "view-source:https:b.example/"),
        ("jdbc:postgresql://ada:secret@b.example/", "jdbc:postgresql://b.example/"),
        ("/a.png 1x, https://ada:secret@b.example/b.png 2x", "/a.png 1x, https://b.example/b.png 2x"),
        ("//a.example/a,//ada:secret@b.example/b", "//a.example/a,//b.example/b"),
    ],
)
async def test_user_names_and_passwords_are_found_behind_what_addresses_begin_with(extract, written, shown):
    result = await extract(f'<meta property="og:see" content="{written}">' + script(json.dumps({"see": written})))
    assert result["opengraph"]["og:see"].strip() == shown.strip()
    assert result["jsonld"][0]["see"].strip() == shown.strip()


@pytest.mark.parametrize("name", ["og:image", "og:url", "og:video:secure_url", "og:image:src"])
async def test_line_breaks_do_not_hide_passwords_of_links(extract, name):
    secret = "ht\ntps:/\t/ada:se\ncret@b.example/x"
    result = await extract(f'<meta property="{name}" content="{secret}">' + script(json.dumps({"image": [secret]})))
    assert result["opengraph"] == {name: "https://b.example/x"}
    assert result["jsonld"] == [{"image": ["https://b.example/x"]}]


async def test_a_page_without_any_has_three_empty_containers(extract):
    assert await extract("<p>x</p>") == {"opengraph": {}, "twitter": {}, "jsonld": []}


@pytest.mark.parametrize(
    "meta",
    [
        '<meta property="og:title" content="T">',
        "<meta content='T' property='og:title'/>",
        "<META PROPERTY = og:title CONTENT = T >",
        '<meta name="og:title" content="T">',
        '<meta data-property="og:no" property="og:title" data-content="no" content=" T ">',
        '<meta property="og:title"\n content="T"\n>',
        '<meta content="T" title="a > b" property="og:title">',
        '<body><div><meta property="og:title" content="T"></div>',
        '<meta property="og:title" content="S"><meta property="og:title" content="T">',
        '<meta property="og:title" content="T"><meta property="og:title" content="">',
    ],
)
async def test_a_meta_is_read_however_it_is_written(extract, meta):
    assert (await extract(meta))["opengraph"] == {"og:title": "T"}


@pytest.mark.parametrize(
    "hidden",
    [
        '<!-- <meta property="og:title" content="T"> -->',
        '<script>var x = \'<meta property="og:title" content="T">\'</script>',
        '<style>/* <meta property="og:title" content="T"> */</style>',
        '<textarea><meta property="og:title" content="T"></textarea>',
        '<meta data-property="og:title" content="T">',
        '<meta property="og:title">',
    ],
)
async def test_what_is_not_a_meta_is_none(extract, hidden):
    assert (await extract(hidden))["opengraph"] == {}


async def test_entities_are_decoded_and_values_stay_as_they_are(extract):
    result = await extract(
        '<meta property="og:title" content="Fish &amp; chips &lt;3 &#x1F9A6;">'
        '<meta property="og:image" content="/relative.png"><meta name="twitter:Site" content="@ada">'
    )
    assert result["opengraph"] == {"og:title": "Fish & chips <3 🦦", "og:image": "/relative.png"}
    assert result["twitter"] == {"twitter:Site": "@ada"}


async def test_letters_whose_lower_case_is_longer_shift_nothing(extract):
    result = await extract("Ⱥ" * 30 + '<meta property="og:title" content="İstanbul Ⱥ">')
    assert result["opengraph"] == {"og:title": "İstanbul Ⱥ"}


@pytest.mark.parametrize(
    ("blocks", "values"),
    [
        (script("{bad}") + script('[{"a": 1}, {"b": 2}]'), [{"a": 1}, {"b": 2}]),
        (script('{"@graph": [{"a": 1}, {"b": null}]}'), [{"@graph": [{"a": 1}, {"b": None}]}]),
        (script('"text"') + script("5") + script("null"), ["text", 5, None]),
        (script('{"a": 1}', "application/ld+json; charset=utf-8"), [{"a": 1}]),
        (script('{"a": 1}', " Application/LD+JSON "), [{"a": 1}]),
        (script('{"a": 1}', "application/json") + script('{"a": 1}', "text/javascript"), []),
        (script('\n//<![CDATA[\n{"a": "x < y"}\n//]]>\n'), [{"a": "x < y"}]),
        (script('{"a": "one\ntwo",}'), [{"a": "one\ntwo"}]),
        (script("") + script("   "), []),
        (script('{"a": NaN}'), [{"a": None}]),
        (script('{"a": "\\ud800 half", "\\ud800": 1}'), [{"a": "\ufffd half", "\ufffd": 1}]),
        (script("[" * 50_000), []),
        ("<!-- " + script('{"a": 1}') + " -->", []),
    ],
)
async def test_linked_data_is_read_and_what_is_none_is_passed_over(extract, blocks, values):
    assert (await extract(blocks))["jsonld"] == values


async def test_forty_blocks_are_forty_values(extract):
    assert (await extract("".join(script(str(n)) for n in range(40))))["jsonld"] == list(range(40))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "html is required"),
        ({"html": "", "base_url": ""}, "html is required"),
        ({"html": "  \n", "base_url": BASE}, "html is required"),
        ({"html": "<p>"}, "base_url is required"),
        ({"html": "<p>", "base_url": " "}, "base_url is required"),
        ({"html": None, "base_url": BASE}, "html is required"),
        ({"html": "<p>", "base_url": "/page"}, "base_url must be an absolute URL"),
        ({"html": "<p>", "base_url": "https://"}, "base_url must be an absolute URL"),
        ({"html": "<p>", "base_url": "http://[::1"}, "base_url must be an absolute URL"),
        ({"html": "<p>", "base_url": "mailto:ada@example.org"}, "base_url must be an absolute URL"),
        ({"html": "x" * (8 * 1024 * 1024 + 1), "base_url": BASE}, "html too large: limit 8388608 bytes"),
        ({"html": "ß" * (4 * 1024 * 1024 + 1), "base_url": BASE}, "html too large: limit 8388608 bytes"),
    ],
)
async def test_a_wrong_argument_is_told_to_the_letter(ask, arguments, said):
    error = (await ask("metadata_extract", **arguments)).error
    assert error.kind == "validation"
    assert error.message == said


async def test_hostile_markup_costs_little(extract):
    nested = "<div>" * 100_000 + '<meta property="og:title" content="T">'
    wide = "<meta " + " ".join(f"a{n}=b" for n in range(100_000)) + ' property="og:title" content="T">'
    for html in (nested, wide, "<meta property='og:title' content='" * 20_000, "<" * 500_000):
        result = await extract(html)
        assert json.dumps(result)
