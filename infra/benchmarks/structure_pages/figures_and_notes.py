"""Figures with captions and footnotes as pages write them."""

from infra.benchmarks.structure_pages.page import Page, dialect

SPACER = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def _image(page: Page) -> str:
    return f"https://pictures.example/{page.slug()}.jpg"


def _expect(page: Page, url: str, caption: str) -> None:
    page.expect("figures", (url, caption))


@dialect("figures")
def figcaption(page: Page) -> None:
    url, caption = _image(page), page.sentence(8)
    page.add(f"<figure><img src='{url}' alt='{page.words(4)}'><figcaption>{caption}</figcaption></figure>")
    _expect(page, url, caption)


@dialect("figures")
def without_alternative(page: Page) -> None:
    url, caption = _image(page), page.sentence(8)
    page.add(f"<figure class='image'><img src='{url}' alt=''><figcaption><p>{caption}</p></figcaption></figure>")
    _expect(page, url, caption)


@dialect("figures")
def caption_first(page: Page) -> None:
    url, caption = _image(page), page.sentence(8)
    page.add(
        f"<figure><figcaption><strong>Figure 2.</strong> {caption}</figcaption><img src='{url}' alt='{page.words(3)}'></figure>"
    )
    _expect(page, url, f"Figure 2. {caption}")


@dialect("figures")
def wordpress_caption(page: Page) -> None:
    url, caption = _image(page), page.sentence(8)
    page.add(
        f"<div id='attachment_12' style='width: 610px' class='wp-caption aligncenter'><a href='{url}'><img class='size-large' "
        f"src='{url}' alt='{page.words(4)}' width='600' height='400'></a><p class='wp-caption-text'>{caption}</p></div>"
    )
    _expect(page, url, caption)


@dialect("figures")
def lazy(page: Page) -> None:
    url, caption = _image(page), page.sentence(8)
    name = page.rng.choice(["data-src", "data-lazy-src", "data-original"])
    page.add(
        f"<figure><img class='lazyload' src='{SPACER}' {name}='{url}' alt='{page.words(4)}'><figcaption>{caption}</figcaption></figure>"
    )
    _expect(page, url, caption)


@dialect("figures")
def lazy_with_placeholder_file(page: Page) -> None:
    """The placeholder is a file of its own, so that only the attribute for scripts names the picture."""
    url, caption = _image(page), page.sentence(8)
    page.add(
        f"<figure><img class='lazy' src='https://site.example/static/placeholder.gif' data-src='{url}' alt='{page.words(4)}'>"
        f"<figcaption>{caption}</figcaption></figure>"
    )
    _expect(page, url, caption)


@dialect("figures")
def picture_sources(page: Page) -> None:
    url, caption = _image(page), page.sentence(8)
    page.add(
        f"<figure><picture><source type='image/webp' srcset='{url}?w=400 400w, {url}?w=800 800w'>"
        f"<img src='{url}' srcset='{url}?w=400 400w, {url}?w=1600 1600w' sizes='100vw' alt='{page.words(4)}'></picture>"
        f"<figcaption>{caption}</figcaption></figure>"
    )
    _expect(page, url, caption)


@dialect("figures")
def noscript_fallback(page: Page) -> None:
    url, caption, alt = _image(page), page.sentence(8), page.words(4)
    page.add(
        f"<figure><img class='lazyload' src='{SPACER}' alt='{alt}'><noscript><img src='{url}' alt='{alt}'></noscript>"
        f"<figcaption>{caption}</figcaption></figure>"
    )
    _expect(page, url, caption)


@dialect("figures")
def source_set_only(page: Page) -> None:
    url, caption = _image(page), page.sentence(8)
    page.add(
        f"<figure><img srcset='{url} 1x, {url}?2 2x' alt='{page.words(4)}'><figcaption>{caption}</figcaption></figure>"
    )
    _expect(page, url, caption)


@dialect("figures")
def gallery(page: Page) -> None:
    pairs = [(_image(page), page.sentence(6)) for _ in range(3)]
    inner = "".join(
        f"<figure><img src='{u}' alt='{page.words(3)}'><figcaption>{c}</figcaption></figure>" for u, c in pairs
    )
    page.add(f"<figure class='wp-block-gallery'>{inner}</figure>")
    page.expect("figures", *pairs)


