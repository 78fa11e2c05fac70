"""Systems without POSIX's ways, such as Windows: what works there works, what does not is refused in a sentence."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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
def run(environ, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_POSIX)

    def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "assay.doors.cli", *arguments],
            env=os.environ | environ | {"PYTHONPATH": f"{tmp_path}:{Path('shared').resolve()}"},
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
