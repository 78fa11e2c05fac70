"""Blocks of code in markdown."""

import re

TICKS = re.compile(r"`{3,}")


def fence_code(text: str, language: str = "") -> str:
    """Return the text between fences that are longer than any in it."""
    fence = choose_fence(text)
    return f"{fence}{language}\n{text}\n{fence}"


def choose_fence(text: str) -> str:
    return "`" * (max((len(run) for run in TICKS.findall(text)), default=2) + 1)
