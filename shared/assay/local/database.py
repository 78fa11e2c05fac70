"""SQLite file shared by several processes: opening, locking, transactions and translation of errors."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.errors import ToolError

BUSY_SECONDS = 30.0

type Values = dict[str, bytes | int | float | None]
type Row = tuple[Any, ...]


class Database:
    """Connection to the SQLite file `path`, owned by one thread. `schema` is the SQL script for a new file.

    `ready` runs in that thread once the file is open. Methods raise ToolError when the file cannot be used.
    """

    def __init__(self, path: Path, schema: str, ready: Callable[[], None] = lambda: None) -> None:
        self._path, self._schema, self._ready = path, schema, ready
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sqlite")
        self._connection: sqlite3.Connection | None = None

    async def in_thread[**P, T](self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `step`, which may call `run`, in the thread that owns the connection."""

        def steps() -> T:
            try:
                return step(*args, **kwargs)
            except (sqlite3.Error, OSError) as failure:
                reason = getattr(failure, "strerror", None) or failure  # str(OSError) would show the path
                raise ToolError(f"The database {self._path.name} cannot be used: {reason}.") from failure

        return await asyncio.get_running_loop().run_in_executor(self._thread, steps)

    def run(self, statement: str, values: Values) -> list[Row]:
        """Execute one statement and return its rows; call it in the owning thread. Each statement is atomic."""
        if self._connection is None:
            self._connection = self._open_connection()
            try:
                self._ready()
            except BaseException:
                self._close()  # the next call opens the file again
                raise
        return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run statements as one transaction (BEGIN IMMEDIATE); use it in the owning thread."""
        self.run("BEGIN IMMEDIATE", {})
        try:
            yield
        except BaseException:
            self.run("ROLLBACK", {})
            raise
        self.run("COMMIT", {})

    async def close(self) -> None:
        """Close the file; no other method may be called afterwards. Closing twice is allowed."""
        try:
            await self.in_thread(self._close)
            self._thread.submit(self._close)  # a call that waited meanwhile opened the file again
        except RuntimeError:  # the executor is shut down: already closed
            return
        self._thread.shutdown()

    def _open_connection(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(
            os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        )  # SQLite gives the -wal and -shm files the same mode
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, autocommit=True)
        try:
            _turn_on_wal(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA journal_size_limit = 16777216")
            if connection.execute("PRAGMA user_version").fetchone() == (0,):
                connection.executescript(self._schema)
        except BaseException:
            connection.close()
            raise
        return connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


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
