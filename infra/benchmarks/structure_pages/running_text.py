"""Headings, quotes, links, emphasis and line breaks as pages write them."""

from collections.abc import Callable

from infra.benchmarks.structure_pages.page import Page, dialect

type HeadingWriter = Callable[[Page, int, str], str]


def _heading(page: Page, level: int, write: HeadingWriter) -> None:
    text = page.label(3)
    page.add(write(page, level, text))
    page.add(f"<p>{page.prose()}</p>")
    page.expect("headings", (level, text))


def _levels(page: Page, write: HeadingWriter, levels: tuple[int, ...] = (2, 3)) -> None:
    for level in levels:
        _heading(page, level, write)


@dialect("headings")
def skipped_levels(page: Page) -> None:
    _levels(page, lambda _, level, text: f"<h{level}>{text}</h{level}>", (2, 4, 6, 3))


@dialect("headings")
def sphinx_permalink(page: Page) -> None:
    _levels(
        page,
        lambda page, level, text: (
            f"<h{level}>{text}<a class='headerlink' href='#{page.slug()}' title='Permalink to this heading'>¶</a></h{level}>"
        ),
    )


@dialect("headings")
def hash_before(page: Page) -> None:
    def write(page: Page, level: int, text: str) -> str:
        slug = page.slug()
        return f"<h{level} id='{slug}'><a class='header-anchor' href='#{slug}'>#</a> {text}</h{level}>"

    _levels(page, write)


@dialect("headings")
def anchor_that_only_readers_hear(page: Page) -> None:
    def write(page: Page, level: int, text: str) -> str:
        slug = page.slug()
        return (
            f"<div class='markdown-heading' dir='auto'><h{level} class='heading-element'>{text}</h{level}><a id='{slug}' class='anchor' "
            f"aria-label='Permalink: {text}' href='#{slug}'><svg class='octicon octicon-link'><path d='m0'/></svg></a></div>"
        )

    _levels(page, write)


@dialect("headings")
def zero_width_anchor(page: Page) -> None:
    _levels(
        page,
        lambda page, level, text: (
            f"<h{level} class='anchor'>{text}<a href='#{page.slug()}' class='hash-link' aria-label='Direct link to {text}' "
            f"title='Direct link to {text}'>&#8203;</a></h{level}>"
        ),
    )


@dialect("headings")
def anchor_with_words(page: Page) -> None:
    _levels(
        page,
        lambda page, level, text: (
            f"<h{level}>{text} <a class='anchor-link' href='#{page.slug()}'><span class='visually-hidden'>Link to this section</span></a></h{level}>"
        ),
    )


@dialect("headings")
def aria_headings(page: Page) -> None:
    _levels(page, lambda _, level, text: f"<div class='title' role='heading' aria-level='{level}'>{text}</div>")


@dialect("headings")
def aria_level_of_tag(page: Page) -> None:
    """The level for readers of screens differs from the tag."""
    _levels(page, lambda _, level, text: f"<h6 role='heading' aria-level='{level}'>{text}</h6>")


@dialect("headings")
def in_header(page: Page) -> None:
    _levels(page, lambda _, level, text: f"<section><header><h{level}>{text}</h{level}></header></section>")


@dialect("headings")
def group_with_subtitle(page: Page) -> None:
    text, subtitle = page.label(3), page.label(4)
    page.add(f"<hgroup><h2>{text}</h2><p>{subtitle}</p></hgroup>")
    page.paragraph()
    page.expect("headings", (2, text))
    page.expect("lines", (text, subtitle))


@dialect("headings")
def wiki_heading(page: Page) -> None:
    _levels(
        page,
        lambda page, level, text: (
            f"<div class='mw-heading mw-heading{level}'><h{level} id='{page.slug()}'>{text}</h{level}><span class='mw-editsection'>"
            f"<span class='mw-editsection-bracket'>[</span><a href='/w/index.php?title=X&amp;action=edit'><span>edit</span></a>"
            f"<span class='mw-editsection-bracket'>]</span></span></div>"
        ),
    )


@dialect("headings")
def linked_heading(page: Page) -> None:
    def write(page: Page, level: int, text: str) -> str:
        slug = page.slug()
        return f"<h{level} id='{slug}'><a href='#{slug}'>{text}</a></h{level}>"

    _levels(page, write)


@dialect("headings")
def numbered_and_styled(page: Page) -> None:
    _levels(
        page,
        lambda _, level, text: (
            f"<h{level} class='wp-block-heading'><span class='ez-toc-section' id='a'></span><strong>{text}</strong>"
            f"<span class='ez-toc-section-end'></span></h{level}>"
        ),
    )


@dialect("headings")
def heading_with_break(page: Page) -> None:
    one, two = page.label(2), page.label(2)
    page.add(f"<h2>{one}<br>\n<small>{two}</small></h2>")
    page.paragraph()
    page.expect("headings", (2, f"{one} {two}"))


