"""Compact JSON Schemas: models read every schema at every turn."""

from collections.abc import Mapping
from typing import Any

NOISE = {"title", "default", "additionalProperties"}

LINK: Mapping[str, dict[str, Any]] = {  # the fields of a link that replaces an answer too large to send
    "linked": {"type": "boolean", "description": "true if the answer is stored as an artifact and only linked here."},
    "resource": {"type": "string", "description": "URI of the stored answer; read it with read_artifact."},
    "bytes": {"type": "integer", "description": "Size of the stored answer."},
    "mimeType": {"type": "string", "description": "Media type of the stored answer."},
    "summary": {"type": "string", "description": "Beginning or overview of the stored answer."},
    "expiresAt": {"type": "string", "description": "When the stored answer is deleted, RFC 3339, UTC."},
}

type Schema = dict[str, Any]


def compact(schema: Schema) -> Schema:
    """Remove titles, null defaults and null alternatives from pydantic's schema; objects stay shared in `$defs`."""
    small: Schema = _compact_node(_with_short_names(schema))
    defs = small.pop("$defs", {})
    small = _inline_definitions(small, defs)
    if shapes := {name: _inline_definitions(shape, defs) for name, shape in defs.items() if "properties" in shape}:
        small["$defs"] = shapes
    small["type"] = "object"
    small.setdefault("properties", {})
    small.pop("description", None)
    return small


def slim_input(schema: Schema) -> Schema:
    """Reduce the schema of arguments to what all model APIs accept: one refused schema fails the whole list."""
    small = compact(schema)
    portable: Schema = _make_portable(_expand_references(small, small.pop("$defs", {})))
    return portable


def slim_output(schema: Schema) -> Schema:
    """Build the schema of an answer, or of the link that replaces it, from pydantic's in serialization mode.

    Nulls are never sent. A field of both answer and link has either type. `if` separates the required fields of the
    two forms: clients refuse `anyOf` at the root.
    """
    small = compact(_drop_defaults(schema, schema.get("$defs", {})))
    own, always = small["properties"], small.pop("required", [])
    small["properties"] = own | {name: _join_alternatives(own.get(name), link) for name, link in LINK.items()}
    small |= {"if": {"required": ["linked"]}, "then": {"required": list(LINK)}}
    if always:
        small["else"] = {"required": always}
    if shared := [name for name in always if name not in LINK and _is_always_short(own[name])]:
        small["required"] = shared
    return small


def _join_alternatives(own: Schema | None, link: Schema) -> Schema:
    return link if own is None else own if own.get("type") == link["type"] else {"anyOf": [own, link]}


def _is_always_short(field: Schema) -> bool:
    """Whether the field is short enough to accompany a link."""
    return "enum" in field or "const" in field or field.get("type") in ("integer", "number", "boolean")


def _with_short_names(schema: Schema) -> Schema:
    """Remove the tool's name from the names of its own models: `WebSearchResult` becomes `Result`."""
    tool = schema.get("title", "").removesuffix("Input").removesuffix("Output")
    defs: Schema = schema.get("$defs", {})
    short = {
        name: name.removeprefix(tool) for name in defs if name.removeprefix(tool) not in ("", *(defs.keys() - {name}))
    }

    def rename(node: Any) -> Any:
        if isinstance(node, list):
            return [rename(inner) for inner in node]
        if not isinstance(node, dict):
            return node
        renamed = {name: rename(value) for name, value in node.items()}
        if isinstance(reference := node.get("$ref"), str):
            name = reference.removeprefix("#/$defs/")
            renamed["$ref"] = f"#/$defs/{short.get(name, name)}"
        return renamed

    renamed: Schema = rename(schema)
    if defs:
        renamed["$defs"] = {short.get(name, name): rename(shape) for name, shape in defs.items()}
    return renamed


def _compact_node(node: Any) -> Any:
    if isinstance(node, list):
        return [_compact_node(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    small = {name: _list_children(name, value) for name, value in node.items() if name not in NOISE}
    if "default" in node and node["default"] not in (None, [], {}, ""):
        small["default"] = node["default"]
    kinds = [kind for kind in small.get("anyOf", []) if kind != {"type": "null"}]
    if "anyOf" in small and len(kinds) == 1:
        del small["anyOf"]
        small = kinds[0] | small
    if isinstance(node.get("additionalProperties"), dict):
        small["additionalProperties"] = _compact_node(node["additionalProperties"])
    return small


def _inline_definitions(node: Any, defs: Schema) -> Any:
    """Inline definitions that are not objects with fields: that is shorter."""
    if isinstance(node, list):
        return [_inline_definitions(inner, defs) for inner in node]
    if not isinstance(node, dict):
        return node
    definition = defs.get(_get_reference(node))
    if definition is not None and "properties" not in definition:
        siblings = {name: value for name, value in node.items() if name != "$ref"}
        return _inline_definitions(definition, defs) | _inline_definitions(siblings, defs)
    return {name: _inline_definitions(value, defs) for name, value in node.items()}


def _expand_references(node: Any, defs: Schema) -> Any:
    """Replace every reference by its definition. Arguments of tools are not recursive."""
    if isinstance(node, list):
        return [_expand_references(inner, defs) for inner in node]
    if not isinstance(node, dict):
        return node
    siblings = {name: _expand_references(value, defs) for name, value in node.items() if name != "$ref"}
    return _expand_references(defs[_get_reference(node)], defs) | siblings if "$ref" in node else siblings


def _make_portable(node: Any) -> Any:
    """Close every object with fields; turn exclusive bounds, which Gemini's API lacks, into inclusive ones."""
    if isinstance(node, list):
        return [_make_portable(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    schema = {name: _make_portable(value) for name, value in node.items()}
    for exclusive, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(exclusive), int | float):  # else it is the schema of an argument with this name
            schema[plain] = schema.pop(exclusive)
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        schema["additionalProperties"] = False
    return schema


def _drop_defaults(node: Any, defs: Schema) -> Any:
    """Remove defaults, and from `required` the fields that may be None: they are then left out of the answer."""
    if isinstance(node, list):
        return [_drop_defaults(inner, defs) for inner in node]
    if not isinstance(node, dict):
        return node
    schema = {
        name: {key: _drop_defaults(inner, defs) for key, inner in value.items()}
        if name in ("properties", "$defs")
        else _drop_defaults(value, defs)
        for name, value in node.items()
        if name != "default"
    }
    if isinstance(node.get("required"), list) and isinstance(node.get("properties"), dict):
        del schema["required"]
        if always := [name for name in node["required"] if not _may_be_null(node["properties"][name], defs)]:
            schema["required"] = always
    return schema


def _may_be_null(node: Schema, defs: Schema) -> bool:
    if "$ref" in node:
        return _may_be_null(defs[_get_reference(node)], defs)
    if "anyOf" in node:
        return any(_may_be_null(kind, defs) for kind in node["anyOf"])
    return node.get("type", "null") == "null" and not {"enum", "const", "allOf", "oneOf"} & set(node)


def _get_reference(node: Schema) -> str:
    return str(node.get("$ref", "")).removeprefix("#/$defs/")


def _list_children(name: str, value: Any) -> Any:
    if name in ("properties", "$defs"):  # keys here are field names, not keywords
        return {key: _compact_node(inner) | _describe_type(inner) for key, inner in value.items()}
    return _compact_node(value)


def _describe_type(node: Schema) -> Schema:
    if node.get("type") == "object" and "properties" in node:  # a shared shape: its docstring is for us
        return {}
    return {"description": node["description"]} if "description" in node else {}
