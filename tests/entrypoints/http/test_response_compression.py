"""Responses on Lambda are compressed for clients that accept gzip, and for nobody else."""

import base64
import gzip
import json

import pytest
from tests.entrypoints.mcp.test_lambda import event
from tests.support.lambda_context import FakeLambdaContext

from assay.bootstrap import local_services
from assay.entrypoints import mcp_function, runtime
from assay.entrypoints.http import http_api, rest, service_info
from assay.entrypoints.http.response_compression import compress_response
from assay.entrypoints.mcp.tool_catalogue import load_catalogue
from assay.settings import Settings

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture(scope="module")
def list_tools(tmp_path_factory):
    services = local_services(Settings.read({"ASSAY_HOME": str(tmp_path_factory.mktemp("home"))}))
    catalogue = load_catalogue()
    handle = mcp_function.handler_for(lambda: services, lambda: catalogue)
    return lambda **headers: handle(event(LIST, headers=headers), None)


@pytest.mark.parametrize(
    "accepted", ["gzip", "GZIP", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.5", "*", "x, *;q=0.1"]
)
def test_the_list_of_tools_is_a_quarter_for_clients_that_accept_gzip(list_tools, accepted):
    plain, response = list_tools(), list_tools(**{"accept-encoding": accepted})
    assert response["headers"]["content-encoding"] == "gzip"
    assert response["headers"]["vary"] == plain["headers"]["vary"] == "accept-encoding"
    compressed = base64.b64decode(response["body"])
    assert gzip.decompress(compressed).decode() == plain["body"]
    assert len(compressed) < len(plain["body"]) / 4


@pytest.mark.parametrize(
    "accepted", ["", "identity", "br", "gzip;q=0", "*;q=0", "gzip;q=0, *", "gzip;q=much", "gzipped"]
)
def test_other_clients_get_plain_text(list_tools, accepted):
    response = list_tools(**{"accept-encoding": accepted})
    assert "content-encoding" not in response["headers"]
    assert json.loads(response["body"])["result"]["tools"]


@pytest.mark.parametrize(
    ("content_type", "body"),
    [("text/html", "<p>" * 9_000), ("application/json", "{}"), ("image/png", "x" * 9_000)],
    ids=["a page of people who are signed in", "a short answer", "an image"],
)
def test_what_gains_nothing_or_would_tell_secrets_by_its_length_stays_as_it_is(content_type, body):
    response = {"statusCode": 200, "headers": {"Content-Type": content_type}, "body": body}
    assert compress_response(response, {"accept-encoding": "gzip"}) == response


@pytest.mark.parametrize("domain", ["a.execute-api.eu-west-1.amazonaws.com", "a.lambda-url.eu-west-1.on.aws"])
@pytest.mark.parametrize("path", ["/tools/metadata_extract", "/v1/scrape"])
def test_long_answers_of_tools_are_compressed_at_the_http_api_and_the_function_url(tmp_path, site, path, domain):
    environ = {"ASSAY_HOME": str(tmp_path), "ALLOW_PRIVATE_IPS": "true", "CHROME_PATH": "disabled"}
    services = local_services(Settings.read(environ))
    handle = (
        rest.handler(lambda: services) if path[1] == "v" else http_api.handler_for("metadata_extract", lambda: services)
    )
    page = f'<meta property="og:title" content="{"Otters hold hands. " * 200}"><p>{"Otters sleep. " * 400}</p>'
    arguments = (
        {"url": site.says("/otters", page)} if path[1] == "v" else {"html": page, "base_url": "https://a.example/"}
    )
    answers = []
    for accepted in ("gzip", "identity"):
        asked = event(arguments, domain=domain, headers={"accept-encoding": accepted})
        asked["rawPath"] = asked["requestContext"]["http"]["path"] = path
        answers.append(handle(asked, FakeLambdaContext()))
    runtime.wait_for(services.close())
    compressed, plain = answers
    assert compressed["statusCode"] == plain["statusCode"] == 200
    assert (compressed["isBase64Encoded"], compressed["headers"]["content-encoding"]) == (True, "gzip")
    body = gzip.decompress(base64.b64decode(compressed["body"]))
    assert json.loads(body).keys() == json.loads(plain["body"]).keys() - {"_meta"}  # the second answer is cached
    assert len(compressed["body"]) < len(plain["body"]) / 2


def test_a_compressed_response_does_not_announce_the_length_of_the_plain_one(tmp_path):
    services = local_services(Settings.read({"ASSAY_HOME": str(tmp_path)}))
    handle = service_info.handler_for(lambda: services)
    asked = event(None, method="GET", headers={"accept-encoding": "gzip"})
    asked["rawPath"] = asked["requestContext"]["http"]["path"] = "/tools"
    response = handle(asked, FakeLambdaContext())
    assert response["headers"]["content-encoding"] == "gzip"
    assert "content-length" not in response["headers"]
    assert json.loads(gzip.decompress(base64.b64decode(response["body"])))["tools"]
