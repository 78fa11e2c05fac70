"""SQLite file shared by several processes: opening, locking, transactions and translation of errors.

A step on a few small rows takes tens of microseconds, and handing it to a thread and back several times as long. So
such a step runs at once, in the thread of the caller, where it waits for no lock: while somebody else writes, it runs
in the thread of the file instead, which waits. That thread also moves the log into the file, which waits for the disk.
Steps that come while that thread has work go there too: they stay in their order, and the log is not written while it
is moved, after which it begins anew.
"""

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate

from assay.errors import ToolError
from assay.local.disk_errors import to_state_error

log = logging.getLogger("assay")
BUSY_SECONDS = 30.0
_creation_lock = Lock()  # of all threads: until a new file's descriptor is closed, no connection to it may be open
UPKEEP_CHANGES = 250  # between two upkeeps; as many rows of the cache fill about 4 MB of the log

type Values = dict[str, bytes | int | float | None]
type Row = tuple[Any, ...]
type Run = Callable[[str, Values], list[Row]]  # executes one statement, which is atomic, and returns its rows


class Database:
    """The SQLite file `path`. `schema` is the SQL script for a new file; `clean` runs after it is opened, and at times.

    Methods raise ToolError when the file cannot be used.
    """

    def __init__(self, path: Path, schema: str, clean: Callable[[Run], None] = lambda _: None) -> None:
        self._path, self._schema, self._clean = path, schema, clean
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sqlite")
        self._connection: sqlite3.Connection | None = None  # of that thread
        self._prompt: sqlite3.Connection | None = None  # of steps that run at once
        self._prompt_lock = Lock()  # callers may have event loops in several threads
        self._pending: set[Future[Any]] = set()  # what that thread has to do, and answers that callers await
        self._changes = 0

    async def call[**P, T](self, step: Callable[Concatenate[Run, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `step` on a few small rows, at once unless it would wait. A change is one statement or transaction."""
        if not self._pending and self._prompt_lock.acquire(blocking=False):
            try:
                if self._prompt is not None:
                    return step(_build_run(self._prompt), *args, **kwargs)
            except (sqlite3.Error, OSError) as failure:
                if not _is_busy(failure):
                    raise self._translate(failure) from failure
            finally:
                self._prompt_lock.release()
        return await self.in_thread(step, *args, **kwargs)

    async def change[**P, T](self, step: Callable[Concatenate[Run, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do the same with a `step` that changes rows; at times, old rows are removed and the log is moved after it."""
        answer = await self.call(step, *args, **kwargs)
        self._changes += 1
        if self._changes % UPKEEP_CHANGES == 0:  # nobody waits for it: the change is made
            upkeep = self._submit(self._keep_up)
            upkeep.add_done_callback(self._pending.discard)
        return answer

    async def in_thread[**P, T](self, step: Callable[Concatenate[Run, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `step` in the thread of the file, where it may take long and waits for other writers."""

        def call() -> T:
            try:
                return step(_build_run(self._open()), *args, **kwargs)
            except (sqlite3.Error, OSError) as failure:
                raise self._translate(failure) from failure

        pending = self._submit(call)
        try:
            return await asyncio.wrap_future(pending)
        finally:
            if pending.done():
                self._pending.discard(pending)
            else:  # the caller was cancelled
                pending.add_done_callback(self._pending.discard)

    def call_alone[**P, T](self, step: Callable[Concatenate[Run, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `step` in the thread of the caller, who is no coroutine, over a connection of its own."""
        try:
            with closing(self._create_file()) as connection:
                return step(_build_run(connection), *args, **kwargs)
        except (sqlite3.Error, OSError) as failure:
            raise self._translate(failure) from failure

    async def close(self) -> None:
        """Close the file; no other method may be called afterwards. Closing twice is allowed."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
            self._thread.submit(self._close)  # a call that waited meanwhile opened the file again
        except RuntimeError:  # the executor is shut down: already closed
            return
        self._thread.shutdown()

    def _translate(self, failure: Exception) -> ToolError:
        return to_state_error(f"The database {self._path.name}", failure)

    def _submit[T](self, call: Callable[[], T]) -> Future[T]:
        pending = self._thread.submit(call)
        self._pending.add(pending)
        return pending

    def _keep_up(self) -> None:
        try:
            run = _build_run(self._open())
            self._clean(run)
            run("PRAGMA wal_checkpoint(PASSIVE)", {})
        except (sqlite3.Error, OSError):  # the next changes try again
            log.warning("Old rows of %s could not be removed.", self._path.name, exc_info=True)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = self._create_file()
            try:
                self._clean(_build_run(connection))
                self._prompt = self._connect_prompt()
            except BaseException:
                connection.close()  # the next call opens the file again
                raise
            self._connection = connection
        return self._connection

    def _create_file(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create_private(self._path)
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, autocommit=True)
        try:
            _turn_on_wal(connection)
            _set_log(connection)
            if connection.execute("PRAGMA user_version").fetchone() == (0,):
                connection.executescript(self._schema)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect_prompt(self) -> sqlite3.Connection:
        address = f"{self._path.absolute().as_uri()}?mode=rw"  # never another file, if somebody deleted this one
        connection = sqlite3.connect(address, uri=True, timeout=0, autocommit=True, check_same_thread=False)
        try:
            _set_log(connection)
            connection.execute("PRAGMA wal_autocheckpoint = 0")  # it would wait for the disk
        except BaseException:
            connection.close()
            raise
        return connection

    def _close(self) -> None:
        with self._prompt_lock:
            for connection in (self._prompt, self._connection):
                if connection is not None:
                    connection.close()
            self._prompt = self._connection = None


class Transaction:
    """Runs the statements inside this context as one transaction (BEGIN IMMEDIATE)."""

    __slots__ = ("_run",)

    def __init__(self, run: Run) -> None:
        self._run = run

    def __enter__(self) -> None:
        self._run("BEGIN IMMEDIATE", {})

    def __exit__(self, _kind: object, failure: BaseException | None, _traceback: object) -> None:
        self._run("COMMIT" if failure is None else "ROLLBACK", {})


def _create_private(path: Path) -> None:
    """Create the file for its owner alone, unless it exists; SQLite gives the -wal and -shm files the same mode.

    A file that exists is opened by SQLite alone. A process that closes a descriptor of its own loses all locks of its
    connections to the file (POSIX), and the next process that ends would delete their log.
    """
    with _creation_lock, suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _set_log(connection: sqlite3.Connection) -> None:
    """Let commits not wait for the disk, and the log not stay larger than 16 MB."""
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA journal_size_limit = 16777216")


def _build_run(connection: sqlite3.Connection) -> Run:
    return lambda statement, values: connection.execute(statement, values).fetchall()


def _is_busy(failure: Exception) -> bool:
    return getattr(failure, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _turn_on_wal(connection: sqlite3.Connection) -> None:
    """Turn on write-ahead logging, with retries: SQLite's busy timeout does not cover this pragma."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except sqlite3.OperationalError as failure:
            if failure.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return
