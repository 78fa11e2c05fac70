"""Adds to the list the references that stand in the text itself: in notes, and behind links."""

from assay.bibliography.identifiers import identify_url
from assay.bibliography.work import CitedWork
from assay.manuscripts.author_year_markers import LEAD_IN
from assay.manuscripts.manuscript_draft import Block, Draft, DraftReference
from assay.manuscripts.note_references import NoteMatcher, is_printed_reference
from assay.manuscripts.reference_index import list_addresses, normalize_address

MIN_TEXT = 8  # characters of a paragraph beside its links


def add_note_references(draft: Draft) -> dict[str, int]:
    """Add the notes that are references to the list; return the places of the references by name of the note."""
    matcher = NoteMatcher(draft.references)
    places: dict[str, int] = {}
    for block in draft.blocks:
        if block.kind != "note":
            continue
        known = matcher.find(block.text)
        if known is None and is_printed_reference(block.text):
            known = len(draft.references)
            draft.references.append(DraftReference(text=LEAD_IN.sub("", block.text), origin=f"note {block.label}"))
            matcher.add(known)
        if known is not None:
            places[block.label] = known
    return places


def add_linked_works(draft: Draft) -> None:
    """Add the works that links lead to and the list does not have; other pages only if there is no list."""
    known = {address for each in draft.references for address in list_addresses(each.work, each.text)}
    has_list = bool(draft.references)
    for marker in (marker for block in draft.blocks if _has_text(block) for marker in block.markers):
        url = str(marker.labels[0]) if marker.style == "link" else ""
        found = identify_url(url) if url else None
        if not url or not known.isdisjoint(normalize_address(url)) or (has_list and not found):
            continue
        known.update(normalize_address(url))
        arxiv = found.value if found and found.kind == "arxiv" else ""
        doi = found.value if found and found.kind == "doi" else ""
        work = CitedWork("document" if found else "webpage", url=url, doi=doi, arxiv_id=arxiv)
        draft.references.append(DraftReference(work=work, origin="link"))


def _has_text(block: Block) -> bool:
    """Whether a block says something beside its links, so that these are no menu."""
    linked = sum(marker.end - marker.start for marker in block.markers if marker.style == "link")
    return block.kind != "heading" and len(block.text) - linked >= MIN_TEXT
