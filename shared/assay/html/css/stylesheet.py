"""The parsed style sheets of a document: their rules, and which of them may hide text."""

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import chain

from assay.html.css import declarations
from assay.html.css.animations import Animations
from assay.html.css.cascade_layers import Layer, LayerOrder
from assay.html.css.computed_visibility import can_hide
from assay.html.css.css_colors import INVISIBLE, WHITE, Colour, parse_colour
from assay.html.css.custom_properties import CustomProperties, resolve_variables
from assay.html.css.declarations import Declarations
from assay.html.css.document_styles import Sheet
from assay.html.css.shadow_trees import ShadowTrees
from assay.html.css.visibility_properties import COMMON_PROPERTIES
from assay.text.short_text_cache import cache_short

SMALL_SHEET = 20_000  # characters; background colours are collected only from sheets below this size
MAX_BACKGROUNDS = 40

# Only rules with one of these can hide an element; the others are parsed when one of them matches.
HIDING_WORDS = (
    *("visibility", "transparent", "opacity", "clip", "indent", "scale", "matrix", "rotate", "zoom", "translate", "\\"),
    *("text-fill-color", "-100%", "mask", "blur(", "contrast(", "skew", "brightness(", "font-size-adjust"),
    *("table-column", "grid-template"),
)
HIDING_PATTERNS = (  # a word that is quick to find, and the pattern it must be part of
    ("none", re.compile(r"display\s*:\s*none")),
    ("color", re.compile(r"(?:^|[;{\s])color\s*:")),
    ("font", re.compile(r"font(?:-size)?\s*:[^;]*(?:\b[01](?![\d%.])|(?<!\d)0?\.\d)")),
    ("height", re.compile(r"height\s*:\s*(?:0|\.|[1-4](?:\.\d+)?(?:px)?\s*(?:[;!}]|$)|(?:calc|min|clamp)\()")),
    ("width", re.compile(r"width\s*:\s*(?:0|\.|[1-4](?:\.\d+)?(?:px)?\s*(?:[;!}]|$)|(?:calc|min|clamp)\()")),
    ("-size", re.compile(r"(?:block|inline)-size\s*:\s*(?:0|\.|[1-4](?:\.\d+)?(?:px)?\s*(?:[;!}]|$))")),
    ("fixed", re.compile(r"position\s*:\s*fixed")),
    ("font-size", re.compile(r"font-size\s*:\s*(?:calc|min|clamp)\(")),
    (
        "var(",
        re.compile(
            r"(?:display|visibility|opacity|font|size|transform|clip|clip-path|left|top|height|width|scale|rotate|zoom|translate)"
            r"\s*:\s*var\(|filter\s*:[^;]*var\("
        ),
    ),
    ("contain", re.compile(r"contain\s*:")),
    *COMMON_PROPERTIES.items(),
    ("line-height", re.compile(r"line-height\s*:\s*(?:\d{3,}(?![\d%.])|\d\d(?:\.\d+)?(?:r?em|\s*(?:[;!}]|$)))")),
    ("letter-spacing", re.compile(r"letter-spacing\s*:\s*-(?:\d|0?\.[89])")),
    ("em", re.compile(r"\d{3}r?em")),
    ("v", re.compile(r"\d{3}v[wh]")),
    ("-", re.compile(r"-(?:\s*\d{3}|\d{2,}(?:em|rem|v[wh]))")),
)
LONG_NUMBER = re.compile(r"\d{4}")


class StyleSheet:
    """The parsed text of style sheets."""

    def __init__(self, sheets: tuple[Sheet, ...], trees: ShadowTrees) -> None:
        layers = LayerOrder()
        self.rules = [*chain.from_iterable(_list_rules(sheet, layers, trees) for sheet in sheets)]
        self.custom = CustomProperties(self.rules)
        self.animations = Animations([sheet.text for sheet in sheets])
        self.backgrounds = (
            self._collect_backgrounds() if sum(len(sheet.text) for sheet in sheets) < SMALL_SHEET else [WHITE]
        )

    def may_hide(self, body: str) -> bool:
        """Return whether a rule with this body may hide something."""
        if _has_suspect(body) and can_hide(self._parse_declarations(body), self.backgrounds):
            return True
        return self._may_animate_away(body)

    @cached_property
    def hiding_animations(self) -> set[str]:
        """The names of the keyframes that may hide something."""
        return {
            name
            for name, frames in self.animations.keyframes.items()
            if any(can_hide(_as_declared(values), self.backgrounds) for values in frames)
        }

    def _may_animate_away(self, body: str) -> bool:
        """Return whether a rule with this body may have an animation that hides something in the end."""
        if not self.animations.sheets or "animation" not in body.lower():
            return False
        declared = self._parse_declarations(body)
        values = {name: value for name, (value, _) in declared.items()}
        return not self.hiding_animations.isdisjoint(self.animations.list_names(values))

    def _collect_backgrounds(self) -> list[Colour]:
        """Return the background colours that the style sheet sets."""
        found = {WHITE}
        for _, body, _ in self.rules:
            if "background" in body:
                for name, (value, _) in self._parse_declarations(body).items():
                    colour = parse_colour(value) if name in ("background", "background-color") else None
                    if colour is not None and colour != INVISIBLE:
                        found.add(colour)
        return list(found)[:MAX_BACKGROUNDS]

    def _parse_declarations(self, body: str) -> Declarations:
        declared = declarations.parse_declarations(body)
        if "var(" not in body.lower():
            return declared
        values = {name: value for name, (value, _) in declared.items()}
        resolved = resolve_variables(values, self.custom.find_last, self.custom.find_constant)
        if resolved is values:
            return declared
        return {name: (resolved[name], important) for name, (_, important) in declared.items()}


def _as_declared(values: Mapping[str, str]) -> Declarations:
    return {name: (value, False) for name, value in values.items()}


def _list_rules(sheet: Sheet, layers: LayerOrder, trees: ShadowTrees) -> list[tuple[str, str, Layer]]:
    rules = declarations.list_rules(sheet.text, layers)
    if sheet.tree is None:
        return rules
    number = sheet.tree
    return [(trees.scope_selectors(selectors, number), body, layer) for selectors, body, layer in rules]


def parse_sheets(sheets: tuple[Sheet, ...], trees: ShadowTrees) -> StyleSheet | None:
    """Return the parsed style sheets; None if none of their rules can hide anything."""
    return StyleSheet(sheets, trees) if any(is_suspect(sheet.text) for sheet in sheets) else None


def _has_suspect(body: str) -> bool:
    for declaration in body.split(";"):  # noqa: SIM110 -- a generator costs more than the tests
        if _is_suspect_declaration(declaration):
            return True
    return False


@cache_short(8192)
def _is_suspect_declaration(text: str) -> bool:
    return is_suspect(text)


def is_suspect(body: str) -> bool:
    """Check declarations quickly, before they are parsed: whether they may hide."""
    text = body.lower()
    for word in HIDING_WORDS:
        if word in text:
            return True
    for word, pattern in HIDING_PATTERNS:
        if word in text and pattern.search(text):
            return True
    return LONG_NUMBER.search(text) is not None
