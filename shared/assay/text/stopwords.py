"""Stop-word lists by purpose: a word that a query can lose may matter in a claim."""

import re

# Words that a search query can lose without changing its results.
QUERY_WORD_LISTS = {
    "en": "a an and are as at be by can do does for from how i in is it me my of on or that the their there "
    "these this to was were what when where which who why will with you your",
    "de": "als am an auf aus bei das dem den der des die ein eine einem einen einer es für im in ist mit oder "
    "sich sind über um und von was wer wie wo zu zum zur",
    "fr": "a à au aux avec ce ces comment dans de des du en est et il la le les ou où par pour quand que quel "
    "quelle qui sont sur un une",
    "es": "a al como con cual de del donde el en es la las lo los o para por que quien se son su un una y",
}
QUERY_WORDS = {language: frozenset(words.split()) for language, words in QUERY_WORD_LISTS.items()}
# Words that are ignored when texts are compared by their terms.
TERM_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "of", "on", "or", "that", "the")
) | {"this", "to", "with"}
# Words so common that they do not connect a sentence with a claim.
CLAIM_WORDS_ENGLISH = """
    a about after again all also am an and any are as at be because been before being between both but by can could
    did do does doing down during each few for from further had has have having he her here hers him his how i if in
    into is it its itself just me more most my no nor not now of off on once only or other our out over own same she
    should so some such than that the their them then there these they this those through to too under until up very
    was we were what when where which while who whom why will with would you your
"""
CLAIM_WORDS_OTHER = """
    der die das den dem des ein eine einer eines einem einen und oder aber nicht auch ist sind war waren wird
    werden wurde wurden hat haben hatte mit von vom für auf aus bei nach über unter durch dass sich sie wir ihr
    als wie nur noch mehr les des une est sont était dans pour avec sur par que qui aux pas plus mais ont cette
    ces son ses leur leurs los las una unos del con por para que como más pero sus este esta son fue han está
    entre sobre gli della delle dei nel nella che per non sono alla het een van zijn niet met voor dat deze dos
    das uma não com mais foi
"""
CLAIM_WORDS = frozenset(f"{CLAIM_WORDS_ENGLISH} {CLAIM_WORDS_OTHER}".split())
OPERATORS = re.compile(r'"|(?:^|\s)(?:OR|AND|NOT|-\S+|\w+:\S+)(?:\s|$)')


def remove_stopwords(query: str, language: str | None = None) -> str | None:
    """Return the query without stop words; None if nothing or everything would go, or if it has operators."""
    if OPERATORS.search(query):
        return None
    stop = QUERY_WORDS.get((language or "en").split("-")[0].lower(), QUERY_WORDS["en"])
    words = query.split()
    remaining = [word for word in words if word.strip("?!.,;:").lower() not in stop]
    return " ".join(remaining).rstrip("?!.") if remaining and len(remaining) < len(words) else None
