"""A compromised document parser has no access to files, network, other processes or the environment."""

import json
import os
import socket
import sys
import textwrap

import pytest

from assay.documents import read, sandbox
from assay.documents.sandbox_pool import Sandbox, machine_memory
from assay.errors import CorruptDocument

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")
BROKEN_PDF = b"%PDF-1.7\n" + b"junk " * 100  # which PDFium cannot open, so that pypdf is asked

TAKEN_OVER = """
    import json, os, socket, types
    import encodings.idna, pypdf.errors

    def attempt(act):
        try:
            act()
        except OSError as refused:
            return type(refused).__name__
        return "done"

    def fork():
        if not os.fork():
            os._exit(0)

    def connect():
        socket.create_connection(("127.0.0.1", {port}), timeout=2).close()

    ATTEMPTS = {{
        "key file": lambda: open({key!r}).read(),
        "own environment": lambda: open("/proc/self/environ").read(),
        "environment of the parent": lambda: open("/proc/%d/environ" % os.getppid()).read(),
        "environment of the server": lambda: open("/proc/{server}/environ").read(),
        "folder": lambda: os.listdir("/"),
        "write": lambda: open({key!r} + ".new", "w"),
        "delete": lambda: os.unlink({key!r}),
        "connection": connect,
        "socket of any kind": lambda: socket.socketpair(),
        "fork": fork,
        "program": lambda: os.execv("/bin/true", ["true"]),
        "signal": lambda: os.kill({server}, 0),
        "control": lambda: "still here",
    }}

    class PdfReader:
        is_encrypted, metadata = False, None

        def __init__(self, *_, **__):
            found = {{name: attempt(act) for name, act in ATTEMPTS.items()}}
            found["variables"] = sorted(os.environ)
            self.pages = [types.SimpleNamespace(extract_text=lambda: json.dumps(found))]
"""


@pytest.fixture
def compromised_parser(tmp_path, monkeypatch):
    """What code that replaces a parser library can do, by name."""
    key = tmp_path / "key"
    key.write_text("the key of all that is kept")
    listener = socket.create_server(("127.0.0.1", 0))
    package = tmp_path / "code" / "pypdf"
    package.mkdir(parents=True)
    code = textwrap.dedent(TAKEN_OVER).format(key=str(key), port=listener.getsockname()[1], server=os.getpid())
    (package / "__init__.py").write_text(code)
    (package / "errors.py").write_text("class PyPdfError(Exception): pass\n")
    (package / "_crypt_providers.py").write_text("")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setenv("BRAVE_API_KEY", "a-secret")
    yield key
    listener.close()
    assert key.exists()


async def attempts(*, strict):
    sandbox = Sandbox(workers=1, strict=strict)
    try:
        document = await read(BROKEN_PDF, "pdf", max_bytes=1 << 20, sandbox=sandbox)
    finally:
        sandbox.close()
    return json.loads(document.markdown)


@pytest.mark.parametrize("strict", [False, True])
async def test_nothing_outside_can_be_reached_from_a_reader(compromised_parser, strict):
    results = await attempts(strict=strict)
    assert results.pop("control") == "done"
    assert "BRAVE_API_KEY" not in results.pop("variables")
    assert set(results.values()) == {"PermissionError"}, results
    assert len(results) == 12


async def test_the_second_process_for_a_long_pdf_is_as_confined(a_pdf, monkeypatch):
    """Sixty pages are read by two processes; both are."""
    monkeypatch.setattr(os, "process_cpu_count", lambda: 2)
    body = a_pdf(
        *[
            lambda canvas, n=n: [
                canvas.drawString(50, 780 - 12 * r, f"page {n} {os.urandom(30).hex()}") for r in range(60)
            ]
            for n in range(60)
        ]
    )
    assert len(body) > 64 * 1024
    sandbox = Sandbox(workers=1, strict=True)
    try:
        document = await read(body, "pdf", max_bytes=1 << 24, sandbox=sandbox)
    finally:
        sandbox.close()
    assert "page 0 " in document.markdown
    assert "page 59 " in document.markdown


def test_this_machine_can_forbid_all_of_it():
    assert sandbox.missing_rights_control() == ""


async def test_a_broken_pdf_is_not_worth_another_try(reads):
    with pytest.raises(CorruptDocument) as raised:
        await reads(BROKEN_PDF, "pdf")
    assert raised.value.retryable is False


@pytest.mark.parametrize(("megabytes", "limit"), [("512", 384), ("1770", 885), ("10240", 5120)])
def test_in_a_lambda_function_a_worker_has_half_of_the_functions_memory(monkeypatch, megabytes, limit):
    """The machine below the function has more, which the function may not use."""
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", megabytes)
    assert machine_memory() == limit << 20
