"""Reads a manuscript in Word's format into a draft: citation fields of reference managers, and printed markers."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.bibliography.person_names import parse_name, split_names
from assay.bibliography.work import CitedWork
from assay.documents.docx_citations import END, FIELD, LIST, LIST_END, SHOWN
from assay.html.reader.markdown_escapes import unescape_markdown
from assay.manuscripts.hidden_references import add_hidden_references
from assay.manuscripts.manuscript_draft import Draft, DraftReference
from assay.manuscripts.markdown_manuscript import read_markdown
from assay.manuscripts.reference_section import read_entry
from assay.manuscripts.word_fields import build_word_source, read_field
from assay.text.sanitize import sanitise

GENERATED = re.compile(f"{LIST}([^{LIST}{LIST_END}]*){LIST_END}?")
PIECES = re.compile(f"([{FIELD}{SHOWN}{END}])")
RAISED = re.compile(r"\^\^")
LETTERS = re.compile(r"[\W_]+")


def read_word(answer: Mapping[str, Any]) -> Draft:
    """Read what the parser of Word files answers."""
    entries: list[DraftReference] = []

    def take_list(found: re.Match[str]) -> str:
        entries.extend(read_entry(unescape_markdown(sanitise(part))) for part in found[1].split("\n") if part.strip())
        return "\n\n"

    markdown = GENERATED.sub(take_list, answer["markdown"])
    sources = {str(source.get("Tag", "")): build_word_source(source) for source in answer["sources"]}
    records: dict[str, CitedWork] = {}
    cited = [_add_records(code, records, sources) for code in answer["fields"]]
    places = {key: place for place, key in enumerate(records)}
    fields = [tuple(places[key] for key in keys) for keys in cited]
    known = [DraftReference(work=work) for work in records.values()]
    draft = read_markdown(_sanitise_around_marks(markdown), "docx", known, fields)
    draft.references = _merge_lists(records, [*entries, *draft.references[len(known) :]])
    draft.title = sanitise(answer["title"]) or draft.title
    draft.authors = tuple(parse_name(name) for name in split_names(sanitise(answer["author"])))
    draft.is_truncated |= answer["truncated"]
    hidden = [sanitise(text).strip() for text in answer["hidden"]]
    add_hidden_references(draft, [read_entry(line) for text in hidden for line in text.split("\n") if line])
    return draft


def _add_records(code: str, records: dict[str, CitedWork], sources: Mapping[str, CitedWork]) -> list[str]:
    """Add the works that a field cites to the records by key; return their keys."""
    keys = []
    for key, work in read_field(code):
        known = work or sources.get(key)
        if known is not None:
            records.setdefault(key, known)
            keys.append(key)
    return keys


def _merge_lists(records: Mapping[str, CitedWork], entries: Sequence[DraftReference]) -> list[DraftReference]:
    """Return the records, each with its printed entry, and the printed entries that no field cites."""
    printed = [(_fold(entry.text), entry) for entry in entries]
    merged: list[DraftReference] = []
    used: set[int] = set()
    for work in records.values():
        title = _fold(work.title)
        at = next((at for at, (text, _) in enumerate(printed) if at not in used and title and title in text), None)
        entry = DraftReference() if at is None else printed[at][1]
        used |= set() if at is None else {at}
        merged.append(entry._replace(work=work))
    return [*merged, *(entry for at, entry in enumerate(entries) if at not in used)]


def _fold(text: str) -> str:
    return LETTERS.sub("", text.casefold())


def _sanitise_around_marks(markdown: str) -> str:
    """Remove invisible characters except the marks of fields, and join superscript numbers of adjacent runs."""
    pieces = [piece if piece in (FIELD, SHOWN, END) else sanitise(piece) for piece in PIECES.split(markdown)]
    return RAISED.sub("", "".join(pieces))
