"""What a process of any entry point keeps: its event loop and its services."""

from collections.abc import Coroutine
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from assay.context import Services


@cache
def runner() -> "asyncio.Runner":
    """One loop a process: pooled connections die with the loop they were made on."""
    import asyncio

    return asyncio.Runner()


@cache
def services() -> "Services":
    """One set of services a process, made at the first call."""
    from assay.bootstrap import build_services

    return build_services()


def wait_for[T](work: Coroutine[Any, Any, T]) -> T:
    return runner().run(work)
