"""Run formatting of Word files: emphasis, and what hides text: `vanish`, size, scale, colours and shading."""

import re
from typing import NamedTuple

from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, get_attribute, local_name

COLOUR = re.compile(r"[0-9A-F]{6}", re.IGNORECASE)
PAPER = "FFFFFF"
NEAR = 11  # maximum difference per channel (0 to 255) of colours that readers cannot distinguish
TINY = 4  # half-points; smaller text counts as hidden
POSITION = re.compile(r"\+?(\d{1,4})")  # above the baseline
RISE = 4  # half-points; letters that are raised less are aligned, not superscripts
NARROW = 10  # per cent of the normal character width; narrower text counts as hidden
HIGHLIGHTS = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF", "red": "FF0000",
    "yellow": "FFFF00", "white": "FFFFFF", "darkblue": "000080", "darkcyan": "008080", "darkgreen": "008000",
    "darkmagenta": "800080", "darkred": "800000", "darkyellow": "808000", "darkgray": "808080", "lightgray": "C0C0C0",
}  # fmt: skip
READ = {"vanish", "textFill", "sz", "w", "color", "highlight", "shd", "b", "i", "vertAlign", "position"}
THEME_PAPER = {"background1", "light1"}


def is_on(element: Element) -> bool:
    """Whether a toggle property such as `w:vanish` is on: present, without a false value."""
    return element is not None and get_attribute(element, "val") not in {"0", "false", "off"}


def read_int(element: Element, default: int = 0) -> int:
    """The `val` attribute as an integer from 0 to 100,000; `default` if missing or not a number."""
    value = "" if element is None else get_attribute(element, "val")
    return min(int(value), 100_000) if value.isdecimal() and len(value) < 10 else default


class RunFormat(NamedTuple):
    """The formatting of text; None stands for what an outer level decides. Colours are RRGGBB, "" if unknown."""

    vanish: bool | None = None
    is_unfilled: bool | None = None  # glyphs without fill (w14:textFill)
    is_tiny: bool | None = None
    is_narrow: bool | None = None
    color: str | None = None
    background: str | None = None
    is_bold: bool | None = None
    is_italic: bool | None = None
    is_raised: bool | None = None

    def override(self, inner: "RunFormat") -> "RunFormat":
        """This formatting with what `inner` specifies."""
        if inner is INHERITED:
            return self
        return RunFormat(
            self.vanish if inner.vanish is None else inner.vanish,
            self.is_unfilled if inner.is_unfilled is None else inner.is_unfilled,
            self.is_tiny if inner.is_tiny is None else inner.is_tiny,
            self.is_narrow if inner.is_narrow is None else inner.is_narrow,
            self.color if inner.color is None else inner.color,
            self.background if inner.background is None else inner.background,
            self.is_bold if inner.is_bold is None else inner.is_bold,
            self.is_italic if inner.is_italic is None else inner.is_italic,
            self.is_raised if inner.is_raised is None else inner.is_raised,
        )

    def is_hidden(self) -> bool:
        return bool(
            self.vanish
            or self.is_unfilled
            or self.is_tiny
            or self.is_narrow
            or (self.color and self.background and is_similar_color(self.color, self.background))
        )


INHERITED = RunFormat()


def read_run_format(properties: Element) -> RunFormat:
    """The formatting that a `w:rPr` element specifies; `properties` may be None."""
    return INHERITED if properties is None else to_run_format({local_name(item): item for item in properties})


def to_run_format(children: dict[str, Element]) -> RunFormat:
    """The formatting that the children of a `w:rPr` element, by local name, specify."""
    if READ.isdisjoint(children):
        return INHERITED
    return RunFormat(
        is_on(children["vanish"]) if "vanish" in children else None,
        find_child(children["textFill"], "noFill") is not None if "textFill" in children else None,
        read_int(children["sz"], TINY) < TINY if "sz" in children else None,
        read_int(children["w"], NARROW) < NARROW if "w" in children else None,
        _read_color(children["color"]) if "color" in children else None,
        _read_background(children),
        is_on(children["b"]) if "b" in children else None,
        is_on(children["i"]) if "i" in children else None,
        _read_raised(children),
    )


def _read_raised(children: dict[str, Element]) -> bool | None:
    """Whether a run is raised as a superscript or by its position; None if it does not say."""
    if "vertAlign" in children:
        aligned = get_attribute(children["vertAlign"], "val")
        if aligned != "baseline":
            return aligned == "superscript"
    elif "position" not in children:
        return None
    found = POSITION.match(get_attribute(children["position"], "val")) if "position" in children else None
    return found is not None and int(found[1]) >= RISE


def _read_color(color: Element) -> str:
    value = get_attribute(color, "val")
    if COLOUR.fullmatch(value):
        return value
    return PAPER if not value and get_attribute(color, "themeColor") in THEME_PAPER else ""


def _read_background(children: dict[str, Element]) -> str | None:
    """The background colour of a run: its highlight or its shading."""
    if "highlight" in children:
        name = get_attribute(children["highlight"], "val")
        return None if name == "none" else HIGHLIGHTS.get(name.lower(), "")
    return read_fill(children["shd"]) if "shd" in children else None


def read_shading(properties: Element) -> str | None:
    """The fill colour of a paragraph or cell by its properties, which may be None; None without shading."""
    shade = None if properties is None else find_child(properties, "shd")
    return None if shade is None else read_fill(shade)


def read_fill(shade: Element) -> str | None:
    """The colour of a `w:shd` element; None if it is transparent, "" if it is a pattern."""
    fill, pattern = get_attribute(shade, "fill").upper(), get_attribute(shade, "val")
    if pattern == "solid":  # the pattern colour covers the fill colour
        fill = get_attribute(shade, "color").upper()
    elif pattern not in ("", "clear", "nil"):
        return ""
    return None if fill in ("", "AUTO") else fill if COLOUR.fullmatch(fill) else ""


def is_similar_color(color: str, background: str) -> bool:
    """Whether two colours (RRGGBB) are so close that text in one is invisible on the other."""
    if not COLOUR.fullmatch(color) or not COLOUR.fullmatch(background):
        return False
    return all(
        abs(first - second) <= NEAR
        for first, second in zip(bytes.fromhex(color), bytes.fromhex(background), strict=True)
    )
