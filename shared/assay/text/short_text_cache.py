"""A cache for functions of untrusted text, bounded in bytes as well as in entries."""

from collections.abc import Callable

MAX_CACHED_TEXT = 256  # characters of a text whose result is cached


class ShortTextCache[Result](dict[str, Result]):
    """The results of a function by its text; a full cache starts anew. A known result costs no call in Python."""

    def __init__(self, compute: Callable[[str], Result], entries: int) -> None:
        super().__init__()
        self._compute = compute
        self._entries = entries

    def __missing__(self, text: str) -> Result:
        result = self._compute(text)
        if len(text) <= MAX_CACHED_TEXT:
            if len(self) >= self._entries:
                self.clear()
            self[text] = result
        return result


def cache_short[Result](entries: int) -> Callable[[Callable[[str], Result]], Callable[[str], Result]]:
    """Keep up to `entries` results of a function of one text; those for long texts are not kept."""
    return lambda compute: ShortTextCache(compute, entries).__getitem__
