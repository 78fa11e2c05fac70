"""A cache for functions of untrusted text, bounded in bytes as well as in entries."""

from collections.abc import Callable
from functools import lru_cache, wraps

MAX_CACHED_TEXT = 256  # characters of a text whose result is cached


def cache_short[Result](entries: int) -> Callable[[Callable[[str], Result]], Callable[[str], Result]]:
    """Like `functools.lru_cache(entries)` for a function of one text; results for long texts are not cached."""

    def decorate(compute: Callable[[str], Result]) -> Callable[[str], Result]:
        cached = lru_cache(entries)(compute)

        @wraps(compute)
        def lookup(text: str) -> Result:
            return cached(text) if len(text) <= MAX_CACHED_TEXT else compute(text)

        return lookup

    return decorate
