"""Purpose of an element, inferred from its classes, ids and roles."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from assay.html.reader.container_names import PURPOSES
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
MAX_WORDS = 16_384  # whose groups are kept
NEXT_DISTANCE = (*range(1, MAX_HINT_DISTANCE + 1), MAX_HINT_DISTANCE)  # one level farther away


class NameIndex:
    """Finds the groups of words that the class, id and role of an element match."""

    def __init__(self, groups: Sequence[str]) -> None:
        self._whole: defaultdict[str, list[int]] = defaultdict(list)
        self._inner: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        self._starts: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for index, words in enumerate(groups):
            for word in words.split():
                self._add(word, index)
        self.find_in_word = cache_short(MAX_WORDS)(self._search_word)
        self.find_bits = cache_short(16_384)(self._search)

    def _add(self, word: str, index: int) -> None:
        bare = word.strip("^$")
        if word.endswith("$"):
            self._whole[bare].append(index)
        else:
            (self._starts if word[0] == "^" else self._inner)[bare[:KEY_LENGTH]].append((bare, index))

    def find(self, names: str) -> tuple[int, ...]:
        """Return the places of the groups that match."""
        return list_bits(self.find_bits(names))

    def _search(self, names: str) -> int:
        """Return the groups as bits, the first one as 1."""
        found = 0
        for word in NAME_WORD.findall(names):
            found |= self.find_in_word(word)
        return found

    def _search_word(self, word: str) -> int:
        word = word.lower()
        found = {*self._whole.get(word, ())}
        beginning = word[:KEY_LENGTH]
        if beginning in self._starts:
            found.update(index for part, index in self._starts[beginning] if word.startswith(part))
        for place in range(len(word) - KEY_LENGTH + 1):
            beginning = word[place : place + KEY_LENGTH]
            if beginning in self._inner:
                found.update(index for part, index in self._inner[beginning] if word.startswith(part, place))
        return sum(1 << index for index in found)


@lru_cache(8192)
def list_bits(bits: int) -> tuple[int, ...]:
    """Return the places of the bits that are set."""
    return tuple([place for place in range(bits.bit_length()) if bits >> place & 1])


NAME_INDEX = NameIndex((*HINTS, *PURPOSES))  # in one search: the purposes follow the hints
find_hints = NAME_INDEX.find_bits  # as the lowest bits


class HintDistances:
    """The levels up to the nearest element of each hint, seen from one element, and from those below it."""

    __slots__ = ("below", "distances")

    def __init__(self, distances: tuple[int, ...]) -> None:
        self.distances = distances
        self.below: dict[tuple[int, ...], HintDistances] = {}  # by the hints of the element below

    def enter(self, hints: tuple[int, ...]) -> "HintDistances":
        """Return the distances seen from an element below that has the hints itself."""
        found = self.below.get(hints)
        if found is None:
            distances = [NEXT_DISTANCE[distance] for distance in self.distances]
            for index in hints:
                distances[index] = 0
            found = self.below[hints] = HintDistances(tuple(distances))
        return found
