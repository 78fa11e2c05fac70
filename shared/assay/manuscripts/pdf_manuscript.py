"""Reads a manuscript in PDF into a draft: paragraphs with their pages, and references that readers do not see."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from assay.bibliography.person_names import parse_name, split_names
from assay.bibliography.reference_list import split_entries
from assay.manuscripts.hidden_references import add_hidden_references
from assay.manuscripts.manuscript_draft import Block, Draft, DraftReference
from assay.manuscripts.markdown_blocks import BlockReader
from assay.manuscripts.markdown_inline import InlineReader
from assay.manuscripts.reference_section import find_reference_lists, list_entries, read_entry, read_markdown_entry
from assay.text.sanitize import sanitise


def read_pdf(answer: Mapping[str, Any]) -> Draft:
    """Read what the parser of PDF files answers."""
    parts = [(page, sanitise(text)) for page, text in answer["parts"]]
    draft = Draft("pdf", sanitise(answer["title"]), is_truncated=answer["truncated"])
    draft.authors = tuple(parse_name(name) for name in split_names(sanitise(answer["author"])))
    starts = [0, *accumulate(len(text) + 2 for _, text in parts)]
    lists = find_reference_lists("\n\n".join(text for _, text in parts))
    sections = [section for one in lists for section in one.sections]
    inline = InlineReader({}, is_plain=False)
    draft.references = [each._replace(text=read_markdown_entry(inline, each.text)) for each in list_entries(lists)]
    for (page, text), start in zip(parts, starts, strict=False):
        chapter = min(bisect_right([one.end for one in lists], start), max(0, len(lists) - 1))
        for piece in _cut_sections(text, start, sections):
            draft.blocks += _read_part(piece, page, chapter, draft)
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


def _read_part(text: str, page: int, chapter: int, draft: Draft) -> list[Block]:
    if not text.strip():
        return []
    reader = BlockReader(text)
    blocks = list(reader.read_blocks())
    draft.links += reader.inline.links
    for block in blocks:
        block.page, block.chapter = page, chapter
    return blocks


def _join_lines(lines: Sequence[str]) -> list[DraftReference]:
    """Join hidden lines to entries of a list, as far as they are some."""
    text = "\n".join(sanitise(line) for line in lines)
    entries = split_entries(text) if text.strip() else ()
    return [DraftReference(each.label, each.text) if each.label else read_entry(each.text) for each in entries]
