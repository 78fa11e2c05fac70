"""The far side of the jail: a small process that forks a fresh, bounded one for each document."""

import gc
import json
import os
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module

from assay.documents.reading import MODULES, parse
from assay.errors import ToolError, UpstreamFailed

FRAME = struct.Struct("!IQQI")  # kind's length, body's length, bytes of memory, seconds of CPU
SIZE = struct.Struct("!Q")
BROKE, DIED = 70, 100  # exit codes: a reader raised what it should not; 100 + the signal that ended it
SHARE = 0.6  # of the time may pass before a reader that can stop early does
TOO_BIG = "The file needs more memory than it may have; it is broken or hostile."


def serve() -> None:
    """Answer one document after another on the socket that is standard input, until it closes."""
    line = socket.socket(fileno=0)
    while head := line.recv(FRAME.size, socket.MSG_PEEK | socket.MSG_WAITALL):
        if len(head) == FRAME.size:
            _fork(line, _prepare(line))


def _prepare(line: socket.socket) -> str:
    """Import the kind's reader before forking, so that the next document of this kind finds it there."""
    size = FRAME.unpack(line.recv(FRAME.size, socket.MSG_PEEK))[0]
    kind = line.recv(FRAME.size + size, socket.MSG_PEEK | socket.MSG_WAITALL)[FRAME.size :].decode().partition(":")[0]
    import_module(f"assay.documents.{MODULES.get(kind, kind)}").prepare()
    return kind


def _fork(line: socket.socket, kind: str) -> None:
    child = os.fork()
    if not child:
        code = BROKE
        try:
            _answer(line)
            code = 0
        finally:
            os._exit(code)
    if kind.startswith("pdf"):  # while that one reads, so that a broken file's second try need not wait for it
        import pypdf  # noqa: F401
    _, status = os.waitpid(child, 0)
    if status:
        code = os.waitstatus_to_exitcode(status)
        os._exit(DIED - code if code < 0 else code)


def _answer(line: socket.socket) -> None:
    gc.disable()  # it lives too short to gain by it
    size, length, memory, seconds = FRAME.unpack(_received(line, FRAME.size))
    confine(memory, seconds)
    kind = _received(line, size).decode()
    answer = _parsed(_received(line, length), kind, time.monotonic() + SHARE * seconds)
    text = json.dumps(answer).encode()  # ASCII, so half a surrogate pair cannot break it
    line.sendall(SIZE.pack(len(text)) + text)


def _parsed(body: bytes, kind: str, deadline: float) -> dict[str, object]:
    name, asked, how = kind.partition(":")
    try:
        if asked:
            answer = import_module(f"assay.documents.{name}").answer
            return {"answer": answer(body, how, deadline, os.process_cpu_count() or 1)}
        return {"document": asdict(parse(body, kind, deadline, os.process_cpu_count() or 1))}
    except ToolError as failure:
        return {"error": type(failure).__name__, "message": failure.message}
    except MemoryError:
        return {"error": UpstreamFailed.__name__, "message": TOO_BIG}
    except RecursionError:
        return {"error": UpstreamFailed.__name__, "message": "The file is nested too deeply to be read."}


def confine(memory: int, seconds: int) -> None:
    """No more memory or CPU than this, no files written, no core, first to go when memory is short.

    macOS refuses to bound the address space; there the parent's deadline alone ends a reader that takes too much.
    """
    import resource  # Windows has none, and reads no documents

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    with suppress(OSError), open("/proc/self/oom_score_adj", "wb") as score:  # noqa: PTH123 - one byte more, no pathlib
        score.write(b"1000")
    for limit, value in (
        *([(resource.RLIMIT_AS, memory)] if sys.platform == "linux" else []),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        resource.setrlimit(limit, (value, value))


def _received(line: socket.socket, length: int) -> bytes:
    body, place = bytearray(length), 0
    view = memoryview(body)
    while place < length:
        read = line.recv_into(view[place:])
        if not read:
            raise EOFError("the caller is gone")
        place += read
    view.release()
    return bytes(body)
