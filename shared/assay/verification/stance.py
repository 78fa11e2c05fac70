"""Detects sentences that may contradict a claim: by negation, opposite direction or a different number."""

import re
from collections.abc import Sequence
from typing import Protocol

from assay.evaluation.claim_evidence import CONTRAST
from assay.evaluation.claim_sentences import stem
from assay.text.stopwords import CLAIM_WORDS
from assay.verification.claim_numbers import ClaimNumber, numbers_agree
from assay.verification.synonyms import DECREASE, INCREASE, Concept, concept_groups, is_same_word
from assay.verification.title_matching import fold

DENIAL = re.compile(
    r"\b(?:no|not|none|nobody|nothing|neither|nor|never|cannot|nowhere|hardly|seldom|\w+n[’']t"
    r"|nicht|kein\w*|niemand\w*|nichts|nie|niemals|weder"
    r"|ne|n[’'](?=\w)|aucun\w*|jamais|rien|ni"
    r"|ningun\w*|ningún|nunca|nada|nadie|tampoco"
    r"|fail(?:s|ed|ing|ure)? to|unable to|incapa\w+ (?:of|de)|scheiter\w*|außerstande|échou\w*|fracas\w+ en"
    r"|refus\w+|declin(?:ed|es) to|renonc\w+|abandonn\w+|verzicht\w+|abgelehnt|weigert\w*|rechaz\w+|renunci\w+)\b",
    re.IGNORECASE,
)
HARMLESS = re.compile(  # these do not negate anything
    r"\b(?:not only|nicht nur|non seulement|no s[oó]lo|no doubt|not less than|no less than|nicht zuletzt)\b",
    re.IGNORECASE,
)
OPEN = re.compile(  # statements that something is open or unknown neither affirm nor deny it
    r"\b(?:not\b[^,;.]{0,30}\byet|noch nicht|noch kein\w*|noch offen|todav[ií]a no|a[uú]n no|pas encore|unclear|unknown"
    r"|undecided|uncertain|not known|ist offen|offen ist|unklar|unbekannt|ungewiss|nichts sagen|on ne sait|inconnue?s?"
    r"|incertaine?s?|incierto|se desconoce|no se sabe|to be decided|will decide|wird entschieden|entscheide[tn]?"
    r"|d[eé]cid(?:er|ir)[aá])\b"
    # a clause about an exception to a rule denies nothing else
    r"|\b(?:exempt\w*|exclud\w*|except|apart from|outside|ausgenommen|ausgeschlossen|außer|exclus?\w*|hors|sauf|fuera"
    r"|excluid\w*|exent\w*|salvo)\b",
    re.IGNORECASE,
)
WITHOUT = re.compile(r"\b(?:without|ohne|sans|sin|lack\w*|fehl\w*|manqu\w*|falta\w*)\b", re.IGNORECASE)
UNCHANGED = re.compile(  # statements that two things are equal, directly or by denying a difference
    r"\b(?:same|equal\w*|identical|irrelevant|unchanged|unaffected|constant|gleich\w*|unveränd\w*|unabhängig|même|mêmes|égal\w*"
    r"|identique\w*|inchangé\w*|igual\w*|mism[oa]s?|inalterad\w*|mant(?:uvo|iene)\w*|blieb\w*|remain\w*|stay\w*)\b"
    r"|\b(?:no|not|nicht|kein\w*|ne|n[’']|pas|aucun\w*|ningun\w*)\b[^.;]{0,40}(?:differ|différen|diferen|diferi|unterschied"
    r"|unterscheid|chang|änder|cambi|vari|effect|einfluss|zusammenhang|wirkung|efecto|effet|disminu|baiss|fall|sank|drop"
    r"|more|less|mehr|weniger|plus|moins|más|menos|higher|lower)",
    re.IGNORECASE,
)
COMPARED = re.compile(
    r"\b(?:(?P<more>more|mehr|plus(?: de| d[’'])?|davantage de|más)"
    r"|(?P<less>less|fewer|weniger|moins(?: de| d[’'])?|menos))\s+(?P<what>[^\W\d_]{3,})",
    re.IGNORECASE,
)
CLAUSE = re.compile(
    r"[;:,–—()]\s+|\s+(?:and|but|while|whereas|although|though|because|since|yet|und|aber|doch|während|obwohl|weil|wobei"
    r"|et|mais|tandis que|alors que|car|y|e|pero|aunque|mientras|sino)\s+",
    re.IGNORECASE,
)
WORDS = re.compile(r"[^\W\d_]+")
NEGATIVE_PRONOUNS = ("nothing", "nichts", "rien", "nada")  # these negate the verb before them
SHORT_CLAUSE, NEGATION_REACH = (
    4,
    2,
)  # maximum words of a clause that needs its whole sentence; words after a negation that it may apply to
MIN_CLAUSE = 2  # minimum words of a clause that is examined alone
MIN_SHARE = 0.6  # share of the claim that a denying clause must contain
ALONE_SHARE, NEGATED_WORD_SHARE = (
    0.85,
    0.42,
)  # share that suffices for a clause alone; share that suffices if a claim word itself is negated
MIN_SUBJECT_SHARE = 0.5  # share of the words other than those of direction


