"""How much a text says that others do not: TF-IDF over the texts it came with."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum, log


class Weights:
    """Weighs texts, each a list of terms, by what is rare among all of them."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._texts = texts
        self._holders = Counter(term for terms in texts for term in dict.fromkeys(terms))

    def of(self, index: int) -> float:
        """Σ (1 + ln tf) · ln (N / df) over the text's terms, summed exactly, so that no order changes it."""
        counts = Counter(self._texts[index])
        whole = len(self._texts)
        return fsum((1 + log(count)) * log(whole / self._holders[term]) for term, count in counts.items())


def authority(host: str, hints: Iterable[tuple[str, float]]) -> float:
    """The weight that the hints give a host: that of the longest domain it lies in, else 1."""
    fitting = [(len(domain), weight) for domain, weight in hints if host == domain or host.endswith("." + domain)]
    return max(fitting)[1] if fitting else 1.0
