"""Separates the list of references from the text of a manuscript."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assay.bibliography import doi as dois
from assay.bibliography.reference_list import ReferenceList, find_reference_list
from assay.manuscripts.manuscript_draft import DraftReference
from assay.manuscripts.markdown_inline import InlineReader

CHAPTER_END = "\ue005"  # a line of its own; the text of a document has no private-use characters
MAX_SCANS = 8  # lengths of a text that are searched for lists of chapters
LABEL = re.compile(r"\s*[\[(]?\s*(\d{1,4})\s*[\]).]\s*")


class SplitText(NamedTuple):
    """The text without its lists, `CHAPTER_END` between the parts that have their own list, and all entries."""

    text: str
    references: list[DraftReference]


def find_reference_lists(text: str) -> list[ReferenceList]:
    """Return the lists of a text, in order; several if its chapters have their own, of which the last ones are read."""
    found: list[ReferenceList] = []
    end, scanned = len(text), 0
    while scanned <= MAX_SCANS * len(text):
        scanned += end
        one = find_reference_list(text[:end])
        if not one.entries:
            break
        found.append(one)
        end = one.start
    return found[::-1]


def list_entries(lists: Sequence[ReferenceList]) -> list[DraftReference]:
    """Return the entries of all lists; `chapter` counts the lists."""
    return [
        DraftReference(entry.label, entry.text, chapter=chapter)
        for chapter, one in enumerate(lists)
        for entry in one.entries
    ]


def split_reference_section(text: str) -> SplitText:
    """Split a text at its lists of references. What follows the last list belongs to its chapter."""
    lists = find_reference_lists(text)
    pieces, done = list[str](), 0
    for one in lists:
        pieces.append("" if not pieces else CHAPTER_END)
        for start, end in one.sections:
            pieces.append(text[done:start])
            done = end
    return SplitText("\n\n".join([*pieces, text[done:]]), list_entries(lists))


def read_markdown_entry(inline: InlineReader, markdown: str) -> str:
    """Return the text of an entry, with the DOI that one of its links leads to."""
    block = inline.read("paragraph", markdown)
    return add_linked_doi(block.text, [str(marker.labels[0]) for marker in block.markers if marker.style == "link"])


def add_linked_doi(text: str, targets: Iterable[str]) -> str:
    """Return the text of an entry with the DOI that one of its links leads to, unless it prints one."""
    doi = next((found for found in map(dois.find_in_url, targets) if found), "")
    return f"{text} https://doi.org/{doi}" if doi and not dois.find(text) else text


def read_entry(text: str) -> DraftReference:
    """Read one entry of a list, with its number if it has one."""
    label = LABEL.match(text)
    return DraftReference(label[1] if label else "", (text[label.end() :] if label else text).strip())
