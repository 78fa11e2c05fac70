"""Gradient-boosted trees evaluated with large integers as bit sets, where no compiled evaluator is installed.

This is the QuickScorer algorithm (Lucchese et al., SIGIR 2015). Each leaf of each tree is one bit. A node whose
condition fails excludes the leaves on its left, so each feature value excludes a set of leaves that is looked up by
bisection. The lowest bit left in each tree is the leaf that the row falls into.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

type Rows = list[tuple[tuple[float, ...], ...] | None]


class Tree(NamedTuple):
    """`steps` are the quantised values of the leaves.

    Each of `nodes` is [feature, threshold, first, last]: if a row's value is above the threshold, the leaves from
    `first` to before `last` are excluded.
    """

    steps: bytes
    nodes: list[list[Any]]


class BitSetTrees:
    """The trees as lookup tables: for each feature its thresholds, and the leaves that remain after each of them.

    `parts` are the sizes of the feature groups in a row; the last group is common to all rows of a page.
    """

    def __init__(self, parts: Sequence[int], trees: Sequence[Tree]) -> None:
        self.bits = max(len(tree.steps) for tree in trees)  # of each tree
        self.all_leaves = sum(
            ((1 << len(tree.steps)) - 1) << (self.bits * position) for position, tree in enumerate(trees)
        )
        self.lowest_bits = sum(1 << (self.bits * position) for position in range(len(trees)))
        self.planes = self._build_planes(trees)
        nodes: list[list[tuple[float, int]]] = [[] for _ in range(sum(parts))]
        for position, tree in enumerate(trees):
            for feature, threshold, first, last in tree.nodes:
                nodes[feature].append((threshold, ((1 << last) - (1 << first)) << (self.bits * position)))
        self.parts = []
        start = 0
        for size in parts:
            numbered = enumerate(nodes[start : start + size])
            self.parts.append(
                [(place, *_build_lookup(sorted(within), self.all_leaves)) for place, within in numbered if within]
            )
            start += size

    def _build_planes(self, trees: Sequence[Tree]) -> list[int]:
        """Return a leaf set for each binary digit of the leaves' steps."""
        planes = [0] * max(step for tree in trees for step in tree.steps).bit_length()
        for position, tree in enumerate(trees):
            for leaf, step in enumerate(tree.steps):
                for place in range(step.bit_length()):
                    if step >> place & 1:
                        planes[place] |= 1 << (self.bits * position + leaf)
        return planes

    def sum_leaves(self, rows: Rows, shared: tuple[float, ...]) -> list[int | None]:
        """Return for each row the sum of the steps of the leaves that it falls into, None for None.

        Equal groups are looked up once.
        """
        *parts, last = self.parts
        full = self.all_leaves
        common = full
        for place, thresholds, left in last:
            common &= left[bisect_left(thresholds, shared[place])]
        caches: list[dict[Sequence[float], int]] = [{} for _ in parts]
        sums: list[int | None] = []
        for row in rows:
            if row is None:
                sums.append(None)
                continue
            leaves = common
            for numbers, cache, lookups in zip(row, caches, parts, strict=True):
                remaining = cache.get(numbers)
                if remaining is None:
                    remaining = full
                    for place, thresholds, left in lookups:
                        remaining &= left[bisect_left(thresholds, numbers[place])]
                    cache[numbers] = remaining
                leaves &= remaining
            sums.append(self._sum_steps(leaves))
        return sums

    def _sum_steps(self, leaves: int) -> int:
        """Return the sum of the steps of the lowest remaining leaf of each tree."""
        # Every tree has a leaf left, so the subtraction does not borrow across trees.
        fallen = leaves & ~(leaves - self.lowest_bits)
        return sum([(fallen & plane).bit_count() << place for place, plane in enumerate(self.planes)])


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
