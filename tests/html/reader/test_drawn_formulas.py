"""Formulas of which a page has only the drawing, as MathJax and KaTeX write it."""

import pytest
from tests.html.reader.test_formulas import read


def html_token(tag: str, letters: str, names: str = "") -> str:
    drawn = "".join(f'<mjx-c class="mjx-c{ord(letter):X} {names}"></mjx-c>' for letter in letters)
    return f"<mjx-{tag}>{drawn}</mjx-{tag}>"


def svg_token(tag: str, letters: str, font: str = "I") -> str:
    uses = "".join(
        f'<use data-c="{ord(letter):X}" xlink:href="#MJX-1-TEX-{font}-{ord(letter):X}"></use>' for letter in letters
    )
    return f'<g data-mml-node="{tag}">{uses}</g>'


def svg(tag: str, *parts: str) -> str:
    return f'<g data-mml-node="{tag}">{"".join(parts)}</g>'


X, Y, TWO = html_token("mi", "𝑥"), html_token("mi", "𝑦"), html_token("mn", "2")
ROOT = "<mjx-surd><mjx-mo><mjx-c class='mjx-c221A'></mjx-c></mjx-mo></mjx-surd>"
LONG = "<mjx-mo><mjx-stretchy-h class='mjx-c{}'><mjx-ext><mjx-c></mjx-c></mjx-ext></mjx-stretchy-h></mjx-mo>"
CELLS = "<mjx-mtr><mjx-mtd>{}</mjx-mtd><mjx-mtd>{}</mjx-mtd></mjx-mtr>"
TABLE = "<mjx-mtable><mjx-table><mjx-itable>{}</mjx-itable></mjx-table>{}</mjx-mtable>"
LIMITS = (
    "<mjx-munderover><mjx-over>{}</mjx-over><mjx-box><mjx-munder><mjx-row><mjx-base>{}</mjx-base></mjx-row>"
    "<mjx-row><mjx-under>{}</mjx-under></mjx-row></mjx-munder></mjx-box></mjx-munderover>"
)
HTML = {
    "power": (f"<mjx-msup>{X}<mjx-script>{TWO}</mjx-script></mjx-msup>", "x^{2}"),
    "both scripts": (f"<mjx-msubsup>{X}<mjx-script>{TWO}<mjx-spacer></mjx-spacer>{Y}</mjx-script></mjx-msubsup>", "x_{y}^{2}"),
    "fraction": (f"<mjx-mfrac><mjx-frac><mjx-num>{X}</mjx-num><mjx-dbox><mjx-dtable><mjx-line></mjx-line><mjx-row><mjx-den>{Y}</mjx-den></mjx-row></mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac>", r"\frac{x}{y}"),
    "fraction without a line": (f'<mjx-mfrac><mjx-frac atop="true"><mjx-num>{X}</mjx-num><mjx-den>{Y}</mjx-den></mjx-frac></mjx-mfrac>', r"{x \atop y}"),
    "root": (f"<mjx-msqrt><mjx-sqrt>{ROOT}<mjx-box>{X}{Y}</mjx-box></mjx-sqrt></mjx-msqrt>", r"\sqrt{xy}"),
    "third root": (f"<mjx-mroot><mjx-root>{html_token('mn', '3')}</mjx-root><mjx-sqrt>{ROOT}<mjx-box>{X}</mjx-box></mjx-sqrt></mjx-mroot>", r"\sqrt[3]{x}"),
    "limits": (LIMITS.format(Y, html_token("mo", "∑"), X), "∑_{x}^{y}"),
    "line above": (f"<mjx-mover><mjx-over>{LONG.format('2013')}</mjx-over><mjx-base>{X}</mjx-base></mjx-mover>", r"\overline{x}"),
    "alphabets": (html_token("mi", "L", "TEX-C") + html_token("mi", "ℝ") + html_token("mi", "𝐯"), r"\mathcal{L}\mathbb{R}\mathbf{v}"),
    "function and words": (html_token("mi", "sin") + X + html_token("mtext", "if so"), r"\sin x\text{if so}"),
    "matrix": (TABLE.format(CELLS.format(X, Y) + CELLS.format(TWO, X), ""), r"\begin{matrix}x & y \\ 2 & x\end{matrix}"),
    "numbered equation": (TABLE.format(f"<mjx-mlabeledtr><mjx-mtd>{X}</mjx-mtd></mjx-mlabeledtr>", f"<mjx-labels><mjx-itable><mjx-mtr><mjx-mtd>{html_token('mtext', '(3)')}</mjx-mtd></mjx-mtr></mjx-itable></mjx-labels>"), r"x \tag{3}"),
    "characters as text": ("<mjx-mi><mjx-c class='mjx-c1D465'>𝑥</mjx-c></mjx-mi><mjx-mo><mjx-utext>＋</mjx-utext></mjx-mo>", "x＋"),
    "unseen part": (f"{X}<mjx-mphantom>{Y}</mjx-mphantom>", "x"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HTML))
