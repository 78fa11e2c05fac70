"""Builds a manuscript from the draft of its format's reader: pairs the markers with the references."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.bibliography.printed_reference import parse_reference
from assay.bibliography.work import CitedWork, cut_excerpt
from assay.manuscripts.manuscript import InTextCitation, ListedReference, Manuscript, Paragraph, Quotation
from assay.manuscripts.manuscript_draft import AuthorYear, Block, Draft, DraftReference, Marker
from assay.manuscripts.marker_collection import MarkerCollection
from assay.manuscripts.note_references import is_repetition
from assay.manuscripts.quotations import find_quotations, is_long_enough
from assay.manuscripts.reference_index import ReferenceIndex
from assay.manuscripts.sentence_spans import SentenceSpans
from assay.manuscripts.text_references import add_linked_works, add_note_references
from assay.text.user_info import remove_prose_user_info

UNRECOGNIZED = "No title, DOI or web address was recognized in it."
REMARK_WORDS = 6  # words beside the markers of a note that only cites
WORD = re.compile(r"\w+")
SPACE_BEFORE = re.compile(r"(?<!\s)\s+([.,;:!?。])")
MAX_LINKS = 10_000

type Resolved = tuple[tuple[int, ...], tuple[str, ...]]  # references from 1, labels that no reference has


def assemble_manuscript(draft: Draft, max_references: int) -> Manuscript:
    """Pair the markers of a draft with its references, of which the first `max_references` are parsed."""
    note_places = add_note_references(draft)
    add_linked_works(draft)
    total = len(draft.references)
    parsed = [_parse(each) for each in draft.references[:max_references]]
    index = ReferenceIndex([*parsed, *draft.references[max_references:]])
    collection = MarkerCollection(draft.blocks, index)
    builder = ManuscriptBuilder(draft, index, collection, note_places, len(parsed))
    builder.add_blocks()
    notes = [*draft.notes, *builder.describe_problems()]
    if total > max_references:
        notes.append(f"Only the first {max_references:,} of {total:,} references were read.")
    return Manuscript(
        format=draft.format,
        title=draft.title,
        authors=draft.authors,
        paragraphs=tuple(builder.paragraphs),
        references=tuple(_list_reference(number, each) for number, each in enumerate(parsed, 1)),
        citations=tuple(builder.citations),
        quotations=tuple(builder.quotations),
        links=tuple(dict.fromkeys(draft.links))[:MAX_LINKS],
        notes=tuple(notes),
        total_references=total,
        is_truncated=draft.is_truncated or total > max_references,
    )


def _parse(reference: DraftReference) -> DraftReference:
    if reference.work:
        return reference
    work = replace(parse_reference(reference.text), printed=remove_prose_user_info(reference.text), key=reference.label)
    if not (work.title or work.doi or work.url or work.arxiv_id):
        work = replace(work, unread=(*work.unread, UNRECOGNIZED))
    return reference._replace(work=work)


def _list_reference(number: int, reference: DraftReference) -> ListedReference:
    work = replace(reference.work or CitedWork(), number=number)
    return ListedReference(number, work, reference.label, reference.hidden)


@dataclass
class ManuscriptBuilder:
    """Collects paragraphs, citations and quotations; `limit` is the number of references that may be named."""

    draft: Draft
    index: ReferenceIndex
    collection: MarkerCollection
    note_places: Mapping[str, int]  # of references that are notes, by name of the note
    limit: int
    paragraphs: list[Paragraph] = field(default_factory=list)
    citations: list[InTextCitation] = field(default_factory=list)
    quotations: list[Quotation] = field(default_factory=list)
    _notes: dict[str, Resolved] = field(default_factory=dict)
    ambiguous: dict[str, None] = field(default_factory=dict)  # markers as printed

    def add_blocks(self) -> None:
        self._resolve_notes()
        section = ""
        for place, block in enumerate(self.draft.blocks):
            if block.kind == "heading":
                section = block.text
            elif block.kind != "note" or block.label not in self._notes:
                self._add_paragraph(place, block, "Notes" if block.kind == "note" else section)

    def _resolve_notes(self) -> None:
        """Find the references (from 1) and the missing labels of the notes that only cite, by name of the note."""
        before: Resolved | None = None
        for block, markers in zip(self.draft.blocks, self.collection.by_block, strict=True):
            if block.kind != "note":
                continue
            if block.label in self.note_places:
                before = self._limit([self.note_places[block.label]]), ()
            elif is_repetition(block.text) and before is not None:
                pass
            elif markers and _count_remark_words(block.text, markers) <= REMARK_WORDS:
                before = self._resolve(markers, block)
            else:
                before = None
            if before is not None:
                self._notes[block.label] = before

    def _resolve(self, markers: Sequence[Marker], block: Block) -> Resolved:
        references: dict[int, None] = {}
        missing: dict[str, None] = {}
        for marker in markers:
            for label in marker.labels:
                if marker.style == "footnote":
                    found, unlisted = self._notes.get(str(label), ((), ()))
                    references |= dict.fromkeys(found)
                    missing |= dict.fromkeys(unlisted)
                    continue
                match = self.index.find(marker, label, block.chapter)
                if match.is_ambiguous:
                    self.ambiguous[block.text[marker.start : marker.end]] = None
                else:
                    references |= dict.fromkeys(self._limit(match.places))
                    if not match.places and self.collection.counts_as_missing(marker, label):
                        missing[label.format_label() if isinstance(label, AuthorYear) else str(label)] = None
        return tuple(references), tuple(missing)

    def _limit(self, places: Sequence[int]) -> tuple[int, ...]:
        return tuple(place + 1 for place in places if place < self.limit)

    def _add_paragraph(self, place: int, block: Block, section: str) -> None:
        number = len(self.paragraphs) + 1
        self.paragraphs.append(Paragraph(number, block.text, section, block.page))
        markers = self.collection.by_block[place]
        sentences = SentenceSpans(block.text, markers)
        cited: dict[int, dict[int, None]] = {}
        for marker in markers:
            references, missing = self._resolve([marker], block)
            if not self._is_citation(marker, references, missing):
                continue
            sentence = sentences.find(marker.start)
            cited.setdefault(sentence, {}).update(dict.fromkeys(references))
            self.citations.append(
                InTextCitation(
                    block.text[marker.start : marker.end],
                    marker.style,
                    sentences.read(sentence),
                    number,
                    references,
                    missing,
                )
            )
        self._add_quotations(place, block, number, sentences, cited)

    def _is_citation(self, marker: Marker, references: tuple[int, ...], missing: tuple[str, ...]) -> bool:
        if references or missing:
            return True
        matches = [self.index.find(marker, label) for label in marker.labels if marker.style != "footnote"]
        return any(match.places for match in matches)

    def _add_quotations(
        self, place: int, block: Block, number: int, sentences: SentenceSpans, cited: dict[int, dict[int, None]]
    ) -> None:
        if block.kind == "quote":
            if is_long_enough(block.text):
                own = [reference for each in cited.values() for reference in each]
                references = tuple(dict.fromkeys(own)) or self._find_neighbouring(place)
                self.quotations.append(
                    Quotation(_without_markers(block.text, self.collection.by_block[place]), number, references)
                )
            return
        for start, end, quoted in find_quotations(block.text):
            among = range(sentences.find(start), sentences.find(max(start, end - 1)) + 1)
            references = tuple(dict.fromkeys(reference for each in among for reference in cited.get(each, ())))
            self.quotations.append(Quotation(quoted, number, references))

    def _find_neighbouring(self, place: int) -> tuple[int, ...]:
        """Return what the line that introduces a block quotation cites, otherwise the sentence that follows it."""
        blocks, markers = self.draft.blocks, self.collection.by_block
        if place and blocks[place - 1].text.rstrip().endswith((":", ",", "—")) and markers[place - 1]:
            return self._resolve(markers[place - 1][-1:], blocks[place - 1])[0]
        if place + 1 < len(blocks) and blocks[place + 1].kind == "paragraph" and markers[place + 1]:
            following = blocks[place + 1].text
            first = markers[place + 1][0]
            if SentenceSpans(following, markers[place + 1]).find(first.start) == 0:
                return self._resolve([first], blocks[place + 1])[0]
        return ()

    def describe_problems(self) -> list[str]:
        notes = []
        if self.ambiguous:
            examples = ", ".join(f"“{cut_excerpt(marker)}”" for marker in list(self.ambiguous)[:3])
            notes.append(
                f"{len(self.ambiguous)} marker(s) fit several listed references and were paired with none: {examples}."
            )
        if self.index.chapters > 1:
            notes.append(f"The document has {self.index.chapters} lists of references; markers belong to the next one.")
        return notes


def _count_remark_words(text: str, markers: Sequence[Marker]) -> int:
    return len(WORD.findall(_without_markers(text, markers)))


def _without_markers(text: str, markers: Sequence[Marker]) -> str:
    pieces, done = [], 0
    for marker in markers:
        pieces.append(text[done : marker.start])
        done = marker.end
    return SPACE_BEFORE.sub(r"\1", "".join([*pieces, text[done:]])).strip()