@dialect("figures")
def wiki_thumb(page: Page) -> None:
    url, caption = _image(page), page.sentence(8)
    page.add(
        f"<figure class='mw-default-size' typeof='mw:File/Thumb'><a href='/wiki/File:A.jpg' class='mw-file-description'>"
        f"<img src='{url.removeprefix('https:')}' class='mw-file-element'></a><figcaption>{caption}</figcaption></figure>"
    )
    _expect(page, url, caption)


@dialect("figures")
def caption_and_credit(page: Page) -> None:
    url, caption, credit = _image(page), page.sentence(8), page.label(2)
    page.add(
        f"<figure><div class='image-wrap'><img src='{url}' alt='{page.words(5)}'></div><figcaption><span class='caption'>{caption}"
        f"</span> <span class='credit'>{credit}</span></figcaption></figure>"
    )
    _expect(page, url, f"{caption} {credit}")


@dialect("figures")
def plain_picture(page: Page) -> None:
    """A picture between paragraphs; its alternative text says what it shows."""
    url, alt = _image(page), page.label(4)
    page.add(f"<p><img src='{url}' alt='{alt}'></p>")
    _expect(page, url, alt)


def _note(page: Page) -> tuple[str, str]:
    return page.sentence(8), page.sentence(9)


@dialect("notes")
def wiki_references(page: Page) -> None:
    texts = [_note(page) for _ in range(3)]
    page.add(
        "<p>"
        + " ".join(
            f"{s}<sup id='cite_ref-{n}' class='reference'><a href='#cite_note-{n}'><span class='cite-bracket'>[</span>{n}"
            f"<span class='cite-bracket'>]</span></a></sup>"
            for n, (s, _) in enumerate(texts, 1)
        )
        + "</p>"
    )
    items = "".join(
        f"<li id='cite_note-{n}'><span class='mw-cite-backlink'><b><a href='#cite_ref-{n}' aria-label='Jump up'>^</a></b></span> "
        f"<span class='reference-text'><cite class='citation'>{t}</cite></span></li>"
        for n, (_, t) in enumerate(texts, 1)
    )
    page.notes.append(
        lambda: (
            f"<h2 id='References'>References</h2><div class='reflist'><div class='mw-references-wrap'><ol class='references'>{items}</ol></div></div>"
        )
    )
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])
    page.expect("headings", (2, "References"))


@dialect("notes")
def pandoc(page: Page) -> None:
    texts = [_note(page) for _ in range(2)]
    page.add(
        "<p>"
        + " ".join(
            f"{s}<a href='#fn{n}' class='footnote-ref' id='fnref{n}' role='doc-noteref'><sup>{n}</sup></a>"
            for n, (s, _) in enumerate(texts, 1)
        )
        + "</p>"
    )
    items = "".join(
        f"<li id='fn{n}'><p>{t}<a href='#fnref{n}' class='footnote-back' role='doc-backlink'>↩︎</a></p></li>"
        for n, (_, t) in enumerate(texts, 1)
    )
    page.notes.append(
        lambda: (
            f"<section id='footnotes' class='footnotes footnotes-end-of-document' role='doc-endnotes'><hr><ol>{items}</ol></section>"
        )
    )
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])


@dialect("notes")
def repository_notes(page: Page) -> None:
    texts = [_note(page) for _ in range(2)]
    page.add(
        "<p>"
        + " ".join(
            f"{s}<sup><a href='#user-content-fn-{n}-ab12' id='user-content-fnref-{n}-ab12' data-footnote-ref='' "
            f"aria-describedby='footnote-label'>{n}</a></sup>"
            for n, (s, _) in enumerate(texts, 1)
        )
        + "</p>"
    )
    items = "".join(
        f"<li id='user-content-fn-{n}-ab12'><p>{t} <a href='#user-content-fnref-{n}-ab12' data-footnote-backref='' "
        f"aria-label='Back to reference {n}' class='data-footnote-backref'><g-emoji>↩</g-emoji></a></p></li>"
        for n, (_, t) in enumerate(texts, 1)
    )
    page.notes.append(lambda: f"<section data-footnotes='' class='footnotes'><ol>{items}</ol></section>")
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])


