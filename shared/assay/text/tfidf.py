"""TF-IDF weights of texts within a set of texts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum, log


class TfidfWeights:
    """The TF-IDF weights of texts, each a list of terms."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._texts = texts
        self._holders = Counter(term for terms in texts for term in dict.fromkeys(terms))

    def of(self, index: int) -> float:
        """Return Σ (1 + ln tf) · ln (N / df) over the text's terms, summed exactly so that order does not matter."""
        counts = Counter(self._texts[index])
        whole = len(self._texts)
        return fsum((1 + log(count)) * log(whole / self._holders[term]) for term, count in counts.items())


def host_weight(host: str, hints: Iterable[tuple[str, float]]) -> float:
    """Return the weight that the hints give a host: that of the longest matching domain, else 1."""
    fitting = [(len(domain), weight) for domain, weight in hints if host == domain or host.endswith("." + domain)]
    return max(fitting)[1] if fitting else 1.0
