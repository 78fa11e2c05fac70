"""Fills a schema's fields from facts that the page declares under the same names, without guessing."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.extraction.coercion import coerce_to_schema, types_of
from assay.extraction.declared_facts import ROWS, Fact, groups, key
from assay.extraction.declared_facts import facts as declared
from assay.extraction.field_aliases import FactIndex, names_of
from assay.extraction.target_schema import Node
from assay.scraping.page_outline import extract_outline
from assay.scraping.snapshot_content import PageSnapshot

MAX_LISTS = 50  # tables and groups searched for a list
MIN_SHARE = 0.5  # share of an item's fields that the table's columns or the nodes must fill


class FilledSchema:
    """Data that fits a schema, with the declared fact behind each path in `origins`."""

    def __init__(self, snapshot: PageSnapshot, node: dict[str, Any]) -> None:
        self._tables = extract_outline(snapshot.page.content)["tables"]
        self._groups = groups(snapshot.markup) if snapshot.markup else []
        self.origins: dict[str, Fact] = {}
        self.data: Any = self._whole(node, FactIndex(declared(snapshot.markup, self._tables)))

    def _whole(self, node: dict[str, Any], known: FactIndex) -> Any:
        """Fill an object, or a list of objects for an array schema."""
        items = node.get("items")
        if "array" in types_of(node) and isinstance(items, dict) and items.get("properties"):
            return self._list(items, "")
        return self._object(node, known, "")

    def _object(self, node: dict[str, Any], known: FactIndex, path: str) -> dict[str, Any]:
        return {
            name: self._field(name, inner, known, f"{path}.{name}" if path else name)
            for name, inner in (node.get("properties") or {}).items()
        }

    def _field(self, name: str, node: Node, known: FactIndex, path: str) -> Any:
        if not isinstance(node, dict):
            return None
        items = node.get("items")
        if "array" in types_of(node) and isinstance(items, dict) and items.get("properties"):
            return self._list(items, path)
        if node.get("properties"):
            inside = [
                Fact(fact.path[1:], fact.value, fact.origin)
                for fact in known.facts
                if key(name) in names_of(fact.path[0]) and fact.path[1:]
            ]
            found = self._object(node, FactIndex(inside), path)
            return found if any(value is not None for value in found.values()) else None
        for fact in known.find_by_name(name):
            value = _as(fact.value, node)
            if value is not None:
                self.origins[path] = fact
                return value
        return None

    def _list(self, node: dict[str, Any], path: str) -> list[Any] | None:
        """Return the list (nodes of one type or table rows) that fills the most fields; None if none fills enough."""
        wanted = len(node["properties"])
        tables = [
            [list(_row(table["headers"], row)) for row in table["rows"][:ROWS]]
            for table in self._tables[:MAX_LISTS]
            if any(table["headers"])
        ]
        best: tuple[int, list[Any], dict[str, Fact]] = (0, [], {})
        for rows in [*self._groups[:MAX_LISTS], *tables]:
            origins, self.origins = self.origins, {}
            found = [self._object(node, FactIndex(row), f"{path}[{number}]") for number, row in enumerate(rows)]
            origins, self.origins = self.origins, origins
            filled = sum(value is not None for item in found for value in item.values())
            if filled >= MIN_SHARE * wanted * len(found) and filled > best[0]:
                best = filled, found, origins
        self.origins |= best[2]
        return best[1] or None


def _row(headers: Sequence[str], row: Sequence[str]) -> Iterator[Fact]:
    yield from (
        Fact((key(name),), cell, "table") for name, cell in zip(headers, row, strict=False) if key(name) and cell
    )


def _as(value: Any, node: dict[str, Any]) -> Any:
    """Coerce the value to the node: a list gives its first element for a scalar, a scalar is split for an array."""
    if "array" in types_of(node):
        listed = value if isinstance(value, list) else [part.strip() for part in str(value).split(",")]
        return coerce_to_schema(listed, node).data or None
    one = value[0] if isinstance(value, list) and value else value
    return None if isinstance(one, list | dict) else coerce_to_schema(one, node).data
