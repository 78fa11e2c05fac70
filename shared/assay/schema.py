"""JSON Schemas as small as they can be told: models read each of them on every turn."""

from typing import Any

NOISE = {"title", "default", "additionalProperties"}


def slim(schema: dict[str, Any]) -> dict[str, Any]:
    """Pydantic's schema without titles, null defaults and null alternatives; shapes stay shared in `$defs`."""
    small: dict[str, Any] = _slim(schema)
    defs = small.pop("$defs", {})
    small = _inlined(small, defs)
    if shapes := {name: _inlined(shape, defs) for name, shape in defs.items() if "properties" in shape}:
        small["$defs"] = shapes
    small["type"] = "object"
    small.setdefault("properties", {})
    if schema.get("additionalProperties") is False:
        small["additionalProperties"] = False
    small.pop("description", None)
    return small


def _slim(node: Any) -> Any:
    if isinstance(node, list):
        return [_slim(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    small = {name: _children(name, value) for name, value in node.items() if name not in NOISE}
    if "default" in node and node["default"] not in (None, [], {}, ""):
        small["default"] = node["default"]
    if "enum" in small or "const" in small:
        small.pop("type", None)  # the values say it
    kinds = [kind for kind in small.get("anyOf", []) if kind != {"type": "null"}]
    if "anyOf" in small and len(kinds) == 1:
        del small["anyOf"]
        small = kinds[0] | small
    if isinstance(node.get("additionalProperties"), dict):
        small["additionalProperties"] = _slim(node["additionalProperties"])
    return small


def _inlined(node: Any, defs: dict[str, Any]) -> Any:
    """Where a definition is no shape with fields of its own, it is shorter said where it is used."""
    if isinstance(node, list):
        return [_inlined(inner, defs) for inner in node]
    if not isinstance(node, dict):
        return node
    named = defs.get(str(node.get("$ref", "")).removeprefix("#/$defs/"))
    if named is not None and "properties" not in named:
        here = {name: value for name, value in node.items() if name != "$ref"}
        return _inlined(named, defs) | _inlined(here, defs)
    return {name: _inlined(value, defs) for name, value in node.items()}


def _children(name: str, value: Any) -> Any:
    if name in ("properties", "$defs"):  # keys here are names of fields, not words of the schema
        return {key: _slim(inner) | _words(inner) for key, inner in value.items()}
    return _slim(value)


def _words(node: dict[str, Any]) -> dict[str, Any]:
    if node.get("type") == "object" and "properties" in node:  # a shared shape: its docstring is for us
        return {}
    return {"description": node["description"]} if "description" in node else {}
