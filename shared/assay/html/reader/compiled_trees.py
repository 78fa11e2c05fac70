"""Gradient-boosted trees evaluated by `_block_trees.c`. The import fails where the extension module is not built."""

from collections.abc import Sequence

from assay.html.reader import _block_trees
from assay.html.reader.bit_set_trees import Rows, Tree


class CompiledTrees:
    """The same interface and the same answers as `BitSetTrees`, for trees with up to 64 leaves."""

    def __init__(self, parts: Sequence[int], trees: Sequence[Tree]) -> None:
        self.model = _block_trees.build(tuple(parts), tuple(trees))

    def sum_leaves(self, rows: Rows, shared: tuple[float, ...]) -> list[int | None]:
        """Return for each row the sum of the steps of the leaves that it falls into, None for None."""
        return _block_trees.sum_leaves(self.model, rows, shared)
