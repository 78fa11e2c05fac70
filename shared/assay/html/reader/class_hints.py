"""What the names of an element say it is for: its classes, ids and roles."""

import re
from collections import defaultdict

from assay.text.short_text_cache import cache_short

# A word holds one of these, begins with one (`^word`), or is one (`^word$`): short words would be found in others.
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
NEAR = len(HINTS)
FAR = 9  # levels up from which a hint no longer counts
UNHINTED = (FAR,) * NEAR
NAME_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}")
BEGINNING = 3  # letters by which what a word may hold is looked up

WHOLE: defaultdict[str, list[int]] = defaultdict(list)
WITHIN: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
AT_START: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
for _index, _words in enumerate(HINTS):
    for _word in _words.split():
        _bare = _word.strip("^$")
        if _word.endswith("$"):
            WHOLE[_bare].append(_index)
        else:
            (AT_START if _word[0] == "^" else WITHIN)[_bare[:BEGINNING]].append((_bare, _index))

FADED: dict[tuple[int, ...], tuple[int, ...]] = {}  # a table of values, filled as they are met


@cache_short(16_384)
def hints_of(names: str) -> tuple[int, ...]:
    """Which of the hints the class, id and role of an element give."""
    return tuple({index for word in NAME_WORD.findall(names) for index in _hints_of_word(word)})


@cache_short(16_384)
def _hints_of_word(word: str) -> tuple[int, ...]:
    word = word.lower()
    found = set(WHOLE.get(word, ()))
    beginning = word[:BEGINNING]
    if beginning in AT_START:
        found.update(index for part, index in AT_START[beginning] if word.startswith(part))
    for place in range(len(word) - BEGINNING + 1):
        beginning = word[place : place + BEGINNING]
        if beginning in WITHIN:
            found.update(index for part, index in WITHIN[beginning] if word.startswith(part, place))
    return tuple(found)


def fade(hints: tuple[int, ...]) -> tuple[int, ...]:
    """The same hints seen from one level further down."""
    faded = FADED.get(hints)
    if faded is None:
        if len(FADED) > 50_000:
            FADED.clear()
        faded = FADED[hints] = tuple([distance + 1 if distance < FAR else FAR for distance in hints])
    return faded
