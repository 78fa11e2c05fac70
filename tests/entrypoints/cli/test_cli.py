"""The command line: JSON in, JSON out, failures as one line on standard error."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

import pytest
from tests.support.forked_commands import run_command

from assay.entrypoints.cli.arguments import read_words
from assay.entrypoints.cli.help_text import format_help
from assay.entrypoints.cli.main import main
from assay.errors import InvalidInput
from assay.toolkit import tool_registry

COMMAND = [sys.executable, "-m", "assay.entrypoints.cli.main"]


@pytest.fixture
def run(environ):
    def run(*arguments: str, given: str | bytes = b"") -> subprocess.CompletedProcess[bytes]:
        given = given.encode() if isinstance(given, str) else given
        return run_command(*arguments, env=os.environ | environ, given=given)

    return run


def test_a_call_prints_one_line_of_json(environ, article):
    command = [*COMMAND, "call", "scrape_page", json.dumps({"url": article})]
    done = subprocess.run(command, env=os.environ | environ, capture_output=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == 1
    assert "Otters" in json.loads(done.stdout)["content"]
    assert done.stderr == b""


def test_the_question_may_come_on_standard_input(run, article):
    done = run("call", "scrape_page", given=json.dumps({"url": article}))
    assert done.returncode == 0


def test_text_is_what_a_model_reads(run, article):
    done = run("call", "--text", "scrape_page", json.dumps({"url": article}))
    assert done.stdout.decode().startswith("Title: On otters")


@pytest.mark.parametrize(
    ("arguments", "given", "code"),
    [
        (("scrape_page", "not json"), b"", 2),
        (("scrape_page",), b"\xff\xfe", 2),
        (("scrape_page",), b"", 2),
        (("scrape_page", '{"url": "ftp://example.org/"}'), b"", 2),
        (("nothing_of_ours", "{}"), b"", 1),
    ],
)
def test_a_failure_is_one_line_of_json_on_standard_error(run, arguments, given, code):
    done = run("call", *arguments, given=given)
    assert done.returncode == code
    assert done.stdout == b""
    [line] = done.stderr.decode().splitlines()
    assert json.loads(line)["error"]["message"]


def test_a_wrong_setting_is_named(run, environ):
    environ["RATE_LIMIT_PER_TENANT"] = "often"
    done = run("call", "scrape_page", "{}")
    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["field"] == "RATE_LIMIT_PER_TENANT"


def test_the_tools_are_listed(run):
    assert b"scrape_page" in run("tools").stdout
    assert json.loads(run("tools", "--json").stdout)["tools"]


def test_a_key_opens_the_door_it_was_made_for(run):
    from assay.entrypoints.auth import ring

    created = json.loads(run("key", "ada", "--tenant", "acme", "--scope", "tool:web_search").stdout)
    caller = ring(json.dumps([created["entry"]])).caller(created["key"])
    assert (caller.tenant, caller.user, caller.scopes) == ("acme", "ada", {"tool:web_search"})


def test_the_doctor_finds_a_laptop_well(run):
    done = run("doctor", "--json")
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0
    assert findings["state"]["state"] == "works"
    assert findings["reading"]["state"] == "works"
    assert findings["provider searxng"]["state"] == "works"
    assert findings["provider brave"]["state"] == "missing"


def test_the_doctor_says_what_is_broken(run, environ):
    environ["ASSAY_HOME"] = "/proc/nowhere"
    done = run("doctor", "--json")
    assert done.returncode == 1
    assert any(finding["state"] == "broken" for finding in json.loads(done.stdout))


def test_told_to_stop_it_ends_with_a_clean_error(environ, article, site):
    release = threading.Event()
    site.pages["/otters"].before = lambda: release.wait(10)
    command = [*COMMAND, "call", "scrape_page", json.dumps({"url": article})]
    child = subprocess.Popen(command, env=os.environ | environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not site.requests:
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    stdout, stderr = child.communicate(timeout=60)
    release.set()
    assert child.returncode == 1
    assert stdout == b""
    assert json.loads(stderr)["error"]["kind"] == "network"


@pytest.mark.parametrize("name", ["../x", "a b", "", "a/b"])
def test_a_key_that_the_server_would_refuse_is_not_made(name, capsys):
    assert main(["key", name]) != 0
    assert "sha256" not in capsys.readouterr().out


def test_the_tools_are_listed_one_a_line(capsys):
    assert main(["tools", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(tool_registry.tool_names())
    for line, name in zip(lines, tool_registry.tool_names(), strict=True):
        outputs = [name, *tool_registry.find_tool(name).description.split()]
        assert line.split()[: len(outputs)] == outputs


def test_arguments_may_be_words_of_name_and_value(run, site):
    long = "Otters keep stones. " * 400
    address = site.says("/long", f"<article><h1>Otters</h1><p>{long}</p></article>")
    done = run("call", "scrape_page", f"url={address}", "max_length=1000")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["content"]) < 1200


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["q=otters & kelp", "rows=5"], {"q": "otters & kelp", "rows": 5}),
        (["q=2020"], {"q": "2020"}),
        (["q=a=b"], {"q": "a=b"}),
        (['q:="x"'], {"q": "x"}),
        (["rows=many"], {"rows": "many"}),
        (["unknown=1"], {"unknown": "1"}),
    ],
)
def test_a_value_is_what_the_schema_makes_of_it(words, given):
    assert json.loads(read_words(words, tool_registry.find_tool("crossref_search"))) == given


def test_a_name_given_twice_makes_a_list_where_the_schema_has_one():
    crawl = tool_registry.find_tool("cinder_crawl")
    words = ["url=https://example.org/", "includePatterns=^/a", "includePatterns=^/b"]
    assert json.loads(read_words(words, crawl))["includePatterns"] == ["^/a", "^/b"]
    assert json.loads(read_words(['includePatterns=["a","b"]', "url=x"], crawl))["includePatterns"] == ["a", "b"]
    with pytest.raises(InvalidInput, match="given twice"):
        read_words(["url=a", "url=b"], crawl)


def test_documents_are_read_from_files_and_bibtex_is_no_file_name(tmp_path):
    audit = tool_registry.find_tool("audit_document")
    paper, library = tmp_path / "paper.tex", tmp_path / "refs.bib"
    paper.write_bytes(b"\xffOtters")
    library.write_text("@misc{a, title={Otters}}")
    words = [f"content_base64=@{paper}", f"bibliography=@{library}"]
    assert json.loads(read_words(words, audit)) == {
        "content_base64": "/090dGVycw==", "filename": "paper.tex", "bibliography": "@misc{a, title={Otters}}"
    }  # fmt: skip
    assert json.loads(read_words(["bibliography=@misc{a, title={Otters}}"], audit))["bibliography"].startswith("@misc")
    with pytest.raises(InvalidInput, match="No such file") as failure:
        read_words(["text=@/nowhere/paper.md"], audit)
    assert failure.value.field == "text"


def test_a_word_alone_is_refused_with_the_forms_that_are_taken(capsys):
    assert main(["call", "web_search", "otters"]) == 2
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["message"] == "'otters' is not of the form name=value. Give name=value words or one JSON object."


@pytest.mark.parametrize("words", [("audit", "deliver"), ("logout", "nowhere")])
def test_where_there_is_no_other_provider_none_is_advised(words, environ, monkeypatch, capsys):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert main([*words]) == 1
    assert json.loads(capsys.readouterr().err)["error"]["suggestedAction"] == "inform_user"


@pytest.mark.parametrize("words", [("url=x", "y"), ("url:=x",)])
def test_words_that_are_not_pairs_are_refused(run, words):
    done = run("call", "scrape_page", *words)
    assert done.returncode == 2
    assert json.loads(done.stderr)["error"]["kind"] == "validation"


@pytest.mark.parametrize("asked", [("help", "web_search"), ("call", "web_search", "--help")])
def test_a_tool_is_explained(run, asked):
    output = run(*asked).stdout.decode()
    assert re.search(r"query +string, required", output)
    assert re.search(r"num_results +integer, 1 to 10, default 5", output)
    assert "assay call web_search query=" in output


@pytest.mark.parametrize("name", tool_registry.tool_names())
def test_every_tool_is_explained(name):
    output = format_help(tool_registry.find_tool(name))
    assert all(f"  {field}" in output for field in tool_registry.find_tool(name).input_schema["properties"])
    assert not re.search(r"\de\+\d", output)  # numbers have all of their digits
    *_, words, full = output.splitlines()
    prefix = ["assay", "call", name]
    assert shlex.split(words)[:3] == shlex.split(full)[:3] == prefix
    assert json.loads(read_words(shlex.split(words)[3:], tool_registry.find_tool(name))) == json.loads(
        shlex.split(full)[3]
    )


def test_a_command_without_a_tool_says_what_it_takes(run):
    assert run("call").returncode == 2
    assert b"usage: assay call" in run("call", "--help").stdout
    assert b"usage: assay" in run("help").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_a_shell_completes_commands_and_tools(run, shell):
    script = run("completion", shell).stdout
    assert b"web_search" in script
    assert b"doctor" in script


def test_kept_answers_are_deleted_when_told_so(run, article, site):
    for _ in range(2):
        assert run("call", "scrape_page", f"url={article}").returncode == 0
    before = len(site.requests)
    assert re.match(rb"[1-9]\d* kept answers deleted", run("cache", "clear").stdout)
    assert run("call", "scrape_page", f"url={article}").returncode == 0
    assert len(site.requests) > before
    assert run("cache", "clear").returncode == 0
