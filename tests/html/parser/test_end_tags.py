"""Elements end where they end in a browser: the rest of a page is kept and hidden text stays hidden."""

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

FIRST, LAST = (
    "Kingfishers dig their burrows into steep banks of sand, where floods and foxes seldom reach the brood.",
    "Both parents bring small fish to the young, head first, and the ringing of them has shown how far they stray.",
)
ARTICLE = f"<main><h1>Kingfishers</h1><p>{FIRST}</p>{f'<p>{LAST}</p>' * 3}</main>"
SHEET = "<style>.menu{display:none}</style>"

OPEN_INSIDE = {
    "a button": f'{SHEET}<div class="menu"><button><div>Open</button></div>{ARTICLE}',
    "an item of a list": f'{SHEET}<ul class="menu"><li><div>One</li><li>Two</li></ul>{ARTICLE}',
    "an item before the next": f'{SHEET}<ul class="menu"><li><div><div>One<li>Two</ul>{ARTICLE}',
    "an item with a slash": f'{SHEET}<ul class="menu"><li><div class="clear" /></li></ul>{ARTICLE}',
    "a section": f"<section hidden><div><div>One</section>{ARTICLE}",
    "a navigation": f'<nav style="display:none"><div>One</nav>{ARTICLE}',
    "a header in a header": f'<header class="menu">{SHEET}<header><div>One</header><div>Two</header>{ARTICLE}',
    "a heading": f"<section hidden><h2><div>One</h2></section>{ARTICLE}",
    "in capitals": f"<SECTION HIDDEN><DIV>One</SECTION>{ARTICLE}",
}


def markdown(body: str) -> str:
    return read_main_content(
        parse_html(f"<html><body>{body}</body></html>"), "https://birds.example/kingfishers"
    ).markdown


@pytest.mark.parametrize("body", OPEN_INSIDE.values(), ids=OPEN_INSIDE.keys())
def test_what_is_left_open_inside_an_element_ends_with_it(body):
    result = markdown(body)
    assert FIRST in result
    assert LAST in result
    assert "One" not in result


HIDDEN = {
    "before a cell ends": "<section hidden><table><tr><td><div></section>zebramarker</td></tr></table></section>",
    "before an inner list ends": "<ul hidden><li><ul><div></li>zebramarker</ul></li></ul>",
    "in a comment": "<section hidden><div><!-- </section> -->zebramarker</div></section>",
    "in a script": "<section hidden><div><script>'</section>'</script>zebramarker</div></section>",
    "of another name": "<section hidden><div></article>zebramarker</div></section>",
    "of an element that is none": "<section hidden><div></section/x>no more</div></section><p hidden>zebramarker</p>",
    "behind a mended one": "<nav><div></nav><section hidden><div>zebramarker</section>",
    "after a page's end": "<p>seen</p></body></html><section hidden>zebramarker</section>",
    "around a page's end": "<section hidden></body></html>zebramarker</section>",
    "in a noscript": "<section hidden><noscript></section></noscript>zebramarker</section>",
    "in a frame's text": "<section hidden><iframe></section></iframe>zebramarker</section>",
    "in a template": "<section hidden><template></section></template>zebramarker</section>",
    "in a drawing's text": "<section hidden><svg><![CDATA[ > </section> ]]></svg>zebramarker</section>",
    "in a table": "<section hidden><table></section><tr><td>zebramarker</td></tr></table></section>",
    "behind what nests too deeply": f"<div hidden>{'<div>' * 900}{'</div>' * 900}zebramarker</div>",
    "behind objects that nest too deeply": f"<div hidden>{'<div><object></div>' * 600}{'</object></div>' * 600}zebramarker</div>",
    "after tables that nest too deeply": f"{'<div><table><tr><td>' * 300}{'</td></tr></table></div>' * 300}<p hidden>zebramarker</p>",
}


@pytest.mark.parametrize("markup", HIDDEN.values(), ids=HIDDEN.keys())
def test_an_end_that_ends_nothing_shows_nothing(markup):
    result = markdown(f"{ARTICLE}{markup}")
    assert "zebramarker" not in result
    assert FIRST in result


@pytest.mark.parametrize("end", ["</body></html>", "</BODY>\n</HTML >", "</html>", "</body>"])
def test_a_page_that_ends_before_its_end_is_read_to_its_end(end):
    result = markdown(f"<header><a href=/>Birds</a></header>{end}{ARTICLE}")
    assert FIRST in result
    assert LAST in result


ODD_NAMES = {
    "a style in braces": "<p style='display:none' {}style='display:block'>zebramarker</p>",
    "a name with a sign": "<div< style='display:none'><p>zebramarker</p></div<>",
    "a name in braces": "<x{}y hidden><p>zebramarker</p></x{}y>",
    "many attributes": f"<p {' '.join(f'a{number}' for number in range(700))} hidden>zebramarker</p>",
}


@pytest.mark.parametrize("markup", ODD_NAMES.values(), ids=ODD_NAMES.keys())
def test_odd_names_hide_and_show_nothing(markup):
    result = markdown(f"{markup}{ARTICLE}")
    assert "zebramarker" not in result
    assert FIRST in result
    assert LAST in result
