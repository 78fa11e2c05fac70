"""Splits personal names into family and given name for citations; organisations and single names stay undivided."""

import re
import unicodedata
from typing import NamedTuple

PARTICLES = {
    *(
        "van",
        "von",
        "vom",
        "zu",
        "zum",
        "zur",
        "de",
        "der",
        "den",
        "del",
        "della",
        "delle",
        "dello",
        "di",
        "da",
        "das",
        "do",
    ),
    *(
        "dos",
        "du",
        "des",
        "la",
        "las",
        "los",
        "le",
        "lo",
        "ten",
        "ter",
        "te",
        "op",
        "af",
        "av",
        "bin",
        "ibn",
        "ben",
        "bint",
    ),
    *("al", "el", "st", "st.", "san", "santa", "y", "'t", "d'", "ap", "mac"),
}
AMBIGUOUS_PARTICLES = {
    "y",
    "do",
    "st",
    "st.",
    "san",
    "santa",
    "ben",
    "mac",
    "te",
    "lo",
    "ap",
    "la",
    "le",
    "el",
    "al",
}  # also given names
SUFFIXES = {"jr": "Jr.", "sr": "Sr.", "ii": "II", "iii": "III", "iv": "IV"}
TITLES = {
    "dr",
    "prof",
    "professor",
    "mr",
    "mrs",
    "ms",
    "sir",
    "dame",
    "rev",
    "hon",
    "herr",
    "frau",
    "mme",
    "dott",
    "ing",
}
CREDENTIALS = re.compile(
    r"(?:,\s*|\s+)(?:Ph\.?\s?D|M\.?D|M\.?A|B\.?A|M\.?Sc|B\.?Sc|M\.?B\.?A|R\.?N|R\.?D\.?N?|M\.?P\.?H|J\.?D|Esq|D\.?O|DVM|CPA|CFA"
    r"|LCSW|FACP|FRCP|MSW|Pharm\.?D|Psy\.?D|Ed\.?D|DDS|NP|MS|BSN|MSN)\b\.?(?=,|\s|$)"
)
ORGANISATION = re.compile(
    r"\b(?:university|universit\w+|institut\w*|college|school|academy|department|ministry|agency|bureau|office|council|commission|"
    r"committee|association|society|organi[sz]ation|foundation|federation|union|alliance|consortium|group|team|staff|editors?|"
    r"editorial|newsroom|newsdesk|desk|news|press|media|times|post|journal|magazine|review|gazette|herald|tribune|guardian|"
    r"company|corporation|corp|inc|ltd|llc|llp|plc|gmbh|bank|fund|trust|museum|library|cent(?:er|re)|clinic|"
    r"hospital|health|services?|systems?|technologies|labs?|laborator\w+|project|network|board|authority|government|parliament|"
    r"contributors?|community|collaboration|studio|channel|radio|tv|television|online|official|daily|weekly|national|world|united|"
    r"international|european|american|global|federal|royal|digital|software|research|security|docs|documentation|"
    r"verlag|redaktion|rédaction|redacción|redazione|amt|verein|gesellschaft|bundes\w*)\b",
    re.IGNORECASE,
)
NOT_OF_A_PERSON = re.compile(r"[&@/|\d]|\b(?:of|for)\b|^the\b|\b(?:AG|SA|BV|Co)\.?$", re.IGNORECASE)
ARTICLES = {"le", "la", "el", "il", "les", "los", "las", "die", "das"}
FAMILY_FIRST = {  # Vietnamese family names, recognized by their diacritics
    *(
        "nguyễn",
        "trần",
        "lê",
        "phạm",
        "hoàng",
        "huỳnh",
        "phan",
        "vũ",
        "võ",
        "đặng",
        "bùi",
        "đỗ",
        "hồ",
        "ngô",
        "dương",
        "lý",
    ),
}
UNDIVIDED_SCRIPTS = (
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
    "ARABIC",
    "HEBREW",
    "THAI",
    "BENGALI",
    "TAMIL",
    "DEVANAGARI",
)
SEPARATORS = re.compile(r"\s*;\s*|\s+(?:and|&|und|et)\s+|\s*,\s*(?:and|&)\s+")


