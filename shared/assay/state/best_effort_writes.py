"""Writes that may fail without failing the call: the failure is logged, audited and reported in `_meta.notStored`."""

import logging
from contextvars import ContextVar

from assay.state.context_values import ContextValue

log = logging.getLogger("assay")

# What the current call could not store. A context variable, because a parameter would become part of cache keys.
_UNSAVED: ContextVar[list[str] | None] = ContextVar("unsaved", default=None)


def collect_unsaved() -> ContextValue[list[str]]:
    """A list to which `attempt_to_store` adds the names of failed writes inside this context."""
    return ContextValue(_UNSAVED, [])


class StoreAttempt:
    """Logs an exception of the write inside this context instead of raising it."""

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, failure: BaseException | None, _traceback: object) -> bool:
        if not isinstance(failure, Exception):
            return False
        # Stores raise errors of their own libraries: a full disk, a throttled table.
        log.warning("The write to the %s failed.", self._what, exc_info=failure)
        unsaved = _UNSAVED.get()
        if unsaved is not None and self._what not in unsaved:
            unsaved.append(self._what)
        return True


def attempt_to_store(what: str) -> StoreAttempt:
    """Log an exception of the write inside this context instead of raising it. `what` is one word, such as `cache`."""
    return StoreAttempt(what)
