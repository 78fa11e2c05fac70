"""Lengths and function calls in CSS values (CSS Values and Units Level 4)."""

import re

OFF_SCREEN = -500.0  # pixels; content beyond is off screen
LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z%]*)")
FUNCTION_CALL = re.compile(r"([a-z0-9-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
PIXELS = {"": 1.0, "px": 1.0, "pt": 1.33, "pc": 16.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "in": 96.0}
PIXELS |= {"cm": 37.8, "mm": 3.78, "vw": 14.0, "vh": 9.0, "%": 10.0, "vmin": 9.0, "vmax": 14.0, "q": 0.94}


def to_pixels(text: str) -> float | None:
    """Return a CSS length in pixels, approximately; None if it is not a length."""
    found = LENGTH.search(text)
    if found is None or found.group(2) not in PIXELS:
        return None
    return float(found.group(1)) * PIXELS[found.group(2)]


def find_lengths(text: str) -> list[float]:
    """Return all lengths in the text, in pixels."""
    return [float(number) * PIXELS[unit] for number, unit in LENGTH.findall(text) if unit in PIXELS]
