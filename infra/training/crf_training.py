"""Trains linear-chain conditional random fields, and writes their weights as `field_labels` reads them."""

import gzip
import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pycrfsuite

from assay.bibliography.field_labels import LabelModel

SCALE = 32  # integer weights are this many times the trained ones
MIN_WEIGHT = 0.06  # smaller weights are left out


def train_labeller(
    sequences: Iterable[tuple[list[list[str]], list[str]]], parameters: Mapping[str, float]
) -> dict[str, Any]:
    """Return the model's labels, weights by feature (label, weight, label, weight …) and transitions."""
    trainer = pycrfsuite.Trainer(verbose=False)
    for features, labels in sequences:
        trainer.append(features, labels)
    trainer.set_params(parameters)
    with tempfile.NamedTemporaryFile() as file:
        trainer.train(file.name)
        tagger = pycrfsuite.Tagger()
        tagger.open(file.name)
        info = tagger.info()
    labels = sorted(info.labels)
    place = {label: at for at, label in enumerate(labels)}
    weights: dict[str, list[int]] = {}
    for (feature, label), weight in sorted(info.state_features.items()):
        if abs(weight) >= MIN_WEIGHT:
            weights.setdefault(feature, []).extend((place[label], round(weight * SCALE)))
    transitions = [[round(info.transitions.get((before, after), 0.0) * SCALE) for before in labels] for after in labels]
    return {"labels": labels, "weights": weights, "transitions": transitions}


def to_label_model(data: Mapping[str, Any]) -> LabelModel:
    weights = {feature: list(zip(pairs[::2], pairs[1::2], strict=True)) for feature, pairs in data["weights"].items()}
    return LabelModel(tuple(data["labels"]), weights, data["transitions"])


def write_model(data: Mapping[str, Any], path: Path) -> None:
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    path.write_bytes(gzip.compress(packed.encode(), 9, mtime=0))
    print(f"{path}: {path.stat().st_size:,} bytes")
