"""Reads a manuscript in Markdown or plain text into a draft."""

from collections.abc import Sequence

from assay.manuscripts.front_matter import find_bibliography, read_front_matter, read_references, split_front_matter
from assay.manuscripts.manuscript_draft import Draft, DraftReference
from assay.manuscripts.markdown_blocks import BlockReader
from assay.manuscripts.reference_section import read_markdown_entry, split_reference_section
from assay.text.markdown_comments import without_comments

LONGEST_TITLE = 400
MISSING = "The bibliography {!r} was not given, so that the citations have no references."


def read_markdown(
    text: str,
    format: str,  # noqa: A002  # as in Draft
    listed: Sequence[DraftReference] = (),
    fields: Sequence[tuple[int, ...]] = (),
) -> Draft:
    """Read Markdown, or plain text for the format "text". `listed` are references from a bibliography beside it.

    `fields` are the places in `listed` that each citation field of a word processor cites.
    """
    is_plain = format == "text"
    front, text = ("", text) if is_plain else split_front_matter(without_comments(text))
    title, authors = read_front_matter(front)
    listed = [*listed, *read_references(front)]
    parts = split_reference_section(text)
    reader = BlockReader(parts.text, is_plain=is_plain, fields=fields)
    blocks = list(reader.read_blocks())
    notes, links = list(reader.inline.notes), list(reader.inline.links)
    if not title and blocks and (blocks[0].kind == "heading" or is_plain) and len(blocks[0].text) <= LONGEST_TITLE:
        title = blocks[0].text
    printed = [each._replace(text=read_markdown_entry(reader.inline, each.text)) for each in parts.references]
    references = [*listed, *printed] if format == "docx" else list(listed) or printed
    missing = find_bibliography(front) if not references else ""
    problems = [MISSING.format(missing[:80])] if missing else []
    return Draft(format, title, authors, [*blocks, *notes], references, links, problems)
