"""The scripts of developers, which no type checker reads, use what the package has."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def iterate_uses(tree):
    """Yield each module of the package that the script imports, with the names that it takes or looks up there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "assay":
            for each in node.names:
                yield node.module, each.name
                found[each.asname or each.name] = f"{node.module}.{each.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in found:
            yield found[node.value.id], node.attr


def exists(module, name):
    try:
        place = import_module(module)
    except ImportError:
        return True  # a class or function, whose attributes are not looked at
    if hasattr(place, name):
        return True
    try:
        import_module(f"{module}.{name}")
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("path", sorted((ROOT / "infra").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_script_uses_names_that_exist(path):
    uses = set(iterate_uses(ast.parse(path.read_text())))
    assert not [f"{module}.{name}" for module, name in uses if not exists(module, name)]
