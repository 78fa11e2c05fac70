"""The sources of the product as syntax trees, which all rules read."""

import ast
import gc
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACES = ("shared/assay", "functions")


@dataclass(frozen=True)
class Source:
    """A module. `nodes` are those of its tree, the tree first."""

    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]


def parse(text: str) -> Source:
    tree = ast.parse(text)
    return Source(text, tree, tuple(ast.walk(tree)))


@cache
def parse_sources() -> Mapping[Path, Source]:
    """Every module, parsed once in a process; collections of garbage would visit the growing trees again and again."""
    gc.disable()
    try:
        return {path: parse(path.read_text()) for place in PLACES for path in sorted((ROOT / place).rglob("*.py"))}
    finally:
        gc.freeze()
        gc.enable()
