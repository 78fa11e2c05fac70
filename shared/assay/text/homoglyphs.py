"""Homoglyphs: letters of other scripts that look like Latin ones, so that a DOI is not the one a reader sees.

The pairs are those of Unicode's confusables (UTS #39) for Cyrillic, Greek and Armenian letters
(https://www.unicode.org/Public/security/latest/confusables.txt). Compatibility forms, such as full-width letters, are
found by NFKC.
"""

import unicodedata

CONFUSABLES = str.maketrans(
    "аеорсухіјѕһԁԛԝѵкмтпгАВЕКМНОРСТУХІЈЅԌԚԜҮЗοανρυικτΑΒΕΖΗΙΚΜΝΟΡΤΥΧցհոսօԼՏՍ",
    "aeopcyxijshdqwvkmtnrABEKMHOPCTYXIJSGQWY3oavpuiktABEZHIKMNOPTYXghnuoLSU",
)
MAX_LISTED = 5  # letters listed in the notice


def spell_in_latin(text: str) -> str:
    """Return the text with each homoglyph replaced by the ASCII character it looks like."""
    return "".join(map(_to_latin, text))


def describe_homoglyphs(doi: str) -> str | None:
    """Return a notice that names the homoglyphs of a DOI and its Latin spelling; None if there are none."""
    found = list(dict.fromkeys(char for char in doi if _to_latin(char) != char))
    if not found:
        return None
    named = ", ".join(
        f"{char!r} (U+{ord(char):04X} {unicodedata.name(char, 'unnamed')})" for char in found[:MAX_LISTED]
    )
    return (
        f"The DOI holds letters of another script that look Latin (homoglyphs): {named}. "
        f"In Latin letters it would be {spell_in_latin(doi)}, which is another DOI and was not looked up instead."
    )


def _to_latin(char: str) -> str:
    if char.isascii():
        return char
    latin = char.translate(CONFUSABLES)
    compatible = unicodedata.normalize("NFKC", char)
    if latin == char and len(compatible) == 1:
        latin = compatible.translate(CONFUSABLES)
    return latin if latin.isascii() else char
