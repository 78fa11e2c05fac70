"""What directories and hosts install: the bundle starts the server, and all manifests say the same."""

import base64
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from subprocess import PIPE
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import yaml
from infra.publishing import manifests
from infra.scripts.stack import ROOT
from tests.infra.test_wheel import INITIALIZE, UV

from assay.toolkit import tool_registry

COMPILED = ROOT / ".tools/zig-cache"  # of infra/scripts/compile


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The folder of the unpacked bundle, built from the sdist as a release is."""
    folder = tmp_path_factory.mktemp("publishing")
    command = [sys.executable, "-m", "infra.publishing", str(folder)]
    environ = os.environ | dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), str(COMPILED))
    done = subprocess.run(command, env=environ, capture_output=True, text=True, cwd=ROOT, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(folder.glob("*.mcpb"))) as archive:
        archive.extractall(folder / "bundle")
    return folder / "bundle"


@pytest.mark.skipif(not UV, reason="uv builds the wheels")
@pytest.mark.parametrize(("tag", "machine"), [("x86_64", 62), ("aarch64", 183)])
def test_the_wheels_for_linux_have_the_extension_modules_of_their_machine(bundle, tag, machine):
    [wheel] = bundle.parent.glob(f"*-cp313-abi3-manylinux_2_17_{tag}.whl")
    with zipfile.ZipFile(wheel) as archive:
        libraries = [archive.read(name) for name in archive.namelist() if name.endswith(".abi3.so")]
        assert len(libraries) == len(list(ROOT.glob("shared/assay/**/_*.c")))
        assert not [name for name in archive.namelist() if name.endswith(".c")]
    for library in libraries:
        assert (library[:4], int.from_bytes(library[18:20], "little")) == (b"\x7fELF", machine)


def test_the_layer_that_a_mac_builds_has_extension_modules_for_linux(tmp_path):
    script = ROOT / "infra/publishing/compile_extensions.py"
    on_a_mac = "import runpy, subprocess, sys, sysconfig, tempfile; sysconfig.get_config_vars(); "
    on_a_mac += "sys.platform = 'darwin'; del sys.argv[0]; "
    on_a_mac += "runpy.run_path(sys.argv[0], run_name='__main__')"
    environ = os.environ | dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), str(COMPILED))
    command = [ROOT / ".tools/zig/bin/python", "-c", on_a_mac, script, "x86_64", tmp_path]
    subprocess.run(command, env=environ, check=True, timeout=300)
    libraries = [path.read_bytes() for path in tmp_path.rglob("*.abi3.so")]
    assert libraries
    assert {library[:4] for library in libraries} == {b"\x7fELF"}


@pytest.mark.skipif(not UV, reason="uv builds the wheels")
def test_the_wheel_for_every_machine_has_no_extension_modules(bundle):
    [wheel] = bundle.parent.glob("*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith((".so", ".c"))]


@pytest.mark.skipif(not UV, reason="the bundle runs with uv")
def test_the_bundle_serves_mcp_with_nothing_configured(bundle, tmp_path):
    described = json.loads((bundle / "manifest.json").read_text())["server"]
    assert (bundle / described["entry_point"]).is_file()
    start = described["mcp_config"]
    command = [word.replace("${__dirname}", str(bundle)) for word in (start["command"], *start["args"])]
    command[0] = UV
    unset = {name: re.sub(r"\$\{user_config\.\w+\}", "", value) for name, value in start["env"].items()}
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"} or name.startswith("UV_")}
    environ = kept | unset | {"ASSAY_HOME": str(tmp_path), "CHROME_PATH": "disabled"}
    environ |= {"UV_PYTHON": sys.executable, "UV_SYSTEM_CERTS": "true"}  # as pyproject.toml has it for uv elsewhere
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    log = tmp_path / "stderr"
    with (
        log.open("w") as errors,
        subprocess.Popen(command, env=environ, stdin=PIPE, stdout=PIPE, stderr=errors, text=True, cwd="/") as server,
    ):
        server.stdin.write("".join(json.dumps(each) + "\n" for each in requests))
        server.stdin.flush()
        lines = [server.stdout.readline() for _ in range(2)]  # before stdin ends, which leaves calls five seconds
        server.stdin.close()
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, filter(None, lines))}
    assert len(answers) == 2, log.read_text()
    assert "verify_citation" in {tool["name"] for tool in answers[2]["tools"]}, log.read_text()


def test_the_registry_entry_keeps_the_registrys_limits_and_the_readme_proves_the_ownership():
    entry = json.loads((ROOT / "infra/publishing/server.json").read_text())
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert len(entry["description"]) <= 100
    [package] = entry["packages"]
    assert (
        package["version"]
        == entry["version"]
        == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    )
    assert f"<!-- mcp-name: {entry['name']} -->" in (ROOT / "README.md").read_text()


def test_install_links_carry_the_command_that_the_page_shows():
    links = manifests.build_install_links()
    server = {"command": "uvx", "args": ["assay", "mcp"]}
    for link in (*links["Cursor"], *links["LM Studio"]):
        query = parse_qs(urlsplit(link).query)
        assert query["name"] == ["assay"]
        assert json.loads(base64.b64decode(query["config"][0])) == server
    assert json.loads(unquote(urlsplit(links["VS Code"].app).query)) == {"name": "assay", **server}
    assert json.loads(parse_qs(urlsplit(links["VS Code"].page).query)["config"][0]) == server


def test_links_on_the_page_about_installation_are_web_links_which_every_viewer_shows():
    shown = (ROOT / "docs/installation.md").read_text()
    for page, app in manifests.build_install_links().values():
        assert page.startswith("https://")
        assert f"[install]({page})<br>`{app}`" in shown
    assert not re.search(r"\]\((?:cursor|vscode|lmstudio):", shown)  # GitHub shows such links as plain text


def test_the_plugin_lies_where_the_marketplace_says_and_its_skills_name_real_tools():
    [plugin] = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text())["plugins"]
    folder = ROOT / plugin["source"]
    assert json.loads((folder / ".claude-plugin/plugin.json").read_text())["name"] == plugin["name"]
    skills = sorted(Path(folder).glob("skills/*/SKILL.md"))
    assert len(skills) == 2
    for skill in skills:
        text = skill.read_text()
        assert text.startswith(f"---\nname: {skill.parent.name}\ndescription: ")
        named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text))
        assert named
        assert named <= set(tool_registry.tool_names())


def test_the_container_starts_a_browser_without_privileges():
    recipe = (ROOT / "infra/publishing/container/Dockerfile").read_text()
    final = recipe.rpartition("FROM ${BASE}")[2]
    assert "\nUSER 1000\n" in final
    assert "CHROME_SANDBOX=false" in final  # it cannot start where there are no user namespaces
    service = yaml.safe_load((ROOT / "infra/publishing/container/compose.yaml").read_text())["services"]["assay"]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
