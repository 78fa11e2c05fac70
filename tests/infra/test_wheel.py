"""The wheel as a stranger installs it: into a fresh environment, without this checkout."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = os.environ.get("UV") or shutil.which("uv")  # `uv run` tells where it is
pytestmark = pytest.mark.skipif(not UV, reason="uv builds and installs the wheel")
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def run(*command: object, environ: dict[str, str] | None = None, **more: object) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT if command[0] == UV else "/",
        **more,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed_commands() -> Iterator[Path]:
    """The folder of the commands of an environment that has the wheel and nothing else: on disk, where uv links files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(UV, "build", "--quiet", "--wheel", "--out-dir", folder / "dist", ROOT)
        run(UV, "venv", "--quiet", "--python", sys.executable, folder / "venv")
        [wheel] = (folder / "dist").glob("*.whl")
        run(UV, "pip", "install", "--quiet", "--python", folder / "venv/bin/python", wheel)
        yield folder / "venv/bin"


@pytest.fixture
def stranger(tmp_path: Path) -> dict[str, str]:
    """An environment without our variables; Chromium stays out of it, since its start is tested elsewhere."""
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CHROME_PATH": "disabled"}


def test_the_wheel_holds_no_tools_of_developers(installed_commands):
    packages = {path.name for path in installed_commands.parent.glob("lib/python*/site-packages/*")}
    assert not packages & {"pytest", "mypy", "moto", "ruff"}
    assert "mcp" in packages or "fastapi" in packages


def test_its_version_is_reported(installed_commands, stranger):
    assert run(installed_commands / "assay", "--version", environ=stranger).startswith("assay 0.")


def test_its_doctor_finds_the_machine_well(installed_commands, stranger):
    findings = json.loads(run(installed_commands / "assay", "doctor", "--json", environ=stranger))
    assert {each["what"]: each["state"] for each in findings}["state"] == "works"


def test_it_serves_mcp_on_standard_input_and_output(installed_commands, stranger):
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": "ui://assay/audit"}},
    ]
    command = [str(installed_commands / "assay"), "mcp"]
    with subprocess.Popen(
        command, env=stranger, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/"
    ) as child:
        child.stdin.write("".join(json.dumps(each) + "\n" for each in messages))
        child.stdin.flush()
        answers = {answer["id"]: answer["result"] for answer in (json.loads(child.stdout.readline()) for _ in range(3))}
        child.stdin.close()
        assert child.wait(timeout=60) == 0
    assert answers[1]["serverInfo"]["name"] == "assay"
    assert "web_search" in {tool["name"] for tool in answers[2]["tools"]}
    assert "<script" in answers[3]["contents"][0]["text"]


@pytest.fixture
def server(installed_commands: Path, stranger: dict[str, str]) -> Iterator[str]:
    command = [str(installed_commands / "assay"), "serve", "--port", "0"]
    child = subprocess.Popen(command, env=stranger, stdout=subprocess.PIPE, text=True, cwd="/")
    line = child.stdout.readline()
    yield line.split()[3]
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=60)
    assert child.returncode == 0


def test_it_serves_http(server):
    with urllib.request.urlopen(server + "/tools", timeout=60) as answer:
        assert "web_search" in {tool["name"] for tool in json.load(answer)["tools"]}
    with urllib.request.urlopen(server + "/console/tools/web_search?example=1", timeout=60) as answer:
        page = answer.read().decode()
    assert "sea otter kelp" in page
    with urllib.request.urlopen(
        server + page.partition('rel="stylesheet" href="')[2].partition('"')[0], timeout=60
    ) as answer:
        assert answer.headers["cache-control"].endswith("immutable")


def test_running_it_in_a_checkout_installs_no_tools_of_developers_either(tmp_path):
    environ = os.environ | {"UV_PROJECT_ENVIRONMENT": str(tmp_path / "venv"), "VIRTUAL_ENV": ""}
    command = [UV, "sync", "--locked", "--dry-run", "--project", str(ROOT), "--python", sys.executable]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert " + uvicorn==" in done.stderr
    assert " + pytest==" not in done.stderr
