"""The doors: each turns its wire into `invoke`, and a reply into its wire. What lives globally lives here."""

import os
from collections.abc import Coroutine
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from assay.context import Services

# Looking for plugins of pydantic, which we have none of, reads the metadata of all that is installed: 9 ms of a start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251  # it is pydantic's setting, not ours


@cache
def runner() -> "asyncio.Runner":
    """One loop a process: pooled connections die with the loop they were made on."""
    import asyncio

    return asyncio.Runner()


@cache
def services() -> "Services":
    """One set of services a process, made at the first call."""
    from assay.assemble import assembled

    return assembled()


def wait_for[T](work: Coroutine[Any, Any, T]) -> T:
    return runner().run(work)
