"""Reads printed references with labelled fields: AnyStyle's XML and GROBID's TEI.

Both are cut to one convention: marks and lead words such as "In", "vol." and "pp." belong to no field.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from assay.bibliography.reference_tokens import ReferenceToken, split_tokens

ANYSTYLE = {
    "author": "author", "title": "title", "container-title": "container", "journal": "container", "date": "date",
    "volume": "volume", "pages": "pages", "publisher": "publisher", "location": "place", "editor": "editor",
    "citation-number": "", "note": "note", "genre": "note", "url": "url", "doi": "doi", "edition": "note",
    "translator": "editor", "collection-title": "container", "source": "note", "isbn": "id", "director": "author",
    "medium": "note", "producer": "publisher", "dataset": "note",
}  # fmt: skip
TEI = {
    "author": "author", "authors": "author", "editor": "editor", "date": "date", "pubPlace": "place",
    "pubplace": "place", "publisher": "publisher", "note": "note", "orgName": "publisher", "ptr": "url",
    "page": "pages", "volumes": "volume",
}  # fmt: skip
TITLES = {"a": "title", "u": "title", "j": "container", "m": "container", "s": "container"}
SCOPES = {"volume": "volume", "vol": "volume", "issue": "issue", "page": "pages", "pages": "pages", "pp": "pages"}
LEADS = {
    "container": "in dans en", "editor": "in by edited ed eds hrsg von hg", "place": "in", "date": "in", "doi": "doi",
    "volume": "vol volume vols bd band jg tome v t of number no", "issue": "no nr number issue num heft iss n h",
    "pages": "p pp page pages s seiten pg art article", "publisher": "by",
    "url": "url available from retrieved at http",
}  # fmt: skip
TAILS = {"editor": "ed eds editor editors hrsg hg", "author": "eds ed", "pages": "p pp s pages"}
VOLUME_AND_ISSUE = re.compile(
    r"^(.*?\d\w*)(\s*[(,:/]\s*(?:no\.?|nr\.?|issue|num\.?|n\.?|núm\.?|H\.|fasc\.)?\s*)(\d[\w\-–/]*.*)$", re.IGNORECASE
)
MIN_TOKENS, MAX_TOKENS = 4, 400


class LabelledReference(NamedTuple):
    """A reference: the file it comes from, its text, its tokens and the label of each ("O", "B-title", "I-title" …)."""

    file: str
    text: str
    tokens: list[ReferenceToken]
    labels: list[str]


def read_references(corpus: Path) -> list[LabelledReference]:
    """Return all references of the corpus, each text once."""
    passages = [("anystyle", each) for each in _read_anystyle(corpus / "anystyle-core.xml")]
    passages += list(_read_grobid(corpus / "grobid"))
    references: dict[str, LabelledReference] = {}
    for file, spans in passages:
        labelled = _label(file, spans)
        if MIN_TOKENS <= len(labelled.tokens) <= MAX_TOKENS:
            references.setdefault(labelled.text, labelled)
    return list(references.values())


def _read_anystyle(path: Path) -> Iterator[list[tuple[str, str]]]:
    for sequence in etree.parse(path).getroot().iter("sequence"):
        spans: list[tuple[str, str]] = []
        for element in sequence:
            text, kind = (element.text or "").strip(), ANYSTYLE[element.tag]
            both = VOLUME_AND_ISSUE.match(text) if kind == "volume" else None
            if both and not re.search("vol", both[3], re.IGNORECASE):
                spans += [("volume", both[1]), ("", both[2].strip()), ("issue", both[3])]
            else:
                spans.append((kind, text))
        yield [(kind, text) for kind, text in spans if text]


def _read_grobid(folder: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for path in sorted(folder.glob("*.xml")):
        for reference in etree.parse(path, etree.XMLParser(recover=True)).getroot().iter("{*}bibl"):
            spans = list(_walk(reference))
            kinds = {kind for kind, _ in spans}
            books = [each for each in reference.iter("{*}title") if each.get("level") == "m"]
            journals = [each for each in reference.iter("{*}title") if each.get("level") == "j"]
            if "title" not in kinds and books and not journals:  # a book's own title
                book = _flatten("".join(books[0].itertext()))
                spans = [("title", text) if text == book else (kind, text) for kind, text in spans]
            if len(spans) > 2:
                yield path.name, spans


def _walk(element: Any) -> Iterator[tuple[str, str]]:
    """Yield the passages of an element with their fields; text outside of fields has the field ""."""
    if text := _flatten(element.text):
        yield "", text
    for child in element:
        kind = _field_of(child) if isinstance(child.tag, str) else None
        if kind is None:
            yield from _walk(child) if isinstance(child.tag, str) else ()
        elif text := _flatten("".join(child.itertext())):
            yield kind, text
        if tail := _flatten(child.tail):
            yield "", tail


def _field_of(element: Any) -> str | None:
    name, unit = etree.QName(element).localname, (element.get("unit") or element.get("type") or "").lower()
    if name == "title":
        return TITLES.get(element.get("level"), "title")
    if name == "biblScope":
        return SCOPES.get(unit, "note")
    if name == "idno":
        return "doi" if unit == "doi" else "id"
    return TEI.get(name)


def _flatten(text: str | None) -> str:
    return " ".join((text or "").split())


def _label(file: str, spans: list[tuple[str, str]]) -> LabelledReference:
    """Join the passages to the reference's text, and label its tokens."""
    text, places = "", list[tuple[str, int, int]]()
    for kind, passage in spans:
        text += " " if text and passage[:1] not in ",.;:)" and text[-1:] != "(" else ""
        places.append((kind, len(text), len(text) + len(passage)))
        text += passage
    tokens = split_tokens(text)
    fields = [""] * len(tokens)
    for kind, start, end in places:
        inside = [at for at, token in enumerate(tokens) if token.start >= start and token.end <= end]
        for at in _trim(kind, inside, tokens):
            fields[at] = kind
    labels = [
        f"{'I' if at and fields[at - 1] == kind else 'B'}-{kind}" if kind else "O" for at, kind in enumerate(fields)
    ]
    return LabelledReference(file, text, tokens, labels)


def _trim(kind: str, inside: list[int], tokens: list[ReferenceToken]) -> range:
    """Leave out marks and lead words at the edges of a field."""
    leads, tails = LEADS.get(kind, "").split(), TAILS.get(kind, "").split()
    first, last = 0, len(inside)
    while first < last and (_is_mark(tokens[inside[first]], "¿¡") or tokens[inside[first]].text.lower() in leads):
        first += 1
    while last > first and (_is_mark(tokens[inside[last - 1]], "?!") or tokens[inside[last - 1]].text.lower() in tails):
        last -= 1
    return range(inside[first], inside[last - 1] + 1) if kind and first < last else range(0)


def _is_mark(token: ReferenceToken, kept: str) -> bool:
    return not any(map(str.isalnum, token.text)) and token.text not in kept
