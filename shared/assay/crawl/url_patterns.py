"""Patterns of callers: RE2's, whose time grows with the text alone, whatever the pattern."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from assay.net.urls import parse_url

MOST, LONGEST = 50, 500  # patterns; characters of one
MEMORY = 1 << 20  # bytes that one pattern may take when it is compiled


class UrlPattern(NamedTuple):
    """A pattern is looked for anywhere in path and query; one that begins with `http`, in the whole URL."""

    compiled: Any
    whole: bool

    def search(self, url: str) -> bool:
        return self.compiled.search(url if self.whole else parse_url(url).target) is not None


def compile_patterns(patterns: Sequence[str]) -> tuple[UrlPattern, ...]:
    """Raises ValueError in words for whoever wrote them."""
    if len(patterns) > MOST:
        raise ValueError(f"{MOST} patterns are taken at most")
    return tuple(_compile_pattern(pattern) for pattern in patterns)


@lru_cache(maxsize=256)
def _compile_pattern(pattern: str) -> UrlPattern:
    import re2

    if not pattern or len(pattern) > LONGEST:
        raise ValueError(f"a pattern has 1 to {LONGEST} characters")
    options = re2.Options()
    options.max_mem = MEMORY
    options.log_errors = False
    try:
        made = re2.compile(pattern, options)
    except re2.error as wrong:
        reason = wrong.args[0].decode(errors="replace") if isinstance(wrong.args[0], bytes) else str(wrong)
        raise ValueError(
            f"{pattern[:60]!r} is no pattern that is taken here: {reason}; the syntax is RE2's, without look-around "
            "and back-references"
        ) from None
    return UrlPattern(made, pattern.lstrip("^").startswith("http"))
