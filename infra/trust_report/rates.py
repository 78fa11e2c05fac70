"""Rates with their exact confidence intervals, and tables of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.evaluation.binomial_bounds import clopper_pearson


@dataclass
class Rate:
    """How often something happened."""

    successes: int = 0
    trials: int = 0

    def add(self, *, happened: bool) -> None:
        self.successes += happened
        self.trials += 1

    def __str__(self) -> str:
        if not self.trials:
            return "–"
        low, high = map(_percent, clopper_pearson(self.successes, self.trials))
        return f"{self.successes} of {self.trials:,} ({_percent(self.successes / self.trials)}; {low}–{high})"


class Rates(dict[str, Rate]):
    """Rates by name, in the order in which they came up."""

    def add(self, name: str, *, happened: bool) -> None:
        self.setdefault(name, Rate()).add(happened=happened)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def format_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format a Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)])
