"""Pages are read with the same result whether extension modules do a part of the work or Python does all of it."""

import json
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from infra.benchmarks.structure_pages.shells import build_pages

from assay.html.css.visibility import VisibilityResolver
from assay.html.parser.html_tree import parse_html
from assay.html.reader import block_features
from assay.html.reader._block_features import measure_blocks
from assay.html.reader.dom_walker import DomWalker
from assay.html.reader.main_content import collect_blocks
from assay.html.reader.text_blocks import Frame, TextBlock

MODULES = (
    "css._rule_matching",
    "css._rule_scan",
    "parser._element_tree",
    "parser._page_scan",
    "reader._block_walk",
    "reader._block_features",
    "reader._block_trees",
)
HIDING = "import sys; sys.modules |= dict.fromkeys({modules}); "  # as if they were not installed
READING = """
import hashlib, json, sys
from assay.html.parser.html_tree import parse_html
from assay.html.reader.article import extract_article
from assay.html.reader.block_features import build_features
from assay.html.reader.main_content import collect_blocks, read_main_content

def describe(html):
    tree = parse_html(html)
    page = collect_blocks(tree)
    frames = [
        (f.tag, f.element.tag, f.words, f.link_words, f.blocks, f.texts, f.items, f.place, f.nested, f.cells, f.marker, f.heading,
         f.first, f.last, f.rows is None, f.table is None)
        for f in page.frames
    ]
    blocks = [
        (b.index, b.text, b.kind, b.tokens, b.words, b.links, b.link_words, b.is_running_text, page.frames.index(b.frame))
        for b in page.blocks
    ]
    hidden = page.dropped, [len(elements) for elements in page.hidden.values()], len(page.opened), len(page.noscripts)
    features = build_features(page, tree, "https://a.example/b") if page.blocks else ()
    results = [frames, blocks, hidden, features, read_main_content(tree, "https://a.example/b"), extract_article(html, "https://a.example/b")]
    return [hashlib.sha256(repr(each).encode("utf-8", "surrogatepass")).hexdigest() for each in results]

print(type(parse_html("").elements[0]).__mro__[2].__module__)
print(json.dumps([describe(html) for html in json.load(sys.stdin)]))
"""
PIECES = [
    "<div>", "<div class='a b'>", "</div>", "<p>", "<p style='color:#fff'>", "</p>", "<section role=list>", "<div role=listitem>",
    "<ul><li>", "<li>", "</ul>", "<ol start=3><li>", "<dl><dt>", "<dd>", "</dl>", "<table><tr><td>", "<th>", "<tr><td>", "</table>",
    "<h1>", "<h2 id=x>", "</h2>", "<pre>", "<div class=syntaxhighlighter>", "</pre>", "<br>", "<br><br>", "<hr>", "<span>",
    "<span style='font-weight:bold'>", "</span>", "<b>", "</b>", "<i>", "</i>", "<a href=/x>", "<a name=y>", "</a>", "<q>", "</q>",
    "<x-y>", "</x-y>", "<x-y role=row>", "<ruby>kan<rp>(</rp><rt>ji</rt><rp>)</rp></ruby>", "<ruby>字<rt>ji</rt></ruby>", "<ruby>字<rp></rp><rt><span>ji</span></rt></ruby>", "<rt>ji</rt>", "<img alt='an otter' src=o.png>",
    "<figure><img alt='' src=p.png><figcaption>", "</figure>", "<img width=1 alt=pixel>", "<math><mi>x</mi></math>",
    "<span class=katex><annotation encoding='application/x-tex'>x^2</annotation></span>", "<script>let a = '<p>'</script>",
    "<script type='math/tex'>y^2</script>", "<noscript>without scripts</noscript>", "<input type=checkbox checked>", "<svg><text>s</text></svg>",
    "<template>inside</template>", "<div hidden>", "<div style='display:none'>", "<div style='visibility:hidden'>",
    "<div style='visibility:visible'>", "<div class=c>", "<div class=d data-z>", "<dialog open>", "</dialog>", "<details><summary>",
    "<button aria-controls=s>More</button><div id=s hidden>", "<p style='mso-list:l0 level1'>", "<nav><a href=/1>One</a></nav>",
    "<style>.c{display:none} [data-z]{color:red} #x{opacity:0} p>b{font-size:0}</style>", "<link rel=stylesheet href=a.css>",
    "words of an ordinary text that goes on, and on. ", "Otters hold hands while they sleep, so that no river parts them. " * 3,
    " ", "\n\t", "\xa0", "“é” 水獭睡觉时手牵着手。", "\ud800", "&amp; &lt;b&gt;", ".",
]  # fmt: skip


