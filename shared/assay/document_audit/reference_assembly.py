"""Puts a listed reference together with the sentences that cite it and the claims checked in them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from assay.document_audit.audit_models import CitingSentence, ReferenceAudit
from assay.manuscripts.manuscript import InTextCitation, ListedReference, Manuscript
from assay.state.json_documents import Document
from assay.verification.reference_corrections import build_key

MAX_SENTENCES = 10  # shown of each reference, besides those whose claim was checked
MAX_SENTENCE = 600  # characters
UNAUDITED = "This reference has not been audited yet."


def assemble_references(
    manuscript: Manuscript, views: Mapping[int, Document], claims: Sequence[Document]
) -> list[ReferenceAudit]:
    """Return all listed references; those without a view are unchecked, not clean."""
    checked = {(claim["citation"], claim["reference"]): claim for claim in claims}
    sentences, counts = _collect_sentences(manuscript, checked)
    mismatches: dict[int, list[str]] = defaultdict(list)
    for claim in claims:
        if claim["mismatch"]:
            mismatches[claim["reference"]].append(claim["mismatch"])
    references = []
    for listed in manuscript.references:
        view = views.get(listed.index)
        audit = ReferenceAudit.model_validate(view) if view else build_unaudited(listed)
        if found := mismatches.get(listed.index):
            audit.flags = [*audit.flags, "mischaracterized"]
            audit.reason = " ".join(filter(None, [audit.reason, *found]))
        audit.cited_in, audit.citation_count = sentences.get(listed.index), counts[listed.index]
        references.append(audit)
    return references


def build_unaudited(listed: ListedReference) -> ReferenceAudit:
    return ReferenceAudit(
        index=listed.index,
        title=listed.work.title or None,
        doi=listed.work.doi or None,
        url=listed.work.url or None,
        label=listed.label or None,
        key=build_key(listed.work, listed.index),
        retraction_check="unchecked",
        flags=["unchecked"],
        reason=UNAUDITED,
    )


def _collect_sentences(
    manuscript: Manuscript, checked: Mapping[tuple[int, int], Document]
) -> tuple[dict[int, list[CitingSentence]], Counter[int]]:
    """Return the citing sentences of each reference, and their number."""
    sentences: dict[int, list[CitingSentence]] = defaultdict(list)
    counts: Counter[int] = Counter()
    paragraphs = {paragraph.number: paragraph for paragraph in manuscript.paragraphs}
    for place, citation in enumerate(manuscript.citations):
        paragraph = paragraphs.get(citation.paragraph)
        for index in citation.references:
            counts[index] += 1
            claim = checked.get((place, index))
            if claim or counts[index] <= MAX_SENTENCES:
                sentence = CitingSentence.model_validate(claim["view"]) if claim else build_sentence(citation)
                sentence.section = (paragraph.section or None) if paragraph else None
                sentence.page = paragraph.page if paragraph else None
                sentences[index].append(sentence)
    return sentences, counts


def build_sentence(citation: InTextCitation) -> CitingSentence:
    return CitingSentence(
        marker=citation.marker,
        style=citation.style,
        sentence=citation.sentence[:MAX_SENTENCE],
        paragraph=citation.paragraph,
    )
