"""Lazy initialisation of services that many calls never use."""

from collections.abc import Callable
from functools import cached_property
from typing import Any


class LazyProxy:
    """Delegates attributes to the result of `make`, which is called on first use."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _value(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value, name)

    async def close(self) -> None:
        """Close the object if it was created."""
        if "_value" in self.__dict__:
            await self._value.close()
