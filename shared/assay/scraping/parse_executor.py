"""Who turns bytes into a page: this thread for a small one, another for a large one, processes for a server."""

import asyncio
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any, Protocol

from assay.documents.fair_queue import SLOW_SECONDS, FairQueue, Turn
from assay.documents.sandbox_pool import can_confine, machine_memory, start_confined
from assay.errors import CorruptDocument
from assay.scraping.reader_worker import SIZE

IN_PLACE = 96 * 1024  # bytes up to which a page is read on the loop itself; a thread's hand-over costs more
READ_SECONDS = 20.0  # after which a page is given up and its process ended
START_SECONDS = 60.0
ABANDONED_SECONDS = 1.0  # a page that nobody waits for any more may end by itself
ANSWER_BYTES = 256 * 1024 * 1024
MEMORY_BYTES = 2 * 1024 * 1024 * 1024
WORKER = "from assay.scraping.reader_worker import serve; serve({parent}, {memory})"


class Readers(Protocol):
    async def __call__[T](self, read: Callable[..., T], *given: Any, size: int) -> T:
        """`read(*given)`, whose main part is `size` bytes large."""
        ...

    def on_behalf_of(self, caller: str) -> "Readers":
        """The same readers for one caller, who shares them with the others."""
        ...

    def close(self) -> None: ...


class InlineExecutor:
    """In this process: what a Lambda and the command line need."""

    async def __call__[T](self, read: Callable[..., T], *given: Any, size: int) -> T:
        if size <= IN_PLACE:
            return read(*given)
        return await asyncio.to_thread(read, *given)  # who leaves before it ends leaves nothing half done

    def on_behalf_of(self, _: str) -> "InlineExecutor":
        return self

    def close(self) -> None:
        pass


INLINE = InlineExecutor()


class Gone(Exception):
    """The process ended before it answered, or answered with what it may not."""


class ReaderProcess:
    """One process that reads pages, one at a time."""

    def __init__(self) -> None:
        memory = min(MEMORY_BYTES, machine_memory())
        self.process, self._line = start_confined(WORKER.format(parent=os.getpid(), memory=memory))
        self._line.setblocking(False)
        self._is_ready = self.is_slowed = False

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    async def ask(self, read: Callable[..., Any], given: tuple[Any, ...], seconds: float, slow: float) -> Any:
        """The answer of `read(*given)`, for which the process gives way to others after `slow` seconds. Gone where it
        ends; TimeoutError where it takes longer than `seconds`.
        """
        loop, body = asyncio.get_running_loop(), pickle.dumps((read, given))
        slowing = loop.call_later(slow, self._slow_down)
        try:
            async with asyncio.timeout(seconds):
                await loop.sock_sendall(self._line, SIZE.pack(len(body)) + body)
                (size,) = SIZE.unpack(await self._receive(SIZE.size))
                if size > ANSWER_BYTES:
                    raise Gone
                went_well, answer = Data(BytesIO(await self._receive(size))).load()
        except (ConnectionError, pickle.UnpicklingError) as broken:
            raise Gone from broken
        finally:
            slowing.cancel()
        if went_well:
            return answer
        raise answer

    async def start(self) -> None:
        """Wait until it has imported what it needs. Gone where it does not come so far."""
        if not self._is_ready:
            async with asyncio.timeout(START_SECONDS):
                await self._receive(SIZE.size)
            self._is_ready = True

    async def _receive(self, length: int) -> bytearray:
        loop = asyncio.get_running_loop()
        body = bytearray(length)
        view, place = memoryview(body), 0
        while place < length:
            read = await loop.sock_recv_into(self._line, view[place:])
            if not read:
                raise Gone
            place += read
        return body

    def _slow_down(self) -> None:
        """Give way to the processes whose pages are quick, for good: an unprivileged process cannot take it back."""
        self.is_slowed = True
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self.process.pid, 10)

    def kill(self) -> None:
        self.process.kill()
        self._line.close()
        self.process.wait()


class Data(pickle.Unpickler):
    """Loads pages, data and errors alone: a process that was taken over must not choose what runs here."""

    def find_class(self, module: str, name: str) -> type:
        from pydantic import BaseModel

        if module == "builtins" or module.startswith("assay."):
            found = super().find_class(module, name) if "." not in name else None
            if isinstance(found, type) and issubclass(found, BaseModel | tuple | BaseException):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no data")


