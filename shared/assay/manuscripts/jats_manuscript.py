"""Reads a manuscript in JATS XML, in which publishers and repositories exchange articles, into a draft."""

import re
from typing import Any

from assay.bibliography import doi as dois
from assay.bibliography.person_names import Name
from assay.bibliography.work import CitedWork, collapse_spaces
from assay.manuscripts.manuscript_draft import Draft, DraftReference
from assay.manuscripts.markup_reader import MarkupReader, Role, keep_known_anchors
from assay.manuscripts.reference_section import read_entry
from assay.text.safe_xml import Element, get_attribute, local_name, parse_xml

DOCTYPE = re.compile(
    r"<!DOCTYPE\s+[\w:.-]{1,60}"
    r"(?:\s+(?:PUBLIC|SYSTEM)(?:\s+(?:\"[^\"<>\[\]]{0,300}\"|'[^'<>\[\]]{0,300}')){1,2})?\s*>"
)  # without declarations of its own
ROLES: dict[str, Role] = {
    "p": "block", "title": "heading", "disp-quote": "quote", "ref": "entry", "fn": "note", "sup": "raised",
    "xref": "anchor", "ext-link": "anchor", "break": "space", "td": "block", "th": "block", "list-item": "block",
    "caption": "block", "code": "skip", "preformat": "skip", "disp-formula": "skip", "tex-math": "skip",
    "back": "block", "body": "block", "sec": "block", "abstract": "block", "front": "block",
}  # fmt: skip
SKIPPED = {"article-meta", "journal-meta", "label", "object-id", "permissions", "contrib-group", "aff"}
KINDS = {
    "journal": "article-journal", "book": "book", "chapter": "chapter", "confproc": "paper-conference",
    "thesis": "thesis", "report": "report", "web": "webpage", "webpage": "webpage", "data": "dataset",
    "software": "software", "patent": "patent",
}  # fmt: skip
CITATIONS = ("element-citation", "mixed-citation", "citation", "nlm-citation")
XLINK = "{http://www.w3.org/1999/xlink}href"


def read_jats(text: str) -> Draft:
    """Read an article. Raises UpstreamFailed if it is not well-formed, or declares entities."""
    root = parse_xml(DOCTYPE.sub("", text, count=1).encode(), "article", lenient=True)
    reader = MarkupReader(JatsRoles())
    draft = Draft("jats")
    for name in ("abstract", "body", "back"):
        for part in root.iter("{*}" + name):
            if not any(local_name(outer) in ("sub-article", "response") for outer in part.iterancestors()):
                reader.read(part, None)
    draft.blocks, draft.links = reader.blocks, reader.links
    draft.title = next((_join(each) for each in root.iter("{*}article-title")), "")
    draft.authors = tuple(_read_name(each) for group in root.iter("{*}contrib-group") for each in group.iter("{*}name"))
    known: dict[str, int] = {}
    for reference, ids in reader.entries:
        known |= {name: len(draft.references) for name in ids if name not in known}
        draft.references.append(reference)
    notes = {block.label for block in draft.blocks if block.kind == "note"}
    keep_known_anchors(draft.blocks, known, find_note=lambda name: name if name in notes else "")
    return draft


class JatsRoles:
    """What the elements of an article mean. Nothing in JATS is hidden."""

    def find_role(self, element: Element) -> Role:
        name = local_name(element)
        return "skip" if name in SKIPPED or not name else ROLES.get(name, "inline")

    def is_hidden(self, element: Element, parent: Any) -> tuple[bool, Any]:  # noqa: ARG002  # as for other markup
        return False, parent

    def find_targets(self, element: Element) -> tuple[str, ...]:
        if local_name(element) == "ext-link":
            target = element.get(XLINK) or ""
            return (target,) if target.startswith(("http://", "https://")) else ()
        return tuple(f"#{name}" for name in get_attribute(element, "rid").split()[:200])

    def build_reference(self, element: Element, text: str) -> DraftReference | None:
        label = next((_join(each) for each in element.iter("{*}label")), "")
        citation = next((each for name in CITATIONS for each in element.iter("{*}" + name)), None)
        text = collapse_spaces(text)
        work = None if citation is None else build_jats_work(citation)
        if work is None and not text:
            return None
        return DraftReference(read_entry(label + ". x").label or label.strip("[](). "), text, work)


def build_jats_work(citation: Element) -> CitedWork | None:
    """Build the work of a citation whose fields are marked up; None if its title is not."""
    fields: dict[str, str] = {}
    for each in citation.iter():
        name = local_name(each)
        name = f"pub-id {each.get('pub-id-type') or ''}" if name == "pub-id" else name
        if name and name not in fields:
            fields[name] = _join(each)
    title, source = fields.get("article-title") or fields.get("chapter-title") or "", fields.get("source", "")
    if not (title or source):
        return None
    first, last = fields.get("fpage", ""), fields.get("lpage", "")
    kind = citation.get("publication-type") or citation.get("citation-type") or ""
    year = re.search(r"(?:1[5-9]|20)\d\d", fields.get("year", ""))
    return CitedWork(
        kind=KINDS.get(kind, "document"),
        title=title or source,
        authors=_read_authors(citation),
        date=year[0] if year else "",
        container=source if title else "",
        publisher=fields.get("publisher-name", ""),
        volume=fields.get("volume", ""),
        issue=fields.get("issue", ""),
        pages=f"{first}-{last}" if first and last else first or fields.get("elocation-id", ""),
        doi=dois.normalize(fields.get("pub-id doi", "")) or "",
        place=fields.get("publisher-loc", ""),
        is_author_list_cut="etal" in fields,
    )


def _read_authors(citation: Element) -> tuple[Name, ...]:
    groups = [each for each in citation.iter("{*}person-group") if each.get("person-group-type") in (None, "author")]
    names = [each for group in groups or [citation] for each in group.iter("{*}name", "{*}collab", "{*}string-name")]
    return tuple(name for each in names[:2_000] if (name := _read_name(each)).family)


def _read_name(element: Element) -> Name:
    parts = {local_name(each): _join(each) for each in element if local_name(each)}
    return Name(
        parts.get("surname", "") or _join(element), parts.get("given-names", "") if parts.get("surname") else ""
    )


def _join(element: Element) -> str:
    return collapse_spaces("".join(element.itertext())[:20_000])
