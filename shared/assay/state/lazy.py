"""A part of the world that is made when it is first asked for something: many calls never ask."""

from collections.abc import Callable
from functools import cached_property
from typing import Any


class LazyProxy:
    """Stands for what `make` gives, which is called once, at the first question."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _value(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value, name)

    async def close(self) -> None:
        """What was never made need not be closed."""
        if "_value" in self.__dict__:
            await self._value.close()
