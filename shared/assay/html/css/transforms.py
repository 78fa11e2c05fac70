"""Transforms that take an element out of sight: shrunk to nothing, moved off the screen, turned edge on or away."""

from math import cos, pi

from assay.text.lengths import CALL, LENGTH, OFF_SCREEN, pixels

MOVING = ("transform", "-webkit-transform", "translate", "rotate", "scale")
FLAT = 0.05  # of its size
FAR = -10 * OFF_SCREEN  # pixels: less may be a step of what slides into sight
SCREEN = 100.0  # of vw or vh: a whole screen
RADIANS = {"deg": pi / 180, "turn": 2 * pi, "rad": 1.0, "grad": pi / 200, "": pi / 180}


def find_hiding_transform(values: dict[str, str]) -> str | None:
    """The property of those declared that takes the element out of sight, or None."""
    calls = CALL.findall(_calls(values))
    if not calls:
        return None
    facing = 1.0  # the cosine of its turn away from the reader
    for name, inside in calls:
        numbers = [float(number) for number, _ in LENGTH.findall(inside)]
        if _is_flat(name, numbers) or _is_far(name, numbers, inside):
            return _declared_property(values)
        facing *= _turn(name, numbers, inside)
    backface = values.get("backface-visibility") or values.get("-webkit-backface-visibility")
    if abs(facing) < FLAT or (facing < 0 and backface == "hidden"):
        return _declared_property(values)
    return None


def _is_flat(name: str, numbers: list[float]) -> bool:
    if name.startswith("scale"):
        return bool(numbers) and min(map(abs, numbers[:2])) <= FLAT
    return name.startswith("matrix") and len(numbers) >= 4 and numbers[0] == 0 and numbers[1] == 0


def _is_far(name: str, numbers: list[float], inside: str) -> bool:
    if name in ("matrix", "matrix3d"):
        moves = numbers[4:6] if name == "matrix" else numbers[12:14]
        return any(abs(move) >= FAR for move in moves)
    if not name.startswith("translate") or name == "translatez":
        return False
    for part in inside.split(",")[:2]:
        if abs(pixels(part) or 0) >= FAR:
            return True
        if "calc" not in part and any(
            unit in ("vw", "vh") and abs(float(n)) >= SCREEN for n, unit in LENGTH.findall(part)
        ):
            return True
    return False


def _turn(name: str, numbers: list[float], inside: str) -> float:
    """The cosine of a turn around an axis in the plane of the screen; 1 for all else."""
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
    """The property to name for what transforms do."""
    return next(name for name in MOVING if name in values)


def _calls(values: dict[str, str]) -> str:
    """All of them as calls, those too that have a property of their own."""
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
