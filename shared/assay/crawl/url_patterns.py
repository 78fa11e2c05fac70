"""Callers' URL patterns, matched by RE2 in linear time."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from assay.net.urls import parse_url

MAX_PATTERNS, MAX_LENGTH = 50, 500  # patterns; characters per pattern
MAX_MEMORY_BYTES = 1 << 20  # bytes for one compiled pattern


class UrlPattern(NamedTuple):
    """A pattern that is searched in the path and query, or in the whole URL if it begins with `http`."""

    compiled: Any
    whole: bool

    def search(self, url: str) -> bool:
        return self.compiled.search(url if self.whole else parse_url(url).target) is not None


def compile_patterns(patterns: Sequence[str]) -> tuple[UrlPattern, ...]:
    """Compile the patterns. Raises ValueError with a message for the caller."""
    if len(patterns) > MAX_PATTERNS:
        raise ValueError(f"{MAX_PATTERNS} patterns are allowed at most")
    return tuple(_compile_pattern(pattern) for pattern in patterns)


@lru_cache(maxsize=256)
def _compile_pattern(pattern: str) -> UrlPattern:
    import re2

    if not pattern or len(pattern) > MAX_LENGTH:
        raise ValueError(f"a pattern has 1 to {MAX_LENGTH} characters")
    options = re2.Options()
    options.max_mem = MAX_MEMORY_BYTES
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as failure:
        reason = failure.args[0].decode(errors="replace") if isinstance(failure.args[0], bytes) else str(failure)
        raise ValueError(
            f"{pattern[:60]!r} is not a valid pattern: {reason}; the syntax is RE2's, without look-around "
            "and back-references"
        ) from None
    return UrlPattern(compiled, pattern.lstrip("^").startswith("http"))
