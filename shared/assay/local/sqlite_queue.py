"""Messages in one SQLite file that several processes may share."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from assay.local.cipher import Cipher
from assay.local.database import Database, Row, Values
from assay.state.ports import RECEIVES, QueueMessage

DEAD_SECONDS = 14 * 86_400  # that a dead letter may be looked at
POLL_SECONDS = 1.0  # what other processes send is seen so late at most; what this one sends, at once
SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL, visible REAL NOT NULL, receives INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS messages_visible ON messages (visible);
PRAGMA user_version = 1;
COMMIT;
"""
SEND = "INSERT INTO messages (body, visible) VALUES (:body, :visible)"
RECEIVE = """UPDATE messages SET visible = :until, receives = receives + 1
  WHERE id IN (SELECT id FROM messages WHERE visible <= :now AND receives < :most ORDER BY visible, id LIMIT :limit)
  RETURNING id, body, receives"""
EXTEND = "UPDATE messages SET visible = :until WHERE id = :id AND receives = :receives"
DELETE = "DELETE FROM messages WHERE id = :id AND receives = :receives"
DEAD = """SELECT id, body, receives FROM messages
  WHERE visible <= :now AND receives >= :most ORDER BY visible, id LIMIT :limit"""
BURY = "DELETE FROM messages WHERE receives >= :most AND visible < :now"
SOON = "SELECT min(visible) FROM messages WHERE receives < :most"


class SqliteQueue:
    """ports.Queue over the file `path`. `receives` is how often a message is delivered before it is a dead letter."""

    def __init__(
        self, path: Path, cipher: Cipher, *, clock: Callable[[], float] = time.time, receives: int = RECEIVES
    ) -> None:
        self._cipher, self._clock, self._most = cipher, clock, receives
        self._database = Database(path, SCHEMA, self._purge_dead_letters)
        self._sent = asyncio.Event()

    async def send(self, body: str, *, delay: float = 0.0) -> None:
        sealed = self._cipher.encrypt(body.encode(), b"message")
        await self._run(SEND, {"body": sealed, "visible": self._clock() + delay})
        self._sent.set()

    async def receive(self, *, visible: float, wait: float = 0.0, most: int = 1) -> list[QueueMessage]:
        loop = asyncio.get_running_loop()
        until = loop.time() + wait
        while True:
            self._sent.clear()
            if found := await self._receive_rows(visible, most):
                return found
            left = until - loop.time()
            if left <= 0:
                return []
            await self._pause(min(left, POLL_SECONDS))

    async def extend(self, receipt: str, seconds: float) -> None:
        await self._run(EXTEND, {**_delivery(receipt), "until": self._clock() + seconds})
        if seconds <= 0:
            self._sent.set()

    async def delete(self, receipt: str) -> None:
        await self._run(DELETE, {**_delivery(receipt)})

    async def dead(self, most: int = 10) -> list[QueueMessage]:
        rows = await self._run(DEAD, {"now": self._clock(), "most": self._most, "limit": most})
        return [self._message(row) for row in rows]

    async def close(self) -> None:
        await self._database.close()

    def _purge_dead_letters(self) -> None:
        self._database.run(BURY, {"most": self._most, "now": self._clock() - DEAD_SECONDS})

    async def _receive_rows(self, visible: float, most: int) -> list[QueueMessage]:
        now = self._clock()
        values: Values = {"now": now, "until": now + visible, "most": self._most, "limit": most}
        return sorted((self._message(row) for row in await self._run(RECEIVE, values)), key=_age)

    async def _pause(self, seconds: float) -> None:
        """Until something is sent here, something hidden comes to light, or `seconds` are over."""
        [[soon]] = await self._run(SOON, {"most": self._most})
        if soon is not None:
            seconds = min(seconds, max(0.01, soon - self._clock()))
        try:
            async with asyncio.timeout(seconds):
                await self._sent.wait()
        except TimeoutError:
            pass

    async def _run(self, statement: str, values: Values) -> list[Row]:
        return await self._database.in_thread(self._database.run, statement, values)

    def _message(self, row: Row) -> QueueMessage:
        number, sealed, receives = row
        return QueueMessage(self._cipher.decrypt(sealed, b"message").decode(), f"{number}.{receives}", receives)


def _delivery(receipt: str) -> dict[str, int]:
    """What a receipt says: a message, and which of its deliveries. A later delivery's message is not ours to touch."""
    number, _, receives = receipt.partition(".")
    return {"id": int(number), "receives": int(receives)}


def _age(message: QueueMessage) -> int:
    return int(message.receipt.partition(".")[0])
