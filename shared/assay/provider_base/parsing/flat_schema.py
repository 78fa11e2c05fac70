"""Flat JSON Schemas for provider-side extraction, and cleaning of the extracted values."""

import json
import math
from collections.abc import Mapping
from typing import Any

from assay.text.plain_text import to_plain_text
from assay.text.strict_json import refuse_constant

PRIMITIVE = frozenset({"string", "number", "integer", "boolean", "null"})
PROPERTIES = 10
SCHEMA_CHARACTERS = 10_000
DEPTH, ENTRIES, CHARACTERS = 12, 200, 4_000  # of a value


def find_fault(schema: Mapping[str, Any]) -> str:
    """The reason why a JSON Schema is not a flat object of one to ten fields; "" if it is one."""
    if len(json.dumps(schema)) > SCHEMA_CHARACTERS:
        return f"it is longer than {SCHEMA_CHARACTERS} characters"
    if schema.get("type") != "object":
        return 'its type must be "object"'
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not 0 < len(properties) <= PROPERTIES:
        return f"it needs 1 to {PROPERTIES} properties"
    for name, field in properties.items():
        if wrong := _find_field_fault(field):
            return f"property {to_plain_text(name, 60)!r} {wrong}"
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) and name in properties for name in required):
        return "required names a property that it does not have"
    return ""


def _find_field_fault(field: Any) -> str:
    types = _list_types(field)
    if types == {"array"} or types == {"array", "null"}:
        items = _list_types(field.get("items"))
        return "" if items and items <= PRIMITIVE else "is an array of values that are not plain"
    if types and types <= PRIMITIVE:
        return ""
    return "is nested" if "object" in types else "has no plain type (string, number, integer, boolean, array of these)"


def _list_types(field: Any) -> set[str]:
    """The declared types of a field; empty if it declares none, or by a reference or alternatives only."""
    if not isinstance(field, Mapping):
        return set()
    declared = field.get("type")
    listed = declared if isinstance(declared, list) else [declared]
    return {one for one in listed if isinstance(one, str)} if all(isinstance(one, str) for one in listed) else set()


def read(value: Any) -> Any:
    """Convert a value to plain data: text with a JSON object or array is parsed, other text is cleaned."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return _to_plain_value(json.loads(value, parse_constant=refuse_constant), DEPTH)
        except (ValueError, RecursionError):  # not JSON after all
            return to_plain_text(value, CHARACTERS) or None
    return _to_plain_value(value, DEPTH)


def _to_plain_value(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return to_plain_text(value, CHARACTERS) or None
    if isinstance(value, Mapping):
        inside = list(value.items())[:ENTRIES] if depth else []
        return {to_plain_text(name, 100): _to_plain_value(inner, depth - 1) for name, inner in inside}
    if isinstance(value, list):
        return [_to_plain_value(inner, depth - 1) for inner in value[:ENTRIES]] if depth else []
    return None if isinstance(value, float) and not math.isfinite(value) else value
