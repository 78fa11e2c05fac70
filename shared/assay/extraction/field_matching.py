"""Fills a schema's fields from facts that the page declares under the same names, without guessing."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.extraction.coercion import coerce_to_schema, read_types
from assay.extraction.declared_facts import ROWS, Fact, group_facts, normalize_name, read_facts
from assay.extraction.field_aliases import FactIndex, find_field_names
from assay.extraction.target_schema import Node
from assay.scraping.page_outline import extract_outline
from assay.scraping.snapshot_content import PageSnapshot

MAX_LISTS = 50  # tables and groups searched for a list
MIN_SHARE = 0.5  # share of an item's fields that the table's columns or the nodes must fill


class FilledSchema:
    """Data that fits a schema, with the declared fact behind each path in `origins`."""

    def __init__(self, snapshot: PageSnapshot, node: dict[str, Any]) -> None:
        self._tables = extract_outline(snapshot.page.content)["tables"]
        self._groups = group_facts(snapshot.markup) if snapshot.markup else []
        self.origins: dict[str, Fact] = {}
        self.data: Any = self._fill_root(node, FactIndex(read_facts(snapshot.markup, self._tables)))

    def _fill_root(self, node: dict[str, Any], facts: FactIndex) -> Any:
        """Fill an object, or a list of objects for an array schema."""
        items = node.get("items")
        if "array" in read_types(node) and isinstance(items, dict) and items.get("properties"):
            return self._fill_list(items, "")
        return self._fill_object(node, facts, "")

    def _fill_object(self, node: dict[str, Any], facts: FactIndex, path: str) -> dict[str, Any]:
        return {
            name: self._fill_field(name, inner, facts, f"{path}.{name}" if path else name)
            for name, inner in (node.get("properties") or {}).items()
        }

    def _fill_field(self, name: str, node: Node, facts: FactIndex, path: str) -> Any:
        if not isinstance(node, dict):
            return None
        items = node.get("items")
        if "array" in read_types(node) and isinstance(items, dict) and items.get("properties"):
            return self._fill_list(items, path)
        if node.get("properties"):
            inside = [
                Fact(fact.path[1:], fact.value, fact.origin)
                for fact in facts.facts
                if normalize_name(name) in find_field_names(fact.path[0]) and fact.path[1:]
            ]
            filled = self._fill_object(node, FactIndex(inside), path)
            return filled if any(value is not None for value in filled.values()) else None
        for fact in facts.find_by_name(name):
            value = _coerce(fact.value, node)
            if value is not None:
                self.origins[path] = fact
                return value
        return None

    def _fill_list(self, node: dict[str, Any], path: str) -> list[Any] | None:
        """Return the list (nodes of one type or table rows) that fills the most fields; None if none fills enough."""
        field_count = len(node["properties"])
        tables = [
            [list(_row_facts(table["headers"], row)) for row in table["rows"][:ROWS]]
            for table in self._tables[:MAX_LISTS]
            if any(table["headers"])
        ]
        best: tuple[int, list[Any], dict[str, Fact]] = (0, [], {})
        for rows in [*self._groups[:MAX_LISTS], *tables]:
            origins, self.origins = self.origins, {}
            objects = [self._fill_object(node, FactIndex(row), f"{path}[{number}]") for number, row in enumerate(rows)]
            origins, self.origins = self.origins, origins
            filled = sum(value is not None for item in objects for value in item.values())
            if filled >= MIN_SHARE * field_count * len(objects) and filled > best[0]:
                best = filled, objects, origins
        self.origins |= best[2]
        return best[1] or None


def _row_facts(headers: Sequence[str], row: Sequence[str]) -> Iterator[Fact]:
    yield from (
        Fact((normalize_name(name),), cell, "table")
        for name, cell in zip(headers, row, strict=False)
        if normalize_name(name) and cell
    )


def _coerce(value: Any, node: dict[str, Any]) -> Any:
    """Coerce the value to the node: a list gives its first element for a scalar, a scalar is split for an array."""
    if "array" in read_types(node):
        items = value if isinstance(value, list) else [part.strip() for part in str(value).split(",")]
        return coerce_to_schema(items, node).data or None
    scalar = value[0] if isinstance(value, list) and value else value
    return None if isinstance(scalar, list | dict) else coerce_to_schema(scalar, node).data
