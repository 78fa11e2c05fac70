"""Structure as further publishing systems, wikis and forums write it."""

from infra.benchmarks.structure_pages.code_and_formulas import _coloured, _language, _sentence_with, _source, _tex
from infra.benchmarks.structure_pages.figures_and_notes import _image, _note
from infra.benchmarks.structure_pages.page import Page, Table, dialect, esc
from infra.benchmarks.structure_pages.running_text import _levels


@dialect("tables")
def wiki_page_with_wrappers(page: Page) -> None:
    rows = [[page.label(1) for _ in range(3)], *[[page.label(1), "7", "8"] for _ in range(3)]]
    head = "".join(
        f"<th class='confluenceTh'><div class='tablesorter-header-inner'><p><strong>{c}</strong></p></div></th>"
        for c in rows[0]
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td class='confluenceTd'><div class='content-wrapper'><p>{c}</p></div></td>" for c in row)
        + "</tr>"
        for row in rows[1:]
    )
    page.add(
        f"<div class='table-wrap'><table class='confluenceTable'><colgroup><col/></colgroup><tbody><tr>{head}</tr>{body}</tbody></table></div>"
    )
    page.expect("tables", Table(rows, head=True))


@dialect("tables")
def sorted_encyclopedia_table(page: Page) -> None:
    rows = [[page.label(1) for _ in range(3)], *[[page.label(1), str(page.rng.randint(10, 99)), "x"] for _ in range(4)]]
    body = "".join(
        f"<tr>\n<td data-sort-value='{n}'><a href='/wiki/{page.slug()}'>{a}</a>\n</td>\n<td>{b}<sup class='reference'>"
        f"<a href='#cite_note-{n}'>[a]</a></sup>\n</td>\n<td>{c}\n</td></tr>"
        for n, (a, b, c) in enumerate(rows[1:])
    )
    caption = page.sentence(5)
    page.add(
        f"<table class='wikitable sortable'>\n<caption>{caption}\n</caption>\n<tbody><tr>{''.join(f'<th>{c}\n</th>' for c in rows[0])}</tr>{body}</tbody></table>"
    )
    page.expect("tables", Table([rows[0], *[[a, f"{b}[a]", c] for a, b, c in rows[1:]]], head=True))
    page.expect("lines", (caption,))


@dialect("lists")
def word_processor_paragraphs(page: Page) -> None:
    """Items pasted from a word processor are paragraphs whose style names the level."""
    texts = [(1, page.label(3)), (2, page.label(3)), (2, page.label(3)), (1, page.label(3))]
    page.add(
        "".join(
            f"<p class='MsoListParagraph' style='margin-left:{depth * 36}pt;text-indent:-18pt;mso-list:l0 level{depth} lfo1'>"
            f"<span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7pt Times'>&nbsp;&nbsp;&nbsp; </span></span></span>{text}</p>"
            for depth, text in texts
        )
    )
    page.expect("items", *[(depth, "ul", text) for depth, text in texts])


@dialect("lists")
def levels_as_lists_in_a_row(page: Page) -> None:
    """An online editor of documents writes each level as a list of its own."""
    texts = [(0, page.label(3)), (1, page.label(3)), (1, page.label(3)), (0, page.label(3))]
    groups = [(0, texts[:1]), (1, texts[1:3]), (0, texts[3:])]
    page.add(
        "".join(
            f"<ul class='lst-kix_ab12-{level}{' start' if level else ''}'>"
            f"{''.join(f'<li class={chr(34)}c1 li-bullet-{level}{chr(34)}><span>{text}</span></li>' for _, text in items)}</ul>"
            for level, items in groups
        )
    )
    page.expect("items", *[(level + 1, "ul", text) for level, text in texts])


@dialect("code")
def question_site(page: Page) -> None:
    code, language = _source(page), _language(page)
    page.add(
        f"<pre class='lang-{language} s-code-block'><code class='hljs language-{language}'>{_coloured(code)}\n</code></pre>"
    )
    page.expect("code", (language, code))


@dialect("code")
def lines_as_spans(page: Page) -> None:
    code, language = _source(page), _language(page)
    lines = "\n".join(
        f"<span id='LC{n}' class='line' lang='{language}'>{_coloured(line)}</span>"
        for n, line in enumerate(code.split("\n"))
    )
    page.add(
        f"<pre class='code highlight js-syntax-highlight' lang='{language}' v-pre='true'><code>{lines}</code></pre><copy-code></copy-code>"
    )
    page.expect("code", (language, code))


@dialect("code")
def brush_class(page: Page) -> None:
    code = _source(page)
    page.add(
        f"<div class='code-example'><p class='example-header'><span class='language-name'>js</span></p><pre class='brush: js notranslate'><code>{esc(code)}\n</code></pre></div>"
    )
    page.expect("code", ("js", code))


@dialect("code")
def listing_block(page: Page) -> None:
    code, language = _source(page), _language(page)
    page.add(
        f"<div class='listingblock'><div class='content'><pre class='rouge highlight'><code data-lang='{language}'>{_coloured(code)}</code></pre></div></div>"
    )
    page.expect("code", (language, code))


@dialect("code")
def numbers_as_spans(page: Page) -> None:
    code, language = _source(page), _language(page)
    lines = "".join(
        f"<span><span class='linenumber react-syntax-highlighter-line-number' style='display:inline-block;min-width:2em'>{n}</span>"
        f"<span>{_coloured(line)}\n</span></span>"
        for n, line in enumerate(code.split("\n"), 1)
    )
    page.add(
        f"<pre style='display:block'><code class='language-{language}' style='white-space:pre'>{lines}</code></pre>"
    )
    page.expect("code", (language, code))


