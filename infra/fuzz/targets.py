"""Fuzz targets: each builds its input from bytes, runs the code and asserts its invariants."""

import re
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

from infra.fuzz.invariants import bounded, clean, safe_markdown, soon
from infra.fuzz.office import docx_of, pdf_of, pptx_of
from infra.fuzz.pages import Maker
from infra.fuzz.random_source import Dice

from assay.documents import Document, pdf_fallback
from assay.documents.document import RetryWithParser
from assay.documents.document_parser import parse as parse_document
from assay.errors import ToolError
from assay.html.css import declarations
from assay.html.css.style_rules import StyleRules, select_candidates
from assay.html.metadata import jsonld, page_metadata
from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks, read_main_content
from assay.net import urls
from assay.text import captions as captions_module
from assay.text.decode import decode
from assay.text.plain_text import to_plain_text
from assay.text.sanitize import sanitise
from assay.text.truncate import MARKER, cut

HERE = "https://birds.example/herons/index.html"


def html(given: bytes) -> None:
    """Read arbitrary bytes as a page."""
    with soon("reading"):
        text = decode(given)
        tree = parse_html(text)
        reading = read_main_content(tree, HERE)
    clean(reading.markdown)
    bounded(reading.markdown, len(text))
    safe_markdown(reading.markdown)
    assert 0 <= reading.confidence <= 1


def hidden(given: bytes) -> None:
    """Read a generated page: hidden words must not appear, visible words must."""
    made = Maker(Dice(given)).page()
    with soon("reading"):
        tree = parse_html(made.html)
        reading = read_main_content(tree, HERE)
    clean(reading.markdown)
    safe_markdown(reading.markdown)
    bounded(reading.markdown, len(made.html))
    known = page_metadata.extract_facts(tree, HERE)
    shown = reading.markdown + repr((known.title, known.authors, known.description, known.published))
    for word in made.hidden:
        assert word not in shown, f"{word} is shown, from {_around(made.html, word)}"
    met = " ".join(block.text for block in collect_blocks(tree).blocks)
    for word in made.seen:
        assert word in met, f"{word} is lost, from {_around(made.html, word)}"


def _around(text: str, word: str) -> str:
    at = text.find(word)
    return repr(text[max(0, at - 300) : at + 60])


def charset(given: bytes) -> None:
    dice = Dice(given)
    label = dice.of(
        (
            "",
            "utf-8",
            "latin-1",
            "utf-7",
            "utf-16",
            "gb18030",
            "shift_jis",
            "iso-2022-jp",
            "big5",
            "rot13",
            "\x00",
            "idna",
        )
    )
    label = label if dice.throw(3) else dice.text()
    with soon("decoding"):
        text = decode(dice.bytes(dice.left), label)
    bounded(text, len(given))
    sanitise(text).encode()


def facts(given: bytes) -> None:
    """Read the metadata of a page with an arbitrary head."""
    dice = Dice(given)
    parts = [_declared(dice) for _ in range(1 + dice.throw(6))]
    page = f"<html><head>{''.join(parts)}</head><body><h1>{dice.text()}</h1><p>{dice.text()}</p></body></html>"
    with soon("metadata"):
        tree = parse_html(page)
        known = page_metadata.extract_facts(tree, HERE)
    for told in (
        known.title,
        known.site,
        known.published,
        known.modified,
        known.description,
        known.language,
        *known.authors,
    ):
        clean(told, "metadata")
        bounded(told, len(page), "metadata")
    clean(known.canonical)
    assert not known.canonical or urlsplit(known.canonical).scheme in ("http", "https")
    if known.structured is not None:
        known.structured.model_dump_json()


NAMES = (
    "og:title",
    "author",
    "article:published_time",
    "citation_author",
    "og:url",
    "date",
    "description",
    "dc.creator",
)
FIELDS = (
    "headline",
    "author",
    "datePublished",
    "name",
    "url",
    "@id",
    "@graph",
    "isAccessibleForFree",
    "publisher",
    "mainEntityOfPage",
)


