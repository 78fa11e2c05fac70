"""What the trust suite meets: hosts by name on loopback, and the indexes it asks."""

from collections.abc import AsyncIterator

import pytest_asyncio
from tests.town import Town

from assay.context import Services


@pytest_asyncio.fixture
async def town(services: Services) -> AsyncIterator[Town]:
    """Every public host there is."""
    town = await Town().start()
    services.web_seams |= town.seams
    yield town
    await town.close()
