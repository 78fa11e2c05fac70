"""What is built is small enough, made for the right machine, compiled, and nobody else's."""

import importlib.util
import json
import subprocess

import pytest
from infra.scripts import stack

from assay.toolkit import tool_registry

LIMIT = 250 * 1024 * 1024  # Lambda's, for a function and its layers unzipped
MACHINES = {"x86_64": 62, "arm64": 183}  # e_machine of ELF
ELSEWHERE = ["boto3", "botocore", "uvicorn", "uvloop", "pytest", "moto", "ministack"]


@pytest.fixture(scope="session")
def layers(built_functions):
    return {layer.name: layer for function in built_functions.values() for layer in function.layers}


def test_every_function_fits_into_lambda(built_functions):
    assert len(built_functions) == len(tool_registry.tool_names()) + len(
        ("Mcp", "Rest", "ServiceInfo", "Console", "Crawl", "Jobs")
    )
    for function in built_functions.values():
        assert 0 < function.size() < LIMIT, function.name


def test_native_code_is_for_the_machine_that_was_asked_for(layers):
    libraries = [path for layer in layers.values() for path in layer.rglob("*.so*") if path.is_file()]
    assert libraries
    for path in libraries:
        with path.open("rb") as file:
            header = file.read(20)
        assert (header[:4], int.from_bytes(header[18:20], "little")) == (b"\x7fELF", MACHINES[stack.HERE]), path


@pytest.mark.parametrize("name", ["Deps", "Asgi", "Shared"])
def test_every_module_has_bytecode_that_is_never_checked(name, layers):
    for source in (layers[name] / "python").rglob("*.py"):
        compiled = importlib.util.cache_from_source(str(source))
        with open(compiled, "rb") as file:
            assert int.from_bytes(file.read(8)[4:], "little") == 0b01, source


def test_the_tools_layers_carry_no_passengers(layers):
    for name in [*ELSEWHERE, "fastapi", "mcp", "mangum"]:
        assert not (layers["Deps"] / "python" / name).exists()
    for name in ELSEWHERE:
        assert not (layers["Asgi"] / "python" / name).exists()


def test_the_frozen_catalogue_has_every_tool(layers):
    text = (layers["Shared"] / "python/assay/entrypoints/mcp/frozen.json").read_text()
    assert json.loads(text)
    for name in tool_registry.tool_names():
        assert f'"{name}"' in text


def test_every_lens_is_in_its_layer(layers):
    here = {path.name for path in (stack.ROOT / "lenses").glob("*.json")}
    assert {path.name for path in (layers["Lenses"] / "lenses").iterdir()} == here


def test_what_did_not_change_is_not_built_again(built_functions):
    created = stack.ROOT / next(iter(built_functions.values())).code.parent / "template.yaml"
    before = created.stat().st_mtime_ns
    assert stack.functions(stack.build()) == built_functions
    assert created.stat().st_mtime_ns == before


def test_the_layers_hold_what_the_lock_says():
    checked = subprocess.run(
        [stack.ROOT / "infra/scripts/requirements", "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
