"""Purpose of an element, inferred from its classes, ids and roles."""

import re
from collections import defaultdict

from assay.text.short_text_cache import cache_short

# Matches inside a word, at its beginning (`^word`), or the whole word (`^word$`), for words short enough to be
# ambiguous.
HINTS = (
    "nav menu crumb pagin pager ^toc$ ^contents$ ^tab$ ^tabs$ skip",
    "sidebar ^side$ aside ^rail$ widget secondary complementary sticky drawer offcanvas",
    "foot copyright legal colophon contentinfo disclaimer",
    "header ^head$ masthead topbar ^top$ banner hero toolbar",
    "comment discuss reply replies respond disqus",
    "share sharing social follow ^like$ ^likes$ facebook twitter whatsapp",
    ("relat recommend similar ^more$ popular trending recent latest suggest upsell ^cross$ ^also$ ^next$ ^prev"),
    (
        "promo advert ^ad$ ^ads$ sponsor newsletter subscri sign ^cta$ cookie consent gdpr popup modal overlay login "
        "paywall form search donat dialog"
    ),
    "author byline ^meta date time ^tag$ ^tags$ categor caption credit ^bio$ avatar badge label button ^btn",
    "article content ^post entry ^body story ^main text rich prose markdown blog wysiwyg ^doc$ ^docs$",
    "product price card descri spec detail feature tile grid item list result faq accordion",
    "thread message topic question answer review forum reply ^user",
)
TAG_HINTS = {
    "nav": 0, "aside": 1, "footer": 2, "header": 3, "form": 7, "button": 8, "figcaption": 8, "address": 8,
    "article": 9, "main": 9, "section": 10,
}  # fmt: skip
HINT_COUNT = len(HINTS)
MAX_HINT_DISTANCE = 9  # levels from which a hint no longer counts
NO_HINTS = (MAX_HINT_DISTANCE,) * HINT_COUNT
NAME_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}")
KEY_LENGTH = 3  # letters of the lookup key

WHOLE_WORDS: defaultdict[str, list[int]] = defaultdict(list)
INNER_PARTS: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
WORD_STARTS: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
for _index, _words in enumerate(HINTS):
    for _word in _words.split():
        _bare = _word.strip("^$")
        if _word.endswith("$"):
            WHOLE_WORDS[_bare].append(_index)
        else:
            (WORD_STARTS if _word[0] == "^" else INNER_PARTS)[_bare[:KEY_LENGTH]].append((_bare, _index))

INCREMENTED: dict[tuple[int, ...], tuple[int, ...]] = {}  # cache


@cache_short(16_384)
def find_hints(names: str) -> tuple[int, ...]:
    """Return the indexes of the hint groups that the class, id and role of an element match."""
    return tuple({index for word in NAME_WORD.findall(names) for index in _hints_of_word(word)})


@cache_short(16_384)
def _hints_of_word(word: str) -> tuple[int, ...]:
    word = word.lower()
    hints = set(WHOLE_WORDS.get(word, ()))
    beginning = word[:KEY_LENGTH]
    if beginning in WORD_STARTS:
        hints.update(index for part, index in WORD_STARTS[beginning] if word.startswith(part))
    for place in range(len(word) - KEY_LENGTH + 1):
        beginning = word[place : place + KEY_LENGTH]
        if beginning in INNER_PARTS:
            hints.update(index for part, index in INNER_PARTS[beginning] if word.startswith(part, place))
    return tuple(hints)


def increment_distances(hints: tuple[int, ...]) -> tuple[int, ...]:
    """Return the distances to the hints, one level further down."""
    faded = INCREMENTED.get(hints)
    if faded is None:
        if len(INCREMENTED) > 50_000:
            INCREMENTED.clear()
        faded = INCREMENTED[hints] = tuple(
            [distance + 1 if distance < MAX_HINT_DISTANCE else MAX_HINT_DISTANCE for distance in hints]
        )
    return faded
