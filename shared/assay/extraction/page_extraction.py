"""Extracts the data of one page: queries a model or reads declared facts, coerces the values, and verifies quotes."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.errors import ConfigError, UpstreamFailed
from assay.extraction import coercion
from assay.extraction import prompt as prompt_module
from assay.extraction.field_matching import FilledSchema
from assay.extraction.grounding import SHORT, QuoteFinder
from assay.extraction.target_schema import TargetSchema
from assay.scraping.snapshot_content import PageSnapshot
from assay.state.ports import Completion, Model

UNAVAILABLE = "EXTRACT_UNAVAILABLE"
MIN_SECONDS = 5.0  # remaining time needed for a second model request

type Method = Literal["model", "structured-data"]


class Unavailable(ConfigError):
    """Raised if no model is configured and the page declares none of the required fields."""

    action = "inform_user"


@dataclass
class TokenUsage:
    """Token usage as the model reports it, and the cost in micro-dollars if reported."""

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    cost: int | None = None

    def add(self, said: Completion) -> None:
        self.input_tokens += said.input_tokens
        self.output_tokens += said.output_tokens
        self.calls += 1
        if said.cost is not None:
            self.cost = (self.cost or 0) + said.cost


@dataclass
class ExtractionResult:
    """Data that fits the schema. `words` maps paths to quotes of the page; `unsupported` lists paths without one."""

    data: Any
    method: Method
    valid: bool = False
    missing: list[str] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    truncated: bool = False


def question(prompt: str, wanted: TargetSchema | None, snapshot: PageSnapshot, room: int) -> prompt_module.PagePrompt:
    """Build the prompt for the page, limited to `room` tokens."""
    page = snapshot.page
    head = [f"Address: {page.url}", f"Title: {page.title}" if page.title else "", *_known(snapshot)]
    text = "\n".join(line for line in head if line) + f"\n\n{page.content}"
    return prompt_module.question(
        prompt, wanted.text if wanted else None, text, _serialize_structured_data(snapshot), room
    )


async def by_model(
    asked: prompt_module.PagePrompt,
    wanted: TargetSchema | None,
    snapshot: PageSnapshot,
    model: Model,
    used: TokenUsage,
    tokens: int,
    left: Callable[[], float],
) -> ExtractionResult:
    """Extract with the model, with one retry if its answer is unusable. `left` returns the remaining seconds.

    Raises UpstreamFailed if neither answer is JSON; errors of the model propagate.
    """
    turns = [asked.text]
    said = await model.say(asked.rules, turns, tokens=tokens, seconds=left())
    used.add(said)
    answer, fit = await asyncio.to_thread(_read, said, wanted)
    faults = _faults(said, answer, fit)
    if faults and left() > MIN_SECONDS:
        turns += [said.text[: prompt_module.ECHO] or "{}", prompt_module.repair(faults)]
        again = await model.say(asked.rules, turns, tokens=tokens, seconds=left())
        used.add(again)
        better, refit = await asyncio.to_thread(_read, again, wanted)
        if better is not None and (answer is None or len(refit.lost) <= len(fit.lost)):
            answer, fit = better, refit
    if answer is None:
        raise UpstreamFailed(f"{model.name[:80]} did not answer in JSON after a retry.", provider="llm")
    found = await asyncio.to_thread(_verify_evidence, fit.data, answer, wanted, snapshot)
    found.truncated = asked.truncated or snapshot.page.truncated
    return found


def by_declaration(wanted: TargetSchema | None, snapshot: PageSnapshot) -> ExtractionResult:
    """Fill the schema from facts that the page declares. Raises Unavailable if no required field is among them."""
    filled = FilledSchema(snapshot, wanted.node) if wanted and wanted.has_names else None
    if not wanted or not filled or not _is_filled(filled.data, wanted):
        why = (
            "the page has none of the required fields in its structured data"
            if filled
            else "a schema with properties is needed to read what the page declares"
        )
        raise Unavailable(
            f"{UNAVAILABLE}: no model is configured (LLM_BASE_URL and LLM_MODEL, or LLM_MODEL in Bedrock), and {why}."
        )
    return ExtractionResult(
        filled.data,
        "structured-data",
        coercion.is_valid(filled.data, wanted.node),
        coercion.missing(filled.data, wanted.node),
        words={
            path: f"{fact.origin} {'.'.join(fact.path)}: {fact.value}"[:300] for path, fact in filled.origins.items()
        },
    )


def _is_filled(data: Any, wanted: TargetSchema) -> bool:
    """Return whether any required field has a value; for an array schema, whether the list has an item."""
    return any(data.get(name) is not None for name in wanted.required_fields) if isinstance(data, dict) else bool(data)


def _read(
    said: Completion, wanted: TargetSchema | None
) -> tuple[prompt_module.ModelReply | None, coercion.CoercedData]:
    node = wanted.node if wanted else {"type": "object"}
    answer = prompt_module.parse_reply(said.text, list(node.get("properties") or ()))
    return answer, coercion.coerce_to_schema(answer.data if answer else None, node)


def _faults(said: Completion, answer: prompt_module.ModelReply | None, fit: coercion.CoercedData) -> list[str]:
    if answer is None:
        return ["It broke off: be shorter." if said.cut else "It is not a JSON object."]
    return [f"{path} does not fit the schema." for path in fit.lost]


def _verify_evidence(
    data: Any, answer: prompt_module.ModelReply, wanted: TargetSchema | None, snapshot: PageSnapshot
) -> ExtractionResult:
    """Set facts without a supporting passage in the page to null and collect the quotes for the others."""
    node = wanted.node if wanted else {"type": "object"}
    page = snapshot.page
    finder = QuoteFinder(
        "\n".join([page.title, *_known(snapshot), page.content, _serialize_structured_data(snapshot), page.url])
    )
    words: dict[str, str] = {}
    unsupported: list[str] = []
    dropped: set[str] = set()
    for path, value in coercion.leaves(data):
        if value is None or value == [] or value == {}:
            continue
        found = finder.quote(answer.evidence.get(path)) or finder.of(value)
        if found:
            words[path] = found
            continue
        unsupported.append(path)
        if _is_fact(value) and not _is_choice(node, path):
            dropped.add(path)
    kept, moved = coercion.remove_paths(data, dropped)
    return ExtractionResult(
        kept,
        "model",
        coercion.is_valid(kept, node),
        coercion.missing(kept, node),
        [moved.get(path, path) for path in unsupported],
        {moved.get(path, path): said for path, said in words.items()},
    )


def _is_fact(value: Any) -> bool:
    """Return whether the page must contain the value literally; booleans and long texts may be paraphrases."""
    return not isinstance(value, bool) and not (isinstance(value, str) and len(value) > SHORT)


def _is_choice(node: Any, path: str) -> bool:
    """Return whether the schema restricts the value by `enum` or `const`."""
    for step in path.replace("[", ".[").split("."):
        if not isinstance(node, dict):
            return False
        node = node.get("items") if step.startswith("[") else (node.get("properties") or {}).get(step)
    return isinstance(node, dict) and ("enum" in node or "const" in node)


def _known(snapshot: PageSnapshot) -> list[str]:
    page = snapshot.page
    told = {"Author": "; ".join(page.authors), "Published": page.published, "Description": page.description}
    return [f"{name}: {value}" for name, value in told.items() if value]


def _serialize_structured_data(snapshot: PageSnapshot) -> str:
    structured = snapshot.page.structured or {}
    return json.dumps(structured, ensure_ascii=False) if structured else ""