def test_mathjax_as_html(name):
    drawn, wanted = HTML[name]
    assert (
        read(
            f'<p>It is <mjx-container class="MathJax" jax="CHTML"><mjx-math class="MJX-TEX">{drawn}</mjx-math></mjx-container> here.</p>'
        )
        == f"It is ${wanted}$ here."
    )


SX, SY, STWO = svg_token("mi", "𝑥"), svg_token("mi", "𝑦"), svg_token("mn", "2", "N")
HIGH, LOW = (
    '<g data-mml-node="TeXAtom" transform="translate(605,413) scale(0.707)">',
    '<g data-mml-node="TeXAtom" transform="translate(605,-247) scale(0.707)">',
)
SVG = {
    "power": (svg("msup", SX, STWO), "x^{2}"),
    "both scripts": (svg("msubsup", SX, f"{HIGH}{STWO}</g>", f"{LOW}{SY}</g>"), "x_{y}^{2}"),
    "limits": (svg("munderover", svg_token("mo", "∑", "LO"), f"{LOW}{SX}</g>", f"{HIGH}{SY}</g>"), "∑_{x}^{y}"),
    "fraction": (svg("mfrac", SX, SY, '<rect width="9" height="60"></rect>'), r"\frac{x}{y}"),
    "fraction without a line": (svg("mfrac", SX, SY), r"{x \atop y}"),
    "root": (svg("msqrt", f"<g>{SX}{SY}</g>", svg_token("mo", "√", "N"), "<rect></rect>"), r"\sqrt{xy}"),
    "third root": (svg("mroot", f"<g>{SX}</g>", svg_token("mn", "3", "N"), svg_token("mo", "√", "N"), "<rect></rect>"), r"\sqrt[3]{x}"),
    "third root of more": (svg("mroot", f"<g>{SX}{SY}</g>", svg_token("mn", "3", "N"), svg_token("mo", "√", "N")), r"\sqrt[3]{xy}"),
    "brace below": (svg("munder", SX, '<g data-mml-node="mo"><use data-c="E152"></use><use data-c="E153"></use><svg><use data-c="E154"></use></svg></g>'), r"\underbrace{x}"),
    "alphabet": (svg_token("mi", "L", "C"), r"\mathcal{L}"),
    "glyphs in place": ('<g data-mml-node="mi"><path data-c="1D465" d="M1 2"></path></g>', "x"),
    "wrong code": ('<g data-mml-node="mi"><path data-c="zz" d="M1 2"></path><path data-c="78" d="M1 2"></path></g>', "x"),
    "matrix": (svg("mtable", svg("mtr", svg("mtd", SX), svg("mtd", SY))), r"\begin{matrix}x & y\end{matrix}"),
    "numbered equation": (svg("mtable", f"<g>{svg('mlabeledtr', svg('mtd', SX))}</g>", f'<g data-labels="true">{svg("mtd", svg_token("mtext", "(3)", "N"))}</g>'), r"x \tag{3}"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SVG))
def test_mathjax_as_svg(name):
    drawn, wanted = SVG[name]
    assert (
        read(
            f'<p>It is <mjx-container class="MathJax" jax="SVG"><svg role="img"><defs></defs><g><g data-mml-node="math">{drawn}</g></g></svg></mjx-container> here.</p>'
        )
        == f"It is ${wanted}$ here."
    )


