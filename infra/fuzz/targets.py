"""Fuzz targets: each builds its input from bytes, runs the code and asserts its invariants."""

import re
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

from infra.fuzz import document_targets
from infra.fuzz.invariants import assert_bounded, assert_clean, assert_safe_markdown, limit_cpu_time
from infra.fuzz.pages import PageGenerator
from infra.fuzz.random_source import FuzzedDataProvider

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


def html(data: bytes) -> None:
    """Read arbitrary bytes as a page."""
    with limit_cpu_time("reading"):
        text = decode(data)
        tree = parse_html(text)
        reading = read_main_content(tree, HERE)
    assert_clean(reading.markdown)
    assert_bounded(reading.markdown, len(text))
    assert_safe_markdown(reading.markdown)
    assert 0 <= reading.confidence <= 1


def hidden_text(data: bytes) -> None:
    """Read a generated page: hidden words must not appear, visible words must."""
    page = PageGenerator(FuzzedDataProvider(data)).page()
    with limit_cpu_time("reading"):
        tree = parse_html(page.html)
        reading = read_main_content(tree, HERE)
    assert_clean(reading.markdown)
    assert_safe_markdown(reading.markdown)
    assert_bounded(reading.markdown, len(page.html))
    known = page_metadata.extract_facts(tree, HERE)
    output = reading.markdown + repr((known.title, known.authors, known.description, known.published))
    for word in page.hidden:
        assert word not in output, f"{word} is shown, from {_around(page.html, word)}"
    block_text = " ".join(block.text for block in collect_blocks(tree).blocks)
    for word in page.visible:
        assert word in block_text, f"{word} is lost, from {_around(page.html, word)}"


def _around(text: str, word: str) -> str:
    at = text.find(word)
    return repr(text[max(0, at - 300) : at + 60])