class ParsedSentence(Protocol):
    """A sentence with its words, numbers and clauses."""

    @property
    def text(self) -> str: ...
    @property
    def words(self) -> list[Concept]: ...
    @property
    def numbers(self) -> list[ClaimNumber]: ...
    @property
    def clauses(self) -> Sequence["ParsedSentence"]: ...
    def word(self, wanted: Concept) -> float: ...


def split_clauses(text: str) -> list[str]:
    """Split a sentence into clauses at punctuation and conjunctions."""
    return [part.strip() for part in CLAUSE.split(text) if part and len(part.split()) >= MIN_CLAUSE] or [text]


def may_contradict(claim: ParsedSentence, sentence: ParsedSentence, known: Sequence[ClaimNumber] = ()) -> bool:
    """Return whether the sentence may contradict the claim. `known` are all numbers of the source text."""
    pairs = [(one, other) for one in claim.clauses for other in sentence.clauses]
    apart = has_negation(claim.text) != has_negation(sentence.text) and not _says_neither(claim.text, sentence.text)
    if apart and any(_negates(one, other, sentence) for one, other in pairs):
        return True
    ways = (_reverses_direction, _compares_oppositely, _says_unchanged)
    return any(way(one, other) for way in ways for one, other in pairs) or _has_other_number(claim, sentence, known)


def has_negation(text: str) -> bool:
    text = HARMLESS.sub(" ", text)
    return bool(DENIAL.search(text) or CONTRAST.search(text))


def _says_neither(one: str, other: str) -> bool:
    """Return whether one leaves the matter open, both state equality, or one says "without" for the other's "no"."""
    if OPEN.search(one) or OPEN.search(other) or (UNCHANGED.search(one) and UNCHANGED.search(other)):
        return True
    return bool(WITHOUT.search(other if has_negation(one) else one))


def _negates(claim: ParsedSentence, clause: ParsedSentence, sentence: ParsedSentence) -> bool:
    """Return whether the clause negates the claim; a short one ("not for cars") is read with its sentence."""
    if has_negation(claim.text) == has_negation(clause.text) or not claim.words:
        return False
    share = _share(claim, clause)
    if share >= (MIN_SHARE if has_negation(clause.text) else ALONE_SHARE):
        return True
    brief = has_negation(clause.text) and len(clause.words) <= SHORT_CLAUSE
    wide = _share(claim, sentence) if brief else share
    return max(share, wide) >= NEGATED_WORD_SHARE and _negates_word_of(claim, clause)


def _share(claim: ParsedSentence, clause: ParsedSentence) -> float:
    return sum(map(clause.word, claim.words)) / len(claim.words)


