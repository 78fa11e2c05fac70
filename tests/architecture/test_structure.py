"""The shape of the package: layers without gaps, no cycles, unique names, `__init__` modules without logic."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from tests.architecture.sources import ROOT, Source, parse, parse_sources

PACKAGE = ROOT / "shared/assay"
REPEATING = {"tools", "providers", "sites"}  # packages whose modules carry the name of a tool, a provider, a site

TWINS = {
    "Assay": "assay.api.waiting has it for programs without an event loop, under the name of its asyncio twin",
    "Client": "the same",
}
LOGIC = {
    "assay": "a lazy __getattr__: most starts need none of the public names, and importing them all costs 200 ms",
    "assay.entrypoints": "sets a variable of pydantic's that is read when pydantic is first imported, so before all else",
}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parse_modules() -> dict[str, Source]:
    return {module_name(path): source for path, source in parse_sources().items() if path.is_relative_to(PACKAGE)}


INITS = {module_name(path) for path in PACKAGE.rglob("__init__.py")}


def build_graph(modules: Mapping[str, Source]) -> dict[str, set[str]]:
    """Module to imported modules; imports inside functions count."""
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for name, source in modules.items():
        for node in source.nodes:
            if isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names} & modules.keys()
            elif isinstance(node, ast.ImportFrom) and node.module:
                members = {f"{node.module}.{alias.name}" for alias in node.names}
                graph[name] |= (members & modules.keys()) or ({node.module} & modules.keys())
    return graph


def find_circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules that import each other in turn, if there are any."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def has_logic(tree: ast.Module) -> bool:
    """Whether a module does more than describe, import and list public names."""
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_listing = isinstance(node, ast.Assign) and all(
            isinstance(target, ast.Name) and target.id in ("__all__", "__version__") for target in node.targets
        )
        if not (is_docstring or is_listing or isinstance(node, ast.Import | ast.ImportFrom)):
            return True
    return False


def test_layers_are_exhaustive():
    """In a copy, a module that no layer lists breaks the contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(one for one in contracts if one["type"] == "layers" and one.get("containers") == ["assay"])
    assert layers["exhaustive"] is True
    assert "exhaustive_ignores" not in layers


def test_a_module_outside_the_layers_is_refused(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "assay", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "assay/stray.py").touch()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--contract", "packages"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert "- assay.stray\n" in done.stdout


def test_files_do_not_import_each_other_in_a_circle():
    assert find_circle(build_graph(parse_modules())) == []


def test_a_circle_through_functions_is_found():
    sources = {
        "a": "from b import c",
        "b": "def f():\n    import c",
        "c": "def g():\n    from a import f",
        "d": "import a",
    }
    graph = build_graph({name: parse(source) for name, source in sources.items()})
    assert set(find_circle(graph)) == set("abc")


def test_a_module_name_occurs_once():
    places = defaultdict(list)
    for name in parse_modules().keys() - INITS:
        *packages, last = name.split(".")
        if not REPEATING & set(packages):
            places[last].append(name)
    assert {last: names for last, names in places.items() if len(names) > 1} == {}


def test_a_class_name_occurs_once():
    places = defaultdict(list)
    for name, source in parse_modules().items():
        for node in source.nodes:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name)
    repeated = {name for name, modules in places.items() if len(modules) > 1}
    assert repeated == TWINS.keys()
    assert {module.rpartition(".")[0] for name in TWINS for module in places[name]} == {"assay.api"}


@pytest.mark.parametrize("name", sorted(INITS))
def test_an_init_module_has_no_logic(name):
    assert has_logic(parse_modules()[name].tree) == (name in LOGIC)


@pytest.mark.parametrize("source", ["def f(): ...", "x = 1", "if True:\n    import a", "print('x')", "class A: ..."])
def test_logic_is_recognized(source):
    assert has_logic(ast.parse(source))
