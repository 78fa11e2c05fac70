"""The tools as methods with typed answers, whoever runs them."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, Self, overload

from pydantic.alias_generators import to_camel

from assay.toolkit import tool_registry
from assay.toolkit.base import Input, Output
from assay.toolkit.tool import Tool


class Toolbox(ABC):
    """An async context manager with a method for each tool: `await box.web_search(query="otters")`.

    Answers are the tools' own models, failures are raised as the `ToolError` that tells what went wrong and what to do.
    `call` with a tool itself tells type checkers which model to expect.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @abstractmethod
    async def close(self) -> None:
        """Give back connections and files. Nothing may be called afterwards."""

    @abstractmethod
    async def answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The tool's whole answer as JSON, with its `_meta` (cost, age) where it has one. Raises ToolError."""

    @overload
    async def call[Answer: Output](self, tool: Tool[Any, Answer], /, **arguments: Any) -> Answer: ...

    @overload
    async def call(self, tool: str, /, **arguments: Any) -> Any: ...

    async def call(self, tool: Any, /, **arguments: Any) -> Any:
        """Call a tool by its name or by itself. Raises ToolError."""
        found = tool_registry.find_tool(tool) if isinstance(tool, str) else tool
        body = await self.answer(found.name, rename_arguments(found.ask, arguments))
        body.pop("_meta", None)
        return found.answer.model_validate(body)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if name.startswith("_") or name not in tool_registry.tool_names():
            raise AttributeError(f"{type(self).__name__} has no attribute and Assay no tool called {name!r}")
        return method_of(name, self.call)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *tool_registry.tool_names()]


def method_of(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """The method of one tool, with its description for `help`."""

    def method(**arguments: Any) -> Any:
        return call(name, **arguments)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = tool_registry.find_tool(name).description
    return method


def rename_arguments(ask: type[Input], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments under their names on the wire: `session_id` is `sessionId` there. What is None is not sent."""
    on_wire = {info.alias or name for name, info in ask.model_fields.items()}
    aliases = {name: info.alias for name, info in ask.model_fields.items() if info.alias}

    def rename(name: str) -> str:
        camel = to_camel(name)
        return aliases.get(name) or (camel if name not in on_wire and camel in on_wire else name)

    return {rename(name): value for name, value in arguments.items() if value is not None}