def _negates_word_of(claim: ParsedSentence, clause: ParsedSentence) -> bool:
    """Return whether a word next to the negation is one of the claim's words."""
    denier, denied = (clause, claim) if has_negation(clause.text) else (claim, clause)
    text = HARMLESS.sub(" ", denier.text)
    negation = DENIAL.search(text)
    if not negation:
        return False
    before, after = _content_words(text[: negation.start()]), _content_words(text[negation.end() :])
    verb = before[-1:] if fold(negation[0]) in NEGATIVE_PRONOUNS else []
    near = [stem(word) for word in (*verb, *after[:NEGATION_REACH])]
    return any(is_same_word(one, word.stem) for one in near for word in denied.words)


def _content_words(text: str) -> list[str]:
    words = (word for word in WORDS.findall(text.lower()) if word not in CLAIM_WORDS and not DENIAL.match(word))
    return [fold(word) for word in words if len(word) > 2]


def _says_unchanged(claim: ParsedSentence, clause: ParsedSentence) -> bool:
    """Return whether the claim states a change and the clause states that there is none."""
    if (
        not UNCHANGED.search(clause.text)
        or UNCHANGED.search(claim.text)
        or has_negation(claim.text)
        or not _directions(claim)
    ):
        return False
    rest = [word for word in claim.words if not word.groups & {INCREASE, DECREASE}]
    return bool(rest) and sum(map(clause.word, rest)) >= MIN_SUBJECT_SHARE * len(rest)


def _reverses_direction(claim: ParsedSentence, clause: ParsedSentence) -> bool:
    """Return whether one states an increase and the other a decrease of the same thing."""
    one, other = _directions(claim), _directions(clause)
    if len(one) != 1 or len(other) != 1 or one == other or has_negation(claim.text) or has_negation(clause.text):
        return False
    rest = [word for word in claim.words if not word.groups & {INCREASE, DECREASE}]
    shared = sum(clause.word(word) >= 1.0 for word in rest)
    return bool(rest) and shared >= MIN_SUBJECT_SHARE * len(rest) and (shared > 1 or len(rest) < 3)


def _directions(clause: ParsedSentence) -> set[int]:
    """Return the directions of a text: INCREASE, DECREASE, both or none; "rises less" counts as none."""
    directions: set[int] = {group for word in clause.words for group in word.groups & {INCREASE, DECREASE}}
    for compared in COMPARED.finditer(clause.text):
        own = concept_groups(fold(compared["what"])) & {INCREASE, DECREASE}
        if not own:
            return set()
        directions |= own if compared["more"] else {INCREASE, DECREASE} - own
        directions -= own if compared["less"] else set()
    return directions


def _compares_oppositely(claim: ParsedSentence, clause: ParsedSentence) -> bool:
    """Return whether one has "more" and the other "less" of the same thing."""
    here, there = (
        {(bool(compared["more"]), fold(compared["what"])) for compared in COMPARED.finditer(each.text)}
        for each in (claim, clause)
    )
    return any(more != other and is_same_word(what, thing) for more, what in here for other, thing in there)


def _has_other_number(claim: ParsedSentence, sentence: ParsedSentence, known: Sequence[ClaimNumber]) -> bool:
    """Return whether the source lacks a number of the claim and the sentence has another with the same unit."""
    unmatched = [wanted for wanted in claim.numbers if not any(numbers_agree(wanted, numbers) for numbers in known)]
    free = [
        numbers for numbers in sentence.numbers if not any(numbers_agree(wanted, numbers) for wanted in claim.numbers)
    ]
    return any(_same_unit(wanted, numbers) for wanted in unmatched for numbers in free)


def _same_unit(one: ClaimNumber, other: ClaimNumber) -> bool:
    if one.share or other.share:
        return one.share == other.share
    return bool(one.unit and other.unit) and is_same_word(one.unit, other.unit)
