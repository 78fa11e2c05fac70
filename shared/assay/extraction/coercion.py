"""Coerces values to a JSON Schema: values that do not fit become null, unknown fields are dropped."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.extraction.target_schema import Node, build_validator
from assay.language_models.number_parsing import parse_only_number

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

ENTRIES, CHARACTERS, DEPTH = 1_000, 20_000, 24  # limits: entries per list or object, characters per string, levels
YES = {"true", "yes", "1", "in stock", "instock", "https://schema.org/instock", "http://schema.org/instock"}
NO = {"false", "no", "0", "out of stock", "outofstock", "https://schema.org/outofstock", "http://schema.org/outofstock"}


@dataclass
class CoercedData:
    """The coerced `data`, and in `lost` the paths of values that did not fit the schema."""

    data: Any = None
    lost: list[str] = field(default_factory=list)


def coerce_to_schema(value: Any, node: Node) -> CoercedData:
    """Coerce a value to the schema node; without any data, an object schema gives an object of nulls."""
    fitted = CoercedData()
    fitted.data = _Coercer().fit(value, node, "", fitted.lost, 0)
    if fitted.data is None and isinstance(node, dict) and (properties := merge_all_of(node).get("properties")):
        fitted.data = dict.fromkeys(properties)
    return fitted


def list_missing_fields(data: Any, node: Node) -> list[str]:
    """List the paths of null fields, including those of list items; all properties if there is no data."""
    if data is None:
        return list((merge_all_of(node).get("properties") or {}) if isinstance(node, dict) else {})
    return [path for path, value in iterate_leaves(data) if value is None and path]


def iterate_leaves(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every leaf value with its path, such as `offers[0].price`."""
    if isinstance(data, dict) and data:
        for name, value in data.items():
            yield from iterate_leaves(value, f"{path}.{name}" if path else name)
    elif isinstance(data, list) and data:
        for number, value in enumerate(data):
            yield from iterate_leaves(value, f"{path}[{number}]")
    else:
        yield path, data


def remove_paths(data: Any, paths: set[str]) -> tuple[Any, dict[str, str]]:
    """Set the given paths to null and drop empty list items; also return the new path of each old path."""
    new_paths: dict[str, str] = {}
    return _remove_paths(data, paths, "", "", new_paths), new_paths


def _remove_paths(data: Any, paths: set[str], path: str, new_path: str, new_paths: dict[str, str]) -> Any:
    if isinstance(data, dict) and data:
        return {
            name: _remove_paths(
                value, paths, f"{path}.{name}" if path else name, f"{new_path}.{name}" if new_path else name, new_paths
            )
            for name, value in data.items()
        }
    if isinstance(data, list):
        remaining: list[Any] = []
        for number, value in enumerate(data):
            inside: dict[str, str] = {}
            item = _remove_paths(value, paths, f"{path}[{number}]", f"{new_path}[{len(remaining)}]", inside)
            if not _is_hollow(item):
                remaining.append(item)
                new_paths |= inside
        return remaining
    new_paths[path] = new_path
    return None if path in paths else data


def is_valid(data: Any, node: Node) -> bool:
    """Return whether the data validates; a null that the schema does not allow counts as an absent property."""
    return data is not None and build_validator(node).is_valid(_prune(data, node))


class _Coercer:
    """Coerces values to the nodes of one schema; each node's validator is built once."""

    def __init__(self) -> None:
        self._checkers: dict[int, Draft202012Validator] = {}
        self._joined: dict[int, dict[str, Any]] = {}

    def fit(self, value: Any, node: Node, path: str, lost: list[str], depth: int) -> Any:
        """Coerce the value to the node; None if it does not fit. Adds the paths of lost values to `lost`."""
        if value is None or node is False or depth > DEPTH:
            return None
        if node is True or not node:
            return _to_bounded_data(value, depth)
        merged = self._joined.get(id(node)) or self._joined.setdefault(id(node), merge_all_of(node))
        if isinstance(value, dict | list) and _allows_type(merged, "object" if isinstance(value, dict) else "array"):
            coerced = self._coerce_value(value, merged, path, lost, depth)
        else:
            coerced = self._scalar(value, merged)
        if coerced is None:
            lost.append(path or "data")
        return coerced

    def _coerce_value(self, value: Any, node: dict[str, Any], path: str, lost: list[str], depth: int) -> Any:
        if not node.get("properties") and "items" not in node and (options := _options(node)):
            return self._best(value, options, path, lost, depth)
        if isinstance(value, dict):
            return self._object(value, node, path, lost, depth)
        return self._array(value, node, path, lost, depth)

    def _best(self, value: Any, options: list[Node], path: str, lost: list[str], depth: int) -> Any:
        """Coerce to the first option that fits without loss, else to the one that loses the fewest values."""
        attempts: list[tuple[int, Any, list[str]]] = []
        for option in options:
            lost_here: list[str] = []
            coerced = self.fit(value, option, path, lost_here, depth + 1)
            if coerced is not None:
                attempts.append((len(lost_here), coerced, lost_here))
                if not lost_here:
                    break
        if not attempts:
            return None
        _, coerced, lost_here = min(attempts, key=lambda attempt: attempt[0])
        lost.extend(lost_here)
        return coerced

    def _object(self, value: dict[str, Any], node: dict[str, Any], path: str, lost: list[str], depth: int) -> Any:
        properties = node.get("properties") or {}
        others = node.get("additionalProperties", not properties)
        names = [*properties, *[name for name in value if name not in properties and others is not False][:ENTRIES]]
        return {
            name: self.fit(
                value.get(name), properties.get(name, others), f"{path}.{name}" if path else name, lost, depth + 1
            )
            for name in names
        }

    def _array(self, value: list[Any], node: dict[str, Any], path: str, lost: list[str], depth: int) -> Any:
        first = node.get("prefixItems") or []
        items = node.get("items", True)
        fit = [
            self.fit(inner, first[number] if number < len(first) else items, f"{path}[{number}]", lost, depth + 1)
            for number, inner in enumerate(value[: min(ENTRIES, int(node.get("maxItems", ENTRIES)))])
        ]
        return [inner for inner in fit if not _is_hollow(inner)]

    def _scalar(self, value: Any, node: dict[str, Any]) -> Any:
        check = self._checkers.get(id(node)) or self._checkers.setdefault(id(node), build_validator(node))
        for candidate in (_to_bounded_data(value, 0), *_coerce_types(value, node)):
            if candidate is not None and not isinstance(candidate, dict | list) and check.is_valid(candidate):
                return candidate
        return None


