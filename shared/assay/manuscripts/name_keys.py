"""Forms of family names under which markers and listed works meet: Latin letters without marks and particles."""

import re
from functools import lru_cache

from assay.bibliography.person_names import PARTICLES, Name
from assay.bibliography.work import CitedWork

GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae"})
NO_LETTER = re.compile(r"[^a-z ]+")
FIRST_NAMES = re.compile(r"^\W*(?:[^\W\d_]\.[\s-]*){0,4}([^\d,.;:(]{2,80})")  # what a printed reference begins with
AND = re.compile(r"\s(?:and|und|et|y|e|&)\s")
PRINTED_HEAD = 300  # characters of a printed reference in which its authors stand
MINOR = {"of", "the", "and", "for", "de", "la", "du", "des", "der", "die", "und", "et", "&"}


@lru_cache(8192)
def fold_name(name: str) -> frozenset[str]:
    """Return the forms of a family name: `van der Müller` → muller, mueller, vandermuller, vandermueller."""
    from anyascii import anyascii

    forms: set[str] = set()
    lower = name[:200].casefold().replace("’", "'")
    for spelling in {lower, lower.translate(GERMAN)}:
        words = NO_LETTER.sub("", anyascii(spelling).casefold().replace("-", " ").replace("'", "")).split()
        core = list(words)
        while len(core) > 1 and core[0] in PARTICLES:
            core.pop(0)
        forms |= {"".join(words), "".join(core)}
    return frozenset(forms - {""})


def list_author_forms(name: Name) -> frozenset[str]:
    """Return the forms under which a listed author may be cited; an organisation also by its initials."""
    forms = set(fold_name(name.family))
    words = [word for word in re.split(r"[\s-]+", name.family) if word]
    if not name.given and len(words) > 1:
        forms.add("".join(word[0] for word in words if word.casefold() not in MINOR).casefold())
        forms |= fold_name(words[-1]) | fold_name(words[0])  # a person whose names were not told apart
        if words[0].casefold() == "the":
            forms |= fold_name(" ".join(words[1:]))
    elif len(words) > 1:
        forms |= fold_name(words[-1])
    return frozenset(forms)


def list_first_author_forms(work: CitedWork | None, printed: str) -> frozenset[str]:
    """Return the forms of the first author, by the fields of the work and by what the printed reference begins with."""
    forms: set[str] = set()
    if work and work.authors:
        forms |= list_author_forms(work.authors[0])
    head = FIRST_NAMES.match(printed[:PRINTED_HEAD])
    if head:
        first = AND.split(head[1])[0]
        words = first.split()
        forms |= fold_name(first)
        forms |= fold_name(words[0]) | fold_name(words[-1]) if words else set()
    return frozenset(forms)
