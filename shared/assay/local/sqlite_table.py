"""Rows in one SQLite file that several processes may share."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.errors import ConfigError
from assay.local.cipher import Cipher
from assay.local.database import Database, Row, Values
from assay.state.ports import Conflict, TableItem, TablePage, check_row

PURGE_EVERY, PURGE_ROWS = 500, 500  # writes between purges; rows one purge may take

# Names are blobs, so that SQLite orders them by their bytes and a prefix is a plain range.
SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS rows (
  key BLOB NOT NULL, sort BLOB NOT NULL, version INTEGER NOT NULL, until INTEGER, value BLOB NOT NULL,
  PRIMARY KEY (key, sort)
);
CREATE INDEX IF NOT EXISTS rows_until ON rows (until) WHERE until IS NOT NULL;
CREATE TABLE IF NOT EXISTS counters (
  key BLOB NOT NULL, sort BLOB NOT NULL, count INTEGER NOT NULL, until INTEGER,
  PRIMARY KEY (key, sort)
);
CREATE INDEX IF NOT EXISTS counters_until ON counters (until) WHERE until IS NOT NULL;
PRAGMA user_version = 2;
COMMIT;
"""
GET = """SELECT value, version, until FROM rows
  WHERE key = :key AND sort = :sort AND (until IS NULL OR until > :now)"""
# A version is the nanosecond it was made, or later: a row deleted and made anew never meets an old version.
PLACE = "SELECT version, until IS NULL OR until > :now FROM rows WHERE key = :key AND sort = :sort"
PUT = "INSERT OR REPLACE INTO rows (key, sort, version, until, value) VALUES (:key, :sort, :version, :until, :value)"
DELETE = "DELETE FROM rows WHERE key = :key AND sort = :sort"
DELETE_AT = f"{DELETE} AND version = :expect AND (until IS NULL OR until > :now) RETURNING version"
DELETE_KEYS = "DELETE FROM rows WHERE key >= :least AND key < :beyond RETURNING key"
QUERY = """SELECT sort, value, version, until FROM rows
  WHERE key = :key AND sort >= :least AND sort < :beyond AND (until IS NULL OR until > :now)"""
UPWARD, DOWNWARD = " AND sort > :after ORDER BY sort LIMIT :limit", " AND sort < :after ORDER BY sort DESC LIMIT :limit"
ADD = """INSERT INTO counters (key, sort, count, until) VALUES (:key, :sort, :amount, :until)
  ON CONFLICT DO UPDATE SET
    count = iif(until <= :now, 0, count) + excluded.count,
    until = iif(until <= :now, excluded.until, coalesce(until, excluded.until))
  RETURNING count"""
OLD_ROWS = "SELECT rowid, key, sort, version, until, value FROM rows WHERE rowid > :after ORDER BY rowid LIMIT 200"
PURGE = [
    f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE until <= :now LIMIT {PURGE_ROWS})"  # noqa: S608
    for table in ("rows", "counters")
]


