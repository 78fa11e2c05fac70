"""Adds what a document hides from its readers to the draft: references marked as such, and a note that quotes it."""

from collections.abc import Sequence

from assay.bibliography.work import cut_excerpt
from assay.manuscripts.manuscript_draft import Draft, DraftReference
from assay.manuscripts.note_references import is_printed_reference

MOST_SHOWN = 3  # hidden passages quoted in a note


def add_hidden_references(draft: Draft, passages: Sequence[DraftReference]) -> None:
    """Add the hidden passages that are references to the list, marked as such, and a note that quotes the passages."""
    hidden = [entry._replace(hidden=True) for entry in passages if is_printed_reference(entry.text)]
    draft.references += hidden
    if passages:
        shown = "; ".join(f"“{cut_excerpt(entry.text)}”" for entry in passages[:MOST_SHOWN])
        draft.notes.append(
            f"{len(passages)} passage(s) are hidden from readers, {len(hidden)} of them references: {shown}"
        )
