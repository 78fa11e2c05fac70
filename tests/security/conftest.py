"""A laptop that may not call itself, and a canary on loopback that must hear nothing."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.services import Services
from assay.settings import Settings

PUBLIC = "93.184.215.14"  # never dialled: the seam leads it to `site`


@pytest.fixture
def environ(tmp_path: Path, site) -> dict[str, str]:
    return {"ASSAY_HOME": str(tmp_path / "home"), "SEARXNG_URL": site.url + "/searxng"}


@pytest_asyncio.fixture
async def services(environ, clock, site) -> AsyncIterator[Services]:
    """Every name but localhost's leads to a public address, and that to `site`; a loopback address leads to itself."""
    services = local_services(Settings.read(environ), clock)
    port = int(site.url.rpartition(":")[2])

    async def resolve(host: str, _: int) -> list[str]:
        return ["127.0.0.1"] if host.startswith("inward") else [PUBLIC]

    def connect(address: str, run_tool: int) -> tuple[str, int]:
        return ("127.0.0.1", port) if address == PUBLIC else (address, run_tool)

    services.web_overrides |= {"resolve": resolve, "connect": connect}
    yield services
    await services.close()


@pytest.fixture
def ask(services) -> Callable[..., Any]:
    async def run_tool(tool: str, /, caller: Caller | None = None, **arguments: Any) -> Any:
        return await invoke(tool, arguments, Context(services, caller or Caller()))

    return run_tool


@pytest.fixture
def audit(services) -> Callable[[], list[dict[str, Any]]]:
    """What the audit file says so far."""

    def read() -> list[dict[str, Any]]:
        path = services.settings.home / "audit.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    return read