def make_page(rng: Random) -> str:
    return "<html><body>" + "".join(rng.choices(PIECES, k=rng.randint(3, 60)))


def read_in_process(program: str, pages: list[str]) -> tuple[str, list[list[str]]]:
    done = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(pages), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    module, results = done.stdout.splitlines()
    return module, json.loads(results)


def test_pages_are_read_alike_with_and_without_extension_modules():
    pages = [make_page(Random(seed)) for seed in range(1_200)] + ["".join(page.parts) for page in build_pages(40)]
    modules = [f"assay.html.{name}" for name in MODULES]
    compiled, found = read_in_process(READING, pages)
    pure, expected = read_in_process(HIDING.format(modules=modules) + READING, pages)
    assert (compiled, pure) == ("assay.html.parser._element_tree", "assay.html.parser.element_fields")
    for page, one, other in zip(pages, found, expected, strict=True):
        assert one == other, page


KNOWLEDGE = block_features.KNOWLEDGE
COLUMNS = ([1], [1], [(1,)])
TITLE = (["x"], lambda _: 0.5)


def build_frames() -> tuple[list[Frame], list[TextBlock]]:
    body = parse_html("<p class='zebra comment'>x").find("body")
    outer = Frame(body, "body", None, 0)
    inner = Frame(body[0], "p", outer, 0)
    outer.blocks = inner.blocks = 1
    block = TextBlock(0, inner, [], "x", "text")
    block.words = 1
    return [outer, inner], [block]


def test_features_of_frames_that_do_not_fit_together_are_an_error():
    frames, blocks = build_frames()
    around = block_features.AROUND_PAGE
    rows, *running = measure_blocks(frames, blocks, TITLE, COLUMNS, around, KNOWLEDGE)
    assert (len(rows), running) == (1, [0, 0])
    assert measure_blocks(frames, [], TITLE, ([], [], []), around, KNOWLEDGE) == ([], 0, 0)
    wrong: list[tuple[type[Exception], Any, Any, Any, Any]] = [
        (ValueError, frames[::-1], blocks, COLUMNS, KNOWLEDGE),
        (ValueError, frames[:1], blocks, COLUMNS, KNOWLEDGE),
        (ValueError, frames, blocks, ([], *COLUMNS[1:]), KNOWLEDGE),
        (TypeError, [*frames, "frame"], blocks, COLUMNS, KNOWLEDGE),
        (TypeError, frames, ["block"], COLUMNS, KNOWLEDGE),
        (TypeError, frames, blocks, (None, *COLUMNS[1:]), KNOWLEDGE),
        (TypeError, frames, blocks, COLUMNS, (lambda _: "5", *KNOWLEDGE[1:])),
        (OverflowError, frames, blocks, COLUMNS, (lambda _: 1 << 70, *KNOWLEDGE[1:])),
        (ZeroDivisionError, frames, blocks, COLUMNS, (lambda _: 1 / 0, *KNOWLEDGE[1:])),
        (TypeError, frames, blocks, COLUMNS, (KNOWLEDGE[0], lambda _: "5", *KNOWLEDGE[2:])),
        (OverflowError, frames, blocks, COLUMNS, (KNOWLEDGE[0], lambda _: -1, *KNOWLEDGE[2:])),
        (ZeroDivisionError, frames, blocks, COLUMNS, (KNOWLEDGE[0], lambda _: 1 / 0, *KNOWLEDGE[2:])),
        (TypeError, frames, blocks, COLUMNS, (*KNOWLEDGE[:2], lambda *_: 5, *KNOWLEDGE[3:])),
        (ZeroDivisionError, frames, blocks, COLUMNS, (*KNOWLEDGE[:2], lambda *_: 1 / 0, *KNOWLEDGE[3:])),
    ]
    for error, some_frames, some_blocks, columns, knowledge in wrong:
        with pytest.raises(error):
            measure_blocks(some_frames, some_blocks, TITLE, columns, around, knowledge)
    frames[0].blocks = 0
    with pytest.raises(ValueError, match="in one without"):
        measure_blocks(frames, blocks, TITLE, COLUMNS, around, KNOWLEDGE)