@dialect("figures")
def newsletter_picture(page: Page) -> None:
    url, caption = _image(page), page.sentence(7)
    page.add(
        f"<div class='captioned-image-container'><figure><a class='image-link image2' target='_blank' href='{url}'><div class='image2-inset'>"
        f"<picture><source type='image/webp' srcset='{url}?w=424 424w'><img src='{url}' width='1456' height='816' class='sizing-normal' alt=''>"
        f"</picture></div></a><figcaption class='image-caption'>{caption}</figcaption></figure></div>"
    )
    page.expect("figures", (url, caption))


@dialect("figures")
def gallery_of_terms(page: Page) -> None:
    url, caption = _image(page), page.sentence(6)
    page.add(
        f"<div class='gallery'><dl class='gallery-item'><dt class='gallery-icon'><a href='/a/'><img src='{url}' alt='{page.words(3)}'></a></dt>"
        f"<dd class='wp-caption-text gallery-caption'>{caption}</dd></dl></div>"
    )
    page.expect("figures", (url, caption))


@dialect("figures")
def mobile_picture(page: Page) -> None:
    url, caption = _image(page), page.sentence(6)
    page.add(
        f"<figure><amp-img src='{url}' width='600' height='400' layout='responsive' alt='{page.words(3)}'></amp-img><figcaption>{caption}</figcaption></figure>"
    )
    page.expect("figures", (url, caption))


@dialect("formulas")
def question_site_container(page: Page) -> None:
    inline, display = _tex(page), _tex(page)
    page.add("<script src='https://cdn.example/mathjax/2.7.5/MathJax.js?config=TeX-AMS'></script>")
    _sentence_with(page, f"<span class='math-container'>${esc(inline)}$</span>")
    page.add(f"<p><span class='math-container'>$${esc(display)}$$</span></p>")
    page.expect("formulas", ("inline", inline), ("display", display))


@dialect("formulas")
def picture_service(page: Page) -> None:
    one, two = _tex(page), _tex(page)
    for tex in (one, two):
        _sentence_with(page, f"<img src='https://l.example/equation?tex={page.slug()}' alt='{esc(tex)}' eeimg='1'>")
    page.expect("formulas", ("", one), ("", two))


def _notes(page: Page, mark: str, item: str, holder: str) -> None:
    texts = [_note(page) for _ in range(2)]
    page.add(
        "<p>" + " ".join(s + mark.replace("#", str(n)).replace("~", "#") for n, (s, _) in enumerate(texts, 1)) + "</p>"
    )
    items = "".join(item.replace("#", str(n)).replace("~", "#").replace("@", t) for n, (_, t) in enumerate(texts, 1))
    page.notes.append(lambda: holder.replace("@", items))
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])


@dialect("notes")
def markup_with_colons(page: Page) -> None:
    _notes(
        page,
        "<sup id='fnref:#' role='doc-noteref'><a href='~fn:#' class='footnote' rel='footnote'>#</a></sup>",
        "<li id='fn:#' role='doc-endnote'><p>@ <a href='~fnref:#' class='reversefootnote' role='doc-backlink'>↩︎</a></p></li>",
        "<div class='footnotes' role='doc-endnotes'><ol>@</ol></div>",
    )


@dialect("notes")
def plugin_notes(page: Page) -> None:
    _notes(
        page,
        "<span class='easy-footnote'><a href='~easy-footnote-bottom-#-5' title='note'><sup>#</sup></a></span>",
        "<li><span id='easy-footnote-bottom-#-5' class='easy-footnote-margin-adjust'></span>@<a class='easy-footnote-to-top' href='~easy-footnote-#-5'></a></li>",
        "<div class='easy-footnote-title'><h4>Notes</h4></div><ol class='easy-footnotes-wrapper'>@</ol>",
    )
    page.expect("headings", (4, "Notes"))


@dialect("headings")
def documentation_of_code(page: Page) -> None:
    _levels(
        page,
        lambda page, level, text: (
            f"<h{level} id='{page.slug()}'><a class='doc-anchor' href='#x'>§</a>{text}</h{level}>"
        ),
    )


@dialect("headings")
def blocks_in_heading(page: Page) -> None:
    _levels(
        page,
        lambda page, level, text: (
            f"<h{level} class='flex group' id='a'><div class='hash grid'><a href='#{page.slug()}' aria-label='Direct link to heading'>#</a>"
            f"</div><div class='grow'>{text}</div></h{level}>"
        ),
    )


@dialect("headings")
def headline_span(page: Page) -> None:
    _levels(
        page,
        lambda page, level, text: (
            f"<h{level}><span class='mw-headline' id='{page.slug()}'>{text}</span><span class='mw-editsection'><span>[</span>"
            f"<a href='/w/x'>edit</a><span>]</span></span></h{level}>"
        ),
    )


@dialect("quotes")
def forum_quote(page: Page) -> None:
    user, text, reply = page.label(1), page.sentence(), page.sentence()
    page.add(
        f"<aside class='quote no-group' data-username='x'><div class='title'><div class='quote-controls'></div>{user}:</div>"
        f"<blockquote><p>{text}</p></blockquote></aside><p>{reply}</p>"
    )
    page.expect("quotes", (1, text))
    page.expect("lines", (reply,))
