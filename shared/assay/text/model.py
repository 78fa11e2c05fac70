"""The block classifier: boosted trees, evaluated all at once with whole numbers as sets of leaves.

Each leaf of each tree is a bit. A node whose condition fails rules out the leaves on its left; so every (feature, value)
rules out a set of leaves that can be looked up, and what remains lowest in each tree is the leaf a row falls into.
"""

import json
from bisect import bisect_left
from functools import lru_cache
from math import exp
from operator import getitem
from pathlib import Path
from typing import Any

MODEL = Path(__file__).with_name("model.json")
LEAVES = 8  # of a tree, at most: one byte


class Trees:
    """A model as lookups: for each feature its thresholds, and the leaves left after the first of them, the first two …"""

    def __init__(self, names: list[str], trees: list[dict[str, Any]]) -> None:
        self.names = names
        self.count = len(trees)
        self.full = int.from_bytes(b"".join(((1 << len(tree["leaves"])) - 1).to_bytes() for tree in trees), "little")
        self.lowest = int.from_bytes(b"\x01" * self.count, "little")
        self.values = [_values(tree["leaves"]) for tree in trees]
        nodes: list[list[tuple[float, int]]] = [[] for _ in names]
        for position, tree in enumerate(trees):
            for feature, threshold, first, last in tree["nodes"]:
                out = ((1 << last) - (1 << first)) << (8 * position)
                nodes[feature].append((threshold, out))
        self.features = [_lookup(sorted(found), self.full) for found in nodes]

    def narrow(self, leaves: int, row: list[float], start: int = 0) -> int:
        """The leaves that remain after the features from `start` on have the values in `row`."""
        for value, (thresholds, remaining) in zip(row, self.features[start:], strict=False):
            leaves &= remaining[bisect_left(thresholds, value)]
        return leaves

    def probability(self, leaves: int) -> float:
        lowest = leaves & ~(leaves - self.lowest)  # no tree is empty, so nothing is borrowed across trees
        total = sum(map(getitem, self.values, lowest.to_bytes(self.count, "little")))
        return 1 / (1 + exp(-total)) if total > -700 else 0.0


def _values(leaves: list[float]) -> list[float]:
    values = [0.0] * ((1 << (len(leaves) - 1)) + 1)
    for position, value in enumerate(leaves):
        values[1 << position] = value
    return values


def _lookup(nodes: list[tuple[float, int]], full: int) -> tuple[list[float], list[int]]:
    thresholds: list[float] = []
    remaining = [full]
    for threshold, out in nodes:
        if thresholds and thresholds[-1] == threshold:
            remaining[-1] &= ~out
        else:
            thresholds.append(threshold)
            remaining.append(remaining[-1] & ~out)
    return thresholds, remaining


@lru_cache(1)
def trees() -> Trees:
    """The model that ships, read once."""
    kept = json.loads(MODEL.read_text())
    return Trees(kept["names"], kept["trees"])
