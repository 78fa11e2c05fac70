"""JSON Schemas as small as they can be told: models read each of them on every turn."""

from typing import Any

NOISE = {"title", "default", "additionalProperties"}


def slim(schema: dict[str, Any]) -> dict[str, Any]:
    """Pydantic's schema without titles, null defaults and null alternatives; references stay shared in `$defs`."""
    small: dict[str, Any] = _slim(schema)
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
    kinds = [kind for kind in small.get("anyOf", []) if kind != {"type": "null"}]
    if "anyOf" in small and len(kinds) == 1:
        del small["anyOf"]
        small = kinds[0] | small
    if isinstance(node.get("additionalProperties"), dict):
        small["additionalProperties"] = _slim(node["additionalProperties"])
    return small


def _children(name: str, value: Any) -> Any:
    if name in ("properties", "$defs"):  # keys here are names of fields, not words of the schema
        return {key: _slim(inner) | _words(inner) for key, inner in value.items()}
    return _slim(value)


def _words(node: dict[str, Any]) -> dict[str, Any]:
    if node.get("type") == "object" and "properties" in node:  # a shared shape: its docstring is for us
        return {}
    return {"description": node["description"]} if "description" in node else {}
