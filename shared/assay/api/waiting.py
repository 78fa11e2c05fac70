"""Blocking versions of the Python API, for scripts and notebooks."""

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from typing import Any, Self, overload

from assay.api.client import SECONDS
from assay.api.client import Client as AsyncClient
from assay.api.local import Assay as AsyncAssay
from assay.api.toolbox import Toolbox, method_of
from assay.toolkit.base import Output
from assay.toolkit.tool import Tool


class WaitingToolbox:
    """A context manager with a blocking method for each tool.

    Its event loop runs in a separate thread, so it also works where a loop is running, as in a notebook.
    """

    def __init__(self, box: Toolbox) -> None:
        self._box = box
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="assay", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close connections and files. Make no calls afterwards."""
        if self._loop.is_closed():
            return
        self._wait(self._box.close())
        self._wait(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The complete answer as JSON, with `_meta` if it has one. Raises ToolError."""
        return self._wait(self._box.answer(name, arguments))

    @overload
    def call[Answer: Output](self, tool: Tool[Any, Answer], /, **arguments: Any) -> Answer: ...

    @overload
    def call(self, tool: str, /, **arguments: Any) -> Any: ...

    def call(self, tool: Any, /, **arguments: Any) -> Any:
        """Call a tool, given by name or as an object. Raises ToolError."""
        return self._wait(self._box.call(tool, **arguments))

    def __getattr__(self, name: str) -> Any:
        getattr(self._box, name)  # raises AttributeError for unknown names
        return method_of(name, self.call)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self._box)]

    def _wait[T](self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


class Assay(WaitingToolbox):
    """The tools, run in this process. `environ` replaces the environment variables of the process."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        super().__init__(AsyncAssay(environ))


class Client(WaitingToolbox):
    """The tools of the server at `base_url`; `key` is required if the server has keys."""

    def __init__(self, base_url: str, key: str | None = None, *, seconds: float = SECONDS) -> None:
        super().__init__(AsyncClient(base_url, key, seconds=seconds))