@dialect("headings")
def button_in_heading(page: Page) -> None:
    text, inner = page.label(3), page.prose(2)
    page.add(
        f"<h3><button aria-expanded='true' aria-controls='p1'>{text}</button></h3><div id='p1'><p>{inner}</p></div>"
    )
    page.expect("headings", (3, text))


@dialect("quotes")
def quote_of_paragraphs(page: Page) -> None:
    one, two = page.sentence(), page.sentence()
    page.add(f"<blockquote><p>{one}</p><p>{two}</p></blockquote>")
    page.expect("quotes", (1, one), (1, two))


@dialect("quotes")
def nested_quotes(page: Page) -> None:
    one, two, three = page.sentence(), page.sentence(), page.sentence()
    page.add(f"<blockquote><p>{one}</p><blockquote><p>{two}</p></blockquote><p>{three}</p></blockquote>")
    page.expect("quotes", (1, one), (2, two), (1, three))


@dialect("quotes")
def quote_with_source(page: Page) -> None:
    text, source = page.sentence(), page.label(2)
    page.add(
        f"<figure class='wp-block-quote'><blockquote><p>{text}</p></blockquote><figcaption>{source}</figcaption></figure>"
    )
    page.expect("quotes", (1, text))
    page.expect("lines", (text, source))


@dialect("quotes")
def quote_with_cite(page: Page) -> None:
    text, source = page.sentence(), page.label(2)
    page.add(f"<blockquote class='wp-block-quote'><p>{text}</p><cite>{source}</cite></blockquote>")
    page.expect("quotes", (1, text), (1, source))


@dialect("quotes")
def list_in_quote(page: Page) -> None:
    lead, items = page.sentence(), [page.label(3) for _ in range(3)]
    page.add(f"<blockquote>{lead}<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul></blockquote>")
    page.expect("quotes", (1, lead), *[(1, item) for item in items])
    page.expect("items", *[(1, "ul", item) for item in items])


@dialect("quotes")
def two_quotes_in_a_row(page: Page) -> None:
    one, two = page.sentence(), page.sentence()
    page.add(f"<blockquote><p>{one}</p></blockquote><blockquote><p>{two}</p></blockquote>")
    page.expect("quotes", (1, one), (1, two))


@dialect("quotes")
def quote_with_heading_and_code(page: Page) -> None:
    title, text, code = page.label(3), page.sentence(), f"go {page.slug()}\n  --fast"
    page.add(f"<blockquote><h4>{title}</h4><p>{text}</p><pre><code>{code}</code></pre></blockquote>")
    page.expect("quotes", (1, title), (1, text))
    page.expect("headings", (4, title))
    page.expect("code", ("", code))


def _target(page: Page) -> str:
    return f"https://other.example/{page.slug()}"


def _sentence_with(page: Page, markup: str) -> None:
    page.add(f"<p>{page.words(6).capitalize()} {markup} {page.words(6)}.</p>")


@dialect("links")
def brackets_in_text(page: Page) -> None:
    for text in (f"[{page.label(2)}]", f"{page.label(2)} [1] (2)", f"{page.label(1)}]", f"{page.label(1)} *a* _b_"):
        target = _target(page)
        _sentence_with(page, f"<a href='{target}'>{text}</a>")
        page.expect("links", (text, target))


@dialect("links")
def difficult_targets(page: Page) -> None:
    for end, written in (
        ("wiki/Heron_(bird)", "wiki/Heron_%28bird%29"),
        ("a b", "a%20b"),
        ("q?a=1&amp;b=[2]", "q?a=1&b=%5B2%5D"),
        ("x#part-*2*", "x#part-*2*"),
        ("größe", "gr%C3%B6%C3%9Fe"),
    ):
        text, slug = page.label(2), page.slug()
        _sentence_with(page, f"<a href='https://other.example/{slug}/{end}'>{text}</a>")
        page.expect("links", (text, f"https://other.example/{slug}/{written}"))


@dialect("links")
def relative_targets(page: Page) -> None:
    for href, target in (
        ("/a/b", "https://site.example/a/b"),
        ("c.html", "https://site.example/articles/c.html"),
        ("../d", "https://site.example/d"),
        ("//other.example/e", "https://other.example/e"),
        ("?page=2", f"{page.url}?page=2"),
        (" /f ", "https://site.example/f"),
    ):
        text = page.label(2)
        _sentence_with(page, f"<a href='{href}'>{text}</a>")
        page.expect("links", (text, target))


@dialect("links")
def emphasis_in_links(page: Page) -> None:
    one, two, three = page.label(2), page.label(2), page.label(2)
    targets = [_target(page) for _ in range(3)]
    _sentence_with(
        page, f"<a href='{targets[0]}'><strong>{one}</strong></a> and <em><a href='{targets[1]}'>{two}</a></em>"
    )
    _sentence_with(page, f"<a href='{targets[2]}'><code>{three}</code></a>")
    page.expect("links", *zip((one, two, three), targets, strict=True))
    page.expect("inline", ("strong", one), ("em", two), ("code", three))


