"""The registry of DOIs: only its own word for "no such DOI" counts."""

import pytest
from tests.support.upstream import CUT, SILENT

from assay.errors import NotFound, ToolError
from assay.net.provider_client import ProviderClient
from assay.providers.doi import Doi
from assay.settings import Settings

URL = {"index": 1, "type": "URL", "data": {"format": "string", "value": "https://press.example/7"}}


@pytest.fixture
def registry(upstream, http):
    return Doi(http, Settings(environ={"DOI_BASE_URL": upstream.url}))


@pytest.mark.parametrize(
    ("values", "target"),
    [
        ([URL], "https://press.example/7"),
        ([{"type": "HS_ADMIN", "data": {"value": {"handle": "0.na/10"}}}, URL], "https://press.example/7"),
        ([], None),
        (None, None),
        ([{"type": "URL", "data": {"value": "javascript:alert(1)"}}], None),
        ([{"type": "URL"}], None),
    ],
)
async def test_a_registered_doi_tells_where_it_leads(registry, upstream, values, target):
    upstream.says({"responseCode": 1, "handle": "10.1/x", "values": values})
    assert await registry.target("10.1/x") == target
    [request] = upstream.requests
    assert (request.path, request.query) == ("/api/handles/10.1/x", {"type": "URL"})


async def test_a_doi_with_brackets_is_asked_for_as_it_is(registry, upstream):
    upstream.says({"responseCode": 200})
    name = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"
    assert await registry.target(name) is None
    assert upstream.requests[0].path.endswith("49%3A8%3C693%3A%3Aaid-asi4%3E3.0.co%3B2-o")


@pytest.mark.parametrize("status", [200, 404])
async def test_the_registrys_word_for_unknown_is_not_found(registry, upstream, status):
    upstream.says({"responseCode": 100, "handle": "10.1/x"}, status)
    with pytest.raises(NotFound):
        await registry.target("10.1/x")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<html>Not Found", 404),
        ({"responseCode": 2}, 200),
        ({"responseCode": 2}, 500),
        ({}, 200),
        ([], 200),
        (b"<html>", 200),
        ({}, 429),
        (b"", 403),
        (CUT, 0),
    ],
)
async def test_anything_else_is_an_outage_and_no_answer(registry, upstream, body, status):
    upstream.says(body, status)
    with pytest.raises(ToolError) as failure:
        await registry.readable(registry.target("10.1/x"))
    assert not isinstance(failure.value, NotFound)
    assert failure.value.provider == "doi"


async def test_a_silent_registry_is_not_waited_for(upstream):
    upstream.says(SILENT)
    http = ProviderClient(pause=0)
    registry = Doi(http, Settings(environ={"DOI_BASE_URL": upstream.url}))
    registry.seconds = 0.1
    with pytest.raises(ToolError, match="timed out"):
        await registry.target("10.1/x")
    await http.close()
