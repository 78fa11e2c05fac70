"""Providers on loopback, and the client that asks them."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.support.upstream import Upstream

from assay.net.provider_client import ProviderClient


@pytest_asyncio.fixture
async def upstream() -> AsyncIterator[Upstream]:
    upstream = await Upstream().start()
    yield upstream
    await upstream.close()


@pytest_asyncio.fixture
async def http() -> AsyncIterator[ProviderClient]:
    http = ProviderClient(pause=0)
    yield http
    await http.close()


@pytest.fixture
def now() -> float:
    return 1_785_000_000.0