class Name(NamedTuple):
    """A name. With `family` alone it is undivided: an organisation, a mononym, or a script that is not inverted."""

    family: str
    given: str = ""
    suffix: str = ""

    def format_inverted(self) -> str:
        """Format `Family, Given, Suffix`."""
        return ", ".join(filter(None, self))

    def format_direct(self) -> str:
        return " ".join(filter(None, (self.given, self.family, self.suffix)))

    def format_initials(self) -> str:
        """Format the initials of the given name: Jean-Paul → J.-P.; J. R. R. → J. R. R."""
        return " ".join(
            _format_initial(part) for part in self.given.replace(".", ". ").split() if any(map(str.isalpha, part))
        )


def split_names(text: str) -> tuple[str, ...]:
    """Split an author line at `;` and “and”, and at commas if every part has at least two words."""
    found: list[str] = []
    for part in SEPARATORS.split(" ".join(text.split())):
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        whole = len(pieces) > 1 and all(len(piece.split()) > 1 for piece in pieces)
        found.extend(pieces if whole else [part.strip(" ,")])
    return tuple(name for name in found if name)


def parse_name(text: str) -> Name:
    """Parse one author's name."""
    text = " ".join(text.split()).strip(" ,;")
    if _is_undivided(text):
        return Name(text)
    text = CREDENTIALS.sub("", text).strip(" ,") or text
    family, comma, given = text.partition(",")
    if comma:
        return _parse_inverted(family.strip(), given.strip(), text)
    parts = text.split()
    while len(parts) > 1 and parts[0].casefold().rstrip(".") in TITLES:
        parts = parts[1:]
    return _split_name(parts)


def _parse_inverted(family: str, given: str, text: str) -> Name:
    """Parse `King, Martin Luther, Jr.` and `Martin Luther King, Jr.`; text with another comma stays undivided."""
    if suffix := SUFFIXES.get(given.casefold().rstrip(".")):
        return _split_name(family.split())._replace(suffix=suffix)
    given, comma, last = given.partition(",")
    suffix = SUFFIXES.get(last.strip().casefold().rstrip("."), "")
    return Name(text) if comma and not suffix else Name(family, given.strip(), suffix)


def _split_name(parts: list[str]) -> Name:
    suffix = ""
    if len(parts) > 2 and (suffix := SUFFIXES.get(parts[-1].casefold().rstrip("."), "")):
        parts = parts[:-1]
    if len(parts) < 2:
        return Name(" ".join(parts), "", suffix)
    if parts[0].casefold() in FAMILY_FIRST:
        return Name(parts[0], " ".join(parts[1:]), suffix)
    at = next((place for place in range(1, len(parts) - 1) if _is_particle(parts[place])), len(parts) - 1)
    return Name(" ".join(parts[at:]), " ".join(parts[:at]), suffix)


def _is_particle(part: str) -> bool:
    lower = part.casefold()
    return lower in PARTICLES and (part.islower() or lower not in AMBIGUOUS_PARTICLES)


def _is_undivided(text: str) -> bool:
    words = text.split()
    if len(words) == 1 and "," not in text:
        return True
    if len(words) > 6 or NOT_OF_A_PERSON.search(text):
        return True
    if ORGANISATION.search(text) or (len(words) == 2 and words[0].casefold() in ARTICLES):
        return True
    first = next(filter(str.isalpha, text), "")
    return not first or unicodedata.name(first, "").startswith(UNDIVIDED_SCRIPTS)


def _format_initial(part: str) -> str:
    firsts = [next(filter(str.isalpha, piece), "") for piece in part.split("-")]
    return "-".join(f"{letter.upper()}." for letter in firsts if letter)