class SqliteTable:
    """ports.Table over the file `path`. One thread owns the connection; a change is a statement or a transaction.

    Raises ToolError when the file cannot be used, ConfigError when a row does not open with the cipher's keys.
    """

    def __init__(self, path: Path, cipher: Cipher, *, clock: Callable[[], float] = time.time) -> None:
        self._cipher, self._clock = cipher, clock
        self._database = Database(path, SCHEMA, self._ready)
        self._run = self._database.run
        self._in_thread = self._database.in_thread
        self._writes = 0

    async def get(self, key: str, sort: str = "-") -> TableItem | None:
        check_row(key, sort)
        return await self._in_thread(self._get, key, sort)

    async def put(
        self, key: str, sort: str, value: bytes, *, until: float | None = None, expect: int | None = None
    ) -> int:
        check_row(key, sort, value)
        return await self._in_thread(self._put, key, sort, value, until, expect)

    async def delete(self, key: str, sort: str = "-", *, expect: int | None = None) -> None:
        check_row(key, sort)
        await self._in_thread(self._delete, key, sort, expect)

    async def query(
        self, key: str, prefix: str = "", *, after: str | None = None, limit: int = 100, descending: bool = False
    ) -> TablePage:
        check_row(key, after or prefix or "-")
        return await self._in_thread(self._query, key, prefix, after, limit, descending)

    async def add(self, key: str, sort: str, amount: int = 1, *, until: float | None = None) -> int:
        check_row(key, sort)
        return await self._in_thread(self._add, key, sort, amount, until)

    async def delete_keys(self, prefix: str) -> list[str]:
        """Delete every row whose key begins with `prefix`; these keys."""
        return await self._in_thread(self._delete_keys, prefix)

    async def close(self) -> None:
        """Closes the file; nothing may be asked afterwards. Closing twice is no harm."""
        await self._database.close()

    # What follows runs in the thread.

    def _get(self, key: str, sort: str) -> TableItem | None:
        rows = self._run(GET, self._values(key, sort))
        return self._item(key, (sort.encode(), *rows[0])) if rows else None

    def _put(self, key: str, sort: str, value: bytes, until: float | None, expect: int | None) -> int:
        values = self._values(key, sort, until)
        with self._database.transaction():  # the version is sealed with the value, so it must be known before
            rows = self._run(PLACE, values)
            old, alive = rows[0] if rows else (0, False)
            if expect is not None and (alive if expect == 0 else not alive or old != expect):
                raise Conflict(f"{key}/{sort} is not at version {expect}")
            version = max(int(old) + 1, time.time_ns())
            place = _place(values["key"], values["sort"], version, values["until"])
            self._run(PUT, values | {"version": version, "value": self._cipher.encrypt(value, *place)})
        self._purge_now_and_then()
        return version

    def _delete(self, key: str, sort: str, expect: int | None) -> None:
        values = self._values(key, sort) | {"expect": expect}
        done = self._run(DELETE_AT, values) if expect else None
        if expect is None:
            self._run(DELETE, values)
        elif not done and (expect or self._run(GET, values)):
            raise Conflict(f"{key}/{sort} is not at version {expect}")

    def _delete_keys(self, prefix: str) -> list[str]:
        least = prefix.encode()
        rows = self._run(DELETE_KEYS, {"least": least, "beyond": least[:-1] + bytes([least[-1] + 1])})
        return [key.decode() for (key,) in rows]

    def _query(self, key: str, prefix: str, after: str | None, limit: int, descending: bool) -> TablePage:
        least = prefix.encode()
        beyond = least[:-1] + bytes([least[-1] + 1]) if least else b"\xff"  # UTF-8 has no byte 0xff
        start = (b"\xff" if descending else b"") if after is None else after.encode()
        rows = self._run(
            QUERY + (DOWNWARD if descending else UPWARD),
            self._values(key, "-") | {"least": least, "beyond": beyond, "after": start, "limit": limit + 1},
        )
        items = [self._item(key, row) for row in rows[:limit]]
        return TablePage(items, items[-1].sort if len(rows) > limit else None)

    def _add(self, key: str, sort: str, amount: int, until: float | None) -> int:
        [[count]] = self._run(ADD, self._values(key, sort, until) | {"amount": amount})
        self._purge_now_and_then()
        return int(count)

    def _values(self, key: str, sort: str, until: float | None = None) -> Values:
        return {
            "key": key.encode(),
            "sort": sort.encode(),
            "now": self._clock(),
            "until": None if until is None else math.ceil(until),
        }

    def _item(self, key: str, row: Row) -> TableItem:
        sort, sealed, version, until = row
        return TableItem(
            sort.decode(), self._cipher.decrypt(sealed, *_place(key.encode(), sort, version, until)), version
        )

    def _ready(self) -> None:
        if self._is_old():
            self._upgrade()
        self._purge()

    def _upgrade(self) -> None:
        """Seal the rows of an earlier version anew: it did not bind them to their version and expiry."""
        with self._database.transaction():
            after = 0
            while rows := self._run(OLD_ROWS, {"after": after}) if self._is_old() else []:
                for number, key, sort, version, until, sealed in rows:
                    after = number
                    with suppress(ConfigError):  # of another key: whoever reads it is told
                        plain = self._cipher.decrypt(sealed, key, sort)
                        value = self._cipher.encrypt(plain, *_place(key, sort, version, until))
                        self._run(
                            "UPDATE rows SET value = :value WHERE rowid = :rowid", {"value": value, "rowid": number}
                        )
            self._run("PRAGMA user_version = 2", {})

    def _is_old(self) -> bool:
        return self._run("PRAGMA user_version", {}) == [(1,)]  # another process may have been first

    def _purge_now_and_then(self) -> None:
        self._writes += 1
        if self._writes % PURGE_EVERY == 0:
            self._purge()

    def _purge(self) -> None:
        for statement in PURGE:
            self._run(statement, {"now": self._clock()})


def _place(key: Any, sort: Any, version: int, until: Any) -> tuple[bytes, ...]:
    """Where a value lies, in which version and until when: elsewhere, in another or longer it does not open."""
    return key, sort, str(version).encode(), b"" if until is None else str(until).encode()
