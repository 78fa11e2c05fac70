"""Code and formulas as highlighters and typesetters write them."""

import re

from infra.benchmarks.structure_pages.page import Page, dialect, esc

LANGUAGES = ("python", "rust", "javascript", "bash", "json", "go", "c++")


def _source(page: Page) -> str:
    name, other = page.slug().replace("-", "_"), page.slug().replace("-", "_")
    return f"def {name}(a, b):\n    # {page.words(4)}\n    if a < b and b > 0:\n        return [{other}(a), '<x>']\n\n    return None"


def _coloured(code: str) -> str:
    words = re.split(r"(\bdef\b|\bif\b|\breturn\b|\band\b)", code)
    return "".join(f"<span class='k'>{word}</span>" if place % 2 else esc(word) for place, word in enumerate(words))


def _language(page: Page) -> str:
    return page.rng.choice(LANGUAGES)


@dialect("code")
def language_class(page: Page) -> None:
    code, language = _source(page), _language(page)
    page.add(f"<pre><code class='language-{language}'>{esc(code)}\n</code></pre>")
    page.expect("code", (language, code))


@dialect("code")
def without_language(page: Page) -> None:
    code = _source(page)
    page.add(f"<pre>{esc(code)}</pre>")
    page.expect("code", ("", code))


@dialect("code")
def highlight_js(page: Page) -> None:
    code, language = _source(page), _language(page)
    page.add(f"<pre><code class='hljs {language}'>{_coloured(code)}</code></pre>")
    page.expect("code", (language, code))


