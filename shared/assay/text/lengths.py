"""Lengths and function calls in CSS values (CSS Values and Units Level 4)."""

import re

OFF_SCREEN = -500.0  # pixels; content beyond is off screen
LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z%]*)")
FUNCTION_CALL = re.compile(r"([a-z0-9-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
PIXELS = {"": 1.0, "px": 1.0, "pt": 1.33, "pc": 16.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "in": 96.0}
PIXELS |= {"cm": 37.8, "mm": 3.78, "vw": 14.0, "vh": 9.0, "%": 10.0, "vmin": 9.0, "vmax": 14.0, "q": 0.94}

CALCULATED = re.compile(r"^(?:calc|min|max)\(")
MATH_FUNCTION = re.compile(r"\b(calc|min|max|clamp)\(([^()]{1,200})\)")
OPERATION = re.compile(r"\s*([-+*/])\s+|\s*([*/])\s*")
MAX_MATH_FUNCTIONS = 8  # per value


def evaluate_math(text: str) -> str:
    """Return the value with its math functions evaluated, those whose lengths have one unit.

    https://www.w3.org/TR/css-values-4/#math
    """
    for _ in range(MAX_MATH_FUNCTIONS):
        found = MATH_FUNCTION.search(text)
        result = _evaluate_function(found[1], found[2]) if found else None
        if found is None or result is None:
            return text
        text = text[: found.start()] + result + text[found.end() :]
    return text


def _evaluate_function(name: str, inside: str) -> str | None:
    terms = [_evaluate_sum(term) for term in inside.split(",")]
    values = [term for term in terms if term is not None]
    units = {unit for number, unit in values if number or unit}
    if len(values) < len(terms) or len(units) > 1 or (name == "clamp" and len(values) != 3):
        return None
    numbers = [number for number, _ in values]
    number = min(numbers) if name == "min" else max(numbers[0], min(numbers[1:])) if name == "clamp" else max(numbers)
    return f"{number:f}{next(iter(units), '')}"


def _evaluate_sum(text: str) -> tuple[float, str] | None:
    """Return the number and unit of an operation on at most two lengths, or of one length."""
    operands, operator = [text.strip()], ""
    if found := OPERATION.search(text, 1):
        operands = [text[: found.start()].strip(), text[found.end() :].strip()]
        operator = found[1] or found[2]
    lengths = [LENGTH.fullmatch(operand) for operand in operands]
    parsed = [(float(length[1]), length[2]) for length in lengths if length is not None]
    if len(parsed) < len(operands):
        return None
    if not operator:
        return parsed[0]
    (one, unit), (other, other_unit) = parsed
    if operator in "+-":
        same = unit == other_unit or not one or not other
        return (one + (other if operator == "+" else -other), unit or other_unit) if same else None
    if operator == "*":
        return one * other, unit or other_unit
    return (one / other, unit) if other else None


def to_pixels(text: str) -> float | None:
    """Return a CSS length in pixels, approximately; None if it is not a length."""
    found = LENGTH.search(text)
    if found is None or found.group(2) not in PIXELS:
        return None
    return float(found.group(1)) * PIXELS[found.group(2)]


def find_lengths(text: str) -> list[float]:
    """Return all lengths in the text, in pixels."""
    return [float(number) * PIXELS[unit] for number, unit in LENGTH.findall(text) if unit in PIXELS]


def parse_fraction(text: str) -> float:
    """Return a number or percentage as a fraction, 1 for other values."""
    found = LENGTH.match(CALCULATED.sub("", text))
    if found is None:
        return 1.0
    return float(found.group(1)) / (100 if found.group(2) == "%" else 1)
