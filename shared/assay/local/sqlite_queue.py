"""Message queue in a SQLite file shared by several processes."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from assay.local.cipher import Cipher
from assay.local.database import Database, Row, Run, Values
from assay.state.ports import RECEIVES, QueueMessage

DEAD_SECONDS = 14 * 86_400  # retention of dead letters
LONGEST_HIDDEN = 3_600.0  # seconds; the longest delay of a message is a quarter of an hour
POLL_SECONDS = 1.0  # interval to look for messages of other processes; those of this process wake the receiver at once
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
  WHERE id IN (
    SELECT id FROM messages WHERE (visible <= :now OR visible > :latest) AND receives < :max_receives
    ORDER BY visible, id LIMIT :limit
  )
  RETURNING id, body, receives"""
EXTEND = "UPDATE messages SET visible = :until WHERE id = :id AND receives = :receives"
DELETE = "DELETE FROM messages WHERE id = :id AND receives = :receives"
DEAD = """SELECT id, body, receives FROM messages
  WHERE visible <= :now AND receives >= :max_receives ORDER BY visible, id LIMIT :limit"""
PURGE_DEAD = "DELETE FROM messages WHERE receives >= :max_receives AND visible < :now"
NEXT_VISIBLE = "SELECT min(visible) FROM messages WHERE receives < :max_receives"


class SqliteQueue:
    """ports.Queue over the file `path`. A message delivered `receives` times becomes a dead letter."""

    def __init__(
        self, path: Path, cipher: Cipher, *, clock: Callable[[], float] = time.time, receives: int = RECEIVES
    ) -> None:
        self._cipher, self._clock, self._max_receives = cipher, clock, receives
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
            if messages := await self._receive_rows(visible, most):
                return messages
            left = until - loop.time()
            if left <= 0:
                return []
            await self._pause(min(left, POLL_SECONDS))

    async def extend(self, receipt: str, seconds: float) -> None:
        await self._run(EXTEND, {**_parse_receipt(receipt), "until": self._clock() + seconds})
        if seconds <= 0:
            self._sent.set()

    async def delete(self, receipt: str) -> None:
        await self._run(DELETE, {**_parse_receipt(receipt)})

    async def dead(self, most: int = 10) -> list[QueueMessage]:
        rows = await self._run(DEAD, {"now": self._clock(), "max_receives": self._max_receives, "limit": most})
        return [self._message(row) for row in rows]

    async def delete_dead(self, receipt: str) -> None:
        await self.delete(receipt)

    async def close(self) -> None:
        await self._database.close()

    def _purge_dead_letters(self, run: Run) -> None:
        run(PURGE_DEAD, {"max_receives": self._max_receives, "now": self._clock() - DEAD_SECONDS})

    async def _receive_rows(self, visible: float, most: int) -> list[QueueMessage]:
        now = self._clock()
        values: Values = {
            "now": now,
            "latest": now + max(LONGEST_HIDDEN, visible),  # what is hidden longer was hidden by a clock ahead
            "until": now + visible,
            "max_receives": self._max_receives,
            "limit": most,
        }
        return sorted((self._message(row) for row in await self._run(RECEIVE, values)), key=_message_id)

    async def _pause(self, seconds: float) -> None:
        """Wait until this process sends a message, a hidden message becomes visible, or `seconds` have passed."""
        [[next_visible]] = await self._run(NEXT_VISIBLE, {"max_receives": self._max_receives})
        if next_visible is not None:
            seconds = min(seconds, max(0.01, next_visible - self._clock()))
        try:
            async with asyncio.timeout(seconds):
                await self._sent.wait()
        except TimeoutError:
            pass

    async def _run(self, statement: str, values: Values) -> list[Row]:
        return await self._database.in_thread(lambda run: run(statement, values))

    def _message(self, row: Row) -> QueueMessage:
        number, sealed, receives = row
        return QueueMessage(self._cipher.decrypt(sealed, b"message").decode(), f"{number}.{receives}", receives)


def _parse_receipt(receipt: str) -> dict[str, int]:
    """Parse a receipt into message id and delivery count, so that an outdated receipt matches no row."""
    number, _, receives = receipt.partition(".")
    return {"id": int(number), "receives": int(receives)}


def _message_id(message: QueueMessage) -> int:
    return int(message.receipt.partition(".")[0])
