"""Parses a tool's arguments from the command line: one JSON object, or `name=value` words."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.entrypoints.cli.input_files import read_file, read_text_file
from assay.errors import InvalidInput
from assay.text.strict_json import parse_strict

if TYPE_CHECKING:
    from assay.toolkit.tool import Tool

PAIR = re.compile(r"([A-Za-z_]\w*)(:?=)(.*)", re.DOTALL)
BEFORE_JSON = "\ufeff \t\r\n"
BIBTEX_ENTRY = re.compile(r"@\s*\w+\s*[{(]")
DOCUMENTS = ("text", "bibliography")  # fields that take `@path`, beside those named `…_base64`
AS_JSON = ("array", "object", "integer", "number", "boolean")  # types whose values are parsed as JSON


def read_words(words: Sequence[str], tool: "Tool[Any, Any]") -> str:
    """Convert the words to one JSON text. A single word that begins as JSON is returned as it is.

    `name=value` is converted to the type in the tool's schema; the value of `name:=value` is JSON; a repeated name
    appends to a list. `name=@path` is the content of a file, for fields that take documents. Raises InvalidInput.
    """
    if len(words) == 1 and not PAIR.fullmatch(words[0]) and (tool.plain or _begins_json(words[0])):
        return words[0]
    properties = tool.input_schema.get("properties", {})
    arguments: dict[str, Any] = {}
    for word in words:
        pair = PAIR.fullmatch(word)
        if pair is None:
            raise InvalidInput(
                f"{word[:60]!r} is not of the form name=value. Give name=value words or one JSON object.",
                field="arguments",
            )
        name, sign, text = pair.groups()
        schema = properties.get(name, {})
        if sign == "=" and _names_file(name, text):
            text = _read_file(name, text[1:])
            if name != "bibliography" and "filename" in properties:
                arguments.setdefault("filename", Path(pair[3][1:]).name)
        value = _read_json(name, text) if sign == ":=" else read_value(text, schema)
        arguments[name] = _join(name, arguments, value, is_list=schema.get("type") == "array")
    return json.dumps(arguments)


def _begins_json(word: str) -> bool:
    return word.lstrip(BEFORE_JSON).startswith(("{", "["))


def read_value(text: str, schema: Mapping[str, Any]) -> Any:
    """Convert the text to the type of the schema. Text that does not parse stays a string, which the tool refuses."""
    if schema.get("type") not in AS_JSON and not text.startswith("{"):
        return text
    try:
        return parse_strict(text)
    except ValueError:
        return text


def _read_json(name: str, text: str) -> Any:
    try:
        return parse_strict(text)
    except ValueError as wrong:
        raise InvalidInput(f"{name}:= cannot be read as JSON: {wrong}, in {text[:60]!r}.", field=name) from None


def _names_file(name: str, text: str) -> bool:
    """Whether the value is `@path` of a field that takes a document; `@article{…` is BibTeX."""
    takes_document = name in DOCUMENTS or name.endswith("_base64")
    return takes_document and text.startswith("@") and not BIBTEX_ENTRY.match(text)


def _read_file(name: str, path: str) -> str:
    """Return the content of the file: as base64 if the field is so named, else as text."""
    if name.endswith("_base64"):
        return base64.b64encode(read_file(path, name)).decode()
    return read_text_file(path, name)


def _join(name: str, arguments: Mapping[str, Any], value: Any, *, is_list: bool) -> Any:
    if not is_list:
        if name in arguments:
            raise InvalidInput(f"{name} is given twice but is not a list; give it once.", field=name)
        return value
    return [*arguments.get(name, []), *(value if isinstance(value, list) else [value])]
