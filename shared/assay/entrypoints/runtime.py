"""The event loop and the services that a process shares between calls."""

from collections.abc import Coroutine
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from assay.services import Services
    from assay.settings import Settings


@cache
def runner() -> "asyncio.Runner":
    """The event loop of the process, shared because pooled connections only work on the loop that opened them."""
    import asyncio

    return asyncio.Runner()


@cache
def _own_settings() -> "Settings":
    from assay.settings import Settings

    return Settings.read()


_build_lock = Lock()  # a thread builds the services at INIT
_built: dict[str, "Services"] = {}  # at most one entry, by the stored settings that it was built with


def services() -> "Services":
    """The services of the process, built at the first call; on AWS again when the stored settings have changed.

    Raises Misconfigured, or DependencyUnavailable when the stored settings cannot be read.
    """
    from assay.bootstrap import build_services, read_stored_settings

    settings = _own_settings()
    stored = read_stored_settings(settings)
    with _build_lock:
        if stored not in _built:
            services = build_services(settings, stored)
            for outdated in _built.values():
                wait_for(outdated.close())
            _built.clear()
            _built[stored] = services
        return _built[stored]


def close() -> None:
    """Close the services and the event loop; the next call opens others."""
    with _build_lock:
        for services in _built.values():
            wait_for(services.close())
        _built.clear()
    runner().close()
    runner.cache_clear()


def wait_for[T](work: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine on the shared event loop, in a copy of this context, and return its result."""
    from contextvars import copy_context

    return runner().run(work, context=copy_context())
