"""Formats CSL-JSON items with citeproc-js, the reference implementation of CSL, in an embedded JavaScript engine.

The engine (QuickJS) has neither files nor a network, and its memory and CPU time are limited. Each call has its own.
"""

import importlib.resources
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from assay.bibliography.csl import style_archive
from assay.bibliography.csl.style_tree import build_tree
from assay.errors import InvalidInput, ToolError

MAX_SECONDS = 25  # CPU time of one call
MAX_MEMORY = 256 * 1024 * 1024
MAX_STACK = 1024 * 1024  # bytes; a deeper recursion is an error of the script


def format_references(
    items: Sequence[Mapping[str, Any]], style: style_archive.Style, locale: str = "", *, seconds: int = MAX_SECONDS
) -> list[str]:
    """Format items as references, one line each, in the order of the style.

    `locale` is the language of the style's own words; without it, the style's language or American English.
    Raises InvalidInput if the style prints notes only, or if the items take more than `seconds` of CPU time.
    """
    language = locale or style.locale or style_archive.DEFAULT_LOCALE
    locales = {tag: _load_terms(tag) for tag in {language, style_archive.DEFAULT_LOCALE}}
    tree = json.dumps(build_tree(style.csl))
    lines = json.loads(_run(seconds, tree, json.dumps(items), json.dumps(locales), language))
    if lines is None:
        raise InvalidInput(
            f"The citation style {style.name!r} prints notes and has no bibliography. Use another style.", field="style"
        )
    return [" ".join(line.split()) for line in lines]


def _load_terms(locale: str) -> str:
    """Return the tree of a locale as JSON, "" if there is none."""
    xml = style_archive.load_locale(locale)
    return json.dumps(build_tree(xml)) if xml else ""


def _run(seconds: int, *arguments: str) -> str:
    import quickjs

    context = quickjs.Context()
    context.set_memory_limit(MAX_MEMORY)
    context.set_max_stack_size(MAX_STACK)
    context.set_time_limit(seconds)
    try:
        context.eval(f"var module = {{exports: {{}}}}, exports = module.exports;\n{_load_script()}")
        references: str = context.eval("formatReferences")(*arguments)
    except quickjs.JSException as failure:
        if "interrupted" in str(failure) or "out of memory" in str(failure):
            raise InvalidInput(
                "The sources take too long to format in this style; send fewer of them.", field="sources"
            ) from None
        raise ToolError(f"The citation processor failed: {str(failure)[:200]}") from None
    return references


@cache
def _load_script() -> str:
    driver = importlib.resources.files(__package__) / "driver.js"
    return f"{style_archive.load_processor()}\n;\n{driver.read_text('utf-8')}"
