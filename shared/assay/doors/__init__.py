"""The doors: each turns its wire into `invoke`, and a reply into its wire. What lives globally lives here."""

import asyncio
from collections.abc import Coroutine
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.context import Services


@cache
def runner() -> asyncio.Runner:
    """One loop a process: pooled connections die with the loop they were made on."""
    return asyncio.Runner()


@cache
def services() -> "Services":
    """One set of services a process, made at the first call."""
    from assay.assemble import assembled

    return assembled()


def wait_for[T](work: Coroutine[Any, Any, T]) -> T:
    return runner().run(work)
