"""Writes that may fail without failing the call: the failure is logged, audited and reported in `_meta.notStored`."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

log = logging.getLogger("assay")

# What the current call could not store. A context variable, because a parameter would become part of cache keys.
_UNSAVED: ContextVar[list[str] | None] = ContextVar("unsaved", default=None)


@contextmanager
def collect_unsaved() -> Iterator[list[str]]:
    """A list to which `attempt_to_store` adds the names of failed writes inside this context."""
    unsaved: list[str] = []
    token = _UNSAVED.set(unsaved)
    try:
        yield unsaved
    finally:
        _UNSAVED.reset(token)


@contextmanager
def attempt_to_store(what: str) -> Iterator[None]:
    """Log an exception of the write inside this context instead of raising it. `what` is one word, such as `cache`."""
    try:
        yield
    except Exception:  # stores raise errors of their own libraries: a full disk, a throttled table
        log.warning("The write to the %s failed.", what, exc_info=True)
        unsaved = _UNSAVED.get()
        if unsaved is not None and what not in unsaved:
            unsaved.append(what)
