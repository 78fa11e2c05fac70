"""format_bibliography in the styles of the CSL repository: references as the style manuals print them."""

import json
import re

import pytest
import quickjs
from tests.support.processor_time import assert_quick

from assay.bibliography.csl.processor import format_references
from assay.bibliography.csl.style_archive import load_locale, load_processor, load_style
from assay.bibliography.csl.style_tree import build_tree
from assay.errors import InvalidInput

LEARNING = {
    "title": "Deep learning", "author": "Yann LeCun; Yoshua Bengio; Geoffrey Hinton", "site": "Nature", "date": "2015-05-28",
    "doi": "10.1038/nature14539", "volume": "521", "issue": "7553", "pages": "436-444",
}  # fmt: skip
BOOK = {
    "url": "https://press.example/kuhn", "title": "The structure of scientific revolutions", "author": "Thomas S. Kuhn",
    "date": "1962", "publisher": "University of Chicago Press", "type": "book",
}  # fmt: skip
PAGE = {"url": "https://river.example/otters", "title": "On otters", "author": "Ada Brook", "site": "River News", "date": "2025-03-04"}  # fmt: skip
LINK = "https://doi.org/10.1038/nature14539"
DAY = r"\d{1,2}"
MONTH = r"[A-Z][a-z]+"


@pytest.fixture
def referenced(ask):
    async def answer(style, *sources, **more):
        reply = await ask("format_bibliography", style=style, sources=list(sources), **more)
        assert reply.error is None, reply.error
        return reply.wire["bibliography"].split("\n\n")

    return answer


@pytest.mark.parametrize(
    ("style", "reference"),
    [
        ("apa", f"LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learning. Nature, 521(7553), 436–444. {LINK}"),
        ("mla", f"LeCun, Yann, et al. “Deep Learning.” Nature, vol. 521, no. 7553, May 2015, pp. 436–44, {LINK}."),
        (
            "chicago-author-date",
            f"LeCun, Yann, Yoshua Bengio, and Geoffrey Hinton. 2015. “Deep Learning.” Nature 521 (7553): 436–44. {LINK}.",
        ),
        (
            "ieee",
            ("[1] Y. LeCun, Y. Bengio, and G. Hinton, “Deep learning,” Nature, vol. 521, no. 7553, pp. 436–444, May 2015, "
            "doi: 10.1038/nature14539."),
        ),
        (
            "vancouver",
            "1. LeCun Y, Bengio Y, Hinton G. Deep learning. Nature. 2015 May 28;521(7553):436–44. doi:10.1038/nature14539",
        ),
        (
            "american-medical-association",
            "1. LeCun Y, Bengio Y, Hinton G. Deep learning. Nature. 2015;521(7553):436-444. doi:10.1038/nature14539",
        ),
        (
            "harvard-cite-them-right",
            f"LeCun, Y., Bengio, Y. and Hinton, G. (2015) ‘Deep learning’, Nature, 521(7553), pp. 436–444. Available at: {LINK}.",
        ),
        ("nature", "1. LeCun, Y., Bengio, Y. & Hinton, G. Deep learning. Nature 521, 436–444 (2015)."),
        ("science", "1. Y. LeCun, Y. Bengio, G. Hinton, Deep learning. Nature 521, 436–444 (2015)."),
        ("american-chemical-society", f"(1) LeCun, Y.; Bengio, Y.; Hinton, G. Deep Learning. Nature 2015, 521 (7553), 436–444. {LINK}."),
    ],
)  # fmt: skip
async def test_a_journal_article(referenced, style, reference):
    assert await referenced(style, LEARNING) == [reference]


