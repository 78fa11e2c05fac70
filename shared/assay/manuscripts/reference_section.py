"""Separates the list of references from the text of a manuscript."""

import re
from typing import NamedTuple

from assay.bibliography.reference_list import find_reference_list
from assay.manuscripts.manuscript_draft import DraftReference

LABEL = re.compile(r"\s*[\[(]?\s*(\d{1,4})\s*[\]).]\s*")


class SplitText(NamedTuple):
    """The text before the list, that behind it and between it and its continuation, and the entries of the list."""

    before: str
    after: str
    references: list[DraftReference]


def split_reference_section(text: str) -> SplitText:
    """Split a text at its last list of references. Without one, all of it stands before the list."""
    found = find_reference_list(text)
    if not found.entries:
        return SplitText(text, "", [])
    references = [DraftReference(entry.label, entry.text) for entry in found.entries]
    starts = [start for start, _ in found.sections[1:]] + [len(text)]
    after = [text[end:start] for (_, end), start in zip(found.sections, starts, strict=True)]
    return SplitText(text[: found.start], "\n\n".join(after), references)


def read_entry(text: str) -> DraftReference:
    """Read one entry of a list, with its number if it has one."""
    label = LABEL.match(text)
    return DraftReference(label[1] if label else "", (text[label.end() :] if label else text).strip())
