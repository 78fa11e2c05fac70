"""A gradient-boosted tree classifier for blocks.

Its trees are evaluated by a compiled extension module where that is installed, and by plain Python elsewhere. Both add
up whole numbers, so their answers are equal to the last bit.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any, Protocol

from assay.html.reader.bit_set_trees import BitSetTrees, Rows, Tree

MODEL_PATH = Path(__file__).with_name("model.json")
VALUE_DIGITS = 6  # binary digits of a quantised leaf value; rounding errors average out over the trees

type Row = tuple[tuple[float, ...], ...]


class TreeEvaluator(Protocol):
    def sum_leaves(self, rows: Rows, shared: tuple[float, ...]) -> list[int | None]: ...


class TreeEnsemble:
    """A model: `parts` are the sizes of the feature groups in a row, the last of which all rows of a page share.

    A tree is `{"leaves": [value …], "nodes": [[feature, threshold, first, last] …]}`: if a row's value is above the
    threshold, the leaves from `first` to before `last` are excluded. `compiled` chooses the evaluator; the default
    is the compiled one if it is installed.
    """

    def __init__(self, parts: Sequence[int], trees: list[dict[str, Any]], *, compiled: bool | None = None) -> None:
        self.base_score = sum(min(tree["leaves"]) for tree in trees)
        self.step, quantised = _quantise_leaves(trees)
        self.trees = _build_evaluator(parts, quantised, compiled)

    def probabilities(self, rows: list[Row | None], shared: tuple[float, ...]) -> list[float]:
        """Return the probability of each row, 0 for None. `shared` is the last feature group, common to all rows."""
        base, step = self.base_score, self.step
        return [
            0.0 if total is None else 1 / (1 + exp(-base - total * step))
            for total in self.trees.sum_leaves(rows, shared)
        ]


def _build_evaluator(parts: Sequence[int], trees: list[Tree], compiled: bool | None) -> TreeEvaluator:
    if compiled is not False:
        try:
            from assay.html.reader.compiled_trees import CompiledTrees

            return CompiledTrees(parts, trees)
        except ImportError:
            if compiled:
                raise
    return BitSetTrees(parts, trees)


def _quantise_leaves(trees: list[dict[str, Any]]) -> tuple[float, list[Tree]]:
    """Return the quantisation step, and the trees with their leaves' values above the lowest in such steps."""
    step = max(max(tree["leaves"]) - min(tree["leaves"]) for tree in trees) / (2**VALUE_DIGITS - 1) or 1.0
    quantised = []
    for tree in trees:
        lowest = min(tree["leaves"])
        quantised.append(Tree(bytes([round((value - lowest) / step) for value in tree["leaves"]]), tree["nodes"]))
    return step, quantised


@lru_cache(1)
def load_model() -> TreeEnsemble:
    """Return the packaged model, loaded once."""
    model = json.loads(MODEL_PATH.read_text())
    return TreeEnsemble(model["parts"], model["trees"])