def _options(node: dict[str, Any]) -> list[Node]:
    return [*node.get("anyOf", ()), *node.get("oneOf", ())]


def merge_all_of(node: dict[str, Any]) -> dict[str, Any]:
    """Merge the schemas of `allOf` into the node."""
    parts = [part for part in node.get("allOf", ()) if isinstance(part, dict)]
    if not parts:
        return node
    merged = {name: value for name, value in node.items() if name != "allOf"}
    for part in map(merge_all_of, parts):
        for name, value in part.items():
            if name == "properties":
                merged["properties"] = {**value, **merged.get("properties", {})}
            elif name == "required":
                merged["required"] = list(dict.fromkeys([*merged.get("required", ()), *value]))
            else:
                merged.setdefault(name, value)
    return merged


def read_types(node: Node) -> set[str]:
    """Return the node's `type` keyword as a set; empty if it has none."""
    declared = node.get("type") if isinstance(node, dict) else None
    return set(declared) if isinstance(declared, list) else {declared} if isinstance(declared, str) else set()


def _allows_type(node: dict[str, Any], kind: str) -> bool:
    types = read_types(node)
    if types:
        return kind in types
    if kind == "object" and ("properties" in node or "additionalProperties" in node):
        return True
    if kind == "array" and ("items" in node or "prefixItems" in node):
        return True
    return any(
        isinstance(option, dict) and _allows_type(option, kind)
        for key in ("anyOf", "oneOf")
        for option in node.get(key, ())
    )


def _coerce_types(value: Any, node: dict[str, Any]) -> Iterator[Any]:
    """Yield the value converted to the types that the node allows."""
    types = read_types(node) | {
        kind for key in ("anyOf", "oneOf") for option in node.get(key, ()) for kind in read_types(option)
    }
    if isinstance(value, str):
        if types & {"number", "integer"}:
            yield from parse_only_number(value)
        if "boolean" in types:
            yield {**dict.fromkeys(YES, True), **dict.fromkeys(NO, False)}.get(value.strip().lower())
    elif isinstance(value, float) and "integer" in types and value.is_integer():
        yield int(value)
    if "string" in types and isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def _to_bounded_data(value: Any, depth: int) -> Any:
    """Limit depth, entries and string lengths, sanitize strings, and replace NaN and infinities by None."""
    from assay.text.sanitize import sanitise

    if depth > DEPTH:
        return None
    if isinstance(value, str):
        return sanitise(value[:CHARACTERS]).strip() or None
    if isinstance(value, Mapping):
        return {
            sanitise(str(name))[:200]: _to_bounded_data(inner, depth + 1)
            for name, inner in list(value.items())[:ENTRIES]
        }
    if isinstance(value, list):
        return [_to_bounded_data(inner, depth + 1) for inner in value[:ENTRIES]]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _is_hollow(value: Any) -> bool:
    """Return whether the value is null or an object of only such values."""
    if isinstance(value, dict):
        return all(_is_hollow(inner) for inner in value.values())
    return value is None


def _prune(data: Any, node: Node) -> Any:
    if isinstance(data, dict):
        properties = (merge_all_of(node).get("properties") or {}) if isinstance(node, dict) else {}
        return {
            name: _prune(value, properties.get(name, True))
            for name, value in data.items()
            if value is not None or (name in properties and build_validator(properties[name]).is_valid(None))
        }
    if isinstance(data, list):
        items = node.get("items", True) if isinstance(node, dict) else True
        return [_prune(value, items if isinstance(items, dict) else True) for value in data]
    return data
