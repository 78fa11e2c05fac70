"""An error is made where it is raised: one that is made once and raised often collects a traceback at every raise."""

import ast
import builtins
from collections.abc import Iterable, Iterator
from functools import cache

import pytest
from tests.architecture.sources import ROOT, parse_sources

CACHES = {"cache", "lru_cache", "cached_property", "cache_short"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def name_of(node: ast.expr) -> str:
    """The last word of a dotted name, of what is called or subscripted too."""
    if isinstance(node, ast.Call | ast.Subscript):
        return name_of(node.func if isinstance(node, ast.Call) else node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def find_exceptions(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of all exception classes: Python's and those that derive from them, however far."""
    results = {
        name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
    }
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    while derived := {
        one.name for one in classes if one.name not in results and {name_of(b) for b in one.bases} & results
    }:
        results |= derived
    return results


def find_shared_exceptions(node: ast.AST, exceptions: set[str]) -> Iterator[int]:
    """The lines where an exception is made when the module is imported, or by a function whose result is kept."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            yield from find_shared_exceptions(child.args, exceptions)  # defaults
            decorators = [] if isinstance(child, ast.Lambda) else child.decorator_list
            if CACHES & {name_of(one) for one in decorators}:
                returned = [each.value for each in ast.walk(child) if isinstance(each, ast.Return) and each.value]
                yield from (each.lineno for each in returned if _makes(each, exceptions))
            continue
        if _makes(child, exceptions) and not isinstance(node, ast.Raise):
            yield child.lineno
        yield from find_shared_exceptions(child, exceptions)


def _makes(node: ast.AST, exceptions: set[str]) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) in exceptions


@cache
def known_exceptions() -> set[str]:
    return find_exceptions(node for source in parse_sources().values() for node in source.nodes)


def test_no_error_is_made_once_and_raised_often():
    known = known_exceptions()
    shared = {path: list(find_shared_exceptions(source.tree, known)) for path, source in parse_sources().items()}
    assert {str(path.relative_to(ROOT)): found for path, found in shared.items() if found} == {}


@pytest.mark.parametrize(
    "source",
    [
        "LATE = Late('x')",
        "class A:\n    late = Late('x')",
        "TABLE = {1: [Late('x')]}",
        "def f(failure=Late('x')): pass",
        "LATE: Late = ValueError()",
        "@cache\ndef f():\n    return Late('x')",
    ],
)
def test_the_rule_sees_every_way_to_make_one(source):
    tree = ast.parse("class Late(ToolError): pass\n" + source)
    assert list(find_shared_exceptions(tree, known_exceptions() | find_exceptions(ast.walk(tree)) | {"Late"}))


@pytest.mark.parametrize("source", ["def f():\n    raise ValueError('x')", "raise ValueError('x')"])
def test_the_rule_lets_pass_what_is_raised_where_it_is_made(source):
    assert not list(find_shared_exceptions(ast.parse(source), known_exceptions()))
