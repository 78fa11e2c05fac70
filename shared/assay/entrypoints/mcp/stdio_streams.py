"""Line-based standard input and output, reserved for MCP messages."""

import asyncio
import os
import queue
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

from assay.entrypoints.http.http_errors import BODY_BYTES

CHUNK = 64 * 1024
MAX_WAITING = 100  # lines that wait for the client; beyond, notifications are dropped and requests are not read
MAX_READ = 20  # lines that were read and not yet handled
PAUSE = 0.05  # seconds


class StdioStreams:
    """Reads and writes lines on the standard streams. `close` restores them.

    While it is open, `print` and children write to standard error, so that the client receives only messages.
    It uses plain descriptors, because the interpreter cannot shut down while a thread reads from a buffered file.
    """

    def __init__(self) -> None:
        self._input, self._output = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)
        os.dup2(2, 1)
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._room = threading.Semaphore(MAX_READ)
        self._writer = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._writer.start()

    def listen(self, lines: "asyncio.Queue[bytes | None]", at_end: Callable[[], None] = lambda: None) -> None:
        """Put each line, then None, into `lines`. Runs on its own thread: a blocked read cannot be interrupted.

        Whoever takes a line calls `free_line` once it is handled; until then, only a few more are read. `at_end` is
        called on that thread at the end of input, even while a call blocks the event loop.
        """
        loop = asyncio.get_running_loop()

        def read() -> None:
            with suppress(RuntimeError):  # the loop has ended before the client did
                for line in lines_of(self._input):
                    self._room.acquire()
                    loop.call_soon_threadsafe(lines.put_nowait, line)
                at_end()
                loop.call_soon_threadsafe(lines.put_nowait, None)

        threading.Thread(target=read, name="stdin", daemon=True).start()

    def free_line(self) -> None:
        """Let another line be read."""
        self._room.release()

    async def wait_for_reader(self) -> None:
        """Wait while the client does not read what was sent to it, so that its requests do not fill the memory."""
        while self.is_backlogged() and self._writer.is_alive() and self.is_read():  # noqa: ASYNC110  it is a thread
            await asyncio.sleep(PAUSE)

    def write_line(self, line: bytes) -> None:
        """Queue a line for the writer thread, so that a client that does not read cannot block the event loop."""
        self._lines.put(line + b"\n")

    def is_backlogged(self) -> bool:
        """Whether many lines wait because the client does not read them."""
        return self._lines.qsize() > MAX_WAITING

    def is_read(self) -> bool:
        """Whether the client may still read the output. False once the reader of a pipe has closed it."""
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
        """Wait at most `seconds` until all lines are written, then restore the standard streams."""
        self._lines.put(None)
        self._writer.join(seconds)
        os.dup2(self._output, 1)
        os.dup2(self._input, 0)


def lines_of(descriptor: int) -> Iterator[bytes]:
    """Yield the lines of a descriptor. A line over 10 MB is cut to its start, which then fails to parse as JSON."""
    parts: list[bytes] = []  # of the line that has not ended
    size, is_long = 0, False
    while chunk := os.read(descriptor, CHUNK):
        for number, piece in enumerate(chunk.split(b"\n")):
            if number:  # what was before it is a whole line
                if not is_long:
                    yield b"".join(parts)
                parts, size, is_long = [], 0, False
            parts.append(piece)
            size += len(piece)
        if is_long:
            parts.clear()
        elif size > BODY_BYTES:
            yield b"".join(parts)[:CHUNK]
            parts, is_long = [], True
    if size and not is_long:
        yield b"".join(parts)
