"""Divides the audit of a manuscript into units of work: the same manuscript always has the same units."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

from assay.manuscripts.manuscript import Manuscript, Quotation
from assay.verification.claim_sources import CLAIM_BYTES
from assay.verification.quotation_lookup import MIN_WORDS, count_quoted_words

type UnitKind = Literal["references", "links", "claims", "quotations", "neighbours"]

SIZES: dict[UnitKind, int] = {"references": 20, "links": 40, "claims": 4, "quotations": 4, "neighbours": 50}
MAX_LINKS = 1_000  # of the running text that are checked
MIN_CLAIM_WORDS = 4
MAX_PAIRS = 20_000  # of sentence and reference
MAX_SENTENCE, MAX_MARKERS = 8_000, 200  # characters and markers of a sentence that are read
SPACE = re.compile(r" (?=[.,;:)\]])|(?<=[(\[]) ")
EMPTY = re.compile(r"[(\[]\s{0,9}[)\]]")


class Unit(NamedTuple):
    """A unit of work on the items from `start` to before `end` of its kind."""

    kind: UnitKind
    start: int
    end: int


class SentenceClaim(NamedTuple):
    """A sentence of the manuscript, without its markers, as a claim about one of the references that it cites."""

    citation: int  # place in the manuscript's list of citations
    reference: int  # index of the listed reference
    text: str


def plan_units(manuscript: Manuscript, max_claims: int, max_quotations: int) -> list[Unit]:
    """Return all units in the order in which they are worked on; claims and quotations need those of references."""
    counts: dict[UnitKind, int] = {
        "references": len(manuscript.references),
        "links": len(manuscript.links[:MAX_LINKS]),
        "claims": len(select_claims(manuscript, max_claims)),
        "quotations": len(select_quotations(manuscript, max_quotations)),
        "neighbours": len(manuscript.references),
    }
    return [
        Unit(kind, start, min(start + SIZES[kind], count))
        for kind, count in counts.items()
        for start in range(0, count, SIZES[kind])
    ]


def select_claims(manuscript: Manuscript, limit: int) -> list[SentenceClaim]:
    """Return up to `limit` claims: the first of each reference, in the order of the text, then the second of each."""
    rounds: list[list[SentenceClaim]] = []
    counts: dict[int, int] = defaultdict(int)
    for claim in list_claims(manuscript):
        turn = counts[claim.reference]
        counts[claim.reference] += 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(claim)
    return [claim for each in rounds for claim in each][:limit]


def list_claims(manuscript: Manuscript) -> list[SentenceClaim]:
    """Return each pair of a citing sentence and a cited reference once, the first `MAX_PAIRS`."""
    markers: dict[tuple[int, str], dict[str, None]] = defaultdict(dict)
    for citation in manuscript.citations:
        markers[citation.paragraph, citation.sentence][citation.marker] = None
    texts = {key: build_claim(key[1], list(found)) for key, found in markers.items()}
    claims: dict[tuple[int, str, int], SentenceClaim] = {}
    for place, citation in enumerate(manuscript.citations):
        text = texts[citation.paragraph, citation.sentence]
        if len(text.split(maxsplit=MIN_CLAIM_WORDS)) < MIN_CLAIM_WORDS:
            continue
        for reference in citation.references:
            claims.setdefault((citation.paragraph, text, reference), SentenceClaim(place, reference, text))
        if len(claims) >= MAX_PAIRS:
            break
    return list(claims.values())


def build_claim(sentence: str, markers: Sequence[str]) -> str:
    """Return the sentence without its markers."""
    text = sentence[:MAX_SENTENCE]
    for marker in sorted(filter(None, markers[:MAX_MARKERS]), key=len, reverse=True):
        text = text.replace(marker, " ")
    text = SPACE.sub("", " ".join(EMPTY.sub(" ", text).split()))
    return text.encode()[:CLAIM_BYTES].decode(errors="ignore").strip()


def select_quotations(manuscript: Manuscript, limit: int) -> list[Quotation]:
    """Return up to `limit` quotations that are long enough and have a source."""
    return [quotation for quotation in manuscript.quotations if can_be_looked_up(quotation)][:limit]


def can_be_looked_up(quotation: Quotation) -> bool:
    return bool(quotation.references) and count_quoted_words(quotation.text) >= MIN_WORDS
