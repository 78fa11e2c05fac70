"""Words that a question can do without, by language."""

import re

WORDS = {
    "en": "a an and are as at be by can do does for from how i in is it me my of on or that the their there "
    "these this to was were what when where which who why will with you your",
    "de": "als am an auf aus bei das dem den der des die ein eine einem einen einer es für im in ist mit oder "
    "sich sind über um und von was wer wie wo zu zum zur",
    "fr": "a à au aux avec ce ces comment dans de des du en est et il la le les ou où par pour quand que quel "
    "quelle qui sont sur un une",
    "es": "a al como con cual de del donde el en es la las lo los o para por que quien se son su un una y",
}
SETS = {language: frozenset(words.split()) for language, words in WORDS.items()}
OPERATORS = re.compile(r'"|(?:^|\s)(?:OR|AND|NOT|-\S+|\w+:\S+)(?:\s|$)')


def without(query: str, language: str | None = None) -> str | None:
    """The question without words that say little; None where none would go or stay, or where it has operators."""
    if OPERATORS.search(query):
        return None
    stop = SETS.get((language or "en").split("-")[0].lower(), SETS["en"])
    words = query.split()
    told = [word for word in words if word.strip("?!.,;:").lower() not in stop]
    return " ".join(told).rstrip("?!.") if told and len(told) < len(words) else None
