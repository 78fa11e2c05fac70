"""The command line at a terminal: what people see there, and programs in a pipe do not."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from tests.support.forked_commands import ForkedCommand, run_command

COMMAND = [sys.executable, "-m", "assay.entrypoints.cli.main"]


class Terminal:
    """A command whose standard input and error are a terminal, and its output a pipe."""

    def __init__(self, environ: dict[str, str], *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        self.child = ForkedCommand(
            *arguments, env=os.environ | environ, stdin=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        self.shown = ""
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self._ours, 4096)
            except OSError:  # the other end has closed
                return
            self.shown += piece.decode()

    def wait_for(self, text: str, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < until, f"{text!r} is not in {self.shown!r}"
            time.sleep(0.02)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def end(self) -> tuple[int, str]:
        """The exit code and standard output, once the command has ended by itself."""
        output, _ = self.child.communicate(timeout=60)
        self._reading.join(5)
        os.close(self._ours)
        return self.child.returncode, output.decode()


@pytest.fixture
def terminal(environ) -> Iterator[Callable[..., Terminal]]:
    begun: list[Terminal] = []

    def terminal(*arguments: str) -> Terminal:
        begun.append(Terminal(environ, *arguments))
        return begun[-1]

    yield terminal
    for each in begun:
        if each.child.poll() is None:
            each.child.kill()
            each.child.wait()


@pytest.fixture
def slow_article(site, article) -> Iterator[str]:
    """The address of an article that is not answered before the test ends."""
    release = threading.Event()
    site.pages["/otters"].before = lambda: release.wait(60)
    yield article
    release.set()


def test_a_failure_is_a_sentence_and_no_json(terminal):
    command = terminal("call", "nothing_of_ours", "{}")
    assert command.end() == (1, "")
    assert command.shown.startswith("assay: There is no tool called")
    assert "{" not in command.shown


def test_a_failure_of_a_json_tool_is_a_sentence_too(terminal):
    command = terminal("call", "http_fetch", "{}")
    assert command.end() == (1, "")
    assert command.shown.strip() == "assay: url is required"


def test_a_tool_called_without_arguments_does_not_wait_for_typing(terminal):
    command = terminal("call", "scrape_page")
    assert command.end() == (2, "")
    assert "url is required" in command.shown


def test_while_a_call_works_a_line_says_so_and_is_gone_at_the_end(terminal, site, article):
    release = threading.Event()
    site.pages["/otters"].before = lambda: release.wait(30)
    command = terminal("call", "scrape_page", json.dumps({"url": article}))
    command.wait_for("scrape_page is running")
    release.set()
    code, output = command.end()
    assert code == 0
    assert "Otters" in json.loads(output)["content"]
    assert command.shown.endswith("\r\x1b[K")


def test_ctrl_c_ends_a_call_without_a_word_of_the_network(terminal, slow_article):
    command = terminal("call", "scrape_page", json.dumps({"url": slow_article}))
    command.wait_for("is running")
    command.child.send_signal(signal.SIGINT)
    assert command.end() == (130, "")
    assert "network" not in command.shown
    assert "Traceback" not in command.shown


def test_ctrl_c_in_a_pipe_ends_as_130_too(environ, slow_article, site):
    command = [*COMMAND, "call", "scrape_page", json.dumps({"url": slow_article})]
    child = subprocess.Popen(command, env=os.environ | environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not site.requests:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60) == (b"", b"")
    assert child.returncode == 130


@pytest.fixture
def endless(site) -> str:
    for n in range(200):
        links = "".join(f'<a href="/{n + step}">{n + step}</a> ' for step in (1, 2, 3))
        text = f"Otter {n} keeps stone {n} under its arm and swims upstream with it all day. " * 4
        body = f"<title>Otter {n}</title><article><h1>{n}</h1><p>{text}</p></article><nav>{links}</nav>"
        site.says(f"/{n}", body, before=lambda: time.sleep(0.05))
    return site.url + "/0"


@pytest.mark.parametrize(("answer", "status"), [("y\n", "running|queued"), ("n\n", "cancelled")])
def test_ctrl_c_on_a_crawl_offers_to_leave_it_for_later(terminal, environ, endless, answer, status):
    command = terminal("crawl", endless, "--max-pages", "150", "--max-depth", "10")
    command.wait_for(" pages")
    command.child.send_signal(signal.SIGINT)
    command.wait_for("[y/N]")
    identity = re.search(r"--resume ([\w-]+)", command.shown)[1]
    command.type(answer)
    assert command.end()[0] == 130
    output = run_command("call", "cinder_get_crawl_status", json.dumps({"id": identity}), env=os.environ | environ)
    assert re.fullmatch(status, json.loads(output.stdout)["status"])
