"""Runs the tools in this process, configured by environment variables."""

from collections.abc import Mapping
from typing import Any

from assay.api.toolbox import Toolbox
from assay.bootstrap import build_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.settings import Settings


class Assay(Toolbox):
    """The tools, run in this process. `environ` replaces the environment variables of the process.

    Raises ConfigError for an invalid setting.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._services = build_services(Settings.read(environ))

    async def close(self) -> None:
        await self._services.close()

    async def answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        reply = await invoke(name, arguments, Context(self._services, Caller(), entrypoint="python", allow_large=True))
        if reply.error is not None:
            raise reply.error
        return reply.body()