def charset(data: bytes) -> None:
    source = FuzzedDataProvider(data)
    label = source.pick(
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
    label = label if source.consume_int(3) else source.consume_text()
    with limit_cpu_time("decoding"):
        text = decode(source.consume_bytes(source.remaining), label)
    assert_bounded(text, len(data))
    sanitise(text).encode()


def page_facts(data: bytes) -> None:
    """Read the metadata of a page with an arbitrary head."""
    source = FuzzedDataProvider(data)
    parts = [_head_element(source) for _ in range(1 + source.consume_int(6))]
    page = f"<html><head>{''.join(parts)}</head><body><h1>{source.consume_text()}</h1><p>{source.consume_text()}</p></body></html>"
    with limit_cpu_time("metadata"):
        tree = parse_html(page)
        known = page_metadata.extract_facts(tree, HERE)
    for value in (
        known.title,
        known.site,
        known.published,
        known.modified,
        known.description,
        known.language,
        *known.authors,
    ):
        assert_clean(value, "metadata")
        assert_bounded(value, len(page), "metadata")
    assert_clean(known.canonical)
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


def _head_element(source: FuzzedDataProvider) -> str:
    kind = source.consume_int(4)
    if kind == 0:
        return f'<meta property="{source.pick(NAMES)}" content="{source.consume_text(60)}">'
    if kind == 1:
        return f'<link rel=canonical href="{source.consume_text(60)}">'
    if kind == 2:
        return f"<title>{source.consume_text(60)}</title>"
    if kind == 3:
        return f"<script type='application/ld+json'>{source.consume_text(200)}</script>"
    return f"<script type='application/ld+json'>{_json(source, 0)}</script>"


def _json(source: FuzzedDataProvider, depth: int) -> str:
    kind = source.consume_int(6) if depth < 6 else 6
    if kind < 3:
        inner = ",".join(f'"{source.pick(FIELDS)}":{_json(source, depth + 1)}' for _ in range(source.consume_int(4)))
        return f'{{"@type":"{source.pick(("NewsArticle", "Person", "WebSite", "FAQPage", "Thing"))}"{"," if inner else ""}{inner}}}'
    if kind == 3:
        return f"[{','.join(_json(source, depth + 1) for _ in range(source.consume_int(4)))}]"
    if kind == 4:
        return source.pick(
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
    return f'"{source.consume_text(40).replace(chr(34), "").replace(chr(92), "")}"'


def linked_data(data: bytes) -> None:
    with limit_cpu_time("JSON-LD"):
        value = jsonld.parse_block(data.decode("utf-8", "replace"))
        nodes = jsonld.collect_nodes([jsonld.JsonLdBlock(len(data), value)])
    for node in nodes:
        jsonld.node_types(node)
        jsonld.extract_names(node)


def inline_markup(data: bytes) -> None:
    """Render text and markup of every kind as markdown."""
    source = FuzzedDataProvider(data)
    parts = []
    while source.remaining and len(parts) < 60:
        tag = source.pick(
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
        target = source.consume_text(20).replace('"', "")
        attributes = {"a": f' href="{target}"', "img": f' alt="a heron {target}" src="{source.consume_text(20)}"'}.get(
            tag, ""
        )
        text = source.consume_text(16).replace("<", "&lt;")
        parts.append(f"<{tag}{attributes}>{text}{f'</{tag}>' if source.consume_int(3) else ''}")
    page = f"<p>{'Herons stand in the shallows at dawn. ' * 4}</p>{''.join(parts)}"
    with limit_cpu_time("markdown"):
        reading = read_main_content(parse_html(page), HERE)
    assert_clean(reading.markdown)
    assert_safe_markdown(reading.markdown)
    assert_bounded(reading.markdown, len(page))


def style(data: bytes) -> None:
    """Parse arbitrary text as a style sheet and as a style attribute."""
    text = data.decode("utf-8", "replace")
    with limit_cpu_time("style"):
        for rule in StyleRules(select_candidates(declarations.list_rules(text), {".a", "#b"}), bool).iter_rules():
            assert rule.steps
        declarations.parse_declarations(text)
        tree = parse_html(f"<style>{text.replace('</', '')}</style><p class=a id=b>x</p>")
        read_main_content(tree, HERE)
    quoted = text.replace("&", "&amp;").replace('"', "&quot;")
    with limit_cpu_time("inline style"):
        read_main_content(parse_html(f'<p style="{quoted}">x</p>'), HERE)


def captions(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    with limit_cpu_time("captions"):
        for body in (text, "WEBVTT\n\n" + text, '{"events":' + text):
            paragraphs = captions_module.build_paragraphs(
                captions_module.parse_cues(body), captions_module.parse_chapters(text)
            )
            captions_module.select_highlights(paragraphs)
            for paragraph in paragraphs:
                assert_clean(paragraph.text)
                captions_module.format_clock(paragraph.start)
            assert_bounded("".join(one.text for one in paragraphs), len(body))


def url_parsing(data: bytes) -> None:
    """Normalize a URL: it raises the package's error, or normalization is idempotent."""
    source = FuzzedDataProvider(data)
    text = source.pick(
        ("", "http://", "https://a.example/", "//", "http://[", "http://1", "https://a.example:")
    ) + source.consume_bytes(source.remaining).decode("utf-8", "surrogateescape")
    with limit_cpu_time("an address"), suppress(ToolError):
        parsed = urls.parse_url(text)
        assert urls.parse_url(parsed.url) == parsed
        assert parsed.scheme in ("http", "https")
        assert parsed.url.isascii()
        assert re.fullmatch(r"[\x21-\x7e]+", parsed.target)
        assert "@" not in parsed.url.split("/")[2]
        assert 0 < parsed.port < 65_536 or ":0/" in parsed.url
        urls.get_registrable_domain(parsed.host)
    with limit_cpu_time("an address beside another"), suppress(ToolError):
        urls.parse_url(text, "https://b.example/c/d")


def truncation(data: bytes) -> None:
    source = FuzzedDataProvider(data)
    limit = source.consume_int(60_000) % (len(data) + 20)
    text = sanitise("".join(source.consume_text(40) for _ in range(80)))
    with limit_cpu_time("a cut"):
        shortened, truncated, *_ = cut(text, limit)
    assert truncated or shortened == text
    body = shortened.removesuffix(MARKER) if truncated else shortened
    assert len(body.encode()) <= max(limit, 0)
    assert truncated == (len(text.encode()) > limit)
    again = cut(text, limit)[:2]
    assert again == (shortened, truncated)
    assert body.count("```") % 2 == 0 or "```" not in MARKER
    assert_clean(to_plain_text(text), "plain")


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        *(html, hidden_text, charset, page_facts, linked_data, inline_markup, style, captions, url_parsing, truncation),
        *document_targets.TARGETS,
    )
}
