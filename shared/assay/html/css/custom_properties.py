"""Custom properties, and the values of `var()` where they decide visibility (CSS Custom Properties Module Level 1)."""

import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from assay.html.css.cascade_layers import Layer
from assay.html.css.css_syntax import MAX_TOKENIZED
from assay.html.css.declarations import parse_declarations
from assay.html.css.inherited_visibility import TEXT_COLOUR_PROPERTIES

# Bounded, because a fallback with another reference is searched from each of many openings.
VAR = re.compile(r"var\(\s*(--[\w-]{1,200})\s*(?:,([^()]{0,400}(?:\([^()]{0,400}\)[^()]{0,400})?))?\)", re.IGNORECASE)
REFERENCE = re.compile(r"var\(\s*(--[\w-]+)", re.IGNORECASE)
MAX_REFERENCES = 4  # rounds of substitution of custom properties
RESOLVED_PROPERTIES = (
    *("display", "visibility", "content-visibility", "opacity", "font", "font-size"),
    *("transform", "clip", "clip-path", "left", "top", "text-indent"),
)
COLOUR_PROPERTIES = (*TEXT_COLOUR_PROPERTIES, "background-color", "background")
ROOT_SELECTORS = frozenset((":root", "html", "body", "*"))


class CustomProperties(NamedTuple):
    """The custom properties of a document. `constant` are those that have one value in it, whatever the theme."""

    last: dict[str, str]
    constant: dict[str, str]


NO_CUSTOM_PROPERTIES = CustomProperties({}, {})


def find_custom_properties(rules: Iterable[tuple[str, str, Layer]]) -> CustomProperties:
    """Return the custom properties of a style sheet.

    Which elements a declaration applies to is not considered: the last one counts. A property is constant if all its
    declarations agree, and are for the root.
    """
    last: dict[str, str] = {}
    varying: set[str] = set()
    for selectors, body, _ in rules:
        if "--" in body:
            is_global = ROOT_SELECTORS.issuperset(map(str.strip, selectors.lower().split(",")))
            for name, (value, _) in parse_declarations(body).items():
                if name.startswith("--"):
                    if not is_global or last.get(name, value) != value:
                        varying.add(name)
                    last[name] = value
    settled = _select_settled({name: last[name] for name in last.keys() - varying}, {})
    return CustomProperties(last, {name: _substitute(value, settled) for name, value in settled.items()})


def resolve_variables(values: dict[str, str], read_inherited: Callable[[], CustomProperties]) -> dict[str, str]:
    """Return the values with `var()` replaced where it decides visibility; the element's own properties take
    precedence over those that `read_inherited` returns.

    Colours are replaced by constants alone, since the last declaration of others is often that of an inactive theme.
    """
    names = [name for name in RESOLVED_PROPERTIES if "var(" in values.get(name, "")]
    colours = [name for name in COLOUR_PROPERTIES if "var(" in values.get(name, "")]
    if not names and not colours:
        return values
    last, constant = read_inherited()
    own = {name: value for name, value in values.items() if name.startswith("--")}
    found = {name: _substitute(values[name], ChainMap(own, last)) for name in names}
    if colours:
        settled = _select_settled(own, constant)
        colours = [name for name in colours if _is_settled(values[name], settled, own, constant)]
        found |= {name: _substitute(values[name], ChainMap(settled, constant)) for name in colours}
    return values | found


def _select_settled(properties: Mapping[str, str], constant: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that refer to no others than these and the constant ones."""
    settled: dict[str, str] = {}
    for _ in range(MAX_REFERENCES):
        for name, value in properties.items():
            if name not in settled and _is_settled(value, settled, properties, constant):
                settled[name] = value
    return settled


def _is_settled(value: str, settled: Mapping[str, str], own: Mapping[str, str], constant: Mapping[str, str]) -> bool:
    if "var(" not in value:
        return True
    return all(name in settled or (name in constant and name not in own) for name in REFERENCE.findall(value))


def _substitute(value: str, variables: Mapping[str, str]) -> str:
    for _ in range(MAX_REFERENCES):
        if "var(" not in value or len(value) > MAX_TOKENIZED:
            break
        value = VAR.sub(lambda found: variables.get(found[1], (found[2] or "").strip())[:1_000], value)
    return value
