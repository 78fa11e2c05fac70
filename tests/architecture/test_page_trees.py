"""Pages are opened in `with` statements, which free their memory: their elements refer to each other."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "shared/assay"
OPENER = PACKAGE / "html/parser/html_tree.py"
USERS = sorted(path for path in PACKAGE.rglob("*.py") if path != OPENER and "html_tree import" in path.read_text())


def find_unmanaged(source: str) -> list[int]:
    """Return the lines of imports of anything but `open_html`, and of its calls that no `with` statement makes."""
    nodes = list(ast.walk(ast.parse(source)))
    managed = {id(item.context_expr) for node in nodes if isinstance(node, ast.With) for item in node.items}
    return [node.lineno for node in nodes if _is_other_import(node) or (_is_opening(node) and id(node) not in managed)]


def _is_other_import(node: ast.AST) -> bool:
    if not isinstance(node, ast.ImportFrom) or node.module != "assay.html.parser.html_tree":
        return False
    return [(one.name, one.asname) for one in node.names] != [("open_html", None)]


def _is_opening(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open_html"


@pytest.mark.parametrize("path", USERS, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_page_is_freed_by_a_with_statement(path):
    assert find_unmanaged(path.read_text()) == []


def test_pages_that_nothing_frees_are_found():
    source = """from assay.html.parser.html_tree import open_html
from assay.html.parser.html_tree import parse_html as open_page
with open_html(a) as tree:
    read(tree)
read(open_html(b))"""
    assert find_unmanaged(source) == [2, 5]
