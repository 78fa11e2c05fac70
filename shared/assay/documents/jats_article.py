"""Articles in JATS XML (NISO Z39.96), in which publishers and repositories exchange them, as HTML in order of reading.

https://jats.nlm.nih.gov/archiving/tag-library/
"""

from dataclasses import dataclass
from html import escape

from assay.documents.jats_formulas import write_formula
from assay.documents.jats_front import (
    read_authors,
    read_date,
    read_doi,
    read_title,
    write_keywords,
    write_source,
)
from assay.documents.jats_references import write_identifier, write_references
from assay.documents.jats_tables import TABLE, write_table
from assay.documents.ooxml import find_child, list_children
from assay.text.safe_xml import Element, get_attribute, local_name, read_words

TAGS = {
    "p": "p", "sub": "sub", "sup": "sup", "bold": "b", "italic": "i", "monospace": "code", "strike": "s",
    "disp-quote": "blockquote", "list-item": "li", "def-list": "dl", "term": "dt", "def": "dd", "preformat": "pre",
    "code": "pre", "verse-group": "p", "attrib": "p", "speech": "div", "statement": "div",
}  # fmt: skip
TITLED = {"abstract": "Abstract", "trans-abstract": "Abstract", "ack": "Acknowledgements", "ref-list": "References"}
SECTIONS = {
    "sec", "app", "app-group", "boxed-text", "notes", "glossary", "fn-group", "bio", *TITLED,
}  # fmt: skip
LEFT_OUT = {
    "front", "front-stub", "object-id", "graphic", "inline-graphic", "media", "permissions", "label", "title",
    "caption", "table-wrap-foot", "alt-text", "long-desc", "processing-meta", "index-term", "kwd-group",
}  # fmt: skip
PICTURED = {"graphical", "toc", "web-summary"}  # kinds of abstracts beside the one that is read
TEXTS = ("body", "back", "floats-group", "sub-article", "response")
ORDERS = {"order": "1", "alpha-lower": "a", "alpha-upper": "A", "roman-lower": "i", "roman-upper": "I"}
NOTED = ("bibr", "fn", "table-fn")  # kinds of marks
WEB = ("http://", "https://", "mailto:")
MAX_HEADING = 6


@dataclass(frozen=True)
class JatsArticle:
    """An article as HTML, and what its front matter declares; `published` is an ISO 8601 date or ""."""

    html: str
    title: str
    authors: tuple[str, ...]
    published: str
    doi: str


def find_articles(root: Element) -> list[Element]:
    """Return the articles in a file: one, or those of a set; [] if it is not in JATS."""
    found = [each for each in root.iter("{*}article") if find_child(each, "front") is not None]
    return [each for each in found if next(each.iterancestors("{*}article"), None) is None]


def read_article(article: Element) -> JatsArticle:
    """Convert an article: title, authors and where it appeared, abstracts, text, what follows it, and floats."""
    front = find_child(article, "front")
    meta = find_child(front, "article-meta")
    meta = front if meta is None else meta
    title, authors, published, doi = read_title(meta), read_authors(meta), read_date(meta), read_doi(meta)
    parts = [
        f"<h1>{escape(title)}</h1>" if title else "",
        f"<p>{escape(', '.join(authors))}</p>" if authors else "",
        write_source(front, meta, published, doi),
        *(_write_section(each, 2) for name in ("abstract", "trans-abstract") for each in list_children(meta, name)),
        *(write_keywords(each) for each in list_children(meta, "kwd-group")),
    ]
    parts += [_write_element(child, 2) for child in article if local_name(child) in TEXTS]
    return JatsArticle("".join(parts), title, authors, published, doi)


def _write_inside(element: Element | None, level: int = 2) -> str:
    """Write what is in an element; `level` is that of the next heading."""
    if element is None:
        return ""
    parts = [escape(element.text or "")]
    for child in element:
        parts += [_write_element(child, level), escape(child.tail or "")]
    return "".join(parts)


def _write_element(element: Element, level: int) -> str:
    name = local_name(element)
    if name in SECTIONS:
        return _write_section(element, level)
    if name in WRITERS:
        return WRITERS[name](element, level)
    if name in LEFT_OUT:
        return ""
    inside = _begin_with(_read_sign(element, name), _write_inside(element, level))
    tag = TAGS.get(name)
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def _read_sign(element: Element, name: str) -> str:
    """Return what stands before an item, unless the list numbers its items itself."""
    label = find_child(element, "label") if name in ("list-item", "statement", "speech") else None
    is_numbered = name == "list-item" and element.getparent().get("list-type") in ORDERS
    return "" if is_numbered else _write_inside(label)


def _begin_with(sign: str, inside: str) -> str:
    """Put a sign before the first words."""
    if not sign:
        return inside
    return f"<p>{sign} {inside[3:]}" if inside.startswith("<p>") else f"{sign} {inside}"


