"""Parsed pages are used in `with` statements, which free their memory: their elements refer to each other."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "shared/assay"
USERS = sorted(path for path in PACKAGE.rglob("*.py") if "parse_html(" in path.read_text())


def find_calls_outside_with(source: str) -> list[int]:
    """Return the lines of calls of `parse_html` that no `with` statement makes."""
    nodes = list(ast.walk(ast.parse(source)))
    managed = {id(item.context_expr) for node in nodes if isinstance(node, ast.With) for item in node.items}
    return [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "parse_html" and id(node) not in managed
    ]


@pytest.mark.parametrize("path", USERS, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_parsed_page_is_freed_by_a_with_statement(path):
    assert find_calls_outside_with(path.read_text()) == []


def test_a_call_outside_a_with_statement_is_found():
    source = "with parse_html(a) as tree:\n    read(tree)\nread(parse_html(b))"
    assert find_calls_outside_with(source) == [3]
