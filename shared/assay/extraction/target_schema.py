"""Validates and bounds the caller's JSON Schema (2020-12) and resolves its references."""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.errors import InvalidInput

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

BYTES, NODES, DEPTH, PATTERN = 50_000, 1_000, 16, 500
ONE = frozenset({
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "additionalItems"),
    *("unevaluatedProperties", "unevaluatedItems"),
})  # fmt: skip
SEVERAL = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})
LEFT_OUT = frozenset({"$schema", "$id", "id", "$anchor", "$comment", "$defs", "definitions", "$vocabulary", "default"})
NULL = {"type": "null"}
REFUSED = ("$dynamicRef", "$recursiveRef", "$dynamicAnchor")

type Node = dict[str, Any] | bool


class TargetSchema:
    """A validated JSON Schema (2020-12) with all references resolved."""

    def __init__(self, node: dict[str, Any]) -> None:
        self.node = node

    @cached_property
    def required_fields(self) -> frozenset[str]:
        """The top-level required fields, else all top-level fields; without any of them an extraction is empty."""
        properties = self.node.get("properties") or {}
        return frozenset(name for name in self.node.get("required", ()) if name in properties) or frozenset(properties)

    @property
    def has_names(self) -> bool:
        """Whether the schema, or the items of an array schema, has `properties`."""
        items = self.node.get("items")
        return bool(self.node.get("properties") or (isinstance(items, dict) and items.get("properties")))

    @cached_property
    def text(self) -> str:
        return json.dumps(self.node, ensure_ascii=False, separators=(",", ":"))


def parse_schema(schema: Mapping[str, Any]) -> TargetSchema | None:
    """Parse the caller's schema; None if it is empty. Raises InvalidInput if it is invalid or exceeds the limits."""
    size = len(json.dumps(schema).encode())
    if size > BYTES:
        raise to_schema_error(f"has {size} bytes; {BYTES} are allowed")
    flat = _Flat(schema).flatten_node(schema, (), 0)
    if not isinstance(flat, dict) or not flat:
        return None
    build_validator(flat)
    return TargetSchema(flat)


def build_validator(node: Node) -> "Draft202012Validator":
    """Build a validator for the node. Patterns are matched in linear time; nothing is fetched."""
    import jsonschema_rs as checks

    try:
        return checks.Draft202012Validator(node, pattern_options=checks.RegexOptions(size_limit=1 << 20))
    except ValueError as fault:
        reason = str(getattr(fault, "message", "") or fault).splitlines()[0][:200]
        raise to_schema_error(f"is not a valid JSON Schema (2020-12): {reason}") from None


def to_schema_error(reason: str) -> InvalidInput:
    return InvalidInput(f"cinder_extract: schema: it {reason}.", field="schema")


def _nullable(node: dict[str, Any]) -> dict[str, Any]:
    """Rewrite `anyOf`/`oneOf` of one type and null as a `type` list."""
    for name in ("anyOf", "oneOf"):
        options = node.get(name)
        options_left = (
            [option for option in options if option != NULL] if isinstance(options, list) and NULL in options else []
        )
        option = options_left[0] if len(options_left) == 1 and isinstance(options_left[0], dict) else {}
        is_simple = isinstance(option.get("type"), str) and not {"enum", "const"} & set(option)
        if is_simple and not set(option) & set(node) - {"description"}:
            rest = {key: value for key, value in node.items() if key != name}
            return {**option, **rest, "type": [option["type"], "null"]}
    return node


class _Flat:
    """Replaces references by their targets; counts nodes to stop exponential expansion."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root, self._count = root, 0

    def flatten_node(self, node: Any, within: tuple[str, ...], depth: int) -> Any:
        if not isinstance(node, Mapping):
            return node
        self._count += 1
        if self._count > NODES or depth > DEPTH:
            raise to_schema_error(f"has more than {NODES} parts or {DEPTH} levels after resolving its references")
        self._check_keywords(node)
        flat: dict[str, Any] = {}
        if (reference := node.get("$ref")) is not None:
            flat = dict(self._resolve_reference(reference, within, depth))
        for name, value in node.items():
            if name not in LEFT_OUT and name != "$ref":
                flat[name] = self._flatten_part(name, value, within, depth + 1)
        if "properties" in flat and "type" not in flat:
            flat["type"] = "object"  # `properties` alone also accepts non-objects
        return _nullable(flat)

    def _flatten_part(self, name: str, value: Any, within: tuple[str, ...], depth: int) -> Any:
        if name in SEVERAL and isinstance(value, list):
            return [self.flatten_node(inner, within, depth) for inner in value]
        if name in NAMED and isinstance(value, Mapping):
            return {key: self.flatten_node(inner, within, depth) for key, inner in value.items()}
        return self.flatten_node(value, within, depth) if name in ONE else value

    def _resolve_reference(self, reference: Any, within: tuple[str, ...], depth: int) -> Mapping[str, Any]:
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise to_schema_error("refers to another document; put its parts into $defs")
        if reference in within or reference in ("#", "#/"):
            raise to_schema_error("refers to itself; write out as many levels as the page has")
        node: Any = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(node, Mapping) or key not in node:
                raise to_schema_error(f"refers to {reference[:60]!r}, which it does not have")
            node = node[key]
        if not isinstance(node, Mapping):
            raise to_schema_error(f"refers to {reference[:60]!r}, which is not a schema")
        resolved: Mapping[str, Any] = self.flatten_node(node, (*within, reference), depth + 1)
        return resolved

    def _check_keywords(self, node: Mapping[str, Any]) -> None:
        if keyword := next((name for name in REFUSED if name in node), None):
            raise to_schema_error(f"uses {keyword}; use $ref")
        patterns = [node.get("pattern"), *(node.get("patternProperties") or {})]
        if any(isinstance(pattern, str) and len(pattern) > PATTERN for pattern in patterns):
            raise to_schema_error(f"has a pattern of more than {PATTERN} characters")
