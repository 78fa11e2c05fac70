"""Runs code with or without an event loop: one call of the command line starts faster without one."""

import sys
from collections.abc import Callable, Coroutine
from typing import Any


def is_running() -> bool:
    """Whether this thread has a running event loop. Does not import asyncio."""
    loops = sys.modules.get("asyncio")
    if loops is None:
        return False
    try:
        loops.get_running_loop()
    except RuntimeError:
        return False
    return True


async def run_blocking[**P, T](work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function: in another thread if an event loop is running, else directly."""
    if not is_running():
        return work(*args, **kwargs)
    import asyncio

    return await asyncio.to_thread(work, *args, **kwargs)


def run_without_loop[T](work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never suspends. Raises RuntimeError for one that does."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("the coroutine suspends, so it needs an event loop")