@pytest.mark.parametrize(
    ("style", "reference"),
    [
        ("apa", "Brook, A. (2025, March 4). On otters. River News. https://river.example/otters"),
        ("mla", "Brook, Ada. “On Otters.” River News, 4 Mar. 2025, https://river.example/otters."),
        ("chicago-author-date", "Brook, Ada. 2025. “On Otters.” River News, March 4. https://river.example/otters."),
        ("ieee", rf"[1] A. Brook, “On otters,” River News. Accessed: {MONTH}. {DAY}, 20xx. [Online]. Available: https://river.example/otters"),
        ("ama", rf"1. Brook A. On otters. River News. March 4, 2025. Accessed {MONTH} {DAY}, 20xx. https://river.example/otters"),
        ("harvard", rf"Brook, A. (2025) On otters, River News. Available at: https://river.example/otters (Accessed: {DAY} {MONTH} 20xx)."),
    ],
)  # fmt: skip
async def test_a_web_page(referenced, style, reference):
    [line] = await referenced(style, PAGE)
    pattern = (
        re.escape(reference)
        .replace("20xx", r"20\d\d")
        .replace(re.escape(DAY), DAY)
        .replace(re.escape(MONTH), rf"{MONTH}\.?")
    )
    assert re.fullmatch(pattern.replace(r"\.?\.", r"\.?"), line), line


@pytest.mark.parametrize(
    ("style", "reference"),
    [
        ("apa", "Kuhn, T. S. (1962). The structure of scientific revolutions. University of Chicago Press. https://press.example/kuhn"),
        ("mla", "Kuhn, Thomas S. The Structure of Scientific Revolutions. University of Chicago Press, 1962, https://press.example/kuhn."),
        ("chicago", "Kuhn, Thomas S. 1962. The Structure of Scientific Revolutions. University of Chicago Press. https://press.example/kuhn."),
    ],
)  # fmt: skip
async def test_a_book(referenced, style, reference):
    assert await referenced(style, BOOK) == [reference]


NAMES = [
    ("王小明", "王小明. (2025, March 4). On otters."),
    ("محمد علي", "محمد علي. (2025, March 4). On otters."),
    ("World Health Organization", "World Health Organization. (2025, March 4). On otters."),
    ("Martin Luther King Jr.", "King, M. L., Jr. (2025, March 4). On otters."),
    ("Jean-Paul van der Berg", "van der Berg, J.-P. (2025, March 4). On otters."),
    ("Mary O'Neil", "O’Neil, M. (2025, March 4). On otters."),
    ("", "On otters. (2025, March 4)."),
    ("; ".join(f"Ada Family{chr(65 + n)}" for n in range(22)), "FamilyR, A., FamilyS, A., … FamilyV, A. (2025, March 4)."),
]  # fmt: skip


async def test_names(referenced):
    sources = [{**PAGE, "url": f"{PAGE['url']}/{n}", "author": author} for n, (author, _) in enumerate(NAMES)]
    lines = await referenced("apa", *sources)
    assert len(lines) == len(NAMES)
    for n, (author, reference) in enumerate(NAMES):
        [line] = [line for line in lines if line.endswith(f"/{n}")]
        assert reference in line, author


async def test_a_particle_follows_the_rule_of_the_style(referenced):
    source = {**PAGE, "author": "Alexander von Humboldt"}
    assert (await referenced("apa", source))[0].startswith("von Humboldt, A. (2025")
    assert (await referenced("chicago", source))[0].startswith("Humboldt, Alexander von. 2025")


async def test_a_page_without_author_date_or_site(referenced):
    [line] = await referenced("apa", {"url": "https://www.site.example/x", "title": "On otters"})
    date = rf"{MONTH} {DAY}, 20\d\d"
    assert re.fullmatch(
        rf"On otters\. \(n\.d\.\)\. site\.example\. Retrieved {date}, from https://www\.site\.example/x", line
    )


async def test_markup_in_a_title_is_not_printed(referenced):
    [line] = await referenced("apa", {**PAGE, "title": "Growth of <i>E. coli</i> in H<sub>2</sub>O & “broth”"})
    assert "Growth of E. coli in H2O & “broth.” River News" in line


