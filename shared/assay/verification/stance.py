"""Whether a sentence may say the opposite of a claim: one denies, points the other way, or has another figure."""

import re
from collections.abc import Sequence
from typing import Protocol

from assay.evaluation.claim_evidence import CONTRAST
from assay.evaluation.claim_sentences import stem
from assay.text.stopwords import CLAIM_WORDS
from assay.verification.claim_numbers import ClaimNumber, agree
from assay.verification.synonyms import LESS, MORE, Meant, alike, groups
from assay.verification.title_matching import plain

DENIAL = re.compile(
    r"\b(?:no|not|none|nobody|nothing|neither|nor|never|cannot|nowhere|hardly|seldom|\w+n[’']t"
    r"|nicht|kein\w*|niemand\w*|nichts|nie|niemals|weder"
    r"|ne|n[’'](?=\w)|aucun\w*|jamais|rien|ni"
    r"|ningun\w*|ningún|nunca|nada|nadie|tampoco"
    r"|refus\w+|declin(?:ed|es) to|renonc\w+|abandonn\w+|verzicht\w+|abgelehnt|weigert\w*|rechaz\w+|renunci\w+)\b",
    re.IGNORECASE,
)
HARMLESS = re.compile(  # they deny nothing
    r"\b(?:not only|nicht nur|non seulement|no s[oó]lo|no doubt|not less than|no less than|nicht zuletzt)\b",
    re.IGNORECASE,
)
OPEN = re.compile(  # what is not yet, or not known, is neither said nor denied
    r"\b(?:not\b[^,;.]{0,30}\byet|noch nicht|noch kein\w*|noch offen|todav[ií]a no|a[uú]n no|pas encore|unclear|unknown"
    r"|undecided|uncertain|not known|ist offen|offen ist|unklar|unbekannt|ungewiss|nichts sagen|on ne sait|inconnue?s?"
    r"|incertaine?s?|incierto|se desconoce|no se sabe|to be decided|will decide|wird entschieden|entscheide[tn]?"
    r"|d[eé]cid(?:er|ir)[aá])\b"
    # who is left out of a rule is denied nothing else
    r"|\b(?:exempt\w*|exclud\w*|except|apart from|outside|ausgenommen|ausgeschlossen|außer|exclus?\w*|hors|sauf|fuera"
    r"|excluid\w*|exent\w*|salvo)\b",
    re.IGNORECASE,
)
WITHOUT = re.compile(r"\b(?:without|ohne|sans|sin|lack\w*|fehl\w*|manqu\w*|falta\w*)\b", re.IGNORECASE)
LEVEL = re.compile(  # that two are alike, said outright or by denying that they differ
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
NOTHING = ("nothing", "nichts", "rien", "nada")  # they deny the verb before them
BRIEF, BESIDE = 4, 2  # words of a clause that needs its sentence; words behind a denial that it may be of
LEAST = 2  # words of a clause that is looked at by itself
SPOKEN = 0.6  # of a claim that a clause must have which denies it
OWN, DENIED = 0.85, 0.42  # more of a claim that denies by itself, less where its very word is denied
TURNED = 0.5  # of its words other than those of direction


class ParsedSentence(Protocol):
    """A sentence taken apart."""

    @property
    def text(self) -> str: ...
    @property
    def words(self) -> list[Meant]: ...
    @property
    def numbers(self) -> list[ClaimNumber]: ...
    @property
    def clauses(self) -> Sequence["ParsedSentence"]: ...
    def word(self, wanted: Meant) -> float: ...


def parts(text: str) -> list[str]:
    """The clauses of a sentence, as far as marks and joining words show them."""
    return [part.strip() for part in CLAUSE.split(text) if part and len(part.split()) >= LEAST] or [text]


def may_contradict(claim: ParsedSentence, sentence: ParsedSentence, known: Sequence[ClaimNumber] = ()) -> bool:
    """A neutral sign that the two should be read side by side. `known` are all numbers of the sentence's text."""
    pairs = [(one, other) for one in claim.clauses for other in sentence.clauses]
    apart = denies(claim.text) != denies(sentence.text) and not _says_neither(claim.text, sentence.text)
    if apart and any(_negates(one, other, sentence) for one, other in pairs):
        return True
    ways = (_reverses_direction, _compared_otherwise, _says_unchanged)
    return any(way(one, other) for way in ways for one, other in pairs) or _other_figure(claim, sentence, known)


def denies(text: str) -> bool:
    text = HARMLESS.sub(" ", text)
    return bool(DENIAL.search(text) or CONTRAST.search(text))


def _says_neither(one: str, other: str) -> bool:
    """One leaves the matter open, both say that nothing differs, or one says "without" for the other's "no"."""
    if OPEN.search(one) or OPEN.search(other) or (LEVEL.search(one) and LEVEL.search(other)):
        return True
    return bool(WITHOUT.search(other if denies(one) else one))


def _negates(claim: ParsedSentence, clause: ParsedSentence, sentence: ParsedSentence) -> bool:
    """The clause denies what the claim says; a short one, such as "not for cars", what its sentence has begun."""
    if denies(claim.text) == denies(clause.text) or not claim.words:
        return False
    share = _share(claim, clause)
    if share >= (SPOKEN if denies(clause.text) else OWN):
        return True
    brief = denies(clause.text) and len(clause.words) <= BRIEF
    wide = _share(claim, sentence) if brief else share
    return max(share, wide) >= DENIED and _denies_a_word_of(claim, clause)


def _share(claim: ParsedSentence, said: ParsedSentence) -> float:
    return sum(map(said.word, claim.words)) / len(claim.words)


def _denies_a_word_of(claim: ParsedSentence, clause: ParsedSentence) -> bool:
    """Whether a word that the denial stands at is the claim's own."""
    denier, denied = (clause, claim) if denies(clause.text) else (claim, clause)
    text = HARMLESS.sub(" ", denier.text)
    found = DENIAL.search(text)
    if not found:
        return False
    before, behind = _telling(text[: found.start()]), _telling(text[found.end() :])
    verb = before[-1:] if plain(found[0]) in NOTHING else []
    near = [stem(word) for word in (*verb, *behind[:BESIDE])]
    return any(alike(one, word.stem) for one in near for word in denied.words)


def _telling(text: str) -> list[str]:
    words = (word for word in WORDS.findall(text.lower()) if word not in CLAIM_WORDS and not DENIAL.match(word))
    return [plain(word) for word in words if len(word) > 2]


def _says_unchanged(claim: ParsedSentence, clause: ParsedSentence) -> bool:
    """The claim has it change, the clause has it stay as it was."""
    if not LEVEL.search(clause.text) or LEVEL.search(claim.text) or denies(claim.text) or not _directions(claim):
        return False
    rest = [word for word in claim.words if not word.groups & {MORE, LESS}]
    return bool(rest) and sum(map(clause.word, rest)) >= TURNED * len(rest)


def _reverses_direction(claim: ParsedSentence, clause: ParsedSentence) -> bool:
    """One speaks of more and the other of less, neither of both, and both of the same."""
    one, other = _directions(claim), _directions(clause)
    if len(one) != 1 or len(other) != 1 or one == other or denies(claim.text) or denies(clause.text):
        return False
    rest = [word for word in claim.words if not word.groups & {MORE, LESS}]
    met = sum(clause.word(word) >= 1.0 for word in rest)
    return bool(rest) and met >= TURNED * len(rest) and (met > 1 or len(rest) < 2 + 1)


def _directions(said: ParsedSentence) -> set[int]:
    """Where it points: MORE, LESS, both, or nowhere. What rises less neither rises nor falls for sure."""
    found: set[int] = {group for word in said.words for group in word.groups & {MORE, LESS}}
    for compared in COMPARED.finditer(said.text):
        own = groups(plain(compared["what"])) & {MORE, LESS}
        if not own:
            return set()
        found |= own if compared["more"] else {MORE, LESS} - own
        found -= own if compared["less"] else set()
    return found


def _compared_otherwise(claim: ParsedSentence, clause: ParsedSentence) -> bool:
    """More of a thing here, less of the same there."""
    here, there = (
        {(bool(found["more"]), plain(found["what"])) for found in COMPARED.finditer(said.text)}
        for said in (claim, clause)
    )
    return any(more != other and alike(what, thing) for more, what in here for other, thing in there)


def _other_figure(claim: ParsedSentence, sentence: ParsedSentence, known: Sequence[ClaimNumber]) -> bool:
    """A number of the claim that its source has nowhere, where the sentence has another of its unit."""
    strange = [wanted for wanted in claim.numbers if not any(agree(wanted, told) for told in known)]
    free = [told for told in sentence.numbers if not any(agree(wanted, told) for wanted in claim.numbers)]
    return any(_same_unit(wanted, told) for wanted in strange for told in free)


def _same_unit(one: ClaimNumber, other: ClaimNumber) -> bool:
    if one.share or other.share:
        return one.share == other.share
    return bool(one.unit and other.unit) and alike(one.unit, other.unit)
