"""A form from the input schema of a tool, and the arguments that a filled-in form stands for."""

import json
import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from assay.text.strict_json import parse_strict

PREFIX = "in-"  # of the names of fields, so that none is that of the form's token
LONG_TEXTS = frozenset({"html", "text", "content", "note", "searchStep", "citation", "prompt", "claim", "pdf_base64"})

type FieldKind = Literal["choice", "switch", "number", "line", "text", "lines", "json"]


class FormField(NamedTuple):
    """One input of a tool as a field of a form, with the text in it and what is wrong with that."""

    name: str
    kind: FieldKind
    description: str
    is_required: bool
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_whole: bool = False
    default: str = ""
    value: str = ""
    error: str = ""

    @property
    def id(self) -> str:
        return PREFIX + self.name


def build_fields(schema: Mapping[str, Any], values: Mapping[str, str], errors: Mapping[str, str]) -> list[FormField]:
    """The fields of the form, required ones first."""
    definitions, required = schema.get("$defs", {}), set(schema.get("required", ()))
    fields = []
    for name, each in schema.get("properties", {}).items():
        shape = resolve_schema(each, definitions)
        fields.append(
            FormField(
                name,
                find_kind(name, shape, definitions),
                str(shape.get("description", "")),
                name in required,
                tuple(str(choice) for choice in shape.get("enum", ())),
                shape.get("minimum"),
                shape.get("maximum"),
                shape.get("type") == "integer",
                format_default(shape),
                values.get(name, ""),
                errors.get(name, ""),
            )
        )
    return sorted(fields, key=lambda field: not field.is_required)


def resolve_schema(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema that a reference stands for, with what is said beside the reference."""
    target = definitions.get(str(schema.get("$ref", "")).removeprefix("#/$defs/"), {})
    return {**target, **{name: value for name, value in schema.items() if name != "$ref"}}


def find_kind(name: str, shape: Mapping[str, Any], definitions: Mapping[str, Any]) -> FieldKind:
    """The kind of field for a value of this shape; JSON for nested ones."""
    match shape.get("type"):
        case _ if "enum" in shape:
            return "choice"
        case "boolean":
            return "switch"
        case "integer" | "number":
            return "number"
        case "string":
            return "text" if name in LONG_TEXTS else "line"
        case "array":
            items = resolve_schema(shape.get("items", {}), definitions)
            return "lines" if items.get("type") in ("string", "integer") else "json"
        case _:
            return "json"


def format_default(shape: Mapping[str, Any]) -> str:
    default = shape.get("default")
    if default is None:
        return ""
    return default if isinstance(default, str) else json.dumps(default, ensure_ascii=False)


def fill_values(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a form that stands for these arguments."""
    definitions, properties = schema.get("$defs", {}), schema.get("properties", {})
    values = {}
    for name, value in arguments.items():
        shape = resolve_schema(properties.get(name, {}), definitions)
        kind = find_kind(name, shape, definitions)
        if kind == "lines":
            values[name] = "\n".join(str(item) for item in value)
        elif kind == "json":
            values[name] = json.dumps(value, ensure_ascii=False, indent=2)
        else:
            values[name] = value if isinstance(value, str) else json.dumps(value)
    return values


class FilledForm(NamedTuple):
    """What a filled-in form stands for: the arguments, what is wrong by field, and the texts of the fields."""

    arguments: dict[str, Any]
    errors: dict[str, str]
    values: dict[str, str]


def parse_form(schema: Mapping[str, Any], form: Mapping[str, str]) -> FilledForm:
    """The arguments of a filled-in form. Empty fields are left out.

    Only what a form cannot express is wrong here; the tool itself checks the arguments.
    """
    definitions = schema.get("$defs", {})
    values = {name: form.get(PREFIX + name, "") for name in schema.get("properties", {})}
    filled = FilledForm({}, {}, values)
    for name, text in values.items():
        if not text.strip():
            continue
        shape = resolve_schema(schema["properties"][name], definitions)
        try:
            filled.arguments[name] = parse_field(find_kind(name, shape, definitions), shape, text, definitions)
        except ValueError as wrong:
            filled.errors[name] = str(wrong)
    return filled


def parse_field(kind: FieldKind, shape: Mapping[str, Any], text: str, definitions: Mapping[str, Any]) -> Any:
    """The value that a text stands for. Raises ValueError, whose message says what to write."""
    if kind == "switch":
        return {"true": True, "false": False}.get(text, text)
    if kind == "number":
        return parse_number(text.strip(), is_whole=shape.get("type") == "integer")
    if kind == "json":
        return parse_json(text)
    if kind == "lines":
        items = resolve_schema(shape.get("items", {}), definitions)
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        is_whole = items.get("type") == "integer"
        return [parse_number(line, is_whole=True) for line in lines] if is_whole else lines
    return text.replace("\r\n", "\n")  # as browsers send the lines of a text


def parse_number(text: str, *, is_whole: bool) -> float:
    try:
        number = int(text) if is_whole else float(text)
    except ValueError:
        raise ValueError(f"Write a {'whole ' if is_whole else ''}number.") from None
    if not math.isfinite(number):
        raise ValueError("Write a number.")
    return number


def parse_json(text: str) -> Any:
    try:
        return parse_strict(text)
    except ValueError as wrong:
        raise ValueError(f"This cannot be read as JSON: {wrong}.") from None
