"""Labels a sequence, such as the tokens of a printed reference, with a linear-chain conditional random field.

The weights come from the files that the scripts in `infra/training` write. Inference is plain
Python: the sum of the weights of a token's features, and the best path by Viterbi's algorithm.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import add


@dataclass(frozen=True)
class LabelModel:
    """`weights` maps a feature to (label, weight) pairs, `transitions[b][a]` is the weight of label b after label a."""

    labels: tuple[str, ...]
    weights: Mapping[str, Sequence[tuple[int, int]]]
    transitions: Sequence[Sequence[int]]

    def label(self, tokens: Sequence[Sequence[str]]) -> list[str]:
        """Return the best label of each token, whose features are given; no label is "O"."""
        if not tokens:
            return []
        scores = [self._score(features) for features in tokens]
        best, befores = scores[0], list[list[int]]()
        for own in scores[1:]:
            befores.append(best)
            best = [max(map(add, best, row)) + score for row, score in zip(self.transitions, own, strict=True)]
        path = [best.index(max(best))]
        for before in reversed(befores):  # which label the best path came from is asked for the labels on it only
            reached = list(map(add, before, self.transitions[path[-1]]))
            path.append(reached.index(max(reached)))
        return [self.labels[label] for label in reversed(path)]

    def _score(self, features: Sequence[str]) -> list[int]:
        score = [0] * len(self.labels)
        for feature in features:
            for label, weight in self.weights.get(feature, ()):
                score[label] += weight
        return score


@cache
def load_model(name: str) -> LabelModel:
    """Load a model that is shipped in this package; that of references takes some 50 ms once."""
    packed = files("assay.bibliography").joinpath(name).read_bytes()
    data = json.loads(gzip.decompress(packed))
    weights = {feature: list(zip(pairs[::2], pairs[1::2], strict=True)) for feature, pairs in data["weights"].items()}
    return LabelModel(tuple(data["labels"]), weights, data["transitions"])