@dialect("code")
def prism_with_line_numbers(page: Page) -> None:
    code, language = _source(page), _language(page)
    rows = "<span></span>" * (code.count("\n") + 1)
    page.add(
        f"<div class='code-toolbar'><pre class='line-numbers language-{language}'><code class='language-{language}'>"
        f"{_coloured(code)}<span aria-hidden='true' class='line-numbers-rows'>{rows}</span></code></pre>"
        f"<div class='toolbar'><div class='toolbar-item'><button type='button'>Copy</button></div></div></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def pygments_table(page: Page) -> None:
    code, language = _source(page), _language(page)
    numbers = "\n".join(f"<span class='normal'>{n + 1}</span>" for n in range(code.count("\n") + 1))
    page.add(
        f"<div class='highlight-{language} notranslate'><div class='highlight'><table class='highlighttable'><tr>"
        f"<td class='linenos'><div class='linenodiv'><pre>{numbers}</pre></div></td>"
        f"<td class='code'><div><pre><span></span><code>{_coloured(code)}\n</code></pre></div></td></tr></table></div></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def rouge_table(page: Page) -> None:
    code, language = _source(page), _language(page)
    numbers = "\n".join(str(n + 1) for n in range(code.count("\n") + 1))
    page.add(
        f"<div class='language-{language} highlighter-rouge'><div class='highlight'><code><table class='rouge-table'><tbody>"
        f"<tr><td class='rouge-gutter gl'><pre class='lineno'>{numbers}\n</pre></td>"
        f"<td class='rouge-code'><pre>{_coloured(code)}\n</pre></td></tr></tbody></table></code></div></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def chroma_line_numbers(page: Page) -> None:
    code, language = _source(page), _language(page)
    lines = "".join(
        f"<span style='display:flex;'><span class='ln' style='user-select:none'>{n + 1}</span>"
        f"<span class='cl'>{_coloured(line)}\n</span></span>"
        for n, line in enumerate(code.split("\n"))
    )
    page.add(
        f"<div class='highlight'><pre tabindex='0' class='chroma'><code class='language-{language}' data-lang='{language}'>"
        f"{lines}</code></pre></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def repository_blob(page: Page) -> None:
    """Each line of code is a row of a table."""
    code = _source(page)
    rows = "".join(
        f"<tr><td id='L{n + 1}' class='blob-num js-line-number' data-line-number='{n + 1}'></td>"
        f"<td id='LC{n + 1}' class='blob-code blob-code-inner js-file-line'>{_coloured(line) or chr(10)}</td></tr>"
        for n, line in enumerate(code.split("\n"))
    )
    page.add(
        f"<div class='blob-wrapper data type-python'><table class='highlight tab-size js-file-line-container' "
        f"data-tab-size='8'>{rows}</table></div>"
    )
    page.expect("code", ("", code))


@dialect("code")
def lines_as_list(page: Page) -> None:
    code, language = _source(page), _language(page)
    items = "".join(f"<li class='L{n % 10}'>{_coloured(line)}</li>" for n, line in enumerate(code.split("\n")))
    page.add(f"<pre class='prettyprint lang-{language} linenums'><ol class='linenums'>{items}</ol></pre>")
    page.expect("code", (language, code))


@dialect("code")
def repository_markdown(page: Page) -> None:
    code, language = _source(page), _language(page)
    page.add(
        f"<div class='highlight highlight-source-{language} notranslate position-relative overflow-auto' dir='auto'>"
        f"<pre>{_coloured(code)}</pre><div class='zeroclipboard-container'><clipboard-copy aria-label='Copy'>"
        f"<svg></svg></clipboard-copy></div></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def lines_as_divs(page: Page) -> None:
    """Lines are blocks, as of a framework for documentation."""
    code, language = _source(page), _language(page)
    lines = "".join(
        f"<span class='token-line' style='color:#393A34'><span class='token plain'>{_coloured(line)}</span><br></span>"
        for line in code.split("\n")
    )
    page.add(
        f"<div class='language-{language} codeBlockContainer theme-code-block'><div class='codeBlockContent'>"
        f"<pre tabindex='0' class='prism-code language-{language} codeBlock'><code class='codeBlockLines'>{lines}</code></pre>"
        f"<div class='buttonGroup'><button aria-label='Copy code to clipboard' type='button'><svg></svg></button></div></div></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def lines_with_data_attribute(page: Page) -> None:
    code, language = _source(page), _language(page)
    lines = "\n".join(f"<span data-line=''>{_coloured(line) or ' '}</span>" for line in code.split("\n"))
    page.add(
        f"<figure data-rehype-pretty-code-figure=''><pre data-language='{language}' data-theme='dark'>"
        f"<code data-language='{language}' style='display:grid'>{lines}</code></pre></figure>"
    )
    page.expect("code", (language, code))


@dialect("code")
def syntax_highlighter(page: Page) -> None:
    code, language = _source(page), _language(page)
    lines = code.split("\n")
    gutter = "".join(f"<div class='line number{n + 1} index{n} alt2'>{n + 1}</div>" for n in range(len(lines)))
    written = "".join(
        f"<div class='line number{n + 1} index{n} alt2'><code class='{language} plain'>{esc(line).replace('    ', '&nbsp;' * 4)}</code>"
        f"{'' if line else '&nbsp;'}</div>"
        for n, line in enumerate(lines)
    )
    page.add(
        f"<div class='syntaxhighlighter {language}'><table border='0' cellpadding='0' cellspacing='0'><tbody><tr>"
        f"<td class='gutter'>{gutter}</td><td class='code'><div class='container'>{written}</div></td></tr></tbody></table></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def title_and_copy_button(page: Page) -> None:
    code, language, title = _source(page), _language(page), f"{page.slug()}.txt"
    page.add(
        f"<div class='code-block'><div class='code-header'><span class='filename'>{title}</span>"
        f"<button class='copy'>Copy</button></div><pre class='{language}'><code data-language='{language}'>{esc(code)}</code></pre></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def code_with_breaks(page: Page) -> None:
    code = _source(page)
    page.add(f"<pre class='wp-block-code'><code>{'<br>'.join(map(esc, code.split(chr(10))))}</code></pre>")
    page.expect("code", ("", code))


@dialect("code")
def inline_code(page: Page) -> None:
    names = [page.slug(), f"{page.slug()} `x`", f"--{page.slug()}=*"]
    tags = page.rng.sample(["code", "kbd", "samp", "tt"], 3)
    texts = [f"{page.words(5)} <{tag}>{name}</{tag}>" for tag, name in zip(tags, names, strict=True)]
    page.add(f"<p>{', '.join(texts)} {page.words(4)}.</p>")
    page.expect("inline", *[("code", name) for name in names])


def _tex(page: Page) -> str:
    a, b = page.rng.choice("xyzuvw"), page.rng.choice("nmkpq")
    n = page.counter = page.counter + 1
    return page.rng.choice(
        [
            rf"\frac{{{a}_{b}}}{{{n}+{b}^2}}",
            rf"\sum_{{{b}=1}}^{{{n}}} {a}_{b} \leq {n}",
            rf"{a}^{{{n}}} + \sqrt{{{b}}}",
            rf"\alpha_{{{b}}} = {n} * {a} * {b}",
        ]
    )


def _math(tex: str, attributes: str = "") -> str:
    return (
        f"<math xmlns='http://www.w3.org/1998/Math/MathML'{attributes}><semantics><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow>"
        f"<annotation encoding='application/x-tex'>{esc(tex)}</annotation></semantics></math>"
    )


def _sentence_with(page: Page, formula: str) -> None:
    page.add(f"<p>{page.words(6).capitalize()} {formula} {page.words(6)}.</p>")


@dialect("formulas")
def katex(page: Page) -> None:
    inline, display = _tex(page), _tex(page)
    html = "<span class='katex-html' aria-hidden='true'><span class='base'><span class='mord'>x</span>+1</span></span>"
    _sentence_with(page, f"<span class='katex'><span class='katex-mathml'>{_math(inline)}</span>{html}</span>")
    block = f"<span class='katex'><span class='katex-mathml'>{_math(display, ' display="block"')}</span>{html}</span>"
    page.add(f"<p><span class='katex-display'>{block}</span></p>")
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def mathjax_2(page: Page) -> None:
    inline, display = _tex(page), _tex(page)
    preview = "<span class='MathJax_Preview' style='color:inherit;display:none'></span>"
    drawn = "<span class='MathJax' id='M1'><nobr><span class='math'><span>x+1</span></span></nobr></span>"
    _sentence_with(page, f"{preview}{drawn}<script type='math/tex' id='E1'>{inline}</script>")
    page.add(
        f"<div>{preview}<div class='MathJax_Display'>{drawn}</div><script type='math/tex; mode=display'>{display}</script></div>"
    )
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def mathjax_3(page: Page) -> None:
    inline, display = _tex(page), _tex(page)
    glyphs = "<mjx-math class='MJX-TEX' aria-hidden='true'><mjx-mi class='mjx-i'><mjx-c class='mjx-c1D465'></mjx-c></mjx-mi></mjx-math>"
    for tex, attributes, holder in ((inline, "", "span"), (display, " display='true'", "div")):
        assistive = f"<mjx-assistive-mml unselectable='on'>{_math(tex)}</mjx-assistive-mml>"
        formula = f"<mjx-container class='MathJax' jax='CHTML'{attributes}>{glyphs}{assistive}</mjx-container>"
        if holder == "span":
            _sentence_with(page, formula)
        else:
            page.add(f"<div>{formula}</div>")
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def unrendered_tex(page: Page) -> None:
    """Formulas that a script of the page would draw."""
    inline, display = _tex(page), _tex(page)
    page.add("<script defer src='https://cdn.example/npm/katex/dist/contrib/auto-render.min.js'></script>")
    _sentence_with(page, rf"\({esc(inline)}\)")
    page.add(rf"<p>\[{esc(display)}\]</p>")
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def unrendered_dollars(page: Page) -> None:
    inline, display = _tex(page), _tex(page)
    page.add("<script src='https://cdn.example/npm/mathjax@3/es5/tex-mml-chtml.js'></script>")
    _sentence_with(page, f"${esc(inline)}$")
    page.add(f"<p>$${esc(display)}$$</p>")
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def math_span(page: Page) -> None:
    """Pandoc and static site builders."""
    inline, display = _tex(page), _tex(page)
    _sentence_with(page, rf"<span class='math inline'>\({esc(inline)}\)</span>")
    page.add(rf"<p><span class='math display'>\[{esc(display)}\]</span></p>")
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def sphinx_div(page: Page) -> None:
    inline, display = _tex(page), _tex(page)
    _sentence_with(page, rf"<span class='math notranslate nohighlight'>\({esc(inline)}\)</span>")
    page.add(f"<div class='math notranslate nohighlight'>\n\\[{esc(display)}\\]</div>")
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def wiki_image(page: Page) -> None:
    inline, display = _tex(page), _tex(page)
    for tex, kind in ((inline, "inline"), (display, "display")):
        alternative = f"{{\\displaystyle {esc(tex)}}}"
        formula = (
            f"<span class='mwe-math-element mwe-math-element-{kind}'><span class='mwe-math-mathml-{kind} mwe-math-mathml-a11y' "
            f"style='display: none;'>{_math(f'{{\\displaystyle {tex}}}', f' alttext="{alternative}"')}</span>"
            f"<img src='https://math.example/svg/{page.slug()}' class='mwe-math-fallback-image-{kind} mw-invert' "
            f"aria-hidden='true' style='vertical-align: -0.8ex' alt='{alternative}'></span>"
        )
        if kind == "inline":
            _sentence_with(page, formula)
        else:
            page.add(f"<dl><dd>{formula}</dd></dl>")
    page.expect("formulas", ("", inline), ("", display))


@dialect("formulas")
def image_with_tex(page: Page) -> None:
    """Blogs that draw formulas on the server."""
    inline, other = _tex(page), _tex(page)
    for tex in (inline, other):
        _sentence_with(
            page,
            f"<img class='latex' src='https://l.example/latex.php?latex={page.slug()}' alt='{esc(tex)}' title='{esc(tex)}'>",
        )
    page.expect("formulas", ("", inline), ("", other))


@dialect("formulas")
def mathml_with_alttext(page: Page) -> None:
    inline, display = _tex(page), _tex(page)
    _sentence_with(page, f"<math alttext='{esc(inline)}' class='ltx_Math' display='inline'><mi>x</mi></math>")
    page.add(
        f"<table class='ltx_equation ltx_eqn_table'><tbody><tr class='ltx_equation'><td class='ltx_eqn_cell ltx_eqn_center_padleft'></td>"
        f"<td class='ltx_eqn_cell ltx_align_center'><math alttext='{esc(display)}' class='ltx_Math' display='block'><mi>x</mi></math></td>"
        f"<td class='ltx_eqn_cell ltx_eqn_center_padright'></td><td class='ltx_eqn_cell'><span class='ltx_tag'>(1)</span></td></tr></tbody></table>"
    )
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def pure_mathml(page: Page) -> None:
    """MathML without TeX: fractions, powers, indices and roots keep their meaning."""
    n = page.counter = page.counter + 1
    one = f"<math><mfrac><msub><mi>x</mi><mn>{n}</mn></msub><mrow><mi>y</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>"
    two = f"<math display='block'><msup><mi>z</mi><mrow><mn>2</mn><mi>k</mi></mrow></msup><mo>=</mo><msqrt><mn>{n}</mn></msqrt></math>"
    _sentence_with(page, one)
    page.add(f"<p>{two}</p>")
    page.expect("formulas", ("inline", rf"\frac{{x_{{{n}}}}}{{y+1}}"), ("display", rf"z^{{2k}}=\sqrt{{{n}}}"))
