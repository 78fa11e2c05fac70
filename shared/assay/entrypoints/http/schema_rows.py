"""A JSON schema as the rows of a table for people: a row for each field, nested ones by their path."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

DEEPEST = 8  # of nested fields, so that a schema that contains itself ends


class SchemaRow(NamedTuple):
    """One field, such as `papers[].title`. The description is a line of Markdown, with the values that are allowed."""

    field: str
    type: str
    is_required: bool
    description: str


def list_schema_rows(
    schema: Mapping[str, Any], document: Mapping[str, Any], place: str = "", depth: int = 0
) -> Iterator[SchemaRow]:
    """Yield the fields of the schema, whose references lead into `document`."""
    required = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items() if depth < DEEPEST else ():
        shape = resolve_reference(field, document)
        path = f"{place}{name}"
        yield SchemaRow(path, describe_type(shape, document), name in required, describe_constraints(shape))
        items = resolve_reference(shape.get("items", {}), document)
        yield from list_schema_rows(items, document, f"{path}[].", depth + 1)
        yield from list_schema_rows(shape, document, f"{path}.", depth + 1)


def resolve_reference(field: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Resolve the field's reference and merge the fields of alternatives. The field's own description is preferred."""
    if alternatives := field.get("anyOf"):
        shapes = [resolve_reference(one, document) for one in alternatives]
        merged = {name: inner for shape in reversed(shapes) for name, inner in shape.get("properties", {}).items()}
        required = set.intersection(*(set(shape.get("required", ())) for shape in shapes))
        own = {name: value for name, value in field.items() if name != "anyOf"}
        return {**shapes[0], "properties": merged, "required": required, **own}
    if "$ref" not in field:
        return field
    shape: Any = document
    for part in str(field["$ref"]).removeprefix("#/").split("/"):
        shape = shape.get(part, {})
    return {**shape, **{name: value for name, value in field.items() if name != "$ref"}}


def describe_type(schema: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """Describe the type in a few words, such as `list of string`."""
    kind = schema.get("type", type(schema["const"]).__name__ if "const" in schema else "any")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind == "array":
        return f"list of {describe_type(resolve_reference(schema.get('items', {}), document), document)}"
    return str(kind)


def describe_constraints(schema: Mapping[str, Any]) -> str:
    """The description of a field with its values, default and range."""
    parts = [str(schema["description"])] if "description" in schema else []
    if "enum" in schema:
        parts.append("One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + ".")
    if "default" in schema:
        parts.append(f"Default `{json.dumps(schema['default'])}`.")
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        parts.append(f"{low} to {high}.")
    return " ".join(parts)
