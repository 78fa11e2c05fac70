"""Models for tests of the tiers of claims. All know two words: `indeed` supports a claim, `never` contradicts it.

An ONNX model made here, an inference endpoint and a chat completions endpoint, the last two on loopback.
"""

import json

LABELS = ("entailment", "neutral", "contradiction")
WORDS = {"indeed": "entailment", "never": "contradiction"}
SURE, STRONG = 0.97, 12.0  # the probability that the endpoints state; what the ONNX model adds for a word


def write_model(folder, labels=LABELS, *, config=None, strength=STRONG):
    """Write model.onnx, tokenizer.json and config.json: a bag of words whose outputs stand in the order of `labels`."""
    import onnx
    from onnx import TensorProto, helper
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: at for at, word in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS))}
    rows = [[0.0] * len(labels) for _ in vocabulary]
    for word, relation in WORDS.items():
        rows[vocabulary[word]] = [strength if label.lower().startswith(relation[:6]) else 0.0 for label in labels]
    rows[vocabulary["[CLS]"]] = [4.0 if label.lower() in ("neutral", "not_entailment") else 0.0 for label in labels]

    def constant(name, kind, shape, values):
        return helper.make_tensor(name, kind, shape, values)

    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
            helper.make_node("Mul", ["rows", "wide"], ["counted"]),
            helper.make_node("ReduceSum", ["counted", "tokens"], ["logits"], keepdims=0),
        ],
        "bag",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(labels)])],
        [
            constant("table", TensorProto.FLOAT, [len(rows), len(labels)], [value for row in rows for value in row]),
            constant("last", TensorProto.INT64, [1], [2]),
            constant("tokens", TensorProto.INT64, [1], [1]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save(model, folder / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"id2label": {str(at): label for at, label in enumerate(labels)}} if config is None else config
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def relate(passage):
    return next((relation for word, relation in WORDS.items() if word in passage.lower()), "neutral")


def answer_classification(request):
    """What an endpoint for text classification says to `request`."""
    relations = [relate(pair["text"]) for pair in request["inputs"]]
    return [
        [{"label": label.upper(), "score": SURE if label == relation else 0.01} for label in LABELS]
        for relation in relations
    ]


def answer_chat(request):
    """What a language model says: its quote is the sentence with the word."""
    user = request["messages"][-1]["content"]
    data = json.loads(user.split("data begins ====\n")[1].split("\n====")[0])
    relations = {"entailment": "supports", "contradiction": "contradicts", "neutral": "silent"}
    found = next((passage for passage in data["passages"] if relate(passage) != "neutral"), "")
    quote = next((f"{part}." for part in found.split(".") if relate(part) != "neutral"), "").strip()
    return to_completion({"relation": relations[relate(found)], "probability": SURE, "quote": quote or None})


def to_completion(content, finish="stop"):
    text = content if isinstance(content, str) else json.dumps(content)
    return {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 40},
    }


def serve(site, path, answer):
    """Let `site` answer at `path` with the JSON that `answer` makes of the request, or with fixed bytes and a status."""
    fixed = isinstance(answer, tuple)
    body, status = answer if fixed else (b"", 200)
    site.says(path, body, status, kind="application/json")
    if not fixed:
        canned = site.pages[path]

        def respond():
            request = json.loads(next(each for each in reversed(site.requests) if each.path == path).body)
            canned.body = json.dumps(answer(request)).encode()

        canned.before = respond
