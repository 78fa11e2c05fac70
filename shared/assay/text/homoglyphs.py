"""Letters of other scripts that look like Latin ones: a DOI that holds them is another DOI than the one a reader sees.

The pairs are those of Unicode's confusables for Cyrillic, Greek and Armenian letters
(https://www.unicode.org/Public/security/latest/confusables.txt). Compatibility forms, such as full-width letters, are
found by NFKC.
"""

import unicodedata

LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝѵкмтпгАВЕКМНОРСТУХІЈЅԌԚԜҮЗοανρυικτΑΒΕΖΗΙΚΜΝΟΡΤΥΧցհոսօԼՏՍ",
    "aeopcyxijshdqwvkmtnrABEKMHOPCTYXIJSGQWY3oavpuiktABEZHIKMNOPTYXghnuoLSU",
)
MOST = 5  # letters that are named


def spell_in_latin(text: str) -> str:
    """The text with each look-alike as the ASCII character that a reader takes it for."""
    return "".join(map(_latin, text))


def describe_homoglyphs(doi: str) -> str | None:
    """Which letters of a DOI only look Latin, and what it would be in Latin letters; None where there are none."""
    found = list(dict.fromkeys(char for char in doi if _latin(char) != char))
    if not found:
        return None
    named = ", ".join(f"{char!r} (U+{ord(char):04X} {unicodedata.name(char, 'unnamed')})" for char in found[:MOST])
    return (
        f"The DOI holds letters of another script that look Latin (homoglyphs): {named}. "
        f"In Latin letters it would be {spell_in_latin(doi)}, which is another DOI and was not looked up instead."
    )


def _latin(char: str) -> str:
    if char.isascii():
        return char
    latin = char.translate(LOOKALIKES)
    compatible = unicodedata.normalize("NFKC", char)
    if latin == char and len(compatible) == 1:
        latin = compatible.translate(LOOKALIKES)
    return latin if latin.isascii() else char
