"""Systems without POSIX's ways, such as Windows: what works there works, what does not is refused in a sentence."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

COMMAND = [sys.executable, "-m", "assay.entrypoints.cli.main"]
# What a Python on Windows lacks. `os.name` stays, since pathlib and subprocess of this system hang on it.
WITHOUT_POSIX = """
import asyncio, os, signal, sys

for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("fork", "killpg", "geteuid", "getuid", "setsid"):
    delattr(os, name)
for name in ("SIGKILL", "SIGXCPU", "SIGHUP"):
    delattr(signal, name)

def unsupported(*_):
    raise NotImplementedError

asyncio.unix_events._UnixSelectorEventLoop.add_signal_handler = unsupported
"""


@pytest.fixture
def foreign(tmp_path):
    """The variables under which Python lacks what only POSIX has."""
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_POSIX)
    return {"PYTHONPATH": f"{tmp_path}:{Path('shared').resolve()}"}


@pytest.fixture
def run(environ, foreign):
    def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*COMMAND, *arguments],
            env=os.environ | environ | foreign,
            input=given,
            capture_output=True,
            timeout=60,
        )

    return run


def test_a_page_is_read(run, article):
    done = run("call", "scrape_page", json.dumps({"url": article}))
    assert done.returncode == 0, done.stderr
    assert "Otters" in json.loads(done.stdout)["content"]


def test_a_document_is_refused_in_a_sentence(run):
    arguments = {"pdf_base64": base64.b64encode(b"%PDF-1.4\n%%EOF").decode()}
    done = run("call", "pdf_extract", json.dumps(arguments))
    assert done.returncode != 0
    assert b"Linux and macOS" in done.stderr
    assert b"Traceback" not in done.stderr


def test_the_doctor_says_what_is_missing(run):
    done = run("doctor", "--json")
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0
    assert "need Linux or macOS" in findings["reading"]["detail"]


def test_mcp_answers_on_standard_input_and_output(run):
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    done = run("mcp", given=b"".join(json.dumps(each).encode() + b"\n" for each in (first, message)))
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [0, 1]


def test_the_server_answers(environ, foreign, article):
    child = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"],
        env=os.environ | environ | foreign,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    url = child.stdout.readline().split()[3]
    answer = httpx.post(url + "/tools/scrape_page", json={"url": article}, timeout=60)
    child.terminate()
    _, stderr = child.communicate(timeout=60)
    assert "Otters" in answer.json()["content"]
    assert "Traceback" not in stderr
