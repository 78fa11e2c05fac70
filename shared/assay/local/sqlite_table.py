"""Key-value table in a SQLite file shared by several processes."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.errors import ConfigError
from assay.local.cipher import Cipher
from assay.local.database import Database, Row, Run, Transaction, Values
from assay.local.purge_times import PurgeTimes, advance_times
from assay.state.ports import COUNTER_MARK, Conflict, TableItem, TablePage, check_row

PURGE_ROWS = 500  # at most in one purge of a table

# Keys are blobs: SQLite orders them by their bytes, and a prefix is a range.
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
# A version is the nanosecond of its write, or later: a row that is deleted and created again never reuses one.
PLACE = "SELECT version, until IS NULL OR until > :now FROM rows WHERE key = :key AND sort = :sort"
WRITE = """INSERT INTO rows (key, sort, version, until, value) VALUES (:key, :sort, :version, :until, :value)
  ON CONFLICT DO UPDATE SET version = :version, until = :until, value = :value WHERE version < :version"""
CREATE = f"{WRITE} AND rows.until <= :now"
UPDATE = """UPDATE rows SET version = :version, until = :until, value = :value
  WHERE key = :key AND sort = :sort AND version = :expect AND version < :version AND (until IS NULL OR until > :now)"""
DELETE = "DELETE FROM rows WHERE key = :key AND sort = :sort"
DELETE_AT = f"{DELETE} AND version = :expect AND (until IS NULL OR until > :now) RETURNING version"
DELETE_KEYS = "DELETE FROM rows WHERE key >= :first AND key < :beyond RETURNING key"
QUERY = """SELECT sort, value, version, until FROM rows
  WHERE key = :key AND sort >= :first AND sort < :beyond AND (until IS NULL OR until > :now)"""
UPWARD, DOWNWARD = " AND sort > :after ORDER BY sort LIMIT :limit", " AND sort < :after ORDER BY sort DESC LIMIT :limit"
ADD = """INSERT INTO counters (key, sort, count, until) VALUES (:key, :sort, :amount, :until)
  ON CONFLICT DO UPDATE SET
    count = iif(until <= :now, 0, count) + excluded.count,
    until = iif(until <= :now, excluded.until, coalesce(until, excluded.until))
  RETURNING count"""
OLD_ROWS = "SELECT rowid, key, sort, version, until, value FROM rows WHERE rowid > :after ORDER BY rowid LIMIT 200"
TIMES = f"SELECT sort, count FROM counters WHERE key = '{COUNTER_MARK}purge'"  # noqa: S608
SET_TIME = f"INSERT OR REPLACE INTO counters (key, sort, count) VALUES ('{COUNTER_MARK}purge', :sort, :count)"  # noqa: S608
PURGE = [
    f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE until <= :past LIMIT {PURGE_ROWS})"  # noqa: S608
    for table in ("rows", "counters")
]


class SqliteTable:
    """ports.Table over the file `path`; each change is a statement or a transaction.

    Raises ToolError when the file cannot be used, ConfigError when a row cannot be decrypted with the cipher's keys.
    """

    def __init__(self, path: Path, cipher: Cipher, *, clock: Callable[[], float] = time.time) -> None:
        self._cipher, self._clock = cipher, clock
        self._database = Database(path, SCHEMA, self._clean)

    async def get(self, key: str, sort: str = "-") -> TableItem | None:
        check_row(key, sort)
        return await self._database.call(self._get, key, sort)

    async def get_many(self, key: str, sorts: Sequence[str]) -> list[TableItem | None]:
        for sort in sorts:
            check_row(key, sort)
        return await self._database.in_thread(lambda run: [self._get(run, key, sort) for sort in sorts])

    async def put(
        self, key: str, sort: str, value: bytes, *, until: float | None = None, expect: int | None = None
    ) -> int:
        check_row(key, sort, value)
        return await self._database.change(self._put, key, sort, value, until, expect)

    def put_alone(self, key: str, sort: str, value: bytes, *, expect: int | None = None) -> int:
        """Do the same for a caller that is no coroutine. The file is opened for this alone."""
        check_row(key, sort, value)
        return self._database.call_alone(self._put, key, sort, value, None, expect)

    async def delete(self, key: str, sort: str = "-", *, expect: int | None = None) -> None:
        check_row(key, sort)
        await self._database.change(self._delete, key, sort, expect)

    async def query(
        self, key: str, prefix: str = "", *, after: str | None = None, limit: int = 100, descending: bool = False
    ) -> TablePage:
        check_row(key, after or prefix or "-")
        return await self._database.in_thread(self._query, key, prefix, after, limit, descending)

    async def add(self, key: str, sort: str, amount: int = 1, *, until: float | None = None) -> int:
        check_row(key, sort)
        return await self._database.change(self._add, key, sort, amount, until)

    async def delete_keys(self, prefix: str) -> list[str]:
        """Delete every row whose key starts with `prefix`. Return the deleted keys."""
        return await self._database.in_thread(self._delete_keys, prefix)

    async def close(self) -> None:
        """Close the file; no other method may be called afterwards. Closing twice is allowed."""
        await self._database.close()

    # The methods below are steps for the database.

    def _get(self, run: Run, key: str, sort: str) -> TableItem | None:
        rows = run(GET, self._values(key, sort))
        return self._item(key, (sort.encode(), *rows[0])) if rows else None

    def _put(self, run: Run, key: str, sort: str, value: bytes, until: float | None, expect: int | None) -> int:
        values, version = self._values(key, sort, until) | {"expect": expect}, time.time_ns()
        statement = WRITE if expect is None else UPDATE if expect else CREATE
        if run(f"{statement} RETURNING version", self._seal(values, value, version)):
            return version
        with Transaction(run):  # a conflict, or a row with a version of the future: the clock was set back
            rows = run(PLACE, values)
            old, alive = rows[0] if rows else (0, False)
            if expect is not None and (alive if expect == 0 else not alive or old != expect):
                raise Conflict(f"{key}/{sort} is not at version {expect}")
            version = max(int(old) + 1, time.time_ns())
            run(WRITE, self._seal(values, value, version))
        return version

    def _seal(self, values: Values, value: bytes, version: int) -> Values:
        """Add the version, and the value, which is authenticated with it."""
        place = _place(values["key"], values["sort"], version, values["until"])
        return values | {"version": version, "value": self._cipher.encrypt(value, *place)}

    def _delete(self, run: Run, key: str, sort: str, expect: int | None) -> None:
        values = self._values(key, sort) | {"expect": expect}
        done = run(DELETE_AT, values) if expect else None
        if expect is None:
            run(DELETE, values)
        elif not done and (expect or run(GET, values)):
            raise Conflict(f"{key}/{sort} is not at version {expect}")

    def _delete_keys(self, run: Run, prefix: str) -> list[str]:
        first = prefix.encode()
        rows = run(DELETE_KEYS, {"first": first, "beyond": first[:-1] + bytes([first[-1] + 1])})
        return [key.decode() for (key,) in rows]

    def _query(self, run: Run, key: str, prefix: str, after: str | None, limit: int, descending: bool) -> TablePage:
        first = prefix.encode()
        beyond = first[:-1] + bytes([first[-1] + 1]) if first else b"\xff"  # UTF-8 has no byte 0xff
        start = (b"\xff" if descending else b"") if after is None else after.encode()
        rows = run(
            QUERY + (DOWNWARD if descending else UPWARD),
            self._values(key, "-") | {"first": first, "beyond": beyond, "after": start, "limit": limit + 1},
        )
        items = [self._item(key, row) for row in rows[:limit]]
        return TablePage(items, items[-1].sort if len(rows) > limit else None)

    def _add(self, run: Run, key: str, sort: str, amount: int, until: float | None) -> int:
        [[count]] = run(ADD, self._values(key, sort, until) | {"amount": amount})
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

    def _clean(self, run: Run) -> None:
        """Remove rows whose time is over, and encrypt those of schema version 1 again."""
        if _is_old(run):
            self._upgrade(run)
        known = PurgeTimes(**{sort.decode(): count for sort, count in run(TIMES, {})})
        times = advance_times(known, self._clock())
        if times != known:
            for name, moment in times._asdict().items():
                run(SET_TIME, {"sort": name.encode(), "count": moment})
        for statement in PURGE:
            run(statement, {"past": times.until})

    def _upgrade(self, run: Run) -> None:
        """Encrypt the rows of schema version 1 again, whose ciphertext was not bound to version and expiry."""
        with Transaction(run):
            after = 0
            while rows := run(OLD_ROWS, {"after": after}) if _is_old(run) else []:
                for number, key, sort, version, until, sealed in rows:
                    after = number
                    with suppress(ConfigError):  # written with another key: reading the row reports it
                        plain = self._cipher.decrypt(sealed, key, sort)
                        value = self._cipher.encrypt(plain, *_place(key, sort, version, until))
                        run("UPDATE rows SET value = :value WHERE rowid = :rowid", {"value": value, "rowid": number})
            run("PRAGMA user_version = 2", {})


def _is_old(run: Run) -> bool:
    return run("PRAGMA user_version", {}) == [(1,)]  # another process may have upgraded the file


def _place(key: Any, sort: Any, version: int, until: Any) -> tuple[bytes, ...]:
    """Build the place that a value's ciphertext is bound to: key, sort, version and expiry."""
    return key, sort, str(version).encode(), b"" if until is None else str(until).encode()
