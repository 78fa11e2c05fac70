"""The invented citation services that the tests of this folder share."""

from collections.abc import AsyncIterator

import pytest_asyncio
from tests.verification.citation_services import FakeCitationServices, gold


@pytest_asyncio.fixture
async def world() -> AsyncIterator[FakeCitationServices]:
    world = await FakeCitationServices(gold()).start()
    yield world
    await world.close()
