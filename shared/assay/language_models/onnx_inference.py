"""A model of natural-language inference on this machine, run by ONNX Runtime."""

import asyncio
import json
import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import ConfigError, Network, UpstreamFailed
from assay.models.entailment import Entailment, parse_relation, to_entailment

if TYPE_CHECKING:
    from tokenizers import Encoding

PROVIDER, SETTING = "nli", "NLI_MODEL_PATH"
FILES = ("model.onnx", "tokenizer.json", "config.json")
MAX_TOKENS = 512  # of passage and claim together, unless the model takes fewer
MAX_CLAIM_TOKENS = 0.75  # share of these that a claim may take before it is cut as well
BATCH = 4  # pairs in one run: more take memory, not less time
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class _Loaded(NamedTuple):
    session: Any
    tokenizer: Any
    labels: Sequence[str]  # in the order of the model's output
    inputs: Sequence[str]  # the inputs that the model takes
    padding: int


class OnnxInference:
    """ports.InferenceModel for a folder with model.onnx, tokenizer.json and config.json (`id2label`).

    The model is loaded on first use.
    """

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    async def classify(self, premises: Sequence[str], hypothesis: str, *, seconds: float) -> list[Entailment]:
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(self._classify, premises, hypothesis)
        except TimeoutError:
            raise Network(
                f"{PROVIDER}: the model did not answer within {seconds:.0f} seconds.", provider=PROVIDER, retry_after=5
            ) from None

    async def close(self) -> None:
        self._loaded = None

    def _classify(self, premises: Sequence[str], hypothesis: str) -> list[Entailment]:
        with self._lock:  # one at a time: a run uses all processors
            loaded = self._loaded = self._loaded or _load(self._folder)
            pairs = [(premise, hypothesis) for premise in premises]
            batches = [pairs[start : start + BATCH] for start in range(0, len(pairs), BATCH)]
            return [scores for batch in batches for scores in _run(loaded, batch)]


def _load(folder: Path) -> _Loaded:
    """Load the model. Raises ConfigError, which says what is missing or wrong."""
    try:
        from onnxruntime import InferenceSession
        from tokenizers import Tokenizer
    except ImportError as missing:
        raise ConfigError(
            f"{SETTING} needs the extra `nli` ({missing.name} is not installed): pip install 'assay[nli]'.",
            field=SETTING,
            action="inform_user",
        ) from None
    absent = [name for name in FILES if not (folder / name).is_file()]
    if absent:
        raise _config_error(f"the folder has no {' and no '.join(absent)}")
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        session = InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    except Exception as wrong:  # noqa: BLE001  # both libraries raise bare exceptions of their own for damaged files
        raise _config_error(f"a file cannot be read ({type(wrong).__name__})") from None
    inputs = [each.name for each in session.get_inputs()]
    if unknown := set(inputs) - set(INPUTS):
        raise _config_error(f"the model takes the unknown input {min(unknown)[:60]!r}")
    tokenizer.no_padding()
    tokenizer.enable_truncation(_read_length(config), strategy="only_first")
    return _Loaded(session, tokenizer, _read_labels(config), inputs, _read_number(config, "pad_token_id", 0))


def _read_length(config: Any) -> int:
    return min(MAX_TOKENS, max(16, _read_number(config, "max_position_embeddings", MAX_TOKENS)))


def _read_number(config: Any, name: str, default: int) -> int:
    value = config.get(name) if isinstance(config, dict) else None
    return value if type(value) is int and value >= 0 else default


def _read_labels(config: Any) -> list[str]:
    """Return the labels by output, from `id2label`, whatever their order."""
    named = config.get("id2label") if isinstance(config, dict) else None
    try:
        labels = [str(named[str(at)]) for at in range(len(named))] if isinstance(named, dict) else []
    except KeyError:
        labels = []
    relations = [parse_relation(label) for label in labels]
    if "entailment" not in relations or None in relations or len(set(relations)) != len(relations):
        raise _config_error(
            f"id2label in config.json must name entailment, neutral and contradiction; it has {labels[:5]}"
        )
    return labels


def _config_error(why: str) -> ConfigError:
    return ConfigError(f"{SETTING}: {why}.", field=SETTING, action="inform_user")


def _run(loaded: _Loaded, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
    import numpy as np

    encoded = _encode(loaded, pairs)
    width = max(len(each.ids) for each in encoded)
    columns = {
        "input_ids": [each.ids + [loaded.padding] * (width - len(each.ids)) for each in encoded],
        "attention_mask": [each.attention_mask + [0] * (width - len(each.ids)) for each in encoded],
        "token_type_ids": [each.type_ids + [0] * (width - len(each.ids)) for each in encoded],
    }
    feed = {name: np.array(columns[name], dtype=np.int64) for name in loaded.inputs}
    try:
        logits = loaded.session.run(None, feed)[0]
    except Exception as wrong:  # noqa: BLE001  # the runtime raises bare exceptions of its own
        raise UpstreamFailed(f"{PROVIDER}: the model failed ({type(wrong).__name__}).", provider=PROVIDER) from None
    if getattr(logits, "shape", None) != (len(pairs), len(loaded.labels)):
        raise _config_error("the model's output does not have one number for each label")
    return [_to_scores(loaded.labels, row) for row in logits.tolist()]


def _encode(loaded: _Loaded, pairs: Sequence[tuple[str, str]]) -> "list[Encoding]":
    """Encode the pairs. A claim that leaves no room for the passage is cut, which `only_first` refuses to do."""
    limit = int(loaded.tokenizer.truncation["max_length"] * MAX_CLAIM_TOKENS)
    claim = pairs[0][1]
    offsets = loaded.tokenizer.encode(claim, add_special_tokens=False).offsets
    if len(offsets) >= limit:
        claim = claim[: offsets[limit - 1][1]]
    encoded: list[Encoding] = loaded.tokenizer.encode_batch([(premise, claim) for premise, _ in pairs])
    return encoded


def _to_scores(labels: Sequence[str], logits: Sequence[float]) -> Entailment:
    """Turn the outputs into probabilities (softmax)."""
    if not all(map(math.isfinite, logits)):
        raise UpstreamFailed(f"{PROVIDER}: the model's output is not a number.", provider=PROVIDER)
    powers = [math.exp(value - max(logits)) for value in logits]
    return to_entailment({label: power / sum(powers) for label, power in zip(labels, powers, strict=True)})