@dialect("links")
def links_side_by_side(page: Page) -> None:
    pairs = [(page.label(1), _target(page)) for _ in range(3)]
    written = "".join(f"<a href='{target}'>{text}</a>" for text, target in pairs)
    _sentence_with(page, f"wow!{written}(see)")
    page.expect("links", *pairs)


@dialect("links")
def link_around_blocks(page: Page) -> None:
    title, target = page.label(3), _target(page)
    page.add(f"<p>{page.sentence()}</p><a href='{target}'><h3>{title}</h3></a><p>{page.sentence()}</p>")
    page.expect("links", (title, target))
    page.expect("headings", (3, title))


@dialect("links")
def link_over_lines(page: Page) -> None:
    one, two, target = page.label(2), page.label(2), _target(page)
    _sentence_with(page, f'<a\n href="{target}" target=_blank>\n  {one}<br>\n {two}\n</a>')
    page.expect("links", (f"{one} {two}", target))


@dialect("inline")
def emphasis(page: Page) -> None:
    pairs = [("strong", page.label(2)), ("em", page.label(2)), ("s", page.label(2)), ("strong", page.label(1))]
    tags = ["strong", "em", "del", "b"]
    for (kind, text), tag in zip(pairs, tags, strict=True):
        _sentence_with(page, f"<{tag}>{text}</{tag}>")
        page.expect("inline", (kind, text))


@dialect("inline")
def emphasis_by_style(page: Page) -> None:
    """Editors of documents mark emphasis by style alone."""
    one, two = page.label(2), page.label(2)
    _sentence_with(page, f"<span style='font-weight:700'>{one}</span>")
    _sentence_with(page, f"<span style='font-style: italic'>{two}</span>")
    page.expect("inline", ("strong", one), ("em", two))


@dialect("inline")
def emphasis_against_punctuation(page: Page) -> None:
    one, two, three, four = (page.label(1) for _ in range(4))
    _sentence_with(page, f"<strong>{one}:</strong>without space")
    _sentence_with(page, f"(<em>{two}</em>) and “<strong>{three}</strong>”")
    _sentence_with(page, f"<b> {four} </b>after")
    page.expect("inline", ("strong", one), ("em", two), ("strong", three), ("strong", four))


@dialect("inline")
def emphasis_across_blocks(page: Page) -> None:
    one, two = page.sentence(), page.sentence()
    page.add(f"<strong><p>{one}</p><p>{two}</p></strong>")
    page.expect("inline", ("strong", one), ("strong", two))


@dialect("inline")
def emphasis_in_emphasis(page: Page) -> None:
    one, two = page.label(2), page.label(2)
    _sentence_with(page, f"<strong><em>{one}</em></strong>")
    _sentence_with(page, f"<em>{page.words(2)} <strong>{two}</strong></em>")
    page.expect("inline", ("strong", one), ("em", one), ("strong", two))


@dialect("inline")
def signs_of_markdown(page: Page) -> None:
    for sign in (
        "*not emphasis*",
        "__init__ and _x_",
        "# no heading",
        "1. no item",
        "a | b",
        "`tick",
        "<b>no tag</b>",
        "\\* &amp;",
    ):
        text = f"{sign} {page.label(2)}"
        page.add(f"<p>{text.replace('&', '&amp;').replace('<', '&lt;')}</p>")
        page.expect("lines", (text,))


@dialect("inline")
def powers_and_indices(page: Page) -> None:
    n = page.counter = page.counter + 1
    page.add(
        f"<p>{page.words(4)} 10<sup>{n}</sup> {page.words(3)} CO<sub>{n}</sub> {page.words(3)} x<sup>n+{n}</sup>.</p>"
    )
    page.expect("signs", f"10^{n}", f"CO{n}", f"x^(n+{n})")


@dialect("inline")
def lines_of_verse(page: Page) -> None:
    lines = [page.sentence(5) for _ in range(4)]
    page.add(f"<p class='verse'>{'<br>'.join(lines)}</p>")
    page.expect("lines", tuple(lines))


@dialect("inline")
def address(page: Page) -> None:
    lines = [page.label(2) for _ in range(3)]
    page.add(f"<address>{'<br/> '.join(lines)}</address>")
    page.expect("lines", tuple(lines))


@dialect("inline")
def paragraphs_by_breaks(page: Page) -> None:
    texts = [page.prose(2) for _ in range(3)]
    page.add(f"<div>{'<br><br>'.join(texts)}</div>")
    page.expect("lines", tuple(texts))


@dialect("inline")
def insertions_and_marks(page: Page) -> None:
    one, two, three = page.label(2), page.label(2), page.label(2)
    page.add(f"<p>{one} <ins>{two}</ins> <mark>{three}</mark> {page.words(5)}.</p>")
    page.expect("signs", f"{one} {two} {three}")
