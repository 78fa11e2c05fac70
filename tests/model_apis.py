"""What the tool calling of three model APIs takes of JSON Schema, as checkers: each yields what it would refuse.

One tool that an API refuses costs its caller the whole list of tools.
"""

import re
from collections.abc import Iterator
from typing import Any

type Schema = dict[str, Any]

NAMES_OF_FIELDS = ("properties", "$defs")
TYPES = {"string", "number", "integer", "boolean", "object", "array", "null"}


def openai_strict(name: str, schema: Schema) -> Iterator[str]:
    """Function calling with `strict: true`.

    https://platform.openai.com/docs/guides/structured-outputs#supported-schemas: the root is an object and no anyOf;
    every node has a type; objects say `additionalProperties: false`; allOf, oneOf, not, dependent*, if, then, else are
    not known; 5,000 properties, ten levels, 1,000 values of enums. That every field must be required and may then be
    null is arranged by clients (`ensure_strict_json_schema` of OpenAI's SDK), and so is not asked for here. An object
    whose fields the caller names, such as a JSON Schema, has no strict form.
    """
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name):
        yield f"name: {name}"
    if schema.get("type") != "object" or "anyOf" in schema:
        yield "the root is no plain object"
    every = list(nodes(schema))
    for place, node in every:
        yield from (f"{place}: {output}" for output in _strict_faults(node))
        if place.count(".") > 10:
            yield f"{place}: too deep"
    values = sum(len(node.get("enum", ())) for _, node in every)
    fields = sum(len(node.get("properties", ())) for _, node in every)
    if values > 1_000 or fields > 5_000:
        yield "too large"


def _strict_faults(node: Schema) -> Iterator[str]:
    yield from {"allOf", "oneOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "contains",
                "patternProperties", "unevaluatedProperties", "propertyNames", "prefixItems", "uniqueItems"} & set(node)  # fmt: skip
    if not {"anyOf", "$ref"} & set(node) and not _types(node) <= TYPES:
        yield "no type"
    if "object" in _types(node) and node.get("additionalProperties") is not False:
        yield "additionalProperties"
    if node.get("additionalProperties", False) is not False:
        yield "takes any field"


def gemini(name: str, schema: Schema) -> Iterator[str]:
    """Function declarations, whose `parameters` are a Schema of https://ai.google.dev/api/caching#Schema.

    Every node has one type; an object below the root has fields; an enum stands with STRING alone, and none of its values is empty; arrays have items;
    references are not resolved, and of JSON Schema's other words these are refused rather than passed over. Names are
    those of https://ai.google.dev/api/caching#FunctionDeclaration. `additionalProperties` is dropped by the clients
    that turn JSON Schema into this one, and taken where `parametersJsonSchema` carries it.
    """
    if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}", name):
        yield f"name: {name}"
    for place, node in nodes(schema):
        yield from (f"{place}: {output}" for output in _gemini_faults(node))
        if node.get("type") == "object" and not node.get("properties") and place != "root":
            yield f"{place}: an object without fields"


def _gemini_faults(node: Schema) -> Iterator[str]:
    yield from set(node) - {
        "type", "format", "title", "description", "nullable", "enum", "properties", "required", "items", "minimum",
        "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "default", "anyOf", "example",
        "minProperties", "maxProperties", "propertyOrdering", "additionalProperties",
    }  # fmt: skip
    if not isinstance(node.get("type"), str) and "anyOf" not in node:
        yield "no type"
    if "enum" in node and not (node.get("type") == "string" and all(v and isinstance(v, str) for v in node["enum"])):
        yield "an enum of other values than texts"
    if node.get("type") == "array" and not node.get("items"):
        yield "an array of anything"
    yield from (f"requires {name}" for name in set(node.get("required", ())) - set(node.get("properties", ())))
    names = (name for name in node.get("properties", ()) if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}", name))
    yield from (f"{name} is no name" for name in names)


def bedrock(name: str, schema: Schema) -> Iterator[str]:
    """Converse's toolSpec.

    https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html (names) and
    API_runtime_ToolInputSchema.html (the root is an object). Of the root, Nova takes type, properties and required
    alone (https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html), so that nothing may hang on
    `$defs` or on another word there; `additionalProperties: false`, without which strict tools are refused, is
    what clients drop for it.
    """
    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]{0,63}", name):
        yield f"name: {name}"
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        yield "the root is no object with properties"
    if result := set(schema) - {"type", "properties", "required", "additionalProperties"}:
        yield f"the root has {min(result)}"
    for place, node in nodes(schema):
        if "$ref" in node:
            yield f"{place}: a reference"
        if not _types(node) <= TYPES and not {"anyOf", "$ref"} & set(node):
            yield f"{place}: no type"


def nodes(schema: Schema, place: str = "root") -> Iterator[tuple[str, Schema]]:
    """Every schema in the schema, with where it stands."""
    yield place, schema
    for word, value in schema.items():
        if word in NAMES_OF_FIELDS:
            for field, inner in value.items():
                yield from nodes(inner, f"{place}.{field}")
        elif word in ("items", "additionalProperties") and isinstance(value, dict):
            yield from nodes(value, f"{place}[]")
        elif word in ("anyOf", "oneOf", "allOf", "prefixItems"):
            for number, inner in enumerate(value):
                yield from nodes(inner, f"{place}|{number}")


def _types(node: Schema) -> set[str]:
    kind = node.get("type", [])
    return {kind} if isinstance(kind, str) else set(kind) or {""}
