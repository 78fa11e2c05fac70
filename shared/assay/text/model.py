"""The block classifier: boosted trees, evaluated all at once with whole numbers as sets of leaves.

Each leaf of each tree is a bit. A node whose condition fails rules out the leaves on its left; so every (feature, value)
rules out a set of leaves that can be looked up, and what remains lowest in each tree is the leaf a row falls into.
"""

import json
import sys
from bisect import bisect_left
from functools import lru_cache
from math import exp
from operator import getitem
from pathlib import Path
from typing import Any

MODEL = Path(__file__).with_name("model.json")
BITS = 16  # for the leaves of one tree


class Trees:
    """A model as lookups: for each feature its thresholds, and the leaves left after the first of them, the first two …

    A tree is `{"leaves": [value …], "nodes": [[feature, threshold, first, last] …]}`: when a row's value is above the
    threshold, the leaves from `first` to before `last` are out. `shared` is how many features at the end are the page's.
    """

    def __init__(self, features: int, shared: int, trees: list[dict[str, Any]]) -> None:
        self.count = len(trees)
        self.size = self.count * BITS // 8
        self.full = sum(((1 << len(tree["leaves"])) - 1) << (BITS * position) for position, tree in enumerate(trees))
        self.lowest = sum(1 << (BITS * position) for position in range(self.count))
        self.values = [{1 << leaf: value for leaf, value in enumerate(tree["leaves"])} for tree in trees]
        nodes: list[list[tuple[float, int]]] = [[] for _ in range(features)]
        for position, tree in enumerate(trees):
            for feature, threshold, first, last in tree["nodes"]:
                nodes[feature].append((threshold, ((1 << last) - (1 << first)) << (BITS * position)))
        lookups = [(feature, *_lookup(sorted(found), self.full)) for feature, found in enumerate(nodes) if found]
        own = features - shared
        self.own = [lookup for lookup in lookups if lookup[0] < own]
        self.shared = [(feature - own, thresholds, left) for feature, thresholds, left in lookups if feature >= own]

    def probabilities(self, rows: list[list[float]], shared: list[float]) -> list[float]:
        """The chance of each row, given the numbers that all rows share."""
        common = self.full
        for feature, thresholds, left in self.shared:
            common &= left[bisect_left(thresholds, shared[feature])]
        return [self._probability(row, common) for row in rows]

    def _probability(self, row: list[float], leaves: int) -> float:
        for feature, thresholds, left in self.own:
            leaves &= left[bisect_left(thresholds, row[feature])]
        lowest = leaves & ~(leaves - self.lowest)  # every tree has a leaf left, so nothing is borrowed across trees
        fallen = memoryview(lowest.to_bytes(self.size, sys.byteorder)).cast("H")
        total = sum(map(getitem, self.values if sys.byteorder == "little" else self.values[::-1], fallen))
        return 1 / (1 + exp(-total)) if total > -700 else 0.0


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
    return Trees(kept["features"], kept["shared"], kept["trees"])
