"""Clipping and masking that hide an element (CSS Masking Module Level 1)."""

import re
from math import inf

from assay.html.css.css_colors import INVISIBLE, Colour, parse_colour
from assay.text.lengths import FUNCTION_CALL, LENGTH
from assay.text.lengths import find_lengths as _lengths
from assay.text.word_lists import parse_words

CLIP_PROPERTIES = ("clip", "clip-path", "-webkit-clip-path")
MASK_PROPERTIES = ("mask", "mask-image", "mask-size", "-webkit-mask", "-webkit-mask-image", "-webkit-mask-size")
GRADIENT_WORDS = parse_words("linear radial conic repeating gradient left right top bottom deg turn rad grad")
COLOUR_VALUE = re.compile(r"#[0-9a-f]{3,8}\b|(?:rgb|hsl)a?\([^()]{0,80}\)|[a-z]{3,20}")


def find_hiding_clip(values: dict[str, str]) -> str | None:
    for name, inside in FUNCTION_CALL.findall(values.get("clip", "")):
        numbers = _parse_rectangle(inside)
        if name == "rect" and len(numbers) == 4 and (numbers[2] - numbers[0] <= 1 or numbers[1] - numbers[3] <= 1):
            return "clip"
    return _find_hiding_path(values)


def _parse_rectangle(inside: str) -> list[float]:
    """Return the top, right, bottom and left edges; `auto` is the edge of the box."""
    edges = inside.replace(",", " ").split()
    lengths = [LENGTH.fullmatch(edge) for edge in edges]
    outermost = (0.0, inf, inf, 0.0)
    return [float(length[1]) if length else default for length, default in zip(lengths, outermost, strict=False)]


def _find_hiding_path(values: dict[str, str]) -> str | None:
    property_name = "clip-path" if "clip-path" in values else "-webkit-clip-path"
    for name, inside in FUNCTION_CALL.findall(values.get(property_name, "")):
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if _is_empty_shape(name, numbers, inside):
            return property_name
    return None


def _is_empty_shape(name: str, numbers: list[float], inside: str) -> bool:
    """Return whether the clipping shape is empty."""
    match name:
        case "inset":
            if _is_cut_from_both_sides(LENGTH.findall(inside)):
                return True
            alone = len(numbers) == 1 and numbers[0] >= 50
            return bool(numbers) and (max(numbers) >= 100 or alone or (len(numbers) > 1 and min(numbers) >= 50))
        case "circle" | "ellipse":
            return bool(numbers) and (numbers[0] == 0 or _is_left_of(name, numbers))
        case "xywh":
            return len(numbers) >= 4 and not (numbers[2] and numbers[3])
        case "rect":
            return len(numbers) >= 4 and (numbers[2] <= numbers[0] or numbers[1] <= numbers[3])
        case "polygon":
            points = [LENGTH.findall(point) for point in inside.split(",")]
            corners = [(float(point[0][0]), float(point[1][0])) for point in points if len(point) == 2]
            return _is_flat(points, corners) or _is_outside(corners)
    return False


def _is_outside(corners: list[tuple[float, float]]) -> bool:
    """Return whether a shape is above the element or left of it."""
    return bool(corners) and any(max(corner[axis] for corner in corners) <= 0 for axis in (0, 1))


def _is_left_of(name: str, numbers: list[float]) -> bool:
    """Return whether a circle or ellipse ends above the element or left of it."""
    radii, centre = (numbers[:1] * 2, numbers[1:]) if name == "circle" else (numbers[:2], numbers[2:])
    return len(centre) == 2 and any(place + radius <= 0 for place, radius in zip(centre, radii, strict=False))


def _is_flat(points: list[list[tuple[str, str]]], corners: list[tuple[float, float]]) -> bool:
    """Return whether all corners of a polygon, which are the numbers of its points, coincide or lie on one line."""
    if any(len({corner[axis] for corner in corners}) == 1 for axis in (0, 1)):
        return True
    if not corners or len({unit for point in points for number, unit in point if float(number)}) > 1:
        return False
    x, y = corners[0]
    dx, dy = next(((a - x, b - y) for a, b in corners if (a, b) != (x, y)), (0.0, 0.0))
    return all(abs(dx * (b - y) - dy * (a - x)) < 1e-6 for a, b in corners)


def _is_cut_from_both_sides(lengths: list[tuple[str, str]]) -> bool:
    """Return whether the insets from opposite sides leave nothing between them."""
    if not 2 <= len(lengths) <= 4:
        return False
    numbers = [float(number) if unit == "%" else 0.0 for number, unit in lengths]
    top, right = numbers[:2]
    bottom, left = numbers[2] if len(numbers) > 2 else top, numbers[3] if len(numbers) > 3 else right
    return top + bottom >= 100 or left + right >= 100


def find_hiding_mask(values: dict[str, str]) -> str | None:
    """Return the mask property that hides everything: its size is zero or its gradient is transparent throughout."""
    for name in MASK_PROPERTIES:
        value = values.get(name, "")
        if name.endswith("size"):
            sizes = _lengths(value)
            if sizes and not any(sizes):
                return name
        elif "gradient(" in value:
            colours = [parsed for part in COLOUR_VALUE.findall(value) if (parsed := parse_colour(part)) is not None]
            if colours and all(parsed == INVISIBLE for parsed in colours):
                return name
    return None


def find_only_colour(image: str) -> Colour | None:
    """Return the colour of a gradient whose stops all have the same opaque colour, None for another one."""
    parts = [part for part in COLOUR_VALUE.findall(image) if part not in GRADIENT_WORDS]
    if any(
        part.startswith(("rgba", "hsla")) or "/" in part or (part[0] == "#" and len(part) in (5, 9)) for part in parts
    ):
        return None  # may be translucent
    colours = {parse_colour(part) for part in parts}
    return next(iter(colours)) if len(colours) == 1 and INVISIBLE not in colours else None
