"""Durations counted in a few classes, from which percentiles are estimated."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds: the upper bounds of the classes


def find_class(seconds: float) -> int:
    """The number of the class of a duration; the last one has those above all bounds."""
    return bisect_left(BOUNDS, seconds)


def count_durations(durations: Iterable[float]) -> list[int]:
    """How many of the durations lie in each class."""
    counts = [0] * (len(BOUNDS) + 1)
    for seconds in durations:
        counts[find_class(seconds)] += 1
    return counts


def estimate_percentile(counts: Sequence[int], longest: float, share: float) -> float:
    """Estimate how many seconds this share of the durations lasted at most; 0 where there are none."""
    wanted, below = share * sum(counts), 0
    for number, count in enumerate(counts):
        if count and below + count >= wanted:
            low = BOUNDS[number - 1] if number else 0.0
            high = BOUNDS[number] if number < len(BOUNDS) else longest
            return min(low + (high - low) * (wanted - below) / count, longest)
        below += count
    return longest
