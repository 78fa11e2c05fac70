"""Parser for XML of an unknown vocabulary: a nested list of its elements."""

from itertools import islice

from assay.documents.document import TEXT_CHARS, Document, truncate_text
from assay.documents.paragraph_markdown import format_paragraph
from assay.text.safe_xml import Element, local_name, parse_xml
from assay.text.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

ATTRIBUTES = 6  # maximum number of attributes shown per element, each truncated to LETTERS
LETTERS = 200


def parse(body: bytes, kind: str) -> Document:
    """Convert elements to nested list items, mixed content to one item. Raises UpstreamFailed for malformed XML."""
    root = parse_xml(body, "XML document")
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
    title = next((_read_words(item.itertext()) for item in islice(root.iter(), 200) if local_name(item) == "title"), "")
    return Document(kind, markdown, title[:LETTERS], truncated=was_cut or bool(open_elements))


def _is_prose(element: Element) -> bool:
    """Whether the element has no children, or text between them."""
    return not len(element) or bool((element.text or "").strip()) or any((part.tail or "").strip() for part in element)


def _format_line(element: Element, is_prose: bool) -> str:
    keys = element.keys()[:ATTRIBUTES]  # items() is quadratic in lxml, and a file may have 100,000 attributes
    attributes = [f"{key.rpartition('}')[2]}={element.get(key)[:LETTERS]}" for key in keys]
    words = _read_words(element.itertext()) if is_prose else ""
    shown = f" ({', '.join(attributes)})" if attributes else ""
    return f"- {format_paragraph(f'{local_name(element)}{shown}{": " + words if words else ""}')}"


def _read_words(texts: object) -> str:
    return " ".join("".join(map(str, texts)).split())  # type: ignore[call-overload]
