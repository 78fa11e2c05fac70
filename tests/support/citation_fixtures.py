"""Fixtures: invented citation services with the works in `MADE` of the test module, and services that ask them."""

import pytest
import pytest_asyncio
from tests.verification.citation_services import FakeCitationServices

from assay.net.provider_client import ProviderClient


@pytest_asyncio.fixture
async def citation_services(request):
    citation_services = await FakeCitationServices(request.module.MADE).start()
    yield citation_services
    await citation_services.close()


@pytest.fixture
def cited_services(services, citation_services):
    """The services under test: they find the invented hosts, and do not pause between tries."""
    services.http = ProviderClient(services.settings, pause=0)
    services.web_overrides |= citation_services.seams
    return services
