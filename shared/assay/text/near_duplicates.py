"""Which texts are nearly the same: short ones by their words, longer ones by MinHash over runs of three words."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import ceil

SHORT = 20  # terms; in fewer a run of three says nothing
ALIKE_SHORT, ALIKE_LONG = 0.3, 0.2  # Jaccard similarity from which two belong together
SPEAKERS = 64  # texts of a group that others are compared with: a crowd of copies must not cost its square
PERMUTATIONS, BANDS, SEED = 128, 64, 20_240_101


class Groups:
    """Sets of indexes that grow together."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))
        self._speakers: Counter[int] = Counter()

    def find(self, one: int) -> int:
        parent = self._parent
        while parent[one] != one:
            parent[one] = one = parent[parent[one]]
        return one

    def join(self, one: int, two: int) -> None:
        roots = sorted((self.find(one), self.find(two)))
        self._parent[roots[1]] = roots[0]

    def speaks(self, one: int) -> bool:
        """Whether one more text of this group is worth comparing others with; asked once a text."""
        root = self.find(one)
        self._speakers[root] += 1
        return self._speakers[root] <= SPEAKERS

    def all(self) -> list[list[int]]:
        found: dict[int, list[int]] = {}
        for index in range(len(self._parent)):
            found.setdefault(self.find(index), []).append(index)
        return list(found.values())


def group_texts(texts: Sequence[Sequence[str]]) -> list[list[int]]:
    """Indexes of texts, each a list of terms, in groups of those that are alike; likeness passes on.

    A text without terms is like no other.
    """
    groups = Groups(len(texts))
    first: dict[tuple[str, ...], int] = {}
    for index, terms in enumerate(texts):
        if terms:
            groups.join(index, first.setdefault(tuple(terms), index))
    different = sorted(first.values())
    _join_short(texts, different, groups)
    _join_long([index for index in different if len(texts[index]) >= SHORT], texts, groups)
    return groups.all()


def _join_short(texts: Sequence[Sequence[str]], different: list[int], groups: Groups) -> None:
    """Pairs of which one at least is short. Only the rarest terms of a text can bring it a partner worth comparing."""
    if all(len(texts[index]) >= SHORT for index in different):
        return
    sets = {index: frozenset(texts[index]) for index in different}
    often = Counter(term for terms in sets.values() for term in terms)
    holders: dict[str, list[int]] = defaultdict(list)
    for index in sorted(different, key=lambda index: (len(sets[index]), index)):
        terms = sets[index]
        least = ceil(ALIKE_SHORT * len(terms))
        rare = sorted(terms, key=lambda term: (often[term], term))[: len(terms) - least + 1]
        partners = {other for term in rare for other in holders.get(term, ()) if len(sets[other]) >= least}
        for other in sorted(partners):
            if groups.find(other) != groups.find(index) and _alike(sets[other], terms) >= ALIKE_SHORT:
                groups.join(other, index)
        if len(texts[index]) < SHORT and groups.speaks(index):
            for term in rare:
                holders[term].append(index)


def _join_long(long: list[int], texts: Sequence[Sequence[str]], groups: Groups) -> None:
    """Pairs whose MinHash signatures agree in a band are compared."""
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(ALIKE_LONG, PERMUTATIONS, BANDS)
    runs: dict[int, frozenset[str]] = {}
    for place in long:
        mine = frozenset(_runs(texts[place]))
        signature = RMinHash(PERMUTATIONS, SEED)
        signature.update(list(mine))
        for other in sorted(index.query(signature)):
            if groups.find(other) != groups.find(place) and _alike(runs[other], mine) >= ALIKE_LONG:
                groups.join(other, place)
        if groups.speaks(place):
            runs[place] = mine
            index.insert(place, signature)


def _runs(terms: Sequence[str]) -> list[str]:
    return [f"{one} {two} {three}" for one, two, three in zip(terms, terms[1:], terms[2:], strict=False)]


def _alike(one: frozenset[str], two: frozenset[str]) -> float:
    """Jaccard similarity."""
    common = len(one & two)
    return common / (len(one) + len(two) - common)