async def test_works_of_one_author_and_year_get_letters(referenced):
    lines = await referenced("apa", {**LEARNING, "doi": "10.1000/b", "title": "Otters"}, LEARNING)
    assert [re.search(r"\((\w+)\)\. (\w+)", line).groups() for line in lines] == [
        ("2015a", "Deep"),
        ("2015b", "Otters"),
    ]


async def test_numbers_follow_the_order_of_the_sources(referenced):
    lines = await referenced("ieee", PAGE, LEARNING)
    assert [line[:12] for line in lines] == ["[1] A. Brook", "[2] Y. LeCun"]


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("vancouver", "nlm-citation-sequence"),
        ("Chicago Author-Date", "chicago-author-date"),
        ("http://www.zotero.org/styles/ieee", "ieee"),
        ("IEEE.csl", "ieee"),
        ("plos-one", "plos"),
        ("harvard1", "harvard-cite-them-right"),
    ],
)
async def test_a_style_has_more_than_one_name(referenced, name, same):
    assert await referenced(name, LEARNING) == await referenced(same, LEARNING)


async def test_a_misspelled_style_gets_similar_names(ask):
    reply = await ask("format_bibliography", style="chicago-autor-date", sources=[PAGE])
    assert reply.error.field == "style"
    assert "did you mean chicago-author-date" in reply.error.text()


def test_styles_and_locales_have_the_trees_that_the_processor_would_make_of_them():
    engine = quickjs.Context()
    engine.eval(f"var module = {{}}, exports = {{}};{load_processor()}")
    parse = engine.eval("(function (xml) { return JSON.stringify(CSL.parseXml(xml)); })")
    styles = [load_style(name).csl for name in ("apa", "ieee", "aves", "behaviour", "gallia-prehistoire", "invisu")]
    for xml in [*styles, *map(load_locale, ("en-US", "de-DE", "fr-FR", "af-ZA", "zh-CN"))]:
        assert build_tree(xml) == json.loads(parse(xml))


async def test_the_words_of_a_style_are_in_the_language_asked_for(referenced):
    [line] = await referenced("apa", {"url": "https://a.example/x", "title": "Otter"}, locale="de")
    assert "(o. J.)" in line
    assert "Abgerufen" in line


HOSTILE_TITLES = [
    "</style><script>", "\\u0022); throw 1; (\\u0022", "'+process.exit()+'", "${7*7}", "`x`", "{{7*7}}", "%s%n", "<!ENTITY x SYSTEM 'file:///etc/passwd'>&x;",
    '<span class="nocase">' * 500, "<i>" * 2_000, "“" * 2_000, "(" * 5_000, "a" * 20_000, "__proto__",
]  # fmt: skip


@pytest.mark.parametrize("style", ["apa", "ieee"])
async def test_no_title_breaks_the_processor(referenced, style):
    pages = [{**PAGE, "url": f"{PAGE['url']}/{n}", "title": title} for n, title in enumerate(HOSTILE_TITLES)]
    articles = [{**LEARNING, "doi": f"10.1038/{n}", "title": title} for n, title in enumerate(HOSTILE_TITLES)]
    lines = await referenced(style, *pages, *articles)
    assert len(lines) == 2 * len(HOSTILE_TITLES)
    assert not any("root:" in line or line == "49" for line in lines)


def test_what_takes_too_long_is_refused_and_ends():
    items = [{"id": f"{n}", "type": "book", "title": "“a ” (b) <i>" * 80} for n in range(500)]

    def refuse():
        with pytest.raises(InvalidInput, match="send fewer"):
            format_references(items, load_style("apa"), seconds=1)

    assert_quick(refuse, 10)


async def test_a_long_list_of_long_values_is_printed_in_part(referenced):
    long = {
        **PAGE,
        "title": "otters " * 3_000,
        "author": "; ".join(f"Ada Family{chr(65 + n % 26)}" for n in range(1_000)),
    }
    [line] = await referenced("apa", long)
    assert "FamilyA, A., FamilyB, A." in line
    assert len(line) < 2_000
