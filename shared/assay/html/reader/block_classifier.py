"""The block classifier: boosted trees, evaluated all at once with whole numbers as sets of leaves.

Each leaf of each tree is a bit. A node whose condition fails rules out the leaves on its left; so every feature
with its value rules out a set of leaves that can be looked up, and what remains lowest in each tree is the leaf a row
falls into.
"""

import json
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any

MODEL = Path(__file__).with_name("model.json")
BITS = 32  # for the leaves of one tree
DIGITS = 6  # of a leaf's value: what rounding costs evens out over the trees

type Row = tuple[Sequence[float], ...]


class Trees:
    """A model as lookups: for each feature its thresholds, and the leaves left after the first of them, the first two …

    A tree is `{"leaves": [value …], "nodes": [[feature, threshold, first, last] …]}`: when a row's value is above the
    threshold, the leaves from `first` to before `last` are out. `parts` are the sizes of the groups that rows come in.
    """

    def __init__(self, parts: Sequence[int], trees: list[dict[str, Any]]) -> None:
        self.full = sum(((1 << len(tree["leaves"])) - 1) << (BITS * position) for position, tree in enumerate(trees))
        self.lowest = sum(1 << (BITS * position) for position in range(len(trees)))
        self.least = sum(min(tree["leaves"]) for tree in trees)
        self.step, self.planes = _planes(trees)
        nodes: list[list[tuple[float, int]]] = [[] for _ in range(sum(parts))]
        for position, tree in enumerate(trees):
            for feature, threshold, first, last in tree["nodes"]:
                nodes[feature].append((threshold, ((1 << last) - (1 << first)) << (BITS * position)))
        self.parts = []
        start = 0
        for size in parts:
            found = enumerate(nodes[start : start + size])
            self.parts.append([(place, *_lookup(sorted(within), self.full)) for place, within in found if within])
            start += size

    def left(self, part: int, numbers: Sequence[float]) -> int:
        """The leaves that the numbers of one part leave."""
        leaves = self.full
        for place, thresholds, left in self.parts[part]:
            leaves &= left[bisect_left(thresholds, numbers[place])]
        return leaves

    def probabilities(self, rows: list[Row | None], shared: Sequence[float]) -> list[float]:
        """The chance of each row, 0 where there is none, given the last part, which all share.

        Equal parts are looked up once.
        """
        common = self.left(len(self.parts) - 1, shared)
        full = self.full
        known: list[dict[Sequence[float], int]] = [{} for _ in self.parts]
        chances = []
        for row in rows:
            if row is None:
                chances.append(0.0)
                continue
            leaves = common
            for numbers, seen, lookups in zip(row, known, self.parts, strict=False):
                found = seen.get(numbers)
                if found is None:
                    found = full
                    for place, thresholds, left in lookups:  # as in `left`, without a call for each
                        found &= left[bisect_left(thresholds, numbers[place])]
                    seen[numbers] = found
                leaves &= found
            chances.append(self.chance(leaves))
        return chances

    def chance(self, leaves: int) -> float:
        """The probability that the lowest leaf left in each tree stands for."""
        fallen = leaves & ~(leaves - self.lowest)  # every tree has a leaf left, so nothing is borrowed across trees
        total = sum([(fallen & plane).bit_count() << place for place, plane in enumerate(self.planes)])
        return 1 / (1 + exp(-self.least - total * self.step))


def _planes(trees: list[dict[str, Any]]) -> tuple[float, list[int]]:
    """The leaves' values above the least of their tree, in whole steps: a set of leaves for each binary digit."""
    step = max(max(tree["leaves"]) - min(tree["leaves"]) for tree in trees) / (2**DIGITS - 1) or 1.0
    planes = [0] * DIGITS
    for position, tree in enumerate(trees):
        least = min(tree["leaves"])
        for leaf, value in enumerate(tree["leaves"]):
            steps = round((value - least) / step)
            for place in range(DIGITS):
                if steps >> place & 1:
                    planes[place] |= 1 << (BITS * position + leaf)
    return step, planes


def _lookup(nodes: list[tuple[float, int]], full: int) -> tuple[list[float], list[int]]:
    thresholds: list[float] = []
    left = [full]
    for threshold, out in nodes:
        if thresholds and thresholds[-1] == threshold:
            left[-1] &= ~out
        else:
            thresholds.append(threshold)
            left.append(left[-1] & ~out)
    return thresholds, left


@lru_cache(1)
def trees() -> Trees:
    """The model that ships, read once."""
    kept = json.loads(MODEL.read_text())
    return Trees(kept["parts"], kept["trees"])
