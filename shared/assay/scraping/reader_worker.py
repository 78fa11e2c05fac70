"""Worker process of the parse executor: parses one page after another in a sandbox."""

import gc
import pickle
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from assay.documents.sandbox import end_with_parent, restrict_rights
from assay.scraping.reader_protocol import READY, SIZE

COLLECTED_OBJECTS = 50_000  # new objects after which the garbage collector runs; some 10 MB
TOO_MUCH = "This page is too large or nested too deeply to be read."


def serve(parent: int, memory: int) -> None:
    """Handle calls on the socket at standard input until it closes or the process `parent` ends; `memory` in bytes."""
    end_with_parent(parent)
    _preload()
    # A page makes many objects and frees almost all of them without a collection (`HtmlRoot`), and those of the
    # modules are never free.
    gc.freeze()
    gc.set_threshold(COLLECTED_OBJECTS)
    _limit_memory(memory)
    line = socket.socket(fileno=0)
    restrict_rights(imports=True)
    line.sendall(READY)
    with suppress(EOFError, ConnectionError):
        while True:
            (size,) = SIZE.unpack(_receive(line, SIZE.size))
            answer = _run_pickled(*pickle.loads(_receive(line, size)))  # noqa: S301 - from our own parent
            line.sendall(SIZE.pack(len(answer)) + answer)


def _run_pickled(read: Callable[..., Any], args: tuple[Any, ...]) -> bytes:
    """Run the function; return the pickled pair of success and result or error."""
    from assay.errors import CorruptDocument

    try:
        return pickle.dumps((True, read(*args)))
    except (MemoryError, RecursionError):
        return pickle.dumps((False, CorruptDocument(TOO_MUCH)))
    except Exception as failure:  # noqa: BLE001 - raised again in the parent process
        return pickle.dumps((False, failure))


def _receive(line: socket.socket, length: int) -> bytearray:
    body = bytearray(length)
    view, place = memoryview(body), 0
    while place < length:
        read = line.recv_into(view[place:])
        if not read:
            raise EOFError
        place += read
    return body


def _limit_memory(memory: int) -> None:
    import resource

    if sys.platform == "linux":  # macOS cannot limit the address space
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))


def _preload() -> None:
    """Import the parsers before the first request and before the sandbox restricts file access."""
    from assay.html.metadata import page_metadata  # noqa: F401
    from assay.html.reader import main_content  # noqa: F401
    from assay.scraping import (  # noqa: F401
        access_walls,
        iframes,
        response_parser,
        snapshot_content,
    )
    from assay.text import decode  # noqa: F401
