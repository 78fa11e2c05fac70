"""Who turns bytes into a page: this thread for a small one, another for a large one, processes for a server."""

import asyncio
import multiprocessing
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from assay.errors import UpstreamFailed

IN_PLACE = 96 * 1024  # bytes up to which a page is read on the loop itself; a thread's hand-over costs more


class Readers(Protocol):
    async def __call__[T](self, read: Callable[..., T], *given: Any, size: int) -> T:
        """`read(*given)`, whose main part is `size` bytes large."""
        ...

    def close(self) -> None: ...


class HereAndNow:
    """In this process: what a Lambda and the command line need."""

    async def __call__[T](self, read: Callable[..., T], *given: Any, size: int) -> T:
        if size <= IN_PLACE:
            return read(*given)
        return await asyncio.to_thread(read, *given)  # who leaves before it ends leaves nothing half done

    def close(self) -> None:
        pass


HERE = HereAndNow()


class InProcesses:
    """In processes: every core reads, the loop stays free, and a page that kills its reader kills no more."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: Executor | None = None

    async def __call__[T](self, read: Callable[..., T], *given: Any, size: int) -> T:
        del size
        pool = self._pool or self._made()
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, read, *given)
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = None
            # Whose page it was is not known: each is tried once more, in a pool of its own.
            return await self._alone(read, *given)

    async def _alone[T](self, read: Callable[..., T], *given: Any) -> T:
        pool = _pool(1)
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, read, *given)
        except BrokenProcessPool:
            raise UpstreamFailed("This page breaks its reader; its content can't be read.") from None
        finally:
            pool.shutdown(wait=False)

    def _made(self) -> Executor:
        self._pool = _pool(self._count)
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _pool(count: int) -> ProcessPoolExecutor:
    # Not forked from here: a process with threads and a loop is none to be copied.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=ready)


def ready() -> None:
    """Import what reading takes before the first page waits for it; leave signals to the parent."""
    import signal

    from assay.scraping import bodies, frames  # noqa: F401
    from assay.text import decode, metadata, reading, walls  # noqa: F401

    signal.signal(signal.SIGINT, signal.SIG_IGN)
