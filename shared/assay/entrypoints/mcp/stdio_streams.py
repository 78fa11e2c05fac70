"""The process's own input and output as lines, put out of reach of everything else in the process."""

import asyncio
import os
import queue
import select
import threading
from collections.abc import Iterator
from contextlib import suppress

from assay.entrypoints.http.http_errors import BODY_BYTES

CHUNK = 64 * 1024


class Wire:
    """Lines in and out of the standard streams. Close it to give them back.

    While it is open, `print` and children write to standard error, so that the client reads nothing but messages.
    Plain descriptors, because a buffered file that a thread still reads cannot be torn down with the interpreter.
    """

    def __init__(self) -> None:
        self._input, self._output = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)
        os.dup2(2, 1)
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._writer.start()

    def listen(self, heard: "asyncio.Queue[bytes | None]") -> None:
        """Put each line, then None, into `heard`. On a thread of its own: nothing can interrupt a blocked read."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            with suppress(RuntimeError):  # the loop has ended before the client did
                for line in lines_of(self._input):
                    loop.call_soon_threadsafe(heard.put_nowait, line)
                loop.call_soon_threadsafe(heard.put_nowait, None)

        threading.Thread(target=read, name="stdin", daemon=True).start()

    def say(self, line: bytes) -> None:
        """Write a line, soon. A client that does not read does not stop the loop."""
        self._lines.put(line + b"\n")

    def is_read(self) -> bool:
        """Whether somebody may still read what is written; a pipe says when its reader has closed it."""
        if not hasattr(select, "poll"):  # Windows
            return True
        poll = select.poll()
        poll.register(self._output, 0)
        return not any(events & (select.POLLERR | select.POLLNVAL) for _, events in poll.poll(0))

    def _write(self) -> None:
        with suppress(OSError):  # the client has gone
            while (line := self._lines.get()) is not None:
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(self._output, rest) :]

    def close(self, seconds: float) -> None:
        """Wait until all is written, `seconds` at most, and give the streams back."""
        self._lines.put(None)
        self._writer.join(seconds)
        os.dup2(self._output, 1)
        os.dup2(self._input, 0)


def lines_of(descriptor: int) -> Iterator[bytes]:
    """The lines of a descriptor; of one longer than 10 MB only its beginning, which is no JSON."""
    begun, is_long = b"", False
    while chunk := os.read(descriptor, CHUNK):
        *ended, begun = (begun + chunk).split(b"\n")
        for line in ended:
            if not is_long:
                yield line
            is_long = False
        if is_long:
            begun = b""
        elif len(begun) > BODY_BYTES:
            yield begun[:CHUNK]
            begun, is_long = b"", True
    if begun and not is_long:
        yield begun
