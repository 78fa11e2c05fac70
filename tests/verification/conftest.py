"""The invented citation services that the tests of this folder share."""

from collections.abc import AsyncIterator

import pytest_asyncio
from tests.support.citation_fixtures import citation_services, cited_services  # noqa: F401  fixtures
from tests.verification.citation_services import FakeCitationServices, gold


@pytest_asyncio.fixture
async def world() -> AsyncIterator[FakeCitationServices]:
    world = await FakeCitationServices(gold()).start()
    yield world
    await world.close()
