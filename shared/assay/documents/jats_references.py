"""Lists of references of JATS articles as HTML."""

import re
from html import escape

from assay.documents.jats_front import PLACE, WriteInside, write_place
from assay.text.safe_xml import Element, local_name, read_words

CITATIONS = ("element-citation", "mixed-citation", "citation", "nlm-citation", "note")
NUMBER = re.compile(r"[\s\[(]*(\d{1,5})[\s\]).]*")
JOINED = {"name": " ", "string-name": " ", "person-group": ", "}  # by what the parts of an element are joined
IDENTIFIERS = {"doi": "https://doi.org/", "pmid": "https://pubmed.ncbi.nlm.nih.gov/"}


def write_references(section: Element, write_inside: WriteInside) -> str:
    """Write the references as a list, numbered if their labels are the numbers from one on."""
    entries = [child for child in section if local_name(child) == "ref"]
    others = "".join(
        write_inside(child) for child in section if local_name(child) in ("p", "sec", "ref-list", "fn-group")
    )
    labels = [_read_label(entry) for entry in entries]
    numbers = [found[1] if (found := NUMBER.fullmatch(label)) else "" for label in labels]
    is_numbered = numbers == [str(place) for place in range(1, len(entries) + 1)]
    items = [
        f'<li id="{escape(entry.get("id") or "")}">'
        f"{'' if is_numbered or not label else escape(label) + ' '}{_write_entry(entry, write_inside)}</li>"
        for entry, label in zip(entries, labels, strict=True)
    ]
    tag = "ol" if is_numbered else "ul"
    return f"{others}<{tag}>{''.join(items)}</{tag}>" if items else others


def _read_label(entry: Element) -> str:
    label = next((each for each in entry.iter("{*}label")), None)
    return "" if label is None else read_words(label)


def _write_entry(entry: Element, write_inside: WriteInside) -> str:
    """Write the citations of an entry; of one in several forms, the first."""
    forms = [child[0] if local_name(child) == "citation-alternatives" and len(child) else child for child in entry]
    return " ".join(
        _write_fields(each, write_inside) if local_name(each) == "element-citation" else write_inside(each)
        for each in forms
        if local_name(each) in CITATIONS
    )


def _write_fields(citation: Element, write_inside: WriteInside) -> str:
    """Write the parts of a citation that has no text between them, in their order."""
    parts: list[str] = []
    for child in citation:
        name = local_name(child)
        if name in PLACE:
            parts.append(write_place(citation))
        elif name not in ("label", ""):
            parts.append(_write_field(child, write_inside))
    return ". ".join(part for part in dict.fromkeys(parts) if part)


def _write_field(field: Element, write_inside: WriteInside) -> str:
    name = local_name(field)
    if name == "pub-id":
        kind, text = field.get("pub-id-type") or "", _join_parts(field)
        return write_identifier(field, f"{kind.upper()} {text}" if kind else text)
    if name in JOINED:
        return escape(_join_parts(field))
    text = write_inside(field)
    return f"<i>{text}</i>" if name == "source" else text


def write_identifier(element: Element, shown: str) -> str:
    """Write the identifier of a work as `shown`, with a link if it is of a kind that resolves."""
    start = IDENTIFIERS.get(element.get("pub-id-type") or "")
    return f'<a href="{start}{escape(_join_parts(element))}">{escape(shown)}</a>' if start else escape(shown)


def _join_parts(field: Element) -> str:
    joint = JOINED.get(local_name(field), "")
    parts = [field.text or ""]
    for child in field:
        parts += [_join_parts(child), child.tail or ""]
    return joint.join(" ".join(part.split()) if joint else part for part in parts if part.strip() or not joint)
