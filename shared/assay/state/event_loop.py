"""Work that nothing runs beside: a process that answers one call needs no event loop, and starts sooner without one."""

import sys
from collections.abc import Callable, Coroutine
from typing import Any


def is_running() -> bool:
    """Whether others wait on this thread's event loop. asyncio itself is not imported to find out."""
    loops = sys.modules.get("asyncio")
    if loops is None:
        return False
    try:
        loops.get_running_loop()
    except RuntimeError:
        return False
    return True


async def run_blocking[**P, T](work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` returns: in a thread of its own where others wait meanwhile, here and now where nobody does."""
    if not is_running():
        return work(*args, **kwargs)
    import asyncio

    return await asyncio.to_thread(work, *args, **kwargs)


def run_without_loop[T](work: Coroutine[Any, Any, T]) -> T:
    """The result of work that waits for nothing. Raises RuntimeError for work that does: it needs a loop."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("the work waits for something, so it needs an event loop")