@dialect("notes")
def wordpress_notes(page: Page) -> None:
    texts = [_note(page) for _ in range(2)]
    page.add(
        "<p>"
        + " ".join(
            f"{s}<sup class='fn' data-fn='ab{n}'><a id='ab{n}-link' href='#ab{n}'>{n}</a></sup>"
            for n, (s, _) in enumerate(texts, 1)
        )
        + "</p>"
    )
    items = "".join(
        f"<li id='ab{n}'>{t} <a href='#ab{n}-link' aria-label='Jump to footnote reference {n}'>↩︎</a></li>"
        for n, (_, t) in enumerate(texts, 1)
    )
    page.notes.append(lambda: f"<ol class='wp-block-footnotes'>{items}</ol>")
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])


@dialect("notes")
def sphinx_notes(page: Page) -> None:
    texts = [_note(page) for _ in range(2)]
    page.add(
        "<p>"
        + " ".join(
            f"{s}<a class='footnote-reference brackets' href='#id{n + 20}' id='id{n}' role='doc-noteref'>"
            f"<span class='fn-bracket'>[</span>{n}<span class='fn-bracket'>]</span></a>"
            for n, (s, _) in enumerate(texts, 1)
        )
        + "</p>"
    )
    asides = "".join(
        f"<aside class='footnote brackets' id='id{n + 20}' role='doc-footnote'><span class='label'><span class='fn-bracket'>[</span>"
        f"<a role='doc-backlink' href='#id{n}'>{n}</a><span class='fn-bracket'>]</span></span>\n<p>{t}</p></aside>"
        for n, (_, t) in enumerate(texts, 1)
    )
    page.notes.append(lambda: f"<aside class='footnote-list brackets'>{asides}</aside>")
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])


@dialect("notes")
def notes_in_paragraphs(page: Page) -> None:
    """Word processors write a paragraph for each note."""
    texts = [_note(page) for _ in range(2)]
    page.add(
        "<p>"
        + " ".join(
            f"{s}<a href='#_ftn{n}' name='_ftnref{n}'><span class='MsoFootnoteReference'>[{n}]</span></a>"
            for n, (s, _) in enumerate(texts, 1)
        )
        + "</p>"
    )
    items = "".join(
        f"<p class='MsoFootnoteText'><a href='#_ftnref{n}' name='_ftn{n}'>[{n}]</a> {t}</p>"
        for n, (_, t) in enumerate(texts, 1)
    )
    page.notes.append(lambda: f"<hr size='1' width='33%'>{items}")
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])


@dialect("notes")
def newsletter_notes(page: Page) -> None:
    texts = [_note(page) for _ in range(2)]
    page.add(
        "<p>"
        + " ".join(
            f"<span>{s}</span><a class='footnote-anchor' data-component-name='FootnoteAnchorToDOM' id='footnote-anchor-{n}' "
            f"href='#footnote-{n}' target='_self'>{n}</a>"
            for n, (s, _) in enumerate(texts, 1)
        )
        + "</p>"
    )
    items = "".join(
        f"<div class='footnote' data-component-name='FootnoteToDOM'><a id='footnote-{n}' href='#footnote-anchor-{n}' "
        f"class='footnote-number' contenteditable='false' target='_self'>{n}</a><div class='footnote-content'><p>{t}</p></div></div>"
        for n, (_, t) in enumerate(texts, 1)
    )
    page.notes.append(lambda: items)
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])


@dialect("notes")
def journal_references(page: Page) -> None:
    texts = [_note(page) for _ in range(3)]
    page.add(
        "<p>"
        + " ".join(
            f"{s}<sup><a data-track='click' href='{page.url}#ref-CR{n}' title='{t[:20]}' id='ref-link-{n}'>{n}</a></sup>"
            for n, (s, t) in enumerate(texts, 1)
        )
        + "</p>"
    )
    items = "".join(
        f"<li class='c-article-references__item js-c-reading-companion-references-item' data-counter='{n}.'>"
        f"<p class='c-article-references__text' id='ref-CR{n}'>{t}</p></li>"
        for n, (_, t) in enumerate(texts, 1)
    )
    page.notes.append(lambda: f"<h2 id='refs'>References</h2><ol class='c-article-references'>{items}</ol>")
    page.expect("notes", *[(s, str(n), t) for n, (s, t) in enumerate(texts, 1)])
    page.expect("headings", (2, "References"))
