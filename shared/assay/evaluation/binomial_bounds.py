"""Computes the exact (Clopper-Pearson) confidence interval of a proportion."""

import math
from collections.abc import Callable

TOLERANCE, MAX_TERMS = 1e-14, 100_000  # relative precision of the continued fraction; a bound on its terms
SMALLEST = 1e-300  # replaces a zero denominator in the continued fraction
BISECTIONS = 100


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided interval that covers the true rate with at least `confidence`; (0, 1) without trials."""
    if not 0 <= successes <= trials or not 0 < confidence < 1:
        raise ValueError(f"There is no interval for {successes} of {trials} at confidence {confidence}.")
    tail = (1 - confidence) / 2
    failures = trials - successes
    low = _solve(lambda rate: _incomplete_beta(successes, failures + 1, rate), tail) if successes else 0.0
    high = _solve(lambda rate: _incomplete_beta(successes + 1, failures, rate), 1 - tail) if failures else 1.0
    return low, high


def _solve(increasing: Callable[[float], float], target: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if increasing(middle) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function: the distribution function of Beta(a, b) at `x`."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the continued fraction converges fast on the other side only
        return 1 - _incomplete_beta(b, a, 1 - x)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(scale) / a / _continued_fraction(a, b, x)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate 1 + d1/(1 + d2/(1 + …)) of the incomplete beta function by Lentz's method."""
    value, c, d = 1.0, 1.0, 0.0
    for term in range(1, MAX_TERMS):
        m = term // 2
        if term % 2:
            coefficient = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            coefficient = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / ((1 + coefficient * d) or SMALLEST)
        c = (1 + coefficient / c) or SMALLEST
        value *= c * d
        if abs(c * d - 1) < TOLERANCE:
            break
    return value
