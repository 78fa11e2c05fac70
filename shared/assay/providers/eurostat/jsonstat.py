"""Parser for JSON-stat 2.0 datasets. Format: https://json-stat.org/format/"""

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

from assay.models.public_records import Observation
from assay.provider_base.parsing.decimal_text import to_decimal_text
from assay.provider_base.results import get_path
from assay.text.plain_text import to_plain_text

TIME, UNIT, PLACE = "time", "unit", "geo"
MAX_CELLS = 50_000_000  # most cells of a cube are empty
STATUSES = {
    "b": "break in time series", "c": "confidential", "d": "definition differs", "e": "estimated", "f": "forecast",
    "m": "missing", "n": "not significant", "p": "provisional", "r": "revised", "s": "Eurostat estimate",
    "u": "low reliability", "z": "not applicable", ":": "not available",
}  # fmt: skip


class Axis(NamedTuple):
    """A dimension: its id, the codes of its categories in order, and their labels."""

    name: str
    codes: list[str]
    labels: Mapping[str, Any]

    def label(self, place: int) -> str:
        code = self.codes[place]
        return to_plain_text(self.labels.get(code), 200) or code


class CubeCell(NamedTuple):
    """A value, or a gap with its status flag; `place` is the index of the cell in the cube."""

    place: int
    period: str
    value: str | None
    status: str


class JsonStatCube:
    """A JSON-stat dataset. Raises LookupError, TypeError or ValueError if the answer is not a valid one."""

    def __init__(self, answer: Any) -> None:
        names, sizes = answer["id"], answer["size"]
        self.label = to_plain_text(answer.get("label"), 300)
        self.axes = [_parse_axis(str(name), answer["dimension"][name]) for name in names]
        if [len(axis.codes) for axis in self.axes] != sizes:
            raise ValueError("the sizes differ from the numbers of categories")
        self._cells, self._values, self._statuses = prod(sizes), answer["value"], answer.get("status") or {}
        if self._cells > MAX_CELLS:
            raise ValueError("the cube is too large")
        time = [axis.name for axis in self.axes].index(TIME)
        self.periods = self.axes[time].codes
        self._stride = prod(sizes[time + 1 :])  # cells between consecutive periods; cells are in row-major order

    def cells(self) -> Iterator[CubeCell]:
        """The cells with a value or a status flag."""
        values, statuses = _index_by_place(self._values), _index_by_place(self._statuses)
        for place in sorted(values.keys() | statuses.keys()):
            if 0 <= place < self._cells:
                value, status = to_decimal_text(values.get(place)), statuses.get(place)
                if value is not None or status:
                    period = self.periods[place // self._stride % len(self.periods)]
                    yield CubeCell(place, period, value, status if isinstance(status, str) else "")

    def observation(self, cell: CubeCell, series_id: str) -> Observation:
        """The cell as an observation, with the labels of its categories, its unit and its flags in words."""
        labels = self._get_labels(cell.place)
        distinguishing = [label for axis, label in labels if axis.name not in (TIME, UNIT) and len(axis.codes) > 1]
        units = [label for axis, label in labels if axis.name == UNIT]
        return Observation(
            series_id=series_id,
            date=cell.period,
            available=cell.value is not None,
            value=cell.value,
            title=" — ".join(part for part in (self.label, ", ".join(distinguishing)) if part) or None,
            units=units[0] if units else None,
            notes=_parse_flags(cell.status) or None,
        )

    def series(self, cells: Iterable[CubeCell]) -> int:
        """The number of series to which the cells belong."""
        whole = self._stride * len(self.periods)
        return len({(cell.place // whole, cell.place % self._stride) for cell in cells})

    def _get_labels(self, place: int) -> list[tuple[Axis, str]]:
        """Each axis with the label of the cell's category."""
        found = []
        for axis in reversed(self.axes):
            place, at = divmod(place, len(axis.codes))
            found.append((axis, axis.label(at)))
        return found[::-1]


def _parse_axis(name: str, dimension: Any) -> Axis:
    index, labels = get_path(dimension, "category", "index"), get_path(dimension, "category", "label")
    labels = labels if isinstance(labels, Mapping) else {}
    if isinstance(index, Mapping):
        return Axis(name, [str(code) for code in sorted(index, key=lambda code: int(index[code]))], labels)
    if isinstance(index, list):
        return Axis(name, [str(code) for code in index], labels)
    if index is None and len(labels) == 1:  # the index is optional if there is one category
        return Axis(name, [str(code) for code in labels], labels)
    raise TypeError(f"dimension {name[:40]} has no categories")


def _index_by_place(values: Any) -> dict[int, Any]:
    if isinstance(values, Mapping):
        return {int(place): value for place, value in values.items() if value is not None}
    if isinstance(values, list):
        return {place: value for place, value in enumerate(values) if value is not None}
    raise TypeError("the values are neither a list nor an object")


def _parse_flags(status: str) -> str:
    """The flags in words: `bp` as `break in time series, provisional`; unknown flags are unchanged."""
    known = [STATUSES.get(flag) for flag in status]
    return ", ".join(word for word in known if word) if known and all(known) else to_plain_text(status, 60)
