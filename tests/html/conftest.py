"""Compiles the extension modules before a test imports what uses them."""

from tests.support.extensions import compile_extensions

compile_extensions()
