"""Writes whose failure must not take the answer with it: logged, counted in the audit, and told in `_meta`."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

log = logging.getLogger("assay")

# What the call at work could not store. No part of any question: carried in one, it would part equal questions.
_UNSAVED: ContextVar[list[str] | None] = ContextVar("unsaved", default=None)


@contextmanager
def collect_unsaved() -> Iterator[list[str]]:
    """The list in which `attempt_to_store` notes what failed inside."""
    unsaved: list[str] = []
    token = _UNSAVED.set(unsaved)
    try:
        yield unsaved
    finally:
        _UNSAVED.reset(token)


@contextmanager
def attempt_to_store(what: str) -> Iterator[None]:
    """Around a write that the answer can do without. `what` is one word: cache, session, artifact, breaker."""
    try:
        yield
    except Exception:  # a full disk, a throttled table: stores fail with errors of their own
        log.warning("What belongs into the %s could not be stored.", what, exc_info=True)
        unsaved = _UNSAVED.get()
        if unsaved is not None and what not in unsaved:
            unsaved.append(what)
