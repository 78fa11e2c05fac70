"""The style blocks of a document, read: its rules, and which of them may hide text."""

import re
from functools import lru_cache

from assay.html.css import declarations
from assay.html.css.computed_visibility import WHITE, could_hide
from assay.html.css.css_colors import INVISIBLE, Colour, colour
from assay.html.css.declarations import Declarations

SMALL = 20_000  # characters: only of such a sheet are the grounds looked up
GROUNDS = 40

# Only rules that hide can set the search going; all others are read when one of these has matched.
HIDING = (
    *("visibility", "transparent", "opacity", "clip", "indent", "scale", "matrix", "rotate", "zoom", "translate", "\\"),
    *("text-fill-color", "-100%", "mask", "blur("),
)
HIDING_WITH = (  # a word that is found quickly, and what else must stand around it
    ("none", re.compile(r"display\s*:\s*none")),
    ("color", re.compile(r"(?:^|[;{\s])color\s*:")),
    ("font", re.compile(r"font(?:-size)?\s*:[^;]*(?:\b[01](?![\d%.])|(?<!\d)0?\.\d)")),
    ("height", re.compile(r"height\s*:\s*(?:0|\.|1(?:px)?\s*(?:[;!}]|$))")),
    ("width", re.compile(r"width\s*:\s*(?:0|\.|1(?:px)?\s*(?:[;!}]|$))")),
    ("var(", re.compile(r"(?:display|visibility|opacity|font-size|transform|clip|clip-path|left|top)\s*:\s*var\(")),
    ("contain", re.compile(r"contain\s*:")),
    ("letter-spacing", re.compile(r"letter-spacing\s*:\s*-(?:\d|0?\.[89])")),
    ("em", re.compile(r"\d{3}r?em")),
    ("v", re.compile(r"\d{3}v[wh]")),
    ("-", re.compile(r"-(?:\s*\d{3}|\d{2,}(?:em|rem|v[wh]))")),
)
LONG_NUMBER = re.compile(r"\d{4}")


class Sheet:
    """What a text of style says, whatever document it is in."""

    def __init__(self, text: str) -> None:
        self.rules = list(declarations.blocks(text))
        self.custom = declarations.custom(self.rules) if "var(" in text else {}  # properties of its own
        self.grounds = _grounds(self.rules) if len(text) < SMALL else [WHITE]
        self.known: dict[str, bool] = {}

    def hides(self, body: str) -> bool:
        """Whether a rule of this body may hide something."""
        found = self.known.get(body)
        if found is None:
            found = self.known[body] = is_suspect(body) and could_hide(self._parse_declarations(body), self.grounds)
        return found

    def _parse_declarations(self, body: str) -> Declarations:
        declared = declarations.declarations(body)
        if "var(" not in body:
            return declared
        values = declarations.with_custom({name: value for name, (value, _) in declared.items()}, self.custom)
        return {name: (values[name], important) for name, (_, important) in declared.items()}


@lru_cache(2)  # a page is read twice at times
def sheet(text: str) -> Sheet | None:
    """The rules of a sheet; None where none can hide anything."""
    return Sheet(text) if text and is_suspect(text) else None


def is_suspect(body: str) -> bool:
    """A quick look at declarations, before they are read: whether they may hide."""
    text = body.lower()
    for word in HIDING:
        if word in text:
            return True
    for word, pattern in HIDING_WITH:
        if word in text and pattern.search(text):
            return True
    return LONG_NUMBER.search(text) is not None


def _grounds(rules: list[tuple[str, str]]) -> list[Colour]:
    """The colours that a sheet paints grounds in."""
    found = {WHITE}
    for _, body in rules:
        if "background" in body:
            for name, (value, _) in declarations.declarations(body).items():
                shade = colour(value) if name in ("background", "background-color") else None
                if shade is not None and shade != INVISIBLE:
                    found.add(shade)
    return list(found)[:GROUNDS]
