"""Gives a context variable a value for as long as a `with` statement lasts."""

from contextvars import ContextVar
from typing import Any


class ContextValue[T]:
    """Sets the variable to the value inside this context. Each call enters many, so this is no generator."""

    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[Any], value: T) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> T:
        self._token = self._variable.set(self._value)
        return self._value

    def __exit__(self, *_: object) -> None:
        self._variable.reset(self._token)
