"""A cube of JSON-stat, read cell by cell. https://json-stat.org/format/"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assay.providers import dug
from assay.registers import Observation
from assay.text.exact import figure
from assay.text.plain import plain

TIME, UNIT, PLACE = "time", "unit", "geo"
CELLS = 50_000_000  # that a cube may have; most are empty
STATUSES = {
    "b": "break in time series", "c": "confidential", "d": "definition differs", "e": "estimated", "f": "forecast",
    "m": "missing", "n": "not significant", "p": "provisional", "r": "revised", "s": "Eurostat estimate",
    "u": "low reliability", "z": "not applicable", ":": "not available",
}  # fmt: skip


class Axis(NamedTuple):
    """A dimension: its id, its categories' codes in their order, and their labels."""

    name: str
    codes: list[str]
    labels: Mapping[str, Any]

    def label(self, place: int) -> str:
        code = self.codes[place]
        return plain(self.labels.get(code), 200) or code


class Cell(NamedTuple):
    """One figure, or a gap with its reason: where it is along each axis, and its period."""

    places: tuple[int, ...]
    period: str
    value: str | None
    status: str


class Cube:
    """Raises LookupError, TypeError or ValueError where the answer is no cube that can be read."""

    def __init__(self, answer: Any) -> None:
        names, sizes = answer["id"], answer["size"]
        self.label = plain(answer.get("label"), 300)
        self.axes = [_axis(str(name), answer["dimension"][name]) for name in names]
        cells = 1
        for axis, size in zip(self.axes, sizes, strict=True):
            if not isinstance(size, int) or len(axis.codes) != size:
                raise ValueError("a dimension has other categories than it says")
            cells *= size
        if cells > CELLS:
            raise ValueError("the cube is too large")
        self._cells = cells
        self._values, self._statuses = answer["value"], answer.get("status") or {}
        self.time = next((place for place, axis in enumerate(self.axes) if axis.name == TIME), None)

    @property
    def periods(self) -> list[str]:
        return [] if self.time is None else self.axes[self.time].codes

    def cells(self) -> Iterator[Cell]:
        """The cells that have a figure, or a word on why there is none."""
        values, statuses = _by_place(self._values), _by_place(self._statuses)
        for place in sorted(values.keys() | statuses.keys()):
            if not 0 <= place < self._cells or self.time is None:
                continue
            places = self._unravelled(place)
            value = figure(values.get(place))
            status = statuses.get(place)
            if value is not None or status:
                yield Cell(places, self.periods[places[self.time]], value, status if isinstance(status, str) else "")

    def _unravelled(self, place: int) -> tuple[int, ...]:
        """Row-major: the last dimension runs fastest."""
        found = []
        for axis in reversed(self.axes):
            place, at = divmod(place, len(axis.codes))
            found.append(at)
        return tuple(reversed(found))

    def observation(self, cell: Cell, series_id: str) -> Observation:
        """The cell with the labels that tell it from its neighbours, its unit, and its flags in words."""
        telling = [
            axis.label(at)
            for axis, at in zip(self.axes, cell.places, strict=True)
            if axis.name not in (TIME, UNIT) and len(axis.codes) > 1
        ]
        units = [axis.label(at) for axis, at in zip(self.axes, cell.places, strict=True) if axis.name == UNIT]
        return Observation(
            series_id=series_id,
            date=cell.period,
            available=cell.value is not None,
            value=cell.value,
            title=" — ".join(part for part in (self.label, ", ".join(telling)) if part) or None,
            units=units[0] if units else None,
            notes=_flags(cell.status) or None,
        )

    def series(self, cells: list[Cell]) -> int:
        """How many series the cells are of."""
        return len({cell.places[: self.time] + cell.places[(self.time or 0) + 1 :] for cell in cells})


def _axis(name: str, dimension: Any) -> Axis:
    index, labels = dug(dimension, "category", "index"), dug(dimension, "category", "label")
    labels = labels if isinstance(labels, Mapping) else {}
    if isinstance(index, Mapping):
        return Axis(name, [str(code) for code in sorted(index, key=lambda code: int(index[code]))], labels)
    if isinstance(index, list):
        return Axis(name, [str(code) for code in index], labels)
    if index is None and len(labels) == 1:  # a dimension of one category need not number it
        return Axis(name, [str(code) for code in labels], labels)
    raise TypeError(f"dimension {name[:40]} has no categories")


def _by_place(given: Any) -> dict[int, Any]:
    if isinstance(given, Mapping):
        return {int(place): value for place, value in given.items() if value is not None}
    if isinstance(given, list):
        return {place: value for place, value in enumerate(given) if value is not None}
    raise TypeError("figures are neither a list nor an object")


def _flags(status: str) -> str:
    """`bp` as `break in time series, provisional`; what has no word stays as it is."""
    known = [STATUSES.get(flag) for flag in status]
    return ", ".join(word for word in known if word) if known and all(known) else plain(status, 60)
