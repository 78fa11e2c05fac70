"""A tool's arguments on the command line: one JSON object, or `name=value` words."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InvalidInput

if TYPE_CHECKING:
    from assay.toolkit.tool import Tool

PAIR = re.compile(r"([A-Za-z_]\w*)(:?=)(.*)", re.DOTALL)
AS_JSON = ("array", "object", "integer", "number", "boolean")  # types that a value's text alone may not show


def read_words(words: Sequence[str], tool: "Tool[Any, Any]") -> str:
    """The words as one JSON text. A single word that is no pair is taken as JSON already.

    `name=value` gives text, or what the tool's schema makes of it; `name:=value` gives JSON; a name given twice makes
    a list. Raises InvalidInput.
    """
    if len(words) == 1 and not PAIR.fullmatch(words[0]):
        return words[0]
    properties = tool.input_schema.get("properties", {})
    arguments: dict[str, Any] = {}
    for word in words:
        pair = PAIR.fullmatch(word)
        if pair is None:
            raise InvalidInput(f"{word[:60]!r} is no name=value; give those, or one JSON object.", field="arguments")
        name, sign, text = pair.groups()
        schema = properties.get(name, {})
        value = _read_json(name, text) if sign == ":=" else read_value(text, schema)
        arguments[name] = _join(name, arguments, value, is_list=schema.get("type") == "array")
    return json.dumps(arguments)


def read_value(text: str, schema: Mapping[str, Any]) -> Any:
    """What the text stands for in a field of this schema. What cannot be read stays text, for the tool to refuse."""
    if schema.get("type") not in AS_JSON and not text.startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _read_json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput(f"{name}:= takes JSON, and {text[:60]!r} is none.", field=name) from None


def _join(name: str, arguments: Mapping[str, Any], value: Any, *, is_list: bool) -> Any:
    if not is_list:
        if name in arguments:
            raise InvalidInput(f"{name} is given twice, and it is no list.", field=name)
        return value
    return [*arguments.get(name, []), *(value if isinstance(value, list) else [value])]
