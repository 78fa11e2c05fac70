"""The frame of a site around an article, and the choice of what each page contains."""

from infra.benchmarks.structure_pages import (
    code_and_formulas,
    figures_and_notes,
    lists,
    publishing_systems,
    running_text,
    tables,
)
from infra.benchmarks.structure_pages.page import DIALECTS, Page

__all__ = ["build_page", "build_pages"]

REGISTERED = (code_and_formulas, figures_and_notes, lists, publishing_systems, running_text, tables)  # by import
STYLE = (
    "<style>.sr-only,.visually-hidden{position:absolute;width:1px;height:1px;clip:rect(0,0,0,0);overflow:hidden}"
    "mjx-assistive-mml{position:absolute;clip:rect(1px,1px,1px,1px)}</style>"
)
FEATURES = 4  # structures on a page


def _menu(page: Page, count: int) -> str:
    items = (f"<li><a href='/{page.slug()}'>{page.words(1).title()}</a></li>" for _ in range(count))
    return f"<ul>{''.join(items)}</ul>"


def _teasers(page: Page) -> str:
    items = (
        f"<li><a href='/{page.slug()}'><img src='/thumbs/{page.slug()}.jpg' alt=''><h3>{page.label(4)}</h3></a></li>"
        for _ in range(4)
    )
    return f"<h2>Related articles</h2><ul>{''.join(items)}</ul>"


def _semantic(page: Page, title: str, article: str) -> str:
    return (
        f"<header><nav>{_menu(page, 6)}</nav></header><main><article><h1>{title}</h1>{article}</article></main>"
        f"<aside class='related'>{_teasers(page)}</aside><footer>{_menu(page, 5)}<p>© 2024 Site. All rights reserved.</p></footer>"
    )


def _divs(page: Page, title: str, article: str) -> str:
    return (
        f"<div id='top'><div class='menu'>{_menu(page, 7)}</div></div><div id='wrap'><div id='content'><h1>{title}</h1>"
        f"<div class='entry'>{article}</div></div><div id='sidebar'><div class='widget'>{_teasers(page)}</div></div></div>"
        f"<div id='bottom'>{_menu(page, 4)}</div>"
    )


def _blog(page: Page, title: str, article: str) -> str:
    return (
        f"<div class='site'><header class='site-header'><p class='site-title'><a href='/'>{page.words(2).title()}</a></p>"
        f"<nav class='main-navigation'>{_menu(page, 5)}</nav></header><main class='site-main'><article class='post hentry'>"
        f"<header class='entry-header'><h1 class='entry-title'>{title}</h1></header><div class='entry-content'>{article}</div></article>"
        f"<nav class='post-navigation'><a href='/{page.slug()}'>Previous</a> <a href='/{page.slug()}'>Next</a></nav></main>"
        f"<footer class='site-footer'>{_menu(page, 4)}</footer></div>"
    )


def _manual(page: Page, title: str, article: str) -> str:
    return (
        f"<div class='navbar'><a href='/'>Manual</a>{_menu(page, 3)}</div><div class='layout'><nav class='toc'>{_menu(page, 12)}</nav>"
        f"<main role='main' class='doc'><div class='markdown-body'><h1>{title}</h1>{article}</div></main></div>"
        f"<footer class='footer'><p>Built with care.</p></footer>"
    )


SHELLS = (_semantic, _divs, _blog, _manual)


def build_page(number: int) -> Page:
    """Return page `number`: dialects in turn, so that each class and each dialect occurs equally often."""
    page = Page(number)
    title = page.label(4)
    page.expect("headings", (1, title))
    page.paragraph()
    page.paragraph()
    kinds = list(DIALECTS)
    for place in range(FEATURES):
        slot = number * FEATURES + place
        kind = kinds[slot % len(kinds)]
        if kind == "notes" and page.notes:
            continue
        choices = DIALECTS[kind]
        write = choices[(slot // len(kinds)) % len(choices)]
        if place:
            section = page.label(3)
            page.add(f"<h2>{section}</h2>")
            page.expect("headings", (2, section))
        page.paragraph()
        page.dialects.append(f"{kind}.{write.__name__}")
        write(page)
        page.dialects.append("")
        page.paragraph()
    page.paragraph()
    for write_notes in page.notes:
        page.add(write_notes())
    article = "\n".join(page.parts)
    body = SHELLS[number % len(SHELLS)](page, title, article)
    page.parts = [
        (
            f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{title} | Site</title>"
            f"{STYLE}</head><body>{body}</body></html>"
        )
    ]
    return page


def build_pages(count: int) -> list[Page]:
    return [build_page(number) for number in range(count)]
