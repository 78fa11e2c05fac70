"""The kept list of tools: what the tools say now, never what they said before a change."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

SHARED = Path(__file__).parents[3] / "shared"
OPENING = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
SERVER = ("-m", "assay.entrypoints.cli.main", "mcp")
READ = """
import os, sys
from pathlib import Path
from assay.entrypoints.mcp.list_cache import load_cached
print(len(load_cached(Path(os.environ["ASSAY_HOME"])).entries()) > 40, "pydantic" in sys.modules)
"""


def copy_package(folder):
    """Copy the package and its bytecode into `folder`, without lists of tools."""
    kept = shutil.ignore_patterns("frozen.json", "tools.json")
    shutil.copytree(SHARED / "assay", folder / "assay", ignore=kept)
    return folder


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the package, whose tools a test may change."""
    return copy_package(tmp_path_factory.mktemp("checkout"))


def tools_of(folder, home, *options):
    """The list that a fresh server shows, and whether it rebuilt the list for it."""
    before = kept_lists(folder, home)
    lines = "".join(json.dumps(message) + "\n" for message in (OPENING, LIST))
    child = subprocess.Popen(
        [sys.executable, *options, *SERVER], env=environ(folder, home), stdin=PIPE, stdout=PIPE, text=True
    )
    child.stdin.write(lines)
    child.stdin.flush()
    answers = {answer["id"]: answer for answer in (json.loads(child.stdout.readline()) for _ in range(2))}
    child.communicate(timeout=60)  # closes the input only now: unanswered calls are cut off soon after its end
    assert child.returncode == 0
    return {tool["name"]: tool for tool in answers[1]["result"]["tools"]}, kept_lists(folder, home) != before


def environ(folder, home):
    return os.environ | {"PYTHONPATH": str(folder), "ASSAY_HOME": str(home)}


def kept_lists(folder, home):
    """The files that keep the list. One that is written again has another number."""
    paths = [*folder.glob("assay/entrypoints/mcp/__pycache__/tools.json"), *home.glob("tools-*.json")]
    return {(path.name, path.stat().st_ino) for path in paths}


def test_the_list_is_made_once_and_rebuilt_after_a_change(checkout, tmp_path):
    first, is_rebuilt = tools_of(checkout, tmp_path)
    assert is_rebuilt
    second, is_rebuilt = tools_of(checkout, tmp_path)
    assert not is_rebuilt
    assert second == first
    done = subprocess.run([sys.executable, "-c", READ], env=environ(checkout, tmp_path), capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"], done.stderr
    tool = checkout / "assay/tools/rss_fetch.py"
    tool.write_text(tool.read_text().replace("Fetch a feed", "Fetch any feed"))
    third, is_rebuilt = tools_of(checkout, tmp_path)
    assert is_rebuilt
    assert third["rss_fetch"]["description"].startswith("Fetch any feed")
    (checkout / "assay/tools/wiki_query.py").rename(checkout / "assay/tools/wiki_asked.py.txt")
    fourth, _ = tools_of(checkout, tmp_path)
    assert "wiki_query" not in fourth
    assert len(fourth) == len(first) - 1


def test_where_bytecode_cannot_be_written_the_list_is_kept_in_the_home(tmp_path):
    copy, home = copy_package(tmp_path / "copy"), tmp_path / "home"
    shutil.rmtree(copy / "assay/entrypoints/mcp/__pycache__", ignore_errors=True)
    (copy / "assay/entrypoints/mcp/__pycache__").write_text("no folder")
    assert tools_of(copy, home, "-B")[1]
    assert [path.name.partition("-")[0] for path in home.glob("*.json")] == ["tools"]
    assert not tools_of(copy, home, "-B")[1]


@pytest.mark.parametrize(
    "content", ["", "x", "[]", "{signature}\n", '{signature}\n{{"a": 1}}', '{signature}\n[{{"card": 1}}]']
)
def test_a_kept_list_that_is_broken_is_rebuilt(content, tmp_path, monkeypatch):
    from assay.entrypoints.mcp import list_cache

    path = tmp_path / "tools.json"
    current = list_cache.signature()
    path.write_text(content.format(signature=current))
    assert len(list_cache.load([path], current)) > 40
    assert list_cache.read(path, current)
    assert list_cache.read(path, "another") is None
