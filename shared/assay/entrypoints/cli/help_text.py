"""Formats the command-line help of a tool: its inputs with types, bounds, defaults and descriptions."""

import json
import shlex
import shutil
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.toolkit.tool import Tool

COMPOSED = ("anyOf", "oneOf", "allOf")


def format_help(tool: "Tool[Any, Any]") -> str:
    """Format the tool's name, description, inputs, result fields and example calls."""
    width = min(100, shutil.get_terminal_size((100, 24)).columns)
    schema = tool.input_schema
    required = set(schema.get("required", ()))
    fields = sorted(schema.get("properties", {}).items(), key=lambda field: field[0] not in required)
    margin = max((len(name) for name, _ in fields), default=0) + 4
    lines = [f"{tool.name}: {tool.title}", "", *textwrap.wrap(" ".join(tool.description.split()), width), "", "Inputs:"]
    for name, field in fields:
        text = describe_field(field, schema.get("$defs", {}), required=name in required)
        lines += textwrap.wrap(text, width, initial_indent=f"  {name}".ljust(margin), subsequent_indent=" " * margin)
    answer = ", ".join(name for name in tool.answer.model_json_schema(by_alias=True).get("properties", {}))
    lines += ["", *textwrap.wrap(f"Answer: {answer}", width, subsequent_indent="  "), "", "Call:"]
    shown = [field for field in fields if field[0] in required] or fields[:1]
    example = {name: example_of(field, schema.get("$defs", {})) for name, field in shown}
    lines.append(f"  assay call {tool.name} {' '.join(_word(name, value) for name, value in example.items())}".rstrip())
    lines.append(f"  assay call {tool.name} '{json.dumps(example, ensure_ascii=False)}'")
    return "\n".join(lines)


def describe_field(field: Mapping[str, Any], parts: Mapping[str, Any], *, required: bool) -> str:
    """Format one input, for example `integer, 1 to 10, default 5. Maximum number of results.`"""
    parts_of_text = [describe_type(field, parts), "required" if required else "", _bounds(field)]
    if field.get("default") not in (None, "", [], {}):
        parts_of_text.append(f"default {json.dumps(field['default'], ensure_ascii=False)}")
    text = ", ".join(each for each in parts_of_text if each)
    return f"{text}. {field['description']}" if field.get("description") else text


def describe_type(field: Mapping[str, Any], parts: Mapping[str, Any]) -> str:
    """Describe the type of a JSON Schema in words. `parts` are the schema's `$defs`."""
    if "$ref" in field:
        return describe_type(parts.get(field["$ref"].removeprefix("#/$defs/"), {}), parts)
    if "enum" in field:
        return "one of " + ", ".join(str(value) for value in field["enum"])
    for word in COMPOSED:
        if word in field:
            return " or ".join(dict.fromkeys(describe_type(each, parts) for each in field[word]))
    kind = str(field.get("type", "any"))
    if kind == "array":
        return f"list of {describe_type(field.get('items', {}), parts)}"
    if kind == "object" and field.get("properties"):
        return f"object of {', '.join(field['properties'])}"
    return kind


def example_of(field: Mapping[str, Any], parts: Mapping[str, Any]) -> Any:
    """An example value of the field's type, as a placeholder."""
    if "$ref" in field:
        return example_of(parts.get(field["$ref"].removeprefix("#/$defs/"), {}), parts)
    if "enum" in field:
        return field["enum"][0]
    if field.get("type") == "array":
        return [example_of(field.get("items", {}), parts)]
    if field.get("type") == "object":
        inner = field.get("properties", {})
        return {name: example_of(inner[name], parts) for name in field.get("required") or list(inner)[:1]}
    return {"integer": 1, "number": 1, "boolean": True}.get(str(field.get("type")), "…")


def _word(name: str, value: Any) -> str:
    """Format `name=value`, quoted for a shell."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{name}={shlex.quote(text)}"


def _bounds(field: Mapping[str, Any]) -> str:
    low, high = (None if field.get(name) is None else f"{field[name]:.15g}" for name in ("minimum", "maximum"))
    if low is not None and high is not None:
        return f"{low} to {high}"
    if field.get("maxLength"):
        return f"at most {field['maxLength']} characters"
    return f"from {low}" if low is not None else f"up to {high}" if high is not None else ""
