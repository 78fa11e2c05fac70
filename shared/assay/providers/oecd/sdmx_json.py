"""Parser for SDMX-JSON data messages, versions 1 and 2. Format: https://github.com/sdmx-twg/sdmx-json"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assay.models.public_records import Observation
from assay.provider_base.parsing.decimal_text import to_decimal_text
from assay.provider_base.results import get_path
from assay.text.plain_text import to_plain_text

TIME = "TIME_PERIOD"
UNITS = ("UNIT_MEASURE", "UNIT_MULT", "BASE_PER")  # dimensions or attributes that give the unit
ORDINARY = {"A", "0", "_Z"}  # codes without information: normal value, multiplier one, not applicable


class SdmxComponent(NamedTuple):
    """A dimension or an attribute: its id, and its values as `(code, label)` in order."""

    name: str
    values: list[tuple[str, str]]

    def at(self, place: Any) -> tuple[str, str] | None:
        """The value at an index; a string is its own value if the component lists none."""
        if isinstance(place, str) and not self.values:
            return place, to_plain_text(place, 200)
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(self.values):
            return None
        return self.values[place]


class Point(NamedTuple):
    """One observation: the keys of its series and of itself, its period, and its value with attributes."""

    series: str
    key: str
    period: str
    values: list[Any]


class SdmxMessage:
    """An SDMX-JSON data message. Raises LookupError, TypeError or ValueError if the answer is not a valid one."""

    def __init__(self, answer: Any) -> None:
        inside = answer.get("data", answer)
        structure = get_path(inside, "structures", 0) or inside["structure"]
        self.name = _parse_label(structure)
        self._sets = inside["dataSets"]
        if not isinstance(self._sets, list) or not isinstance(structure["dimensions"], Mapping):
            raise TypeError("the message has no data sets or dimensions")
        self._dimensions = {
            level: _parse_components(structure, "dimensions", level) for level in ("series", "observation")
        }
        self._constant = _parse_components(structure, "dimensions", "dataSet")
        self._attributes = {
            level: _parse_components(structure, "attributes", level)
            for level in ("dataSet", "dataset", "dimensionGroup", "series", "observation")
        }
        along = [part.name for part in self._dimensions["observation"]]
        self._time = along.index(TIME)
        self._periods: dict[str, str | None] = {}  # by an observation's key

    def points(self) -> Iterator[Point]:
        """Every observation, from grouped and flat data sets."""
        for one in self._sets:
            grouped = one.get("series")
            if isinstance(grouped, Mapping):
                for key, series in grouped.items():
                    yield from self._parse_points(key, series)
            if isinstance(one.get("observations"), Mapping):
                yield from self._parse_points("", one)

    def _parse_points(self, series: str, data: Mapping[str, Any]) -> Iterator[Point]:
        for key, values in data["observations"].items():
            if key not in self._periods:
                value = self._dimensions["observation"][self._time].at(int(key.split(":")[self._time]))
                self._periods[key] = value[0] if value else None
            period = self._periods[key]
            if period and isinstance(values, list) and values:
                yield Point(series, key, period, values)

    def observation(self, point: Point, series_id: str) -> Observation:
        """The observation with the labels that distinguish its series, its unit, and its status unless normal."""
        value = to_decimal_text(point.values[0])
        labels = self._get_dimension_labels(point)
        attributes = self._collect_attributes(point)
        units = [self._get_units(name, labels, attributes) for name in UNITS]
        distinguishing = [
            label
            for name, (label, has_alternatives) in labels.items()
            if has_alternatives and name not in (*UNITS, TIME)
        ]
        status = attributes.get("OBS_STATUS")
        return Observation(
            series_id=series_id,
            date=point.period,
            available=value is not None,
            value=value,
            title=" — ".join(part for part in (self.name, ", ".join(distinguishing)) if part) or None,
            units=", ".join(unit for unit in units if unit) or None,
            notes=status[1] if status and status[0] not in ORDINARY else None,
        )

    def series(self, points: list[Point]) -> int:
        """The number of series to which the points belong."""
        return len({(point.series, *_without(point.key, self._time)) for point in points})

    def _get_dimension_labels(self, point: Point) -> dict[str, tuple[str, bool]]:
        """For each dimension, the label of the point's value, and whether the dimension has other values."""
        labels = {part.name: (part.values[0][1], False) for part in self._constant if part.values}
        for level, key in (("series", point.series), ("observation", point.key)):
            places = key.split(":") if key else []
            for part, place in zip(self._dimensions[level], places, strict=False):
                if value := part.at(int(place)):
                    labels[part.name] = (value[1], len(part.values) > 1)
        return labels

    def _get_units(
        self, name: str, labels: Mapping[str, tuple[str, bool]], attributes: Mapping[str, tuple[str, str]]
    ) -> str | None:
        if name in labels:
            return labels[name][0]
        attribute = attributes.get(name)
        return attribute[1] if attribute and attribute[0] not in ORDINARY else None

    def _collect_attributes(self, point: Point) -> dict[str, tuple[str, str]]:
        """The attributes of the point; more specific levels override general ones."""
        attributes: dict[str, tuple[str, str]] = {}
        for one in self._sets:
            series = get_path(one, "series", point.series)
            for level in ("dataSet", "dataset"):
                self._note_attributes(attributes, level, one.get("attributes"))
            groups = one.get("dimensionGroupAttributes")
            for key, values in (groups if isinstance(groups, Mapping) else {}).items():
                if _covers(key, point.series or point.key):
                    self._note_attributes(attributes, "dimensionGroup", values)
            self._note_attributes(attributes, "series", get_path(series, "attributes"))
        self._note_attributes(attributes, "observation", point.values[1:])
        return attributes

    def _note_attributes(self, attributes: dict[str, tuple[str, str]], level: str, values: Any) -> None:
        for part, place in zip(self._attributes[level], values if isinstance(values, list) else [], strict=False):
            if value := part.at(place):
                attributes[part.name] = value


def _parse_components(structure: Any, kind: str, level: str) -> list[SdmxComponent]:
    listed = get_path(structure, kind, level)
    return [
        SdmxComponent(str(part["id"]), [_parse_value(value) for value in part.get("values") or []])
        for part in (listed if isinstance(listed, list) else [])
    ]


def _parse_value(value: Any) -> tuple[str, str]:
    if not isinstance(value, Mapping):
        return str(value), to_plain_text(str(value), 200)
    code = str(value.get("id", value.get("value", "")))
    return code, _parse_label(value) or to_plain_text(code, 200)


def _parse_label(node: Any) -> str:
    """The English name, else the only one."""
    return (
        to_plain_text(get_path(node, "names", "en"), 300)
        or to_plain_text(get_path(node, "name", "en"), 300)
        or to_plain_text(get_path(node, "name"), 300)
    )


def _covers(group: str, key: str) -> bool:
    """Whether a group's key matches the key; empty parts and `~` are wildcards."""
    group_parts, key_parts = group.split(":"), key.split(":")
    return all(part in ("", "~") or part == other for part, other in zip(group_parts, key_parts, strict=False))


def _without(key: str, place: int) -> list[str]:
    return [part for at, part in enumerate(key.split(":")) if at != place]
