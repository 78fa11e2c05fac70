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
from assay.extraction.target_schema import TargetSchema
from assay.language_models.grounding import SHORT, QuoteFinder
from assay.language_models.token_costs import TokenUsage
from assay.scraping.snapshot_content import PageSnapshot
from assay.state.ports import Completion, Model

UNAVAILABLE = "EXTRACT_UNAVAILABLE"
MIN_SECONDS = 5.0  # remaining time needed for a second model request

type Method = Literal["model", "structured-data"]


class Unavailable(ConfigError):
    """Raised if no model is configured and the page declares none of the required fields."""

    action = "inform_user"


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


def build_prompt(
    prompt: str, schema: TargetSchema | None, snapshot: PageSnapshot, room: int
) -> prompt_module.PagePrompt:
    """Build the prompt for the page, limited to `room` tokens."""
    page = snapshot.page
    head = [f"Address: {page.url}", f"Title: {page.title}" if page.title else "", *_describe_metadata(snapshot)]
    text = "\n".join(line for line in head if line) + f"\n\n{page.content}"
    return prompt_module.build_page_prompt(
        prompt, schema.text if schema else None, text, _serialize_structured_data(snapshot), room
    )


async def extract_with_model(
    page_prompt: prompt_module.PagePrompt,
    schema: TargetSchema | None,
    snapshot: PageSnapshot,
    model: Model,
    usage: TokenUsage,
    tokens: int,
    seconds_left: Callable[[], float],
) -> ExtractionResult:
    """Extract with the model, with one retry if its answer is unusable. `seconds_left` returns the remaining seconds.

    Raises UpstreamFailed if neither answer is JSON; errors of the model propagate.
    """
    turns = [page_prompt.text]
    completion = await model.complete(page_prompt.rules, turns, tokens=tokens, seconds=seconds_left())
    usage.add(completion)
    reply, coerced = await asyncio.to_thread(_parse_reply, completion, schema)
    faults = _list_faults(completion, reply, coerced)
    if faults and seconds_left() > MIN_SECONDS:
        turns += [completion.text[: prompt_module.ECHO] or "{}", prompt_module.build_repair_message(faults)]
        second = await model.complete(page_prompt.rules, turns, tokens=tokens, seconds=seconds_left())
        usage.add(second)
        second_reply, coerced_again = await asyncio.to_thread(_parse_reply, second, schema)
        if second_reply is not None and (reply is None or len(coerced_again.lost) <= len(coerced.lost)):
            reply, coerced = second_reply, coerced_again
    if reply is None:
        raise UpstreamFailed(f"{model.name[:80]} did not answer in JSON after a retry.", provider="llm")
    result = await asyncio.to_thread(_verify_evidence, coerced.data, reply, schema, snapshot)
    result.truncated = page_prompt.truncated or snapshot.page.truncated
    return result


def extract_declared(schema: TargetSchema | None, snapshot: PageSnapshot) -> ExtractionResult:
    """Fill the schema from facts that the page declares. Raises Unavailable if no required field is among them."""
    filled = FilledSchema(snapshot, schema.node) if schema and schema.has_names else None
    if not schema or not filled or not _is_filled(filled.data, schema):
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
        coercion.is_valid(filled.data, schema.node),
        coercion.list_missing_fields(filled.data, schema.node),
        words={
            path: f"{fact.origin} {'.'.join(fact.path)}: {fact.value}"[:300] for path, fact in filled.origins.items()
        },
    )


def _is_filled(data: Any, schema: TargetSchema) -> bool:
    """Return whether any required field has a value; for an array schema, whether the list has an item."""
    return any(data.get(name) is not None for name in schema.required_fields) if isinstance(data, dict) else bool(data)


def _parse_reply(
    completion: Completion, schema: TargetSchema | None
) -> tuple[prompt_module.ModelReply | None, coercion.CoercedData]:
    node = schema.node if schema else {"type": "object"}
    reply = prompt_module.parse_reply(completion.text, list(node.get("properties") or ()))
    return reply, coercion.coerce_to_schema(reply.data if reply else None, node)


def _list_faults(
    completion: Completion, reply: prompt_module.ModelReply | None, coerced: coercion.CoercedData
) -> list[str]:
    if reply is None:
        return ["It broke off: be shorter." if completion.cut else "It is not a JSON object."]
    return [f"{path} does not fit the schema." for path in coerced.lost]


def _verify_evidence(
    data: Any, reply: prompt_module.ModelReply, schema: TargetSchema | None, snapshot: PageSnapshot
) -> ExtractionResult:
    """Set facts without a supporting passage in the page to null and collect the quotes for the others."""
    node = schema.node if schema else {"type": "object"}
    page = snapshot.page
    finder = QuoteFinder(
        "\n".join(
            [page.title, *_describe_metadata(snapshot), page.content, _serialize_structured_data(snapshot), page.url]
        )
    )
    words: dict[str, str] = {}
    unsupported: list[str] = []
    dropped: set[str] = set()
    for path, value in coercion.iterate_leaves(data):
        if value is None or value == [] or value == {}:
            continue
        quote = finder.find_quote(reply.evidence.get(path)) or finder.find_value(value)
        if quote:
            words[path] = quote
            continue
        unsupported.append(path)
        if _is_fact(value) and not _is_choice(node, path):
            dropped.add(path)
    supported, new_paths = coercion.remove_paths(data, dropped)
    return ExtractionResult(
        supported,
        "model",
        coercion.is_valid(supported, node),
        coercion.list_missing_fields(supported, node),
        [new_paths.get(path, path) for path in unsupported],
        {new_paths.get(path, path): quote for path, quote in words.items()},
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


def _describe_metadata(snapshot: PageSnapshot) -> list[str]:
    page = snapshot.page
    properties = {"Author": "; ".join(page.authors), "Published": page.published, "Description": page.description}
    return [f"{name}: {value}" for name, value in properties.items() if value]


def _serialize_structured_data(snapshot: PageSnapshot) -> str:
    structured = snapshot.page.structured or {}
    return json.dumps(structured, ensure_ascii=False) if structured else ""
