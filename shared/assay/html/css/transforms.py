"""Transforms that hide an element: scaled to nothing, moved off the screen or rotated edge-on (CSS Transforms Level
2).
"""

from math import cos, inf, pi

from assay.text.lengths import FUNCTION_CALL, LENGTH, OFF_SCREEN, find_lengths, to_pixels

TRANSFORM_PROPERTIES = ("transform", "-webkit-transform", "translate", "rotate", "scale")
MIN_SCALE = 0.05  # scale below which an element is invisible
MIN_HIDING_MOVE = -10 * OFF_SCREEN  # pixels; shorter moves may be steps of an animation
MIN_HIDING_ORIGIN = 3_000.0  # pixels from which a rotation or a scale moves an element off the screen
TURNS = ("rotate", "scale", "matrix", "skew")
FULL_SCREEN = 100.0  # vw or vh: a full screen
RADIANS = {"deg": pi / 180, "turn": 2 * pi, "rad": 1.0, "grad": pi / 200, "": pi / 180}


def find_hiding_transform(values: dict[str, str]) -> str | None:
    """Return the declared property that hides the element, or None."""
    calls = FUNCTION_CALL.findall(_transform_calls(values))
    if not calls:
        return None
    facing = 1.0  # cosine of the rotation away from the viewer
    origin = max((abs(length) for length in find_lengths(values.get("transform-origin", ""))), default=0.0)
    distance = inf  # of the viewer
    for name, inside in calls:
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if _is_flat(name, numbers) or _is_far(name, numbers, inside):
            return _declared_property(values)
        if origin >= MIN_HIDING_ORIGIN and name.startswith(TURNS):
            return _declared_property(values)
        if name == "perspective":
            distance = to_pixels(inside) or inf
        elif name == "translatez" and (to_pixels(inside) or 0) >= distance:
            return _declared_property(values)  # behind the viewer
        facing *= _facing_cosine(name, numbers, inside)
    backface = values.get("backface-visibility") or values.get("-webkit-backface-visibility")
    if abs(facing) < MIN_SCALE or (facing < 0 and backface == "hidden"):
        return _declared_property(values)
    return None


def _is_flat(name: str, numbers: list[float]) -> bool:
    if name.startswith("scale"):
        return bool(numbers) and min(map(abs, numbers[:2])) <= MIN_SCALE
    if name.startswith("skew"):
        return any(abs(cos(number * pi / 180)) < MIN_SCALE for number in numbers)
    return name.startswith("matrix") and len(numbers) >= 4 and numbers[0] == 0 and numbers[1] == 0


def _is_far(name: str, numbers: list[float], inside: str) -> bool:
    if name in ("matrix", "matrix3d"):
        moves = numbers[4:6] if name == "matrix" else numbers[12:14]
        return any(abs(move) >= MIN_HIDING_MOVE for move in moves)
    if not name.startswith("translate") or name == "translatez":
        return False
    for part in inside.split(",")[:2]:
        if abs(to_pixels(part) or 0) >= MIN_HIDING_MOVE:
            return True
        if "calc" not in part and any(
            unit in ("vw", "vh") and abs(float(n)) >= FULL_SCREEN for n, unit in LENGTH.findall(part)
        ):
            return True
    return False


def _facing_cosine(name: str, numbers: list[float], inside: str) -> float:
    """Return the cosine of a rotation around an axis in the plane of the screen; 1 for other functions."""
    if name == "rotate3d" and len(numbers) == 4:
        if numbers[2] or not (numbers[0] or numbers[1]):
            return 1.0
    elif name not in ("rotatex", "rotatey"):
        return 1.0
    angles = LENGTH.findall(inside)
    if not angles or angles[-1][1] not in RADIANS:
        return 1.0
    return cos(float(angles[-1][0]) * RADIANS[angles[-1][1]])


def _declared_property(values: dict[str, str]) -> str:
    """Return the transform property that the element declares."""
    return next(name for name in TRANSFORM_PROPERTIES if name in values)


def _transform_calls(values: dict[str, str]) -> str:
    """Return all transforms as function calls, including the individual `translate`, `scale` and `rotate`
    properties.
    """
    calls = [values.get("transform", ""), values.get("-webkit-transform", "")]
    if "translate" in values:
        calls.append(f"translate({','.join(values['translate'].split())})")
    if "scale" in values:
        calls.append(f"scale({','.join(values['scale'].split())})")
    axis, _, angle = values.get("rotate", "").rpartition(" ")
    if axis in ("x", "y"):
        calls.append(f"rotate{axis}({angle})")
    elif len(axis.split()) == 3:
        calls.append(f"rotate3d({','.join([*axis.split(), angle])})")
    return " ".join(calls)
