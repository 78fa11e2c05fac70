"""Groups near-duplicate texts: short ones by their terms, longer ones by MinHash LSH over runs of three terms."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import ceil

from assay.text.minhash import compute_signature, word_runs

SHORT_TERMS = 20  # terms below which runs of three are too few to compare
ALIKE_SHORT, ALIKE_LONG = 0.3, 0.2  # Jaccard similarity from which short and long texts are near-duplicates
MAX_REPRESENTATIVES = 64  # texts of a group compared with others; bounds the cost of many copies
PERMUTATIONS, BANDS, SEED = 128, 64, 20_240_101


class DisjointSets:
    """Disjoint sets of indexes (union-find)."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))
        self._representatives: Counter[int] = Counter()

    def find(self, one: int) -> int:
        parent = self._parent
        while parent[one] != one:
            parent[one] = one = parent[parent[one]]
        return one

    def union(self, one: int, two: int) -> None:
        roots = sorted((self.find(one), self.find(two)))
        self._parent[roots[1]] = roots[0]

    def claim_representative(self, one: int) -> bool:
        """Count one more text of this group and return whether other texts should still be compared with it."""
        root = self.find(one)
        self._representatives[root] += 1
        return self._representatives[root] <= MAX_REPRESENTATIVES

    def all(self) -> list[list[int]]:
        found: dict[int, list[int]] = {}
        for index in range(len(self._parent)):
            found.setdefault(self.find(index), []).append(index)
        return list(found.values())


def are_similar(one: Sequence[str], two: Sequence[str], *, alike_short: float = ALIKE_SHORT) -> bool:
    """Return whether two texts, each a list of terms, are near-duplicates; `alike_short` is for short texts."""
    if min(len(one), len(two)) < SHORT_TERMS:
        return bool(one and two) and _jaccard(frozenset(one), frozenset(two)) >= alike_short
    return _jaccard(frozenset(word_runs(one)), frozenset(word_runs(two))) >= ALIKE_LONG


def group_texts(texts: Sequence[Sequence[str]]) -> list[list[int]]:
    """Group the indexes of similar texts, each a list of terms; similarity is transitive. A text without terms is
    alone.
    """
    groups = DisjointSets(len(texts))
    first: dict[tuple[str, ...], int] = {}
    for index, terms in enumerate(texts):
        if terms:
            groups.union(index, first.setdefault(tuple(terms), index))
    different = sorted(first.values())
    _join_short(texts, different, groups)
    _join_long([index for index in different if len(texts[index]) >= SHORT_TERMS], texts, groups)
    return groups.all()


def _join_short(texts: Sequence[Sequence[str]], different: list[int], groups: DisjointSets) -> None:
    """Join pairs with at least one short text, found through the rarest terms of each text (prefix filtering)."""
    if all(len(texts[index]) >= SHORT_TERMS for index in different):
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
            if groups.find(other) != groups.find(index) and _jaccard(sets[other], terms) >= ALIKE_SHORT:
                groups.union(other, index)
        if len(texts[index]) < SHORT_TERMS and groups.claim_representative(index):
            for term in rare:
                holders[term].append(index)


def _join_long(long: list[int], texts: Sequence[Sequence[str]], groups: DisjointSets) -> None:
    """Join pairs of long texts whose MinHash signatures share a band and whose similarity suffices."""
    from rensa import RMinHashLSH

    index = RMinHashLSH(ALIKE_LONG, PERMUTATIONS, BANDS)
    runs: dict[int, frozenset[str]] = {}
    for place in long:
        mine = frozenset(word_runs(texts[place]))
        signature = compute_signature(mine, PERMUTATIONS, SEED)
        for other in sorted(index.query(signature)):
            if groups.find(other) != groups.find(place) and _jaccard(runs[other], mine) >= ALIKE_LONG:
                groups.union(other, place)
        if groups.claim_representative(place):
            runs[place] = mine
            index.insert(place, signature)


def _jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    """Jaccard similarity."""
    common = len(one & two)
    return common / (len(one) + len(two) - common)
