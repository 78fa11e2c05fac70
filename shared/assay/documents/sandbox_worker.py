"""Sandbox worker process: forks a new, restricted process for each document."""

import codecs
import gc
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from assay.documents.document import RetryWithParser
from assay.documents.document_parser import MODULES, parse
from assay.documents.sandbox import can_restrict_files, restrict_rights
from assay.documents.sandbox_protocol import BROKE, DIED, FRAME, SIZE
from assay.errors import ToolError, UpstreamFailed

if TYPE_CHECKING:  # imported only for long PDF files
    from assay.documents.pdf_parallel import Helper

SHARE = 0.6  # of the time limit, after which the PDF parser stops early
LONG = 64 * 1024  # bytes; a smaller PDF has too few pages for a second process
LATE_MODULES = ("heapq", "bisect", "_strptime", "calendar", "unicodedata", "html.entities", "logging", "ipaddress")
COMMON_CODECS = ("utf-8", "latin-1", "utf-16", "utf-16-le", "utf-16-be")
CODECS = (
    *("ascii", "utf-32-le", "utf-32-be", "mac-roman", "mac-cyrillic"),
    *(f"cp{number}" for number in (437, 850, 866, 874, 932, 949, 950, *range(1250, 1259))),
    *(f"iso8859-{number}" for number in range(1, 17) if number != 12),
    *("koi8-r", "koi8-u", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "johab", "shift_jis", "euc_jp", "euc_kr"),
    *("euc_jis_2004", "iso2022_jp_ext", "utf-8-sig"),
)
TOO_BIG = "The file exceeds the memory limit; it is damaged or malicious."


def serve() -> None:
    """Handle requests on the socket at standard input until it closes."""
    line = socket.socket(fileno=0)
    while head := line.recv(FRAME.size, socket.MSG_PEEK | socket.MSG_WAITALL):
        if len(head) == FRAME.size:
            _prepare(line)
            _fork(line)


def _prepare(line: socket.socket) -> None:
    """Import the parser of the kind before forking, so that later documents of this kind reuse the import."""
    size = FRAME.unpack(line.recv(FRAME.size, socket.MSG_PEEK))[0]
    kind = line.recv(FRAME.size + size, socket.MSG_PEEK | socket.MSG_WAITALL)[FRAME.size :].decode().partition(":")[0]
    import_module(f"assay.documents.{MODULES.get(kind, kind)}").prepare()
    _import_ahead(COMMON_CODECS if kind in ("pdf", "pdf_pages") else COMMON_CODECS + CODECS)


@cache
def _import_ahead(names: tuple[str, ...]) -> None:
    """Import what parsers would import late, because a strict sandbox forbids opening code files."""
    for name in LATE_MODULES:
        import_module(name)
    for name in names:
        codecs.lookup(name)


def _fork(line: socket.socket) -> None:
    child = os.fork()
    if not child:
        code = BROKE
        try:
            _answer(line)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if status:
        code = os.waitstatus_to_exitcode(status)
        os._exit(DIED - code if code < 0 else code)


def _answer(line: socket.socket) -> None:
    gc.disable()  # the process is too short-lived to benefit
    size, length, memory, seconds, strict = FRAME.unpack(_receive_bytes(line, FRAME.size))
    kind = _receive_bytes(line, size).decode()
    body = _receive_bytes(line, length)

    def give_up_rights() -> None:
        confine(memory, seconds)
        restrict_rights(imports=not strict and can_restrict_files())

    helper = _helper(kind, body, give_up_rights)
    give_up_rights()
    text = json.dumps(_parse_document(body, kind, time.monotonic() + SHARE * seconds, helper)).encode()
    line.sendall(SIZE.pack(len(text)) + text)  # ASCII, so that lone surrogates are encodable
    if helper:
        helper.close()


def _helper(kind: str, body: bytes, confine: Callable[[], None]) -> "Helper | None":
    """Start a second process for a PDF that may be long, on a machine with a second processor."""
    name = kind.partition(":")[0]
    if name not in ("pdf", "pdf_pages") or len(body) < LONG or (os.process_cpu_count() or 1) < 2:
        return None
    from assay.documents.pdf_parallel import Helper

    return Helper(body, import_module(f"assay.documents.{name}").read_range, confine)


def _parse_document(body: bytes, kind: str, deadline: float, helper: "Helper | None") -> dict[str, object]:
    name, is_request, how = kind.partition(":")
    try:
        if is_request:
            return {"answer": import_module(f"assay.documents.{name}").answer(body, how, deadline, helper)}
        return {"document": asdict(parse(body, kind, deadline, helper))}
    except RetryWithParser as other:
        return {"again": other.kind}
    except ToolError as failure:
        return {"error": type(failure).__name__, "message": failure.message}
    except MemoryError:
        return {"error": UpstreamFailed.__name__, "message": TOO_BIG}
    except RecursionError:
        return {"error": UpstreamFailed.__name__, "message": "The file is nested too deeply to be read."}


def confine(memory: int, seconds: int) -> None:
    """Limit memory (bytes) and CPU time (seconds), forbid writing files and core dumps, raise the OOM score.

    macOS cannot limit the address space; there only the parent's deadline stops a parser that uses too much.
    """
    import resource  # not available on Windows, where no documents are parsed

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    with suppress(OSError), open("/proc/self/oom_score_adj", "wb") as score:  # noqa: PTH123 - pathlib is not imported here
        score.write(b"1000")
    for limit, value in (
        *([(resource.RLIMIT_AS, memory)] if sys.platform == "linux" else []),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        resource.setrlimit(limit, (value, value))


def _receive_bytes(line: socket.socket, length: int) -> bytes:
    body, place = bytearray(length), 0
    view = memoryview(body)
    while place < length:
        read = line.recv_into(view[place:])
        if not read:
            raise EOFError("the pool closed the connection")
        place += read
    view.release()
    return bytes(body)
