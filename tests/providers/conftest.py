"""Providers on loopback, and the client that asks them."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.providers.contract_case import TOKEN, build_provider
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


@pytest.fixture
def make(http, upstream, now):
    """A provider with all keys, its upstream on loopback; the EPO's first answer is a token."""

    def make_provider(name, **seams):
        if name == "epo":
            upstream.then(TOKEN)
        return build_provider(name, http, upstream.url, **({"clock": lambda: now} | seams))

    return make_provider
