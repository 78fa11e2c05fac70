"""Commands whose output, input or files cannot be used: one error that says so, and no traceback."""

import json
import os
import re
import subprocess
import sys

import pytest

from assay.entrypoints.cli.main import main

COMMAND = [sys.executable, "-m", "assay.entrypoints.cli.main"]
JSON_COMMAND = [sys.executable, "-m", "assay.entrypoints.cli.json_command"]


def run_in_shell(environ, words, redirection):
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *words], env=os.environ | environ, capture_output=True, timeout=60
    )


@pytest.fixture
def environ(environ, tmp_path):
    return environ | {"ASSAY_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": ""}


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
@pytest.mark.parametrize(
    "words",
    [
        (*COMMAND, "consent"),
        (*COMMAND, "admin", "list-keys"),
        (*COMMAND, "--version"),
        (*COMMAND, "watch", "--help"),
        (*COMMAND, "admin", "--help"),
        (*COMMAND, "help"),
        (*JSON_COMMAND, "dedupe_rank", '{"docs": [{"id": "a"}]}'),
        (*JSON_COMMAND, "--help"),
    ],
)
def test_output_that_cannot_be_written_is_an_error(words, environ):
    done = run_in_shell(environ, words, "> /dev/full")
    assert done.returncode == 1
    [line] = done.stderr.decode().splitlines()
    assert "No space left on device" in json.dumps(json.loads(line))


@pytest.mark.parametrize("words", [(*COMMAND, "consent"), (*COMMAND, "--version"), (*JSON_COMMAND, "--help")])
def test_a_reader_that_has_left_is_no_error(words, environ):
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(words, env=os.environ | environ, stdout=writes, stderr=subprocess.PIPE, timeout=60)
    os.close(writes)
    assert (done.returncode, done.stderr) == (0, b"")


def test_closed_streams_change_no_other_one(environ):
    done = run_in_shell(environ, (*COMMAND, "key", "ada"), "<&- 2>&-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["key"]  # what is for people went to the closed stream, not there
    done = run_in_shell(environ, (*COMMAND, "watch"), ">&-")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("words", [("call", "scrape_page"), ("audit", "-"), ("audit", "/dev/zero")])
def test_input_without_an_end_is_refused(words, environ):
    done = run_in_shell(environ, (*COMMAND, *words), "< /dev/zero")
    assert done.returncode == 2
    assert re.search(r" is over \d+ MB, the limit\. Send less\.", json.loads(done.stderr)["error"]["message"])


def test_letters_that_the_encoding_lacks_are_escapes(environ):
    done = run_in_shell(
        environ | {"PYTHONIOENCODING": "ascii"},
        (*COMMAND, "call", "--text", "dedupe_rank", '{"docs": [{"id": "é"}]}'),
        "",
    )
    assert json.loads(done.stdout)["groups"][0]["members"] == ["é"]


@pytest.fixture
def fail(environ, monkeypatch, capsys):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def fail(*words):
        code = main([*words])
        [line] = capsys.readouterr().err.splitlines()
        return code, json.loads(line)["error"]

    return fail


@pytest.mark.parametrize("words", [("audit", "verify"), ("consent", "list"), ("key", "list")])
def test_a_home_that_cannot_be_made_is_named(words, fail, environ, tmp_path):
    (tmp_path / "home").touch()
    code, error = fail(*words)
    assert code == 1
    assert error["suggestedAction"] == "inform_user"
    assert "ASSAY_HOME" in error["message"] or environ["ASSAY_HOME"] in error["message"]


@pytest.mark.parametrize("name", ["none/me.zip", "\udcff/me.zip"])
def test_an_export_that_cannot_be_written_names_its_file(name, fail, tmp_path):
    code, error = fail("me", "export", f"{tmp_path}/{name}")
    assert (code, error["field"]) == (2, "file")
    assert "me.zip cannot be written: No such file or directory" in error["message"]


def test_an_export_that_fails_leaves_no_archive(fail, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "assay.sqlite3").write_bytes(b"not a database" * 1000)
    archive = tmp_path / "me.zip"
    code, _ = fail("me", "export", str(archive))
    assert code == 1
    assert not archive.exists()
