"""The streamed response to one invocation of Lambda."""

import base64
import socket
from collections.abc import Mapping, MutableMapping
from typing import Any

from assay.entrypoints.runtime_api import (
    SEND_SECONDS,
    RuntimeApi,
    RuntimeApiError,
    format_chunk,
    format_end,
    format_prelude,
    read_reply,
)


class ResponseStream:
    """A response that starts with the first message. What the client has not read yet is not kept: `send` waits."""

    def __init__(self, api: RuntimeApi, request_id: str) -> None:
        self._api, self._request_id = api, request_id
        self._connection: socket.socket | None = None
        self._is_whole = True  # False after a write that did not end: what follows would be no chunk
        self._has_ended = False

    @property
    def has_begun(self) -> bool:
        return self._connection is not None

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a message of ASGI: `http.response.start`, or `http.response.body` with the next part of the body."""
        if message["type"] == "http.response.start":
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
            self._connection = self._api.open_stream(self._request_id)
            self._connection.setblocking(False)
            return await self._write(format_chunk(format_prelude(message["status"], headers, [])))
        self._has_ended = not message.get("more_body", False)
        await self._write(format_chunk(message.get("body", b"")) + (format_end() if self._has_ended else b""))
        return None

    async def _write(self, content: bytes) -> None:
        import asyncio  # not needed by a response that is sent whole

        if self._connection is None or not self._is_whole:
            raise RuntimeApiError("The stream has not begun, or a write to it was given up.")
        self._is_whole = False
        await asyncio.get_running_loop().sock_sendall(self._connection, content)
        self._is_whole = True

    def send_whole(self, response: Mapping[str, Any]) -> None:
        """Send a response in payload 2.0 as a stream, which is what a Function URL that streams expects."""
        body = response.get("body") or ""
        content = base64.b64decode(body) if response.get("isBase64Encoded") else body.encode(errors="replace")
        headers = {str(name): str(value) for name, value in response["headers"].items()}
        prelude = format_prelude(response["statusCode"], headers, list(response.get("cookies", ())))
        self._connection = self._api.open_stream(self._request_id)
        self._has_ended = True
        self._connection.sendall(format_chunk(prelude) + format_chunk(content) + format_end())
        self.finish()

    def finish(self, error: Mapping[str, Any] | None = None) -> None:
        """End the stream, if that has not happened, with the error; wait until Lambda has taken it.

        A stream with a write that did not end is cut off.
        """
        if self._connection is None:
            return
        with self._connection as connection:
            if not self._is_whole:
                return
            connection.settimeout(SEND_SECONDS)
            if not self._has_ended:
                connection.sendall(format_end(error))
            read_reply(connection)
