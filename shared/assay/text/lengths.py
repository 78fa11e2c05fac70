"""Lengths and function calls in the values of style."""

import re

OFF_SCREEN = -500.0  # pixels
LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z%]*)")
CALL = re.compile(r"([a-z0-9-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
PIXELS = {"": 1.0, "px": 1.0, "pt": 1.33, "pc": 16.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "in": 96.0}
PIXELS |= {"cm": 37.8, "mm": 3.78, "vw": 14.0, "vh": 9.0, "%": 10.0, "vmin": 9.0, "vmax": 14.0, "q": 0.94}


def pixels(text: str) -> float | None:
    """A CSS length as pixels, roughly; None for what is none."""
    found = LENGTH.search(text)
    if found is None or found.group(2) not in PIXELS:
        return None
    return float(found.group(1)) * PIXELS[found.group(2)]


def lengths(text: str) -> list[float]:
    return [float(number) * PIXELS[unit] for number, unit in LENGTH.findall(text) if unit in PIXELS]
