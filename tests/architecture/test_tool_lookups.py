"""Tools do not reach each other through the registry, which import contracts cannot see."""

import ast
from pathlib import Path

import pytest


def find_lookups(source: str) -> set[str]:
    """The ways in which a source reaches a tool by name."""
    result = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names} | {(node.module or "").rpartition(".")[2]}
        elif isinstance(node, ast.Import):
            names = {alias.name.rpartition(".")[2] for alias in node.names}
        elif isinstance(node, ast.Attribute):
            names = {node.attr}
        else:
            names = {node.id} if isinstance(node, ast.Name) else set()
        result |= names & {"tool_registry", "find_tool", "import_module", "__import__"}
    return result


ROOT = Path(__file__).parents[2]
TOOLS = sorted(path for folder in ("tools", "base_tools") for path in (ROOT / f"shared/assay/{folder}").glob("*.py"))


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_tool_does_not_look_up_another(path):
    """What two tools need is in a package below them, `base_tools` at the highest."""
    assert find_lookups(path.read_text()) == set()


@pytest.mark.parametrize(
    "source",
    [
        "from assay.toolkit import tool_registry",
        "def f():\n    from assay.toolkit.tool_registry import find_tool as g",
        "import assay.toolkit.tool_registry",
        "import importlib\nimportlib.import_module('assay.tools.web_search')",
    ],
)
def test_a_lookup_is_found(source):
    assert find_lookups(source)