def stack(*parts: str, lowered: bool = False) -> str:
    rows = "".join(f'<span style="top:-3em;"><span class="pstrut"></span>{part}</span>' for part in parts)
    second = (
        '<span class="vlist-s">\u200b</span></span><span class="vlist-r"><span class="vlist"><span></span></span>'
        if lowered
        else ""
    )
    return f'<span class="vlist-t{" vlist-t2" if lowered else ""}"><span class="vlist-r"><span class="vlist">{rows}</span>{second}</span></span>'


def span(names: str, *parts: str) -> str:
    return f'<span class="{names}">{"".join(parts)}</span>'


KX, KY, KTWO = span("mord mathnormal", "x"), span("mord mathnormal", "y"), span("mord", "2")
SMALL = span("sizing reset-size6 size3 mtight", KTWO)
KATEX = {
    "power": (span("mord", KX, span("msupsub", stack(SMALL))), "x^{2}"),
    "index": (span("mord", KX, span("msupsub", stack(SMALL, lowered=True))), "x_{2}"),
    "both scripts": (span("mord", KX, span("msupsub", stack(KY, SMALL, lowered=True))), "x_{y}^{2}"),
    "fraction": (span("mord", span("mopen nulldelimiter"), span("mfrac", stack(KY, span("frac-line"), KX))), r"\frac{x}{y}"),
    "fraction without a line": (span("mord", span("mfrac", stack(KY, KX))), r"{x \atop y}"),
    "root": (span("mord sqrt", stack(KX, span("hide-tail", "<svg></svg>"))), r"\sqrt{x}"),
    "third root": (span("mord sqrt", span("root", stack(span("mord", "3"))), stack(KX)), r"\sqrt[3]{x}"),
    "limits": (span("mop op-limits", stack(SMALL, f"<span>{span('mop op-symbol', '∑')}</span>", SMALL)), "∑_{2}^{2}"),
    "limit below": (span("mop op-limits", stack(SMALL, f"<span>{span('mop', 'lim')}</span>")), r"\lim_{2}"),
    "accent": (span("mord accent", stack(KX, span("accent-body", span("mord", "^")))), r"\hat{x}"),
    "vector": (span("mord accent", stack(KX, span("accent-body", span("overlay", "<svg></svg>")))), r"\vec{x}"),
    "line above": (span("mord overline", stack(KX, span("overline-line"))), r"\overline{x}"),
    "brace below": (span("mord munder", stack(span("svg-align", "<svg></svg>"), KX)), r"\underbrace{x}"),
    "matrix": (span("mtable", span("col-align-c", stack(KX, KTWO)), span("col-align-c", stack(KY, KX))), r"\begin{matrix}x & y \\ 2 & x\end{matrix}"),
    "tall bracket": (span("mopen", span("delimsizing mult", stack("<span>⎩</span>", "<span>⎧</span>"))) + KX, r"\{x"),
    "negation": (span("mrel", span("mrel", "\ue020"), span("mrel", "=")) + KX, "≠x"),
    "words and a number": (KX + span("mord text", span("mord", "if so")) + span("tag", span("mord text", "(3)")), r"x\text{if so} \tag{3}"),
    "alphabet": (span("mord mathbb", "R"), r"\mathbb{R}"),
    "unknown parts above each other": (span("mord", stack(KY, KX)), "xy"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(KATEX))
def test_katex_as_html(name):
    drawn, wanted = KATEX[name]
    base = span("base", span("strut"), drawn)
    assert (
        read(f'<p>It is <span class="katex"><span class="katex-html" aria-hidden="true">{base}</span></span> here.</p>')
        == f"It is ${wanted}$ here."
    )


def test_a_drawing_without_parts_is_left_out():
    assert read('<p>It is <mjx-container class="MathJax"><svg></svg></mjx-container> here.</p>') == "It is here."
    assert read('<p>It is <span class="katex"><span class="katex-html"></span></span> here.</p>') == "It is here."
