"""Gradient-boosted trees evaluated by `_block_trees.c`; the import fails where that is not built or is out of date."""

from collections.abc import Sequence

from assay.html.reader._block_trees import build_model, sum_leaves
from assay.html.reader.bit_set_trees import Rows, Tree


class CompiledTrees:
    """The same interface and the same answers as `BitSetTrees`, for trees with up to 64 leaves."""

    def __init__(self, parts: Sequence[int], trees: Sequence[Tree]) -> None:
        self.model = build_model(tuple(parts), tuple(trees))

    def sum_leaves(self, rows: Rows, shared: tuple[float, ...]) -> list[int | None]:
        """Return for each row the sum of the steps of the leaves that it falls into, None for None."""
        return sum_leaves(self.model, rows, shared)
