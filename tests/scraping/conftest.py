"""Pages served on loopback, read through the public entry points."""

import pytest


@pytest.fixture
def environ(environ, site):
    """Scholarly look-ups stay on loopback too."""
    return environ | {"CROSSREF_BASE_URL": site.url + "/crossref"}


@pytest.fixture
def read(ask, site):
    """`await read(body, …)`: the wire of a page that says it."""

    async def reading(body, path="/page", mode="full", **more):
        reply = await ask("scrape_page", url=site.says(path, body, **more), mode=mode)
        assert reply.error is None, reply.error
        return reply.wire

    return reading
