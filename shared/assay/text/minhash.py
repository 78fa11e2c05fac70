"""MinHash signatures of texts, over runs of three words."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rensa import RMinHash

RUN = 3  # words


def word_runs(words: Sequence[str]) -> list[str]:
    """All runs of three words; a shorter text is one run."""
    return [" ".join(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1))]


def compute_signature(runs: Iterable[str], permutations: int, seed: int) -> "RMinHash":
    """The MinHash signature of a set of runs."""
    from rensa import RMinHash

    signature = RMinHash(permutations, seed)
    signature.update(list(runs))
    return signature
