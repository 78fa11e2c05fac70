"""Measures how far a text covers a claim, where, and whether it may contradict it."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from assay.evaluation import claim_sentences

WINDOW = 4  # sentences in which the claim's terms must co-occur; terms scattered over a long text are no evidence
WHOLE = 20  # sentences; a text of up to this length is one window
ADDRESSED = 0.6
CLOSE = 0.3  # share of the claim's terms from which a negation in the sentence may concern the claim
KEY_SENTENCES = 5
STANCE_WEIGHT = NUMBER_WEIGHT = 1.5
MAX_LISTS = 3  # numbered lists examined at the end of a text
LONGEST = 2_000_000  # characters examined per text

STANCE = re.compile(
    r"\b(?:found|finds?|findings?|show(?:s|ed|n)?|demonstrat\w+|conclud\w+|confirm\w*|reveal\w*|report(?:s|ed)?"
    r"|indicat\w+|suggest\w*|estimat\w+|observ\w+|evidence|results?|caus\w+|increas\w+|decreas\w+|reduc\w+"
    r"|associated|linked|significant\w*)\b",
    re.IGNORECASE,
)
DENIALS = r"""
    no (?:significant|evidence|association|difference|effect|link|increase|decrease|benefit|support|proof|correlation)
    not (?:significant\w*|associated|supported|found|confirmed|true|caused?|linked|increased?|effective|proven)
    (?:did|does|do|was|were|is|are|has|have|could|can|will|would) not
    (?:did|does|do|was|were|is|are|has|have|could|ca|wo|would)n[’']t
    cannot|never|neither|fail(?:s|ed)? to|lack of|without (?:evidence|effect)|contrary to
    contradict\w*|refut\w+|disprov\w+|debunk\w*|disput\w+|reject(?:s|ed)
    false|incorrect|untrue|myth|misleading|unfounded|baseless|retract\w+|withdrawn
    kein\w*|nicht|widerleg\w+|falsch|ne .{1,20} pas|aucun\w*|faux|ningún|ninguna|falso|nessun\w*
"""
CONTRAST = re.compile(
    rf"\b(?:{'|'.join(line.strip() for line in DENIALS.strip().splitlines())})\b"
    r"|没有|並非|并非|不是|ではない|ありません",
    re.IGNORECASE,
)
REFERENCES = re.compile(
    r"^[ \t#*\d.]{0,12}(?:references|bibliography|works cited|literature cited|further reading|literatur\w*"
    r"|références|bibliographie|referencias|bibliografía|参考文献)[ \t*:]{0,5}$",
    re.IGNORECASE | re.MULTILINE,
)
NUMBERED = re.compile(r"^[ \t]{0,4}\[?(\d{1,3})[\].)][ \t]+\S.{20,}$", re.MULTILINE)

type Coverage = Literal["addressed", "partially_addressed", "not_addressed"]


class ClaimEvidence(NamedTuple):
    """`share` is the share of the claim's terms in the best window, 0 to 1; `sentences` are in document order."""

    coverage: Coverage
    share: float
    sentences: list[str]
    contrast: bool  # one of the sentences has a negation and may contradict the claim


def measure_support(claim: str, text: str) -> ClaimEvidence:
    """Measure how far `text` covers `claim`; a claim of only stop words is partially addressed by any text."""
    claim_terms = claim_sentences.extract_terms(claim)
    body = list(claim_sentences.split_sentences(remove_references(text[:LONGEST])))
    shared_terms = [claim_sentences.extract_terms(sentence) & claim_terms for sentence in body]
    share = _share(claim_terms, shared_terms)
    key = _best(claim, body, shared_terms)
    bearing = [body[at] for at in key if len(shared_terms[at]) >= CLOSE * len(claim_terms)]
    return ClaimEvidence(
        _coverage(share, claim_terms), round(share, 2), [body[at] for at in key], has_negation(bearing)
    )


def _coverage(share: float, claim_terms: set[str]) -> Coverage:
    if share >= ADDRESSED:
        return "addressed"
    return "partially_addressed" if share > 0 or not claim_terms else "not_addressed"


def find_key_sentences(claim: str, text: str, most: int = KEY_SENTENCES) -> list[str]:
    """Return the sentences most relevant to the claim, in document order."""
    body = list(claim_sentences.split_sentences(remove_references(text[:LONGEST])))
    claim_terms = claim_sentences.extract_terms(claim)
    return [
        body[at]
        for at in _best(claim, body, [claim_sentences.extract_terms(sentence) & claim_terms for sentence in body], most)
    ]


def select_sentences(texts: Sequence[str], ranked: Iterable[int], most: int = KEY_SENTENCES) -> list[int]:
    """Select the first `most` of the ranked sentences, without headings and repetitions; indexes in document order."""
    chosen: dict[tuple[str, ...], int] = {}
    for at in ranked:
        words = tuple(claim_sentences.WORD.findall(texts[at].casefold()))
        if words and not claim_sentences.HEADING.match(texts[at]):
            chosen.setdefault(words, at)
        if len(chosen) == most:
            break
    return sorted(chosen.values())


def has_negation(sentences: Sequence[str]) -> bool:
    """Return whether a sentence has a negation; discourse markers such as “however” do not count."""
    return any(CONTRAST.search(sentence) for sentence in sentences)


def remove_references(text: str) -> str:
    """Cut the reference list: titles of other works are not statements of this source."""
    headings = list(REFERENCES.finditer(text))
    if headings and headings[-1].start() > len(text) * 0.2:
        return text[: headings[-1].start()]
    starts = [match for match in NUMBERED.finditer(text, len(text) // 2) if match[1] == "1"]
    for start in starts[-MAX_LISTS:]:
        numbers = [int(match[1]) for match in NUMBERED.finditer(text, start.start())]
        if (
            len(numbers) >= 5
            and numbers == list(range(1, len(numbers) + 1))
            and _mostly_numbered(text[start.start() :])
        ):
            return text[: start.start()]
    return text


def _mostly_numbered(rest: str) -> bool:
    """Return whether most lines have a year, as references do and the steps of a recipe do not."""
    lines = [line for line in rest.splitlines() if line.strip()]
    return sum(bool(re.search(r"\b(?:19|20)\d\d\b", line)) for line in lines) >= len(lines) * 0.6


def _share(claim_terms: set[str], shared_terms: Sequence[set[str]]) -> float:
    if not claim_terms or not shared_terms:
        return 0.0
    size = len(shared_terms) if len(shared_terms) <= WHOLE else WINDOW
    best = max(len(set().union(*shared_terms[at : at + size])) for at in range(len(shared_terms) - size + 1))
    return best / len(claim_terms)


def _best(claim: str, body: Sequence[str], shared_terms: Sequence[set[str]], most: int = KEY_SENTENCES) -> list[int]:
    """Return the indexes of the best sentences, in document order."""
    numbers = {term for term in claim_sentences.extract_terms(claim) if term[0].isdigit()}
    scored = [
        (
            len(terms) + STANCE_WEIGHT * bool(STANCE.search(sentence)) + NUMBER_WEIGHT * bool(numbers & terms),
            -at,
        )
        for at, (sentence, terms) in enumerate(zip(body, shared_terms, strict=True))
        if terms
    ]
    return select_sentences(body, (-at for _, at in sorted(scored, reverse=True)), most)