def _write_section(section: Element, level: int) -> str:
    name = local_name(section)
    if section.get("abstract-type") in PICTURED:
        return ""
    label, title = find_child(section, "label"), find_child(section, "title")
    title = find_child(section, "caption", "title") if title is None else title  # of a box
    heading = " ".join(part for part in (_write_inside(label), _write_inside(title) or TITLED.get(name, "")) if part)
    tag = f"h{min(level, MAX_HEADING)}"
    inside = write_references(section, _write_inside) if name == "ref-list" else _write_inside(section, level + 1)
    return f"<section>{f'<{tag}>{heading}</{tag}>' if heading else ''}{inside}</section>"


def _write_reply(reply: Element, level: int) -> str:
    """Write an article within the article: the letter of a reviewer, a reply, a translation."""
    front = find_child(reply, "front-stub")
    front = find_child(reply, "front", "article-meta") if front is None else front
    title, authors = ("", ()) if front is None else (read_title(front), read_authors(front))
    tag = f"h{min(level, MAX_HEADING)}"
    head = f"<{tag}>{escape(title)}</{tag}>" if title else ""
    head += f"<p>{escape(', '.join(authors))}</p>" if authors else ""
    return f"<section>{head}{_write_inside(reply, level + 1)}</section>"


def _write_list(element: Element, level: int) -> str:
    order = ORDERS.get(element.get("list-type") or "")
    title = find_child(element, "title")
    head = f"<p>{_write_inside(title)}</p>" if title is not None else ""
    tag = f'ol type="{order}"' if order else "ul"
    return f"{head}<{tag}>{_write_inside(element, level)}</{tag[:2]}>"


def write_caption(element: Element) -> str:
    """Write the label, title and text of the caption of a figure, table or file."""
    label, caption = find_child(element, "label"), find_child(element, "caption")
    parts = [f"<b>{_write_inside(label)}</b>"] if label is not None else []
    parts += [_write_inside(part) for part in (() if caption is None else caption)]
    return " ".join(part for part in parts if part.strip())


def _write_figure(element: Element, level: int) -> str:
    caption = write_caption(element)
    return f"<figure><figcaption>{caption}</figcaption></figure>{_write_inside(element, level)}"


def _write_table(element: Element, level: int) -> str:  # noqa: ARG001 - the signature of all writers
    return write_table(element, _write_inside)


def _write_table_box(element: Element, level: int) -> str:
    """Write tables, the first with the caption, and the notes below them."""
    caption, inside = write_caption(element), _write_inside(element, level)
    if TABLE in inside:
        inside = inside.replace(TABLE, f"{TABLE}<caption>{caption}</caption>" if caption else TABLE, 1)
    else:
        inside = f"<p>{caption}</p>{inside}"
    return inside + "".join(_write_inside(foot, level) for foot in list_children(element, "table-wrap-foot"))


def _write_link(element: Element, level: int) -> str:
    target = get_attribute(element, "href") or (read_words(element) if local_name(element) in ("uri", "email") else "")
    target = f"mailto:{target}" if local_name(element) == "email" and "@" in target else target
    inside = _write_inside(element, level) or escape(target)
    return f'<a href="{escape(target)}">{inside}</a>' if target.startswith(WEB) else inside


def _write_identifier(element: Element, level: int) -> str:  # noqa: ARG001 - the signature of all writers
    return write_identifier(element, read_words(element))


def _write_mark(element: Element, level: int) -> str:
    """Write a mark that leads to a note or a reference as such, other links within the article as text."""
    inside, targets = _write_inside(element, level), (element.get("rid") or "").split()
    if element.get("ref-type") not in NOTED or not targets:
        return inside
    return f'<a role="doc-noteref" href="#{escape(targets[0])}">{inside}</a>'


def _write_note(element: Element, level: int) -> str:
    label = find_child(element, "label")
    inside = _begin_with(_write_inside(label), _write_inside(element, level))
    return f'<div id="{escape(element.get("id") or "")}">{inside}</div>'


def _write_math(element: Element, level: int) -> str:  # noqa: ARG001 - the signature of all writers
    return write_formula(element, _write_inside)


def _write_alternatives(element: Element, level: int) -> str:
    """Write the first form that is text: the others are pictures of the same."""
    chosen = next((child for child in element if local_name(child) not in LEFT_OUT and local_name(child)), None)
    return "" if chosen is None else _write_element(chosen, level)


def _write_break(element: Element, level: int) -> str:  # noqa: ARG001 - the signature of all writers
    return "<br>"


def _write_line(element: Element, level: int) -> str:
    return f"{_write_inside(element, level)}<br>"


WRITERS = {
    "list": _write_list, "fig": _write_figure, "supplementary-material": _write_figure, "table-wrap": _write_table_box,
    "table": _write_table, "fig-group": _write_figure, "table-wrap-group": _write_figure,
    "ext-link": _write_link, "uri": _write_link, "email": _write_link, "disp-formula": _write_math,
    "inline-formula": _write_math, "alternatives": _write_alternatives, "break": _write_break,
    "verse-line": _write_line, "xref": _write_mark, "sub-article": _write_reply, "response": _write_reply,
    "pub-id": _write_identifier, "fn": _write_note,
}  # fmt: skip
