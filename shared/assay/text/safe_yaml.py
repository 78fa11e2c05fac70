"""Parsing of untrusted YAML into mappings, lists and strings: no tags, no aliases, bounded depth.

The events come from libyaml, whose parser does not recurse. Values stay strings: `2020` and `no` are text as written.
"""

from typing import Any

from assay.errors import InvalidInput

MAX_DEPTH = 30
MAX_KEY = 500  # characters

type Value = str | list["Value"] | dict[str, "Value"]


def parse_yaml(text: str, what: str) -> Value:
    """Parse the first document of `text`. Raises InvalidInput for aliases, deep nesting and what is not YAML."""
    import yaml

    stack: list[tuple[Any, list[str]]] = [([], [])]  # containers, each with the key that waits for its value
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.DocumentEndEvent):
                break
            _add_event(stack, event, what)
    except (yaml.YAMLError, ValueError) as failure:
        place = getattr(failure, "problem_mark", None)
        raise InvalidInput(f"The {what} is not YAML{f' at line {place.line + 1}' if place else ''}.") from failure
    found: list[Value] = stack[0][0]
    return found[0] if found else ""


def _add_event(stack: list[tuple[Any, list[str]]], event: Any, what: str) -> None:
    import yaml

    if isinstance(event, yaml.AliasEvent):
        raise InvalidInput(f"The {what} has aliases, which are refused: they can multiply its size.")
    if isinstance(event, yaml.CollectionStartEvent):
        if len(stack) > MAX_DEPTH:
            raise InvalidInput(f"The {what} is nested more than {MAX_DEPTH} levels deep.")
        stack.append(({} if isinstance(event, yaml.MappingStartEvent) else [], []))
    elif isinstance(event, yaml.ScalarEvent):
        _add(stack, event.value)
    elif isinstance(event, yaml.CollectionEndEvent):
        _add(stack, stack.pop()[0])


def _add(stack: list[tuple[Any, list[str]]], value: Value) -> None:
    """Add a value to the innermost container; the first of two equal keys counts."""
    container, key = stack[-1]
    if isinstance(container, list):
        container.append(value)
    elif key:
        container.setdefault(key.pop(), value)
    else:
        key.append(value[:MAX_KEY] if isinstance(value, str) else "")
