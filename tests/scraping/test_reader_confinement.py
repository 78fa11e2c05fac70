"""What takes over the process that reads a page reaches nothing with it, and forges no answer."""

import os
import pickle
import socket
import subprocess
import sys

import pytest

from assay.errors import CorruptDocument
from assay.scraping.page import TierReading
from assay.scraping.parse_executor import ProcessExecutor
from assay.scraping.reader_protocol import SIZE


@pytest.fixture(scope="module")
def readers():
    """The executor of all tests: to start a process takes longer than a test, and each leaves an executor that works."""
    readers = ProcessExecutor(1)
    yield readers
    readers.close()


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")
@pytest.mark.parametrize(
    ("act", "given"),
    [
        (open, ("/etc/passwd",)),
        (open, ("/proc/self/environ",)),
        (os.listdir, ("/",)),
        (socket.create_connection, (("127.0.0.1", 9), 1)),
        (os.fork, ()),
        (os.execv, ("/bin/true", ["true"])),
        (os.kill, (1, 0)),
        (os.unlink, ("/nowhere",)),
    ],
)
async def test_a_reader_of_pages_has_no_files_network_or_processes(act, given, readers):
    with pytest.raises(PermissionError):
        await readers(act, *given, size=1)


async def test_a_reader_of_pages_knows_nothing_of_our_environment(monkeypatch):
    monkeypatch.setenv("BRAVE_API_KEY", "a-secret")
    readers = ProcessExecutor(1)
    try:
        assert await readers(os.getenv, "BRAVE_API_KEY", size=1) is None
    finally:
        readers.close()


@pytest.mark.parametrize("answer", [os.system, eval, subprocess.Popen, ProcessExecutor])
async def test_an_answer_that_is_no_data_is_refused_before_it_is_built(answer, readers):
    for _ in range(2):
        with pytest.raises(CorruptDocument, match="crashes the parser"):
            await readers(pickle.loads, pickle.dumps(answer), size=1)


NAMED = pickle.dumps(TierReading)[:-1]  # without the end
WHOLE = b"\x88N\x86"  # True and None, as a pair


@pytest.mark.parametrize(
    "answer",
    [
        NAMED + b"N}\x8c\x06enough\x88s\x86b0" + WHOLE,  # sets an attribute of the class
        NAMED + b"}\x8c\x06enough\x88sb0" + WHOLE,
        pickle.dumps((False, SystemExit(3)))[:-1],
        pickle.dumps((False, "no error"))[:-1],
        pickle.dumps(True)[:-1],
        b"cassay.errors\nnone\n",
        b"",
    ],
    ids=["class and slots", "class and state", "exit", "no error", "no pair", "no class", "nothing"],
)
async def test_an_answer_that_a_compromised_process_forges_changes_nothing(answer, readers):
    send = f"import os; body = {answer + b'.'!r}; os.write(0, len(body).to_bytes({SIZE.size}) + body)"
    before = dict(vars(TierReading)) | {"__setstate__": None}
    with pytest.raises(CorruptDocument, match="crashes the parser"):
        await readers(exec, send, size=1)
    assert await readers(len, "four", size=1) == 4
    assert dict(vars(TierReading)) | {"__setstate__": None} == before
