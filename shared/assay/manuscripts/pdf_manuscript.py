"""Reads a manuscript in PDF into a draft: paragraphs with their pages, and references that readers do not see."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from assay.bibliography.person_names import parse_name, split_names
from assay.bibliography.reference_list import find_reference_list, split_entries
from assay.manuscripts.hidden_references import add_hidden_references
from assay.manuscripts.manuscript_draft import Block, Draft, DraftReference
from assay.manuscripts.markdown_blocks import BlockReader
from assay.manuscripts.reference_section import read_entry
from assay.text.sanitize import sanitise


def read_pdf(answer: Mapping[str, Any]) -> Draft:
    """Read what the parser of PDF files answers."""
    parts = [(page, sanitise(text)) for page, text in answer["parts"]]
    draft = Draft("pdf", sanitise(answer["title"]), is_truncated=answer["truncated"])
    draft.authors = tuple(parse_name(name) for name in split_names(sanitise(answer["author"])))
    starts = [0, *accumulate(len(text) + 2 for _, text in parts)]
    found = find_reference_list("\n\n".join(text for _, text in parts))
    draft.references = [DraftReference(entry.label, entry.text) for entry in found.entries]
    for (page, text), start in zip(parts, starts, strict=False):
        for piece in _cut_sections(text, start, found.sections):
            draft.blocks += _read_part(piece, page, draft)
    draft.title = draft.title or next((each.text for each in draft.blocks[:3] if each.kind == "heading"), "")
    draft.notes += answer["notes"]
    add_hidden_references(draft, _join_lines(answer["hidden"]))
    return draft


def _cut_sections(text: str, start: int, sections: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield what of a part, which begins at `start`, is outside the lists of references."""
    place = 0
    for first, last in sections:
        if first < start + len(text) and last > start:
            yield text[place : max(place, first - start)]
            place = max(place, min(len(text), last - start))
    yield text[place:]


def _read_part(text: str, page: int, draft: Draft) -> list[Block]:
    if not text.strip():
        return []
    reader = BlockReader(text)
    blocks = list(reader.read_blocks())
    draft.links += reader.inline.links
    for block in blocks:
        block.page = page
    return blocks


def _join_lines(lines: Sequence[str]) -> list[DraftReference]:
    """Join hidden lines to entries of a list, as far as they are some."""
    text = "\n".join(sanitise(line) for line in lines)
    entries = split_entries(text) if text.strip() else ()
    return [DraftReference(each.label, each.text) if each.label else read_entry(each.text) for each in entries]