def _declared(dice: Dice) -> str:
    kind = dice.throw(4)
    if kind == 0:
        return f'<meta property="{dice.of(NAMES)}" content="{dice.text(60)}">'
    if kind == 1:
        return f'<link rel=canonical href="{dice.text(60)}">'
    if kind == 2:
        return f"<title>{dice.text(60)}</title>"
    if kind == 3:
        return f"<script type='application/ld+json'>{dice.text(200)}</script>"
    return f"<script type='application/ld+json'>{_json(dice, 0)}</script>"


def _json(dice: Dice, depth: int) -> str:
    kind = dice.throw(6) if depth < 6 else 6
    if kind < 3:
        inner = ",".join(f'"{dice.of(FIELDS)}":{_json(dice, depth + 1)}' for _ in range(dice.throw(4)))
        return f'{{"@type":"{dice.of(("NewsArticle", "Person", "WebSite", "FAQPage", "Thing"))}"{"," if inner else ""}{inner}}}'
    if kind == 3:
        return f"[{','.join(_json(dice, depth + 1) for _ in range(dice.throw(4)))}]"
    if kind == 4:
        return dice.of(
            (
                "null",
                "true",
                "NaN",
                "1e999",
                "-0",
                "9" * 30,
                "9" * 5000,
                '"\\ud800"',
                '"\\u202e"',
                '"2024-13-45T99:99"',
                '"\\u0000"',
            )
        )
    return f'"{dice.text(40).replace(chr(34), "").replace(chr(92), "")}"'


def linked_data(given: bytes) -> None:
    with soon("JSON-LD"):
        value = jsonld.parse_block(given.decode("utf-8", "replace"))
        found = jsonld.collect_nodes([jsonld.JsonLdBlock(len(given), value)])
    for node in found:
        jsonld.node_types(node)
        jsonld.extract_names(node)


def lines(given: bytes) -> None:
    """Render text and markup of every kind as markdown."""
    dice = Dice(given)
    parts = []
    while dice.left and len(parts) < 60:
        tag = dice.of(
            (
                "b",
                "i",
                "a",
                "code",
                "sup",
                "span",
                "del",
                "li",
                "td",
                "pre",
                "h2",
                "p",
                "br",
                "img",
                "q",
                "kbd",
                "blockquote",
            )
        )
        target = dice.text(20).replace('"', "")
        attributes = {"a": f' href="{target}"', "img": f' alt="a heron {target}" src="{dice.text(20)}"'}.get(tag, "")
        text = dice.text(16).replace("<", "&lt;")
        parts.append(f"<{tag}{attributes}>{text}{f'</{tag}>' if dice.throw(3) else ''}")
    page = f"<p>{'Herons stand in the shallows at dawn. ' * 4}</p>{''.join(parts)}"
    with soon("markdown"):
        reading = read_main_content(parse_html(page), HERE)
    clean(reading.markdown)
    safe_markdown(reading.markdown)
    bounded(reading.markdown, len(page))


def style(given: bytes) -> None:
    """Parse arbitrary text as a style sheet and as a style attribute."""
    text = given.decode("utf-8", "replace")
    with soon("style"):
        for rule in StyleRules(select_candidates(declarations.iter_rules(text), {".a", "#b"}), bool).all():
            assert rule.steps
        declarations.parse_declarations(text)
        tree = parse_html(f"<style>{text.replace('</', '')}</style><p class=a id=b>x</p>")
        read_main_content(tree, HERE)
    quoted = text.replace("&", "&amp;").replace('"', "&quot;")
    with soon("inline style"):
        read_main_content(parse_html(f'<p style="{quoted}">x</p>'), HERE)


