"""One SQLite file that several processes may share: who opens it, how it is waited for, and what its failures say."""

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
    """The file `path` with `schema`, a script for a new file. One thread owns the connection.

    `ready` runs in that thread once the file is open. Raises ToolError when the file cannot be used.
    """

    def __init__(self, path: Path, schema: str, ready: Callable[[], None] = lambda: None) -> None:
        self._path, self._schema, self._ready = path, schema, ready
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sqlite")
        self._connection: sqlite3.Connection | None = None

    async def in_thread[**P, T](self, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `step`, which may `run` statements, where the connection lives."""

        def steps() -> T:
            try:
                return step(*args, **kwargs)
            except (sqlite3.Error, OSError) as failure:
                reason = getattr(failure, "strerror", None) or failure  # an OSError's own words name the path
                raise ToolError(f"The database {self._path.name} cannot be used: {reason}.") from failure

        return await asyncio.get_running_loop().run_in_executor(self._thread, steps)

    def run(self, statement: str, values: Values) -> list[Row]:
        """The rows of one statement, in the thread. A change of one statement is atomic."""
        if self._connection is None:
            self._connection = self._open_connection()
            try:
                self._ready()
            except BaseException:
                self._close()  # the next who asks begins anew
                raise
        return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Around statements that no other process may come between, in the thread."""
        self.run("BEGIN IMMEDIATE", {})
        try:
            yield
        except BaseException:
            self.run("ROLLBACK", {})
            raise
        self.run("COMMIT", {})

    async def close(self) -> None:
        """Closes the file; nothing may be asked afterwards. Closing twice is no harm."""
        try:
            await self.in_thread(self._close)
        except RuntimeError:  # the thread has gone: it was closed before
            return
        self._thread.shutdown()

    def _open_connection(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite's other files take this one's mode
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
    """SQLite does not wait where two processes turn it on at once, so we do."""
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
