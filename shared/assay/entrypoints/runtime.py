"""The event loop and the services that a process shares between calls."""

from collections.abc import Coroutine
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from assay.services import Services


@cache
def runner() -> "asyncio.Runner":
    """The event loop of the process, shared because pooled connections only work on the loop that opened them."""
    import asyncio

    return asyncio.Runner()


@cache
def services() -> "Services":
    """The services of the process, built at the first call."""
    from assay.bootstrap import build_services

    return build_services()


def wait_for[T](work: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine on the shared event loop and return its result."""
    return runner().run(work)
