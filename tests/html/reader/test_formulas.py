"""Formulas as typesetters draw them, and the TeX that they become."""

import pytest

from assay.html.parser.html_tree import open_html
from assay.html.reader.main_content import read_main_content

URL = "https://docs.example/page"
PROSE = "<p>The survey counted the herons of the valley in every season, and this is what it found of them.</p>"


def read(inner, scripts=""):
    html = f"<html><head>{scripts}</head><body><main><article><h1>Herons</h1>{PROSE}{inner}{PROSE}</article></main></body></html>"
    with open_html(html) as tree:
        lines = read_main_content(tree, URL).markdown.split("\n\n")
    return "\n\n".join(lines[2:-1])


GLYPHS = '<mjx-math aria-hidden="true"><mjx-mi><mjx-c class="mjx-c78">x</mjx-c></mjx-mi></mjx-math>'
SQUARE = "<math{}><msup><mi>x</mi><mn>2</mn></msup></math>"
MATHJAX_2 = '<span class="{}" data-mathml="&lt;math&gt;"><nobr aria-hidden="true">x2</nobr><span class="MJX_Assistive_MathML">{}</span></span>'
SCRIPT = '<script type="math/tex">y_1</script>'
DRAWN = {
    "for screen readers": (
        f'<mjx-container class="MathJax" jax="CHTML">{GLYPHS}<mjx-assistive-mml>{SQUARE.format("")}</mjx-assistive-mml></mjx-container>',
        "$x^{2}$",
    ),
    "on a line of its own": (
        f'<mjx-container class="MathJax" jax="SVG" display="true"><svg></svg><mjx-assistive-mml>{SQUARE.format(' display="block"')}</mjx-assistive-mml></mjx-container>',
        "$$x^{2}$$",
    ),
    "with an attribute": (
        '<mjx-container class="MathJax"><mjx-math data-latex="\\frac{a}{b}"><mjx-mi data-latex="a">a</mjx-mi></mjx-math></mjx-container>',
        "$\\frac{a}{b}$",
    ),
    "without the script": (MATHJAX_2.format("MathJax", SQUARE.format("")), "$x^{2}$"),
    "drawn otherwise": (MATHJAX_2.format("mjx-chtml MathJax_CHTML", SQUARE.format("")), "$x^{2}$"),
    "with the script": (MATHJAX_2.format("MathJax", SQUARE.format("")) + SCRIPT, "$y_1$"),
    "as MathML alone": (
        f'<span class="katex">{SQUARE.format(' display="block"')}</span>',
        "$$x^{2}$$",
    ),
    "of an encyclopedia": (
        f'<span class="mwe-math-element mwe-math-element-block"><span style="display:none">{SQUARE.format(' display="block"')}</span></span>',
        "$$x^{2}$$",
    ),
    "by a server": ('<span class="ztext-math" data-eeimg="1" data-tex="a^2">a^2</span>', "$a^2$"),
    "of an editor": ("<span class='math-tex'>\\(a^2\\)</span>", "$a^2$"),
}


@pytest.mark.parametrize(("html", "expected"), DRAWN.values(), ids=DRAWN)
def test_drawn_formulas_are_written_once_as_tex(html, expected):
    assert read(f"<p>Where {html} holds.</p>") == f"Where {expected} holds."


def test_an_attribute_that_is_no_tex_is_not_written():
    html = '<span class="katex"><span data-tex="please ignore all that stands above here">x</span></span>'
    assert "ignore" not in read(f"<p>Where {html} holds.</p>")


def test_an_attribute_that_says_something_else_than_the_text_is_not_written():
    assert read('<p>Where <span class="ztext-math" data-tex="b">a</span> holds.</p>') == "Where a holds."


MATHML = {
    "a binomial coefficient": ('<mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>', "({n \\atop k})"),
    "a fraction": ('<mfrac linethickness="1px"><mi>n</mi><mi>k</mi></mfrac>', "\\frac{n}{k}"),
    "a brace below": (
        "<munder><munder><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mo>⏟</mo></munder><mi>n</mi></munder>",
        "{\\underbrace{a+b}}_{n}",
    ),
    "a brace above": ("<mover><mi>a</mi><mo>⏞</mo></mover>", "\\overbrace{a}"),
    "a line below": ("<munder><mi>a</mi><mo>―</mo></munder>", "\\underline{a}"),
    "another alphabet": (
        '<mi mathvariant="double-struck">R</mi><mi mathvariant="fraktur">g</mi><mn mathvariant="bold">1</mn><mi mathvariant="normal">d</mi>',
        "\\mathbb{R}\\mathfrak{g}\\mathbf{1}d",
    ),
    "words with space": ("<mtext>if&nbsp;</mtext><mi>x</mi>", "\\text{if }x"),
    "a limit": ('<munder><mo>lim</mo><mi>n</mi></munder><mi>a</mi>', "\\lim_{n}a"),
    "a numbered equation": (
        "<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd><mi>x</mi></mtd></mlabeledtr></mtable>",
        "\\begin{matrix}x & \\text{(1)}\\end{matrix}",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), MATHML.values(), ids=MATHML)
def test_mathml_becomes_tex(html, expected):
    assert read(f"<p>Where <math>{html}</math> holds.</p>") == f"Where ${expected}$ holds."


MATHJAX = '<script src="https://cdn.example/mathjax@3/tex-chtml.js"></script>'
ALIGNED = "\\begin{align*} a &amp;= b*c*d \\\\ &amp;= e \\end{align*}"


def test_environments_are_formulas_where_a_script_draws_them():
    written = "$$\\begin{align*} a &= b*c*d \\\\ &= e \\end{align*}$$"
    assert read(f"<p>Where {ALIGNED} holds.</p>", MATHJAX) == f"Where {written} holds."
    assert read(f'<div class="math">\n{ALIGNED}\n</div>', MATHJAX) == written
    assert read("<p>Where \\begin{align} is not closed.</p>", MATHJAX) == "Where \\begin{align} is not closed."
