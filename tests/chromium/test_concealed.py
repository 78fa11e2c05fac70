"""What style sheets hide does not come out of the browser as text, wherever the style sheet is from."""

import pytest
from tests.chromium.conftest import render_with

from assay.net.guarded_client import Fetched
from assay.scraping.response_parser import read, to_fetched
from assay.settings import Settings

pytestmark = pytest.mark.asyncio(loop_scope="module")
FILL = (
    "<p>" + "The river rose above the old weir in the spring of that year, and the mill stood in water. " * 4 + "</p>"
)
WAYS = {  # rules for #trap
    "display": "display: none",
    "visibility": "visibility: hidden",
    "opacity": "opacity: 0",
    "tiny": "font-size: 0",
    "off screen": "position: absolute; left: -9999px",
    "moved": "transform: translateX(-9999px)",
    "clipped": "position: absolute; clip: rect(0, 0, 0, 0); height: 1px; width: 1px; overflow: hidden",
    "clip path": "clip-path: inset(100%)",
    "collapsed": "height: 0; overflow: hidden",
    "indented": "text-indent: -9999px",
    "transparent": "color: transparent",
    "colour of the ground": "color: #fff",
    "colour of its own ground": "color: #123456; background-color: #123457",
    "content": "content-visibility: hidden",
}
SOURCES = {
    "external": "<link rel=stylesheet href=/style.css>",
    "adopted": "<script>const s = new CSSStyleSheet(); s.replaceSync({css!r}); document.adoptedStyleSheets = [s]</script>",
    "inserted": "<style id=s></style><script>s.sheet.insertRule({css!r})</script>",
}


@pytest.fixture
def fake_hosts(shared_hosts):
    return shared_hosts


@pytest.fixture
def render(shared_browser):
    return render_with(shared_browser)


async def text_of(rendered):
    page: Fetched = to_fetched(rendered)
    return (await read(page, "browser", Settings.read({}))).page.content


def page_with(source, trap="<p id=trap>TRAPWORD is what no reader of this page sees at all.</p>"):
    return f"<!doctype html><title>Weir</title><body>{source}<article><h1>Weir</h1>{FILL}{trap}{FILL}</article>"


@pytest.mark.parametrize("way", WAYS)
async def test_text_that_an_external_sheet_hides_is_left_out(fake_hosts, render, way):
    fake_hosts.says("/style.css", f"#trap {{ {WAYS[way]} }}", content_type="text/css")
    text = await text_of(await render(fake_hosts.says("/page", page_with(SOURCES["external"]))))
    assert "old weir" in text
    assert "TRAPWORD" not in text


@pytest.mark.parametrize("source", ["adopted", "inserted"])
@pytest.mark.parametrize("way", ["display", "off screen", "colour of the ground"])
async def test_text_that_a_script_hides_by_a_sheet_is_left_out(fake_hosts, render, source, way):
    css = f"#trap {{ {WAYS[way]} }}"
    text = await text_of(
        await render(fake_hosts.says("/page", page_with(SOURCES[source].replace("{css!r}", repr(css)))))
    )
    assert "old weir" in text
    assert "TRAPWORD" not in text


SEEN = {
    "white on a dark ground": "#trap { color: #fff; background-color: #024 }",
    "white on a picture": "#trap { color: #fff; background-image: linear-gradient(#024, #246) }",
    "white over a picture beside it": "article { position: relative } #trap { color: #fff; position: relative; z-index: 1 }"
    " #trap::before { content: ''; position: absolute; inset: 0; background: #024; z-index: -1 }",
    "shown again inside what is hidden": "article { visibility: hidden } article > * { visibility: visible }",
    "white on a ground further up": "body { background: #024; color: #fff }",
    "small print": "#trap { font-size: 8px }",
    "moved a little": "#trap { transform: translateX(20px); position: relative; left: -5px }",
    "scrolled": "#trap { overflow: hidden; height: 40px }",
    "faded": "#trap { opacity: 0.5 }",
}


@pytest.mark.parametrize("name", SEEN)
async def test_text_that_is_seen_stays(fake_hosts, render, name):
    fake_hosts.says("/style.css", SEEN[name], content_type="text/css")
    text = await text_of(await render(fake_hosts.says("/page", page_with(SOURCES["external"]))))
    assert "old weir" in text
    assert "TRAPWORD" in text


@pytest.mark.parametrize("way", WAYS)
async def test_text_that_an_external_sheet_hides_in_a_closed_section_is_left_out_when_a_click_would_show_the_section(
    fake_hosts, render, way
):
    fake_hosts.says("/style.css", f".closed {{ display: none }} #trap {{ {WAYS[way]} }}", content_type="text/css")
    section = (
        "<h2><button aria-expanded=false aria-controls=more>More of the weir</button></h2><div class=closed id=more>"
        "<p>OPENWORD is what readers see after a click.</p><p id=trap>TRAPWORD is what nobody sees.</p></div>"
    )
    page = page_with(SOURCES["external"], section)
    text = await text_of(await render(fake_hosts.says("/page", page)))
    assert "OPENWORD" in text
    assert "TRAPWORD" not in text


async def test_white_text_over_a_sibling_that_is_a_picture_stays(fake_hosts, render):
    hero = (
        "<div style='position:relative;height:200px'><div id=back></div>"
        "<p id=trap>TRAPWORD is what readers see upon the picture.</p></div>"
    )
    css = "#back { position: absolute; inset: 0; background: #024; pointer-events: none } #trap { color: #fff; position: relative }"
    fake_hosts.says("/style.css", css, content_type="text/css")
    text = await text_of(await render(fake_hosts.says("/page", page_with(SOURCES["external"], hero))))
    assert "TRAPWORD" in text
