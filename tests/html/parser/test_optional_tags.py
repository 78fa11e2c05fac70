"""A page may omit the tags of its body; its visible content is the same."""

import pytest

from assay.html.parser.html_tree import parse_html


def shape(html: str) -> tuple[list[str], list[str], str]:
    tree = parse_html(html)
    head, body = tree.find("head"), tree.find("body")
    return (
        [] if head is None else [child.tag for child in head],
        [] if body is None else [child.tag for child in body],
        "" if body is None else " ".join("".join(body.itertext()).split()),
    )


@pytest.mark.parametrize(
    ("html", "heads", "bodies", "text"),
    [
        ("<title>T</title><main><p>one</p></main>", ["title"], ["main"], "one"),
        (
            "<title>T</title><nav>a</nav><article>b</article><footer>c</footer>",
            ["title"],
            ["nav", "article", "footer"],
            "abc",
        ),
        (
            "<meta name=x><script>1</script><article>b</article> and <p>c</p>",
            ["meta", "script"],
            ["article", "p"],
            "b and c",
        ),
        ("<html><head><title>T</title></head><body><main>one</main></body></html>", ["title"], ["main"], "one"),
        ("<head><title>T</title></head><section>one</section>", ["title"], ["section"], "one"),
        (
            "<title>T</title><article>b</article><meta name=x><aside>c</aside>",
            ["title"],
            ["article", "meta", "aside"],
            "bc",
        ),
        ("<title>T</title>", ["title"], [], ""),
        ("<p>one", [], ["p"], "one"),
    ],
)
def test_what_is_shown_is_in_the_body(html, heads, bodies, text):
    assert shape(html) == (heads, bodies, text)
