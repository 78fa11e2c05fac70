"""Chrome's DevTools protocol over two pipes: JSON messages, each ended by a NUL."""

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

MOST_BYTES = 96 * 1024 * 1024  # of one message; a page that makes us read more is not worth it

type Params = dict[str, Any]
type Hear = Callable[[str, Params], None]


class PipeClosed(Exception):
    """The browser ended, or left the pipe."""


class Refusal(Exception):
    """The browser did not do what it was told."""


class Pipe(asyncio.Protocol):
    """Tells a browser what to do and hears what happens there. `hear` of a session gets its events in order."""

    def __init__(self) -> None:
        self.gone = False
        self.hearers: dict[str, Hear] = {}
        self._last = 0
        self._waiting: dict[int, asyncio.Future[Params]] = {}
        self._pieces: list[bytes] = []
        self._size = 0
        self._reading: asyncio.BaseTransport | None = None
        self._writing: asyncio.WriteTransport | None = None

    @classmethod
    async def over(cls, read: int, write: int) -> "Pipe":
        """The protocol over our ends of two pipes, which are the transports' from now on."""
        loop = asyncio.get_running_loop()
        pipe = cls()
        pipe._reading, _ = await loop.connect_read_pipe(lambda: pipe, os.fdopen(read, "rb", 0))
        writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(write, "wb", 0))
        pipe._writing = writing
        return pipe

    def tell(self, method: str, session: str = "", /, **params: Any) -> asyncio.Future[Params]:
        """Send a command at once; the future is its result, a Refusal, or Gone. Nobody has to wait for it."""
        future: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())  # seen, also where nobody waits
        if self.gone or self._writing is None or self._writing.is_closing():
            future.set_exception(PipeClosed("the browser is gone"))
            return future
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self._waiting[self._last] = future
        self._writing.write(json.dumps(message).encode() + b"\0")
        return future

    def close(self) -> None:
        if self._reading is not None and not self._reading.is_closing():
            self._reading.close()
        if self._writing is not None and not self._writing.is_closing():
            self._writing.abort()
        self._end()

    def data_received(self, data: bytes) -> None:
        *whole, rest = data.split(b"\0")
        for part in whole:
            message = b"".join((*self._pieces, part))
            self._pieces.clear()
            self._size = 0
            self._dispatch(json.loads(message))
        if rest:
            self._pieces.append(rest)
            self._size += len(rest)
        if self._size > MOST_BYTES:
            self.close()

    def connection_lost(self, _: Exception | None) -> None:
        self._end()

    def _dispatch(self, message: Params) -> None:
        if "id" not in message:
            hear = self.hearers.get(message.get("sessionId", ""))
            if hear:
                hear(message["method"], message.get("params", {}))
            return
        future = self._waiting.pop(message["id"], None)
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(Refusal(str(message["error"].get("message", ""))[:500]))
        else:
            future.set_result(message.get("result", {}))

    def _end(self) -> None:
        if self.gone:
            return
        self.gone = True
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(PipeClosed("the browser is gone"))
        for hear in list(self.hearers.values()):
            hear("Browser.gone", {})
