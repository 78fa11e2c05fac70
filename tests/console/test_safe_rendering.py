"""What others wrote becomes text, links and proxied images, whatever it is and however long."""

import pytest
from lxml import html
from tests.console.conftest import HOSTILE
from tests.support.processor_time import assert_linear

from assay.entrypoints.console.answer_view import MOST_IMAGES, AnswerView
from assay.entrypoints.console.page_templates import FOLDED, format_link, format_moment, format_outside, render_template
from assay.entrypoints.console.safe_markdown import LONGEST_TEXT, get_safe_link, render_markdown

LINKS = ("javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>", "vbscript:x", "file:///etc/passwd",
         "//evil.example", "/\\evil.example", " https://a.example", "https:///x", "ftp://a.example/", "https://a b.example/", "http:x", "")  # fmt: skip
MARKDOWN = (
    *(f"[x]({link})" for link in LINKS),
    *(f"[x](<{link}>)" for link in LINKS),
    *(f"![x]({link})" for link in LINKS),
    "<script>taken()</script>",
    "<img src=x onerror=taken()>",
    "[x]: javascript:taken()\n\n[x]",
    "<javascript:taken()>",
    '[a](https://a.example "\' onclick=taken() x=\\"")',
    "![' onerror='taken()](https://a.example/x.png)",
    '`</code><script>`\n\n```"><script>\nx\n```',
    "| a |\n| - |\n| <script> |",
    "&lt;script&gt; &#60;script&#62; [x](javascript&colon;taken())",
    HOSTILE,
)


def check_fragment(markup):
    """Check that the markup has nothing that runs or loads, and return its tree."""
    tree = html.fragment_fromstring(str(markup), create_parent=True)
    for element in tree.iter():
        assert element.tag in {"div", "p", "a", "img", "bdi", "code", "pre", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "small",
                               "dl", "dt", "dd", "ol", "ul", "li", "figure", "figcaption", "h3", "h4", "em", "strong", "blockquote", "br", "hr", "s", "time"}, element.tag  # fmt: skip
        assert not [name for name in element.attrib if name.startswith("on") or name == "style"]
        if element.tag == "a":
            assert element.get("href", "https://").lower().startswith(("http://", "https://", "mailto:"))
            assert {"noopener", "nofollow"} <= set(element.get("rel").split())
        if element.tag == "img":
            assert element.get("src").startswith("/console/image?")
    return tree


def find_image(url):
    return f"/console/image?url={url}" if url.startswith(("http://", "https://")) else None


@pytest.mark.parametrize("text", MARKDOWN)
def test_hostile_markdown_is_harmless(text):
    check_fragment(render_markdown(text))
    check_fragment(render_markdown(text, find_image))


def test_ordinary_markdown_is_rendered():
    tree = check_fragment(
        render_markdown(
            "# On otters\n\n[Stones](https://a.example/) and ![an otter](https://a.example/o.png)\n\n| a |\n|---|\n| 1 |",
            find_image,
        )
    )
    assert tree.xpath("string(.//h3)") == "On otters"
    assert tree.xpath(".//a/@href") == ["https://a.example/"]
    assert tree.xpath(".//img/@alt") == ["an otter"]
    assert tree.xpath("string(.//td)") == "1"


@pytest.mark.parametrize("link", LINKS)
def test_only_addresses_of_the_web_and_of_mail_become_links(link):
    assert get_safe_link(link) is None
    assert not check_fragment(format_link(link, "text")).xpath(".//a")


@pytest.mark.parametrize(
    "link", ["https://a.example/?q=1#x", "http://[2001:db8::1]/", "mailto:ada@a.example", "HTTPS://A.example/"]
)
def test_safe_links_stay(link):
    assert get_safe_link(link) == link


@pytest.mark.parametrize(
    "piece", ["[", "![", "<", "*a ", "`", "> ", "- ", "[a](", "_*", "|a", "&", "\\", "<!--", "a\n===\n", "~~"]
)
def test_markdown_that_repeats_itself_takes_no_longer_than_its_length(piece):
    assert_linear(render_markdown, lambda n: piece * n, first=1_000, largest=16_000)


def test_a_long_text_is_cut_and_its_beginning_reachable():
    tree = check_fragment(format_outside("x" * 1_000_000))
    assert len(tree.text_content()) < FOLDED + 1_000
    assert "of 1,000,000 characters" in tree.text_content()
    assert tree.xpath(".//details/summary/bdi")
    assert len(render_markdown("x " * 500_000)) < LONGEST_TEXT + 1_000


def test_text_of_any_direction_is_isolated():
    assert str(format_outside("\u202eevil שלום")) == "<bdi>\u202eevil שלום</bdi>"
    assert "<bdi>" in format_link("https://a.example/", "שלום")


def test_a_moment_is_escaped_and_read_by_programs():
    assert str(format_moment(0)) == '<time datetime="1970-01-01T00:00:00Z">1970-01-01 00:00</time>'
    check_fragment(format_moment(HOSTILE))


@pytest.mark.parametrize(
    "value",
    [
        {"title": HOSTILE, HOSTILE: [HOSTILE]},
        [{"a": HOSTILE, HOSTILE: 1}, {"a": None}],
        {"content": f"{HOSTILE}\n\n{MARKDOWN[0]}"},
        {"image": "javascript:taken()", "link": 'https://a.example/"onerror=taken()'},
        None,
        [],
        "",
        [[[[[[[[1]]]]]]]],
    ],
)
def test_any_json_is_shown_safely(value):
    check_fragment(AnswerView(find_image).render(value))


def test_a_large_answer_is_shown_within_bounds():
    rows = [{"title": f"Otter {number}", "url": f"https://a.example/{number}.png"} for number in range(5_000)]
    tree = check_fragment(AnswerView(find_image).render({"results": rows}))
    assert len(tree.xpath(".//tbody/tr")) == 200
    assert len(tree.xpath(".//img")) == MOST_IMAGES
    assert "4800 more" in tree.text_content()


def test_an_answer_makes_this_server_fetch_a_bounded_number_of_images_also_in_its_markdown():
    pages = [
        {"content": "".join(f"![x](https://a.example/{page}/{each})\n" for each in range(40))} for page in range(3)
    ]
    rows = [{"image": f"https://b.example/{number}.png", "content": "x\n" * 101} for number in range(3)]
    tree = check_fragment(AnswerView(find_image).render({"pages": pages, "rows": rows}))
    assert len(tree.xpath(".//img")) == MOST_IMAGES
    assert len(tree.xpath(".//a[starts-with(@href, 'https://a.example/')]")) == 3 * 40 - MOST_IMAGES


def test_a_template_that_names_what_there_is_not_fails():
    with pytest.raises(Exception, match="undefined"):
        render_template("layout.html", {})
