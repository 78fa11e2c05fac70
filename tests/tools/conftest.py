"""What tools ask: a provider on loopback, and services that do not wait between their tries."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
import pytest_asyncio
from tests.support.citation_fixtures import citation_services, cited_services  # noqa: F401  fixtures
from tests.support.fake_scholarly_apis import FakeScholarlyApis
from tests.support.upstream import Upstream

from assay.net.provider_client import ProviderClient
from assay.services import Services
from assay.settings import Settings
from assay.workspaces.workspace_store import WorkspaceMembers


@pytest_asyncio.fixture
async def upstream() -> AsyncIterator[Upstream]:
    upstream = await Upstream().start()
    yield upstream
    await upstream.close()


@pytest.fixture
def serve_results(site: Any) -> Callable[..., None]:
    """`found(url, …)`: what the search engine answers."""

    def says(*urls: str, **more: Any) -> None:
        results = [
            {"title": f"Result {n}", "url": url, "content": "A snippet."} | more for n, url in enumerate(urls, 1)
        ]
        site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")

    return says


@pytest.fixture
def at_once(services: Services) -> None:
    """Second tries come without a pause."""
    services.http = ProviderClient(services.settings, pause=0)


@pytest_asyncio.fixture
async def http_of() -> AsyncIterator[Callable[[Mapping[str, str]], tuple[ProviderClient, Settings]]]:
    """What a provider is made of, for these settings."""
    http = ProviderClient(pause=0)
    yield lambda environ: (http, Settings.read(environ))
    await http.close()


@pytest.fixture
def scholarly_apis(site: Any) -> FakeScholarlyApis:
    """Every index of works, at `site`."""
    return FakeScholarlyApis(site)


@pytest.fixture
async def river(services: Services) -> WorkspaceMembers:
    """The members of the workspace "river": the user of this machine, and bob."""
    members = WorkspaceMembers(services.table, "river", services.clock)
    await members.add("local", "local")
    await members.add("acme", "bob")
    return members
