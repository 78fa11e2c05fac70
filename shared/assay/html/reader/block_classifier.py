"""A gradient-boosted tree classifier for blocks, evaluated with bit sets (the QuickScorer algorithm).

Each leaf of each tree is one bit of a large integer. A node whose condition fails excludes the leaves on its left, so
each feature value excludes a set of leaves that is looked up by bisection. The lowest bit left in each tree is the leaf
that the row falls into. Lucchese et al., QuickScorer, SIGIR 2015.
"""

import json
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any

MODEL_PATH = Path(__file__).with_name("model.json")
BITS = 32  # bits per tree, one for each leaf
VALUE_DIGITS = 6  # binary digits of a quantised leaf value; rounding errors average out over the trees

type Row = tuple[Sequence[float], ...]


class TreeEnsemble:
    """A model as lookup tables: for each feature its thresholds, and the leaves that remain after each of them.

    A tree is `{"leaves": [value …], "nodes": [[feature, threshold, first, last] …]}`: if a row's value is above the
    threshold, the leaves from `first` to before `last` are excluded. `parts` are the sizes of the feature groups in a
    row.
    """

    def __init__(self, parts: Sequence[int], trees: list[dict[str, Any]]) -> None:
        self.all_leaves = sum(
            ((1 << len(tree["leaves"])) - 1) << (BITS * position) for position, tree in enumerate(trees)
        )
        self.lowest_bits = sum(1 << (BITS * position) for position in range(len(trees)))
        self.base_score = sum(min(tree["leaves"]) for tree in trees)
        self.step, self.planes = _quantise_leaves(trees)
        nodes: list[list[tuple[float, int]]] = [[] for _ in range(sum(parts))]
        for position, tree in enumerate(trees):
            for feature, threshold, first, last in tree["nodes"]:
                nodes[feature].append((threshold, ((1 << last) - (1 << first)) << (BITS * position)))
        self.parts = []
        start = 0
        for size in parts:
            numbered = enumerate(nodes[start : start + size])
            self.parts.append(
                [(place, *_build_lookup(sorted(within), self.all_leaves)) for place, within in numbered if within]
            )
            start += size

    def remaining_leaves(self, part: int, numbers: Sequence[float]) -> int:
        """Return the leaves that remain for the values of one feature group."""
        leaves = self.all_leaves
        for place, thresholds, left in self.parts[part]:
            leaves &= left[bisect_left(thresholds, numbers[place])]
        return leaves

    def probabilities(self, rows: list[Row | None], shared: Sequence[float]) -> list[float]:
        """Return the probability of each row, 0 for None. `shared` is the last feature group, common to all rows.

        Equal groups are looked up once.
        """
        common = self.remaining_leaves(len(self.parts) - 1, shared)
        full = self.all_leaves
        caches: list[dict[Sequence[float], int]] = [{} for _ in self.parts]
        probabilities = []
        for row in rows:
            if row is None:
                probabilities.append(0.0)
                continue
            leaves = common
            for numbers, cache, lookups in zip(row, caches, self.parts, strict=False):
                remaining = cache.get(numbers)
                if remaining is None:
                    remaining = full
                    for place, thresholds, left in lookups:  # as in `remaining_leaves`, without a call for each
                        remaining &= left[bisect_left(thresholds, numbers[place])]
                    cache[numbers] = remaining
                leaves &= remaining
            probabilities.append(self.probability(leaves))
        return probabilities

    def probability(self, leaves: int) -> float:
        """Return the probability for the lowest remaining leaf of each tree."""
        # Every tree has a leaf left, so the subtraction does not borrow across trees.
        fallen = leaves & ~(leaves - self.lowest_bits)
        total = sum([(fallen & plane).bit_count() << place for place, plane in enumerate(self.planes)])
        return 1 / (1 + exp(-self.base_score - total * self.step))


def _quantise_leaves(trees: list[dict[str, Any]]) -> tuple[float, list[int]]:
    """Quantise the leaves' values above their tree's lowest; return the step and a leaf set per binary digit."""
    step = max(max(tree["leaves"]) - min(tree["leaves"]) for tree in trees) / (2**VALUE_DIGITS - 1) or 1.0
    planes = [0] * VALUE_DIGITS
    for position, tree in enumerate(trees):
        lowest = min(tree["leaves"])
        for leaf, value in enumerate(tree["leaves"]):
            steps = round((value - lowest) / step)
            for place in range(VALUE_DIGITS):
                if steps >> place & 1:
                    planes[place] |= 1 << (BITS * position + leaf)
    return step, planes


def _build_lookup(nodes: list[tuple[float, int]], full: int) -> tuple[list[float], list[int]]:
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
def load_model() -> TreeEnsemble:
    """Return the packaged model, loaded once."""
    model = json.loads(MODEL_PATH.read_text())
    return TreeEnsemble(model["parts"], model["trees"])
