"""Base class with a method for each tool and typed answers."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, Self, overload

from pydantic.alias_generators import to_camel

from assay.toolkit import tool_registry
from assay.toolkit.base import Input, Output
from assay.toolkit.tool import Tool


class Toolbox(ABC):
    """An async context manager with a method for each tool: `await box.web_search(query="otters")`.

    Answers are the output models of the tools; failures raise `ToolError`. `call` with a tool object instead of a name
    gives type checkers the model of the answer.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @abstractmethod
    async def close(self) -> None:
        """Close connections and files. Make no calls afterwards."""

    @abstractmethod
    async def answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The complete answer as JSON, with `_meta` (cost, age) if it has one. Raises ToolError."""

    @overload
    async def call[Answer: Output](self, tool: Tool[Any, Answer], /, **arguments: Any) -> Answer: ...

    @overload
    async def call(self, tool: str, /, **arguments: Any) -> Any: ...

    async def call(self, tool: Any, /, **arguments: Any) -> Any:
        """Call a tool, given by name or as an object. Raises ToolError."""
        found = tool_registry.find_tool(tool) if isinstance(tool, str) else tool
        body = await self.answer(found.name, rename_arguments(found.ask, arguments))
        body.pop("_meta", None)
        return found.answer.model_validate(body)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if name.startswith("_") or name not in tool_registry.tool_names():
            raise AttributeError(f"{type(self).__name__} has no attribute, and Assay no tool, named {name!r}")
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
    """The arguments with their JSON names, such as `sessionId` for `session_id`, without those that are None."""
    on_wire = {info.alias or name for name, info in ask.model_fields.items()}
    aliases = {name: info.alias for name, info in ask.model_fields.items() if info.alias}

    def rename(name: str) -> str:
        camel = to_camel(name)
        return aliases.get(name) or (camel if name not in on_wire and camel in on_wire else name)

    return {rename(name): value for name, value in arguments.items() if value is not None}