NAME_PARTS = [
    *("comment", "Comments", "COMMENTLIST", "navBar", "NAVbar", "x", "ab", "aB", "Ab", "HTMLDoc", "relatedPosts", "é", "水", "\ud800", "-", "_", "3"),
    *("main-content", "tabs", "tab", "shareButtons", "c" * 40, "promo", "\U0001f9a6", " ", "  ", "card__title", "İ", "ſhare", "author-bio "),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_names_of_elements_say_the_same_to_the_compiled_features(seed, monkeypatch):
    rng = Random(seed)

    def name(longest: int) -> str:
        return "".join(rng.choices(NAME_PARTS, k=rng.randint(0, longest)))

    pieces = [
        f'<div class="{name(5)}" id="{name(3)}" role="{name(1)}"><p itemprop="{name(2)}" class="{name(90)}">Otters swim.</p>'
        for _ in range(40)
    ]
    tree = parse_html("".join(pieces))
    page = collect_blocks(tree)
    compiled = block_features.build_features(page, tree, "https://a.example/")
    monkeypatch.setattr(block_features, "compiled_measures", None)
    assert compiled == block_features.build_features(page, tree, "https://a.example/")


SURROUNDINGS = [
    *("<h2>Related stories</h2>", "<h3>12 Comments</h3>", "<p>Share</p>", "<p>About us</p>", "<p>© 2026 Harbour Times</p>", "<p>Log in to subscribe</p>"),
    *("<h2>Diet</h2>", "<h3>Range</h3>", "<p>Otters swim, dive, feed, rest, play and sleep in the kelp off the coast.</p>", "<div>", "</div>", "<section>"),
    *("</section>", "<p>Clams.</p>" * 40, "<ul><li>Seals dive, feed, rest and sleep on the rocks of the bay all day.</ul>", "<p><img alt=otter src=a>"),
    *("<p>“The OTTERS’ coast” – kelp_2, KELP", "<p>Otters of été, SEA", "<p>\ud800 otters", f"<p>{'clams ' * 19}otters, otters", f"<p>{'—' * 118}sea", "<p>the the seaside"),
]  # fmt: skip
TITLES = [
    "",
    "Otters of the Coast, OTTERS",
    "Sea: été, the kelp_2 | s",
    "x" * 200,
    " ".join(f"w{place}" for place in range(70)) + " otters",
]


@pytest.mark.parametrize("seed", range(60))
def test_texts_and_what_is_around_them_say_the_same_to_the_compiled_features(seed, monkeypatch):
    rng = Random(seed)
    pieces = rng.choices(SURROUNDINGS, k=rng.choice([1, 4, 60]))
    tree = parse_html(f"<title>{rng.choice(TITLES)}</title><p>Otters." + "".join(pieces))
    page = collect_blocks(tree)
    compiled = block_features.build_features(page, tree, "https://a.example/")
    monkeypatch.setattr(block_features, "compiled_measures", None)
    assert compiled == block_features.build_features(page, tree, "https://a.example/")


def test_the_compiled_walk_collapses_each_white_space_as_python_does():
    tree = parse_html("")
    body = tree.find("body")
    for first in range(0, 0x11_0000, 0x400):
        text = "".join(f"a{chr(code)}{chr(code)}b{chr(code)}" for code in range(first, first + 0x400))
        walker = DomWalker(VisibilityResolver(tree))
        walker.enter_body(body)
        walker._text(text)
        walker._flush()
        assert [block.text for block in walker.page.blocks] == [" ".join(text.split())]


def test_a_failure_in_a_rare_case_ends_the_walk():
    class FailingWalker(DomWalker):
        def _add_standalone(self, *_):
            raise MemoryError("as if there were no more")

    tree = parse_html("<ul>" + "<li><p>otters " * 20 + "<img alt=otter src=a.png>")
    with pytest.raises(MemoryError):
        FailingWalker(VisibilityResolver(tree)).run(tree.find("body"))


@pytest.mark.parametrize("answer", [None, 1, "unknown"])
def test_an_answer_of_another_type_is_an_error(answer):
    class OddWalker(DomWalker):
        def _find_role_tag(self, *_):
            return answer

        def _find_style_mark(self, *_):
            return answer or 0

    tree = parse_html("<div role=list style=a:b>x" if answer != "unknown" else "<b style=font-weight:100>x")
    with pytest.raises((TypeError, ValueError)):
        OddWalker(VisibilityResolver(tree)).run(tree.find("body"))


def test_the_fields_are_of_the_types_that_the_walk_needs():
    with pytest.raises(TypeError):
        Frame("element")
    with pytest.raises(TypeError):
        TextBlock(0, None, [], 5, "text")
    walker = DomWalker(VisibilityResolver(parse_html("")))
    walker.tokens = ()
    with pytest.raises(TypeError):
        walker._flush()
