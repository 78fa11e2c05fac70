"""The endpoints of administration in the OpenAPI document."""

from tests.administration.conftest import KEY

from assay.administration.admin_endpoints import ENDPOINTS
from assay.settings import Settings


async def test_the_document_has_every_endpoint_and_all_that_it_refers_to(http, lend_key):
    document = (await http.get("/openapi.json", headers=await lend_key("acme", "core"))).json()
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS} <= described
    assert document["components"]["securitySchemes"]["adminKey"]["name"] == "X-Admin-Key"
    for name in find_references(document):
        assert name in document["components"]["schemas"], name


def find_references(node):
    if isinstance(node, list):
        return {name for inner in node for name in find_references(inner)}
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"].removeprefix("#/components/schemas/")} if isinstance(node.get("$ref"), str) else set()
    return own.union(*(find_references(inner) for inner in node.values()))


async def test_the_document_lacks_them_where_nobody_can_administer(services, environ, http):
    services.settings = Settings.read(environ | {"ADMIN_API_KEY": "", "ADMIN_API_KEY_PREV": ""})
    services.requires_keys = False
    document = (await http.get("/openapi.json")).json()
    assert not [path for path in document["paths"] if path.startswith("/admin")]
    assert KEY not in str(document)
