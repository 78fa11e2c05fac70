"""JSON without the constants NaN and Infinity, which Python's reader takes and no standard knows."""

from typing import NoReturn


def refuse_constant(name: str) -> NoReturn:
    """For `json.loads(…, parse_constant=refuse_constant)`: NaN, Infinity and -Infinity raise ValueError."""
    raise ValueError(f"{name} is no JSON number")
