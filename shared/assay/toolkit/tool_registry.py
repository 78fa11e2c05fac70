"""The registry of tools is the folder `assay/tools`: the tool `web_search` is `web_search` in `web_search.py`."""

import difflib
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from assay.errors import NotFound

if TYPE_CHECKING:
    from assay.toolkit.tool import Tool


@cache
def tool_names() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in iter_modules(import_module("assay.tools").__path__)))


@cache
def find_tool(name: str) -> "Tool[Any, Any]":
    """Import one tool only, so that a Lambda that runs one tool loads one."""
    if name not in tool_names():
        near = difflib.get_close_matches(name[:100], tool_names(), n=3)
        way = f"Did you mean {' or '.join(near)}?" if near else "List the tools to see what there is."
        raise NotFound(f"There is no tool called {name[:60]!r}. {way}", alternatives=near)
    found: Tool[Any, Any] = getattr(import_module(f"assay.tools.{name}"), name)
    return found
