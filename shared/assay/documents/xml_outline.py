"""Parser for XML: articles in JATS as their text; of an unknown vocabulary, a nested list of its elements."""

from itertools import islice

from assay.documents import html_markdown
from assay.documents.document import TEXT_CHARS, Document, truncate_text
from assay.documents.html_markdown import render_html
from assay.documents.jats_article import JatsArticle, find_articles, read_article
from assay.documents.paragraph_markdown import format_paragraph
from assay.text import safe_xml
from assay.text.safe_xml import Element, local_name, parse_xml, read_words

ATTRIBUTES = 6  # maximum number of attributes shown per element, each truncated to LETTERS
LETTERS = 200


def prepare() -> None:
    """Import what `parse` needs, before the sandbox forbids opening files."""
    safe_xml.prepare()
    html_markdown.prepare()


def parse(body: bytes, kind: str) -> Document:
    """Convert articles to text, and other XML to an outline. Raises UpstreamFailed for malformed XML."""
    root = parse_xml(body, "XML document")
    articles = find_articles(root)
    return _read_articles(articles, kind) if articles else _outline(root, kind)


def _read_articles(elements: list[Element], kind: str) -> Document:
    articles, texts, is_cut = list[JatsArticle](), list[str](), False
    for element in elements:
        if sum(map(len, texts)) > TEXT_CHARS:
            break
        articles.append(read_article(element))
        text, lacks_text = render_html(articles[-1].html)
        texts.append(text)
        is_cut = is_cut or lacks_text
    markdown, was_cut = truncate_text("\n\n".join(texts))
    return Document(
        kind, markdown, articles[0].title, "; ".join(articles[0].authors), articles[0].published,
        truncated=was_cut or is_cut or len(texts) < len(elements), doi=articles[0].doi if len(elements) == 1 else "",
    )  # fmt: skip


def _outline(root: Element, kind: str) -> Document:
    """Convert elements to nested list items, mixed content to one item."""
    lines, letters = [], 0
    open_elements: list[tuple[Element, int]] = [(root, 0)]
    while open_elements and letters <= TEXT_CHARS:
        element, depth = open_elements.pop()
        is_prose = _is_prose(element)
        line = "  " * depth + _format_line(element, is_prose)
        lines.append(line)
        letters += len(line)
        if not is_prose:
            open_elements += [(part, depth + 1) for part in reversed(element) if local_name(part)]
    markdown, was_cut = truncate_text("\n".join(lines))
    title = next((read_words(item) for item in islice(root.iter(), 200) if local_name(item) == "title"), "")
    return Document(kind, markdown, title[:LETTERS], truncated=was_cut or bool(open_elements))


def _is_prose(element: Element) -> bool:
    """Whether the element has no children, or text between them."""
    return not len(element) or bool((element.text or "").strip()) or any((part.tail or "").strip() for part in element)


def _format_line(element: Element, is_prose: bool) -> str:
    keys = element.keys()[:ATTRIBUTES]  # items() is quadratic in lxml, and a file may have 100,000 attributes
    attributes = [f"{key.rpartition('}')[2]}={element.get(key)[:LETTERS]}" for key in keys]
    words = read_words(element) if is_prose else ""
    shown = f" ({', '.join(attributes)})" if attributes else ""
    return f"- {format_paragraph(f'{local_name(element)}{shown}{": " + words if words else ""}')}"
