"""Custom properties, and the values of `var()` where they decide visibility (CSS Custom Properties Module Level 1)."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from assay.html.css.cascade_layers import Layer
from assay.html.css.compiled_rule_scan import group_by_declared
from assay.html.css.css_syntax import MAX_TOKENIZED
from assay.html.css.declarations import read_custom_declarations
from assay.html.css.inherited_visibility import TEXT_COLOUR_PROPERTIES
from assay.html.css.rule_scan import find_declared
from assay.text.word_lists import parse_words

# Bounded, because a fallback with another reference is searched from each of many openings.
VAR = re.compile(r"var\(\s*(--[\w-]{1,200})\s*(?:,([^()]{0,400}(?:\([^()]{0,400}\)[^()]{0,400})?))?\)", re.IGNORECASE)
REFERENCE = re.compile(r"var\(\s*(--[\w-]+)", re.IGNORECASE)
MAX_REFERENCES = 4  # rounds of substitution of custom properties, and properties that refer to each other in a chain
COLOUR_PROPERTIES = frozenset((*TEXT_COLOUR_PROPERTIES, "background-color", "background"))
DECIDING_PROPERTIES = COLOUR_PROPERTIES | parse_words(
    "display visibility content-visibility opacity font font-size transform clip clip-path left top text-indent filter "
    "zoom scale translate rotate height max-height width max-width"
)
ROOT_SELECTORS = frozenset((":root", "html", "body", "*"))

type Lookup = Callable[[str], str | None]  # the value of a custom property, if it has one


class CustomProperties:
    """The custom properties of style sheets; a value is looked up when it is needed.

    Which elements a declaration applies to is not considered: the last one counts. A property is constant if it has
    one value in the document, whatever the theme: all its declarations agree, and are for the root.
    """

    def __init__(self, rules: list[tuple[str, str, Layer]]) -> None:
        self.rules = rules
        self.values_by_body: dict[str, Mapping[str, str]] = {}
        self.agreed: dict[str, str | None] = {}
        self.constants: dict[str, str | None] = {}
        self.settled = SettledProperties(self._find_agreed)

    @cached_property
    def rules_by_name(self) -> dict[str, list[tuple[str, str]]]:
        """The selectors and bodies of the rules that may declare a property."""
        return group_by_declared(self.rules, self._find_declared)

    def _find_declared(self, body: str) -> Iterable[str]:
        """Return the names of the properties that a body may declare."""
        return self._read(body) if "\\" in body or "/*" in body else find_declared(body)

    def find_last(self, name: str) -> str | None:
        """Return the value in the last declaration of the property."""
        values = (self._read(body).get(name) for _, body in reversed(self.rules_by_name.get(name, ())))
        return next((value for value in values if value is not None), None)

    def find_constant(self, name: str) -> str | None:
        """Return the value of a constant property that refers to constant ones alone."""
        if name not in self.constants:
            value = self.settled.find(name)
            self.constants[name] = None if value is None else _substitute(value, self.settled.find)
        return self.constants[name]

    def _find_agreed(self, name: str) -> str | None:
        """Return the value in which all declarations agree, if they are for the root."""
        if name not in self.agreed:
            self.agreed[name] = self._compare_declarations(name)
        return self.agreed[name]

    def _compare_declarations(self, name: str) -> str | None:
        found: str | None = None
        for selectors, body in self.rules_by_name.get(name, ()):
            value = self._read(body).get(name)
            if value is None:
                continue
            if not _is_for_root(selectors) or found not in (None, value):
                return None
            found = value
        return found

    def _read(self, body: str) -> Mapping[str, str]:
        """Return the custom properties that a rule declares."""
        if body not in self.values_by_body:
            self.values_by_body[body] = read_custom_declarations(body)
        return self.values_by_body[body]


class SettledProperties:
    """Those custom properties that `find_own` finds and that refer to no others than these and to constants."""

    def __init__(self, find_own: Lookup, find_constant: Lookup | None = None) -> None:
        self.find_own = find_own
        self.find_constant = find_constant
        self.known: dict[tuple[str, int], str | None] = {}

    def find(self, name: str, levels: int = MAX_REFERENCES) -> str | None:
        """Return the value of a property whose chain of references is at most `levels` long."""
        key = (name, levels)
        if key not in self.known:
            value = self.find_own(name)
            if value is None:
                value = self.find_constant(name) if self.find_constant else None
            elif not self.settles(value, levels - 1):
                value = None
            self.known[key] = value
        return self.known[key]

    def settles(self, value: str, levels: int = MAX_REFERENCES) -> bool:
        """Return whether all references in a value have a value themselves."""
        if "var(" not in value:
            return True
        return levels > 0 and all(self.find(name, levels) is not None for name in REFERENCE.findall(value))


def resolve_variables(values: dict[str, str], find_last: Lookup, find_constant: Lookup) -> dict[str, str]:
    """Return the values with `var()` replaced where it decides visibility; the element's own properties take
    precedence over those that the two functions find.

    Colours are replaced by constants alone, since the last declaration of others is often that of an inactive theme.
    """
    with_variables = [name for name, value in values.items() if "var(" in value and name in DECIDING_PROPERTIES]
    if not with_variables:
        return values
    settled = SettledProperties(values.get, find_constant)
    found = {}
    for name in with_variables:
        if name not in COLOUR_PROPERTIES:
            found[name] = _substitute(values[name], lambda used: values[used] if used in values else find_last(used))
        elif settled.settles(values[name]):
            found[name] = _substitute(values[name], settled.find)
    return values | found


def _is_for_root(selectors: str) -> bool:
    return ROOT_SELECTORS.issuperset(map(str.strip, selectors.lower().split(",")))


def _substitute(value: str, find: Lookup) -> str:
    def replace(found: re.Match[str]) -> str:
        known = find(found[1])
        return ((found[2] or "").strip() if known is None else known)[:1_000]

    for _ in range(MAX_REFERENCES):
        if "var(" not in value or len(value) > MAX_TOKENIZED:
            break
        value = VAR.sub(replace, value)
    return value
