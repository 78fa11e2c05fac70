"""Gradient-boosted trees evaluated by `_block_trees.c`. The import fails where the extension module is not built."""

from array import array
from collections.abc import Sequence

from assay.html.reader import _block_trees
from assay.html.reader.bit_set_trees import Rows, Tree

MAX_LEAVES = 64  # leaves of a tree: bits of a word
FULL_WORD = (1 << MAX_LEAVES) - 1


class CompiledTrees:
    """The same interface and the same answers as `BitSetTrees`."""

    def __init__(self, parts: Sequence[int], trees: Sequence[Tree]) -> None:
        nodes: list[list[tuple[float, int, int]]] = [[] for _ in range(sum(parts))]
        for position, tree in enumerate(trees):
            if len(tree.steps) > MAX_LEAVES:
                raise ValueError(f"a tree has {len(tree.steps)} leaves; the compiled evaluator takes {MAX_LEAVES}")
            for feature, threshold, first, last in tree.nodes:
                nodes[feature].append((threshold, position, FULL_WORD ^ ((1 << last) - (1 << first))))
        starts = array("I", [0])
        for within in nodes:
            within.sort()
            starts.append(starts[-1] + len(within))
        ordered = [node for within in nodes for node in within]
        self.model = _block_trees.build(
            tuple(parts),
            starts,
            array("d", [threshold for threshold, _, _ in ordered]),
            array("I", [position for _, position, _ in ordered]),
            array("Q", [mask for _, _, mask in ordered]),
            b"".join(bytes(tree.steps).ljust(MAX_LEAVES, b"\0") for tree in trees),
        )

    def sum_leaves(self, rows: Rows, shared: tuple[float, ...]) -> list[int | None]:
        """Return for each row the sum of the steps of the leaves that it falls into, None for None."""
        return _block_trees.sum_leaves(self.model, rows, shared)
