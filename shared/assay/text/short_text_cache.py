"""Caching of functions of text that others write: bounded in bytes, not only in entries."""

from collections.abc import Callable
from functools import lru_cache, wraps

LONGEST = 256  # characters of a text whose result is kept


def cache_short[Result](entries: int) -> Callable[[Callable[[str], Result]], Callable[[str], Result]]:
    """As `functools.lru_cache(entries)` for a function of one text, which is computed anew where it is long."""

    def decorate(compute: Callable[[str], Result]) -> Callable[[str], Result]:
        cached = lru_cache(entries)(compute)

        @wraps(compute)
        def lookup(text: str) -> Result:
            return cached(text) if len(text) <= LONGEST else compute(text)

        return lookup

    return decorate
