"""Executors for parsing pages: inline or in a thread, or in sandboxed worker processes for a server."""

import asyncio
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from io import BytesIO
from typing import Any, NoReturn, Protocol

from pydantic import BaseModel

from assay.documents.fair_queue import SLOW_SECONDS, FairQueue, Turn
from assay.documents.sandbox_pool import can_confine, machine_memory, start_confined
from assay.errors import CorruptDocument
from assay.scraping.reader_protocol import SIZE

INLINE_BYTES = 96 * 1024  # bytes; smaller pages are parsed on the event loop, as a thread switch costs more
READ_SECONDS = 20.0  # time limit, after which the process is killed
START_SECONDS = 60.0
ABANDONED_SECONDS = 1.0  # grace period for cancelled work, before its process is killed
ANSWER_BYTES = 256 * 1024 * 1024
MEMORY_BYTES = 2 * 1024 * 1024 * 1024
WORKER = "from assay.scraping.reader_worker import serve; serve({parent}, {memory})"


class ParseExecutor(Protocol):
    """Runs parsing functions."""

    async def __call__[T](self, read: Callable[..., T], *args: Any, size: int) -> T:
        """Run `read(*args)`; `size` is the size of the input in bytes."""
        ...

    def on_behalf_of(self, caller: str) -> "ParseExecutor":
        """The same executor for one caller, for fair sharing between callers."""
        ...

    def close(self) -> None:
        """Stop all processes."""
        ...


class InlineExecutor:
    """Parses in this process, as on Lambda and in the command line."""

    async def __call__[T](self, read: Callable[..., T], *args: Any, size: int) -> T:
        if size <= INLINE_BYTES:
            return read(*args)
        return await asyncio.to_thread(read, *args)  # parsing has no side effects, so cancellation is safe

    def on_behalf_of(self, _: str) -> "InlineExecutor":
        return self

    def close(self) -> None:
        pass


INLINE = InlineExecutor()


class ReaderProcessEnded(Exception):
    """The process ended before it responded, or sent an invalid response."""


class ReaderProcess:
    """One worker process, which parses one page at a time."""

    def __init__(self) -> None:
        memory = min(MEMORY_BYTES, machine_memory())
        self.process, self._line = start_confined(WORKER.format(parent=os.getpid(), memory=memory))
        self._line.setblocking(False)
        self.is_ready = self.is_slowed = False

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    async def ask(self, read: Callable[..., Any], args: tuple[Any, ...], seconds: float, slow: float) -> Any:
        """Run `read(*args)` in the process, with lower priority after `slow` seconds, and return its result.

        Raises ReaderProcessEnded if the process ends, TimeoutError after `seconds`, and the errors of `read`.
        """
        loop, body = asyncio.get_running_loop(), pickle.dumps((read, args))
        slowing = loop.call_later(slow, self._lower_priority)
        try:
            async with asyncio.timeout(seconds):
                await loop.sock_sendall(self._line, SIZE.pack(len(body)) + body)
                (size,) = SIZE.unpack(await self._receive(SIZE.size))
                if size > ANSWER_BYTES:
                    raise ReaderProcessEnded
                succeeded, answer = parse_answer(await self._receive(size))
        except ConnectionError as error:
            raise ReaderProcessEnded from error
        finally:
            slowing.cancel()
        if succeeded:
            return answer
        raise answer

    async def start(self) -> None:
        """Wait until the process has finished its imports. Raises ReaderProcessEnded if it ends before."""
        async with asyncio.timeout(START_SECONDS):
            await self._receive(SIZE.size)
        self.is_ready = True

    async def _receive(self, length: int) -> bytearray:
        loop = asyncio.get_running_loop()
        body = bytearray(length)
        view, place = memoryview(body), 0
        while place < length:
            read = await loop.sock_recv_into(self._line, view[place:])
            if not read:
                raise ReaderProcessEnded
            place += read
        return body

    def _lower_priority(self) -> None:
        """Lower the priority, which an unprivileged process cannot raise again, in favour of quick pages."""
        self.is_slowed = True
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self.process.pid, 10)

    def kill(self) -> None:
        self.process.kill()
        self._line.close()
        self.process.wait()


def refuse_state(_: object) -> NoReturn:
    raise pickle.UnpicklingError("a tuple has no state")


@cache  # bounded by the classes of this program, because what raises is not cached
def find_answer_class(module: str, name: str) -> type:
    """Find a class of models, tuples or errors. Raises UnpicklingError for anything else."""
    if (module == "builtins" or module.startswith("assay.")) and "." not in name:
        found = getattr(import_module(module), name)
        if isinstance(found, type) and issubclass(found, BaseModel | tuple | Exception):
            if issubclass(found, tuple) and found is not tuple:
                # Models and errors have such a method. Without it, a state for the class itself changes the class.
                found.__setstate__ = refuse_state  # type: ignore[attr-defined]
            return found
    raise pickle.UnpicklingError(f"{module}.{name} may not be unpickled")


