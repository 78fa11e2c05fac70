"""Chrome DevTools Protocol over pipes (--remote-debugging-pipe): JSON messages that end with a NUL byte.

https://chromedevtools.github.io/devtools-protocol/
"""

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

MAX_BYTES = 96 * 1024 * 1024  # per message; larger ones close the connection
PIPE_CLOSED = "Pipe.closed"  # our own event, sent to every listener when the connection ends

type Params = dict[str, Any]
type Listener = Callable[[str, Params], None]


class PipeClosed(Exception):
    """The browser ended or closed the pipe."""


class Refusal(Exception):
    """The browser rejected a command."""


class Pipe(asyncio.Protocol):
    """Sends commands to a browser and dispatches its events, in order, to the listener of their session."""

    def __init__(self) -> None:
        self.is_closed = False
        self.listeners: dict[str, Listener] = {}
        self._last = 0
        self._waiting: dict[int, asyncio.Future[Params]] = {}
        self._pieces: list[bytes] = []
        self._size = 0
        self._reading: asyncio.BaseTransport | None = None
        self._writing: asyncio.WriteTransport | None = None

    @classmethod
    async def over(cls, read: int, write: int) -> "Pipe":
        """Create the protocol over two pipe ends, whose file descriptors it takes over."""
        loop = asyncio.get_running_loop()
        pipe = cls()
        pipe._reading, _ = await loop.connect_read_pipe(lambda: pipe, os.fdopen(read, "rb", 0))
        writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(write, "wb", 0))
        pipe._writing = writing
        return pipe

    def send(self, method: str, session: str = "", /, **params: Any) -> asyncio.Future[Params]:
        """Send a command; the future holds its result, Refusal or PipeClosed. It need not be awaited."""
        future: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())  # marks the exception as retrieved
        if self.is_closed or self._writing is None or self._writing.is_closing():
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
        """Close both pipes; pending commands fail with PipeClosed."""
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
        if self._size > MAX_BYTES:
            self.close()

    def connection_lost(self, _: Exception | None) -> None:
        self._end()

    def _dispatch(self, message: Params) -> None:
        if "id" not in message:
            listener = self.listeners.get(message.get("sessionId", ""))
            if listener:
                listener(message["method"], message.get("params", {}))
            return
        future = self._waiting.pop(message["id"], None)
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(Refusal(str(message["error"].get("message", ""))[:500]))
        else:
            future.set_result(message.get("result", {}))

    def _end(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(PipeClosed("the browser is gone"))
        for listener in list(self.listeners.values()):
            listener(PIPE_CLOSED, {})