class ProcessExecutor:
    """In processes: every core reads, the loop stays free, and a page that takes over, stalls or ends its reader costs
    that page alone.
    """

    def __init__(self, count: int, *, seconds: float = READ_SECONDS, slow: float = SLOW_SECONDS) -> None:
        self._count, self._seconds, self._slow = count, seconds, slow
        self._queue = FairQueue(count, slow)
        self._idle: list[ReaderProcess] = []
        self._busy: set[ReaderProcess] = set()
        self._abandoned: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    async def __call__[T](self, read: Callable[..., T], *given: Any, size: int) -> T:
        del size
        return await self.read_for("", read, given)

    def on_behalf_of(self, caller: str) -> "Readers":
        return ForCaller(self, caller)

    async def read_for[T](self, caller: str, read: Callable[..., T], given: tuple[Any, ...]) -> T:
        """`read(*given)` in the caller's turn; its process is ended where it takes too long or nobody waits for it."""
        work: asyncio.Task[T] = asyncio.create_task(self._take_turn(caller, read, given))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._abandoned.add(work)
            work.add_done_callback(self._forget)
            asyncio.get_running_loop().call_later(ABANDONED_SECONDS, work.cancel)
            raise

    def _forget(self, work: "asyncio.Task[Any]") -> None:
        self._abandoned.discard(work)
        if not work.cancelled():
            work.exception()  # nobody waits to hear of it

    async def _take_turn[T](self, caller: str, read: Callable[..., T], given: tuple[Any, ...]) -> T:
        async with self._queue.turn(caller) as turn:
            answer: T = await self._work(turn, read, given)
            return answer

    async def _work(self, turn: Turn, read: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        worker, is_well = self._get_worker(), False
        try:
            await worker.start()
            self._queue.restart_clock(turn)
            answer = await worker.ask(read, given, self._seconds, self._slow)
        except Gone:
            raise CorruptDocument("This page breaks its reader; its content can't be read.") from None
        except TimeoutError:
            raise CorruptDocument(
                f"This page could not be read within {self._seconds:g} seconds; it is too complex or hostile."
            ) from None
        except Exception:
            is_well = True  # the error is the answer
            raise
        else:
            is_well = True
            return answer
        finally:
            self._put_back(worker, may_stay=is_well and not worker.is_slowed)

    def start_early(self) -> None:
        """Start a process before there is a page for it."""
        self._idle.append(ReaderProcess())

    def _get_worker(self) -> ReaderProcess:
        if self._is_closed:
            raise CorruptDocument("The server is stopping; this page is not read any more.")
        worker = None
        while self._idle and worker is None:
            worker = self._idle.pop()
            if not worker.is_alive:
                worker.kill()
                worker = None
        worker = worker or ReaderProcess()
        self._busy.add(worker)
        return worker

    def _put_back(self, worker: ReaderProcess, *, may_stay: bool) -> None:
        self._busy.discard(worker)
        if may_stay and not self._is_closed and len(self._idle) < self._count:
            self._idle.append(worker)
        else:
            worker.kill()

    def close(self) -> None:
        """End every process at once, whatever it is reading."""
        self._is_closed = True
        for worker in (*self._idle, *self._busy):
            worker.process.kill()
        while self._idle:
            self._idle.pop().kill()


class ForCaller:
    """The readers of a server as one of its callers has them."""

    def __init__(self, readers: ProcessExecutor, caller: str) -> None:
        self._readers, self._caller = readers, caller

    async def __call__[T](self, read: Callable[..., T], *given: Any, size: int) -> T:
        del size
        return await self._readers.read_for(self._caller, read, given)

    def on_behalf_of(self, caller: str) -> "Readers":
        return self._readers.on_behalf_of(caller)

    def close(self) -> None:
        self._readers.close()


def readers_for_server(count: int) -> Readers:
    """Processes where this system can confine them, else this process. The first starts at once, so that it imports
    what it needs while the first page is still fetched.
    """
    if not can_confine():
        return INLINE
    readers = ProcessExecutor(count)
    readers.start_early()
    return readers