class SafeUnpickler(pickle.Unpickler):
    """Unpickles only models, tuples and errors, so that a compromised worker cannot execute code or change a class."""

    find_class = staticmethod(find_answer_class)


def parse_answer(body: bytearray) -> tuple[bool, Any]:
    """Return whether the function succeeded, and its result or error. Raises ReaderProcessEnded for anything else."""
    try:
        succeeded, answer = SafeUnpickler(BytesIO(body)).load()
    except Exception as error:  # what is no pickle raises errors of all kinds
        raise ReaderProcessEnded from error
    if not succeeded and not isinstance(answer, Exception):
        raise ReaderProcessEnded
    return succeeded, answer


class ProcessExecutor:
    """Parses in sandboxed processes: uses all cores; a page that exploits, stalls or crashes the parser fails alone."""

    def __init__(self, count: int, *, seconds: float = READ_SECONDS, slow: float = SLOW_SECONDS) -> None:
        self._count, self._seconds, self._slow = count, seconds, slow
        self._queue = FairQueue(count, slow)
        self._idle: list[ReaderProcess] = []
        self._busy: set[ReaderProcess] = set()
        self._abandoned: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    async def __call__[T](self, read: Callable[..., T], *args: Any, size: int) -> T:
        del size
        return await self.read_for("", read, args)

    def on_behalf_of(self, caller: str) -> "ParseExecutor":
        return CallerExecutor(self, caller)

    async def read_for[T](self, caller: str, read: Callable[..., T], args: tuple[Any, ...]) -> T:
        """Run `read(*args)` in the caller's turn; its process is killed on time-out or cancellation."""
        work: asyncio.Task[T] = asyncio.create_task(self._take_turn(caller, read, args))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._abandoned.add(work)
            work.add_done_callback(self._discard)
            asyncio.get_running_loop().call_later(ABANDONED_SECONDS, work.cancel)
            raise

    def _discard(self, work: "asyncio.Task[Any]") -> None:
        self._abandoned.discard(work)
        if not work.cancelled():
            work.exception()  # marks the exception as retrieved

    async def _take_turn[T](self, caller: str, read: Callable[..., T], args: tuple[Any, ...]) -> T:
        async with self._queue.turn(caller) as turn:
            answer: T = await self._run_in_worker(turn, read, args)
            return answer

    async def _run_in_worker(self, turn: Turn, read: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        worker, is_well = self._get_worker(), False
        try:
            if not worker.is_ready:
                await worker.start()
                self._queue.restart_clock(turn)
            answer = await worker.ask(read, args, self._seconds, self._slow)
        except ReaderProcessEnded:
            raise CorruptDocument("This page crashes the parser; its content can't be read.") from None
        except TimeoutError:
            raise CorruptDocument(
                f"This page could not be read within {self._seconds:g} seconds; it is too complex or malicious."
            ) from None
        except Exception:
            is_well = True  # the error is a valid result
            raise
        else:
            is_well = True
            return answer
        finally:
            self._put_back(worker, may_stay=is_well and not worker.is_slowed)

    def start_early(self) -> None:
        """Start a process in advance."""
        self._idle.append(ReaderProcess())

    def _get_worker(self) -> ReaderProcess:
        if self._is_closed:
            raise CorruptDocument("The server is shutting down; this page was not read.")
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
        """Kill all processes, including busy ones."""
        self._is_closed = True
        for worker in (*self._idle, *self._busy):
            worker.process.kill()
        while self._idle:
            self._idle.pop().kill()


class CallerExecutor:
    """A view of the process executor for one caller."""

    def __init__(self, readers: ProcessExecutor, caller: str) -> None:
        self._readers, self._caller = readers, caller

    async def __call__[T](self, read: Callable[..., T], *args: Any, size: int) -> T:
        del size
        return await self._readers.read_for(self._caller, read, args)

    def on_behalf_of(self, caller: str) -> "ParseExecutor":
        return self._readers.on_behalf_of(caller)

    def close(self) -> None:
        self._readers.close()


def create_executor(count: int) -> ParseExecutor:
    """Create a process executor, or the inline executor on systems that cannot confine processes.

    The first process starts at once, to finish its imports while the first page is being fetched.
    """
    if not can_confine():
        return INLINE
    readers = ProcessExecutor(count)
    readers.start_early()
    return readers