def captions(given: bytes) -> None:
    text = given.decode("utf-8", "replace")
    with soon("captions"):
        for body in (text, "WEBVTT\n\n" + text, '{"events":' + text):
            told = captions_module.build_paragraphs(
                captions_module.parse_cues(body), captions_module.parse_chapters(text)
            )
            captions_module.select_highlights(told)
            for paragraph in told:
                clean(paragraph.text)
                captions_module.format_clock(paragraph.start)
            bounded("".join(one.text for one in told), len(body))


def addresses(given: bytes) -> None:
    """Normalize a URL: it raises the package's error, or normalization is idempotent."""
    dice = Dice(given)
    text = dice.of(
        ("", "http://", "https://a.example/", "//", "http://[", "http://1", "https://a.example:")
    ) + dice.bytes(dice.left).decode("utf-8", "surrogateescape")
    with soon("an address"), suppress(ToolError):
        found = urls.parse_url(text)
        assert urls.parse_url(found.url) == found
        assert found.scheme in ("http", "https")
        assert found.url.isascii()
        assert re.fullmatch(r"[\x21-\x7e]+", found.target)
        assert "@" not in found.url.split("/")[2]
        assert 0 < found.port < 65_536 or ":0/" in found.url
        urls.registrable(found.host)
    with soon("an address beside another"), suppress(ToolError):
        urls.parse_url(text, "https://b.example/c/d")


def cutting(given: bytes) -> None:
    dice = Dice(given)
    limit = dice.throw(60_000) % (len(given) + 20)
    text = sanitise("".join(dice.text(40) for _ in range(80)))
    with soon("a cut"):
        kept, truncated, *_ = cut(text, limit)
    assert truncated or kept == text
    body = kept.removesuffix(MARKER) if truncated else kept
    assert len(body.encode()) <= max(limit, 0)
    assert truncated == (len(text.encode()) > limit)
    again = cut(text, limit)[:2]
    assert again == (kept, truncated)
    assert body.count("```") % 2 == 0 or "```" not in MARKER
    clean(to_plain_text(text), "plain")


def feed(given: bytes) -> None:
    _document(given, "feed")


def xml(given: bytes) -> None:
    _document(given, "xml")


def plain_kinds(given: bytes) -> None:
    for kind in ("json", "csv", "text"):
        _document(given, kind)


def docx(given: bytes) -> None:
    body, unseen = docx_of(Dice(given))
    _document(body, "docx", unseen)


def pptx(given: bytes) -> None:
    body, unseen = pptx_of(Dice(given))
    _document(body, "pptx", unseen)


def pdf(given: bytes) -> None:
    body, unseen = pdf_of(Dice(given))
    _document(body, "pdf", unseen, packed=True)


def broken_pdf(given: bytes) -> None:
    """Read arbitrary bytes after a valid header."""
    _document(b"%PDF-1.7\n" + given, "pdf", packed=True)


def _read_document(body: bytes, kind: str) -> Document:
    """Read the document with the reader of its type, or with the reader that this one names."""
    try:
        return parse_document(body, kind)
    except RetryWithParser as other:
        pdf_fallback.prepare()
        return parse_document(body, other.kind)


def _document(body: bytes, kind: str, unseen: list[str] | None = None, *, packed: bool = False) -> None:
    with soon(f"a {kind}", 4.0 if packed else 2.0):
        try:
            document = _read_document(body, kind)
        except ToolError as failure:
            clean(failure.message, "an error")
            return
    for text in (document.markdown, document.title, document.author, document.created, *document.notes):
        clean(text, kind)
    bounded(document.markdown, len(body) * (20 if packed or kind in ("docx", "pptx") else 1))
    for word in unseen or []:
        assert word not in document.markdown + document.title + document.author, (
            f"{word} is shown: {document.markdown[:300]!r}"
        )


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        *(html, hidden, charset, facts, linked_data, lines, style, captions, addresses, cutting),
        *(feed, xml, plain_kinds, docx, pptx, pdf, broken_pdf),
    )
}
