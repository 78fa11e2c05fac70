"""The reference of the HTTP API, the lines to connect clients, and the start page."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest
from lxml import html
from tests.console.conftest import BASE, EVE
from tests.console.page_checks import check_html

from assay.entrypoints.console.reference_pages import describe_answers, describe_body, find_operations
from assay.entrypoints.http.client_setup import list_client_setups
from assay.entrypoints.http.schema_rows import list_schema_rows

ROOT = Path(__file__).parents[2]


async def test_the_reference_has_every_operation_of_the_openapi_document_and_a_page_for_each(browse, ada):
    browser = await browse()
    document = (await browser.http.get("/openapi.json", headers={"authorization": f"Bearer {ada.key}"})).json()
    operations = {each["operationId"] for methods in document["paths"].values() for each in methods.values()}
    links = check_html((await browser.open("/docs")).text).xpath("//main//li/a/@href")
    assert {link.rpartition("/")[2] for link in links} == operations
    assert len(links) == len(operations) > 100
    for operation in find_operations(document):
        assert list(describe_answers(operation, document))
        assert describe_body(operation, document) is None or operation.method == "POST"
    for link in links[::12]:
        page = await browser.open(link)
        assert page.status_code == 200, link
        check_html(page.text)


async def test_operations_of_administration_are_for_administrators(browse):
    browser = await browse(EVE)
    assert "Administration" not in (await browser.open("/docs")).text
    assert (await browser.open("/docs/operations/admin_list_keys")).status_code == 404
    assert (await browser.open("/docs/operations/<script>")).status_code == 404


async def test_an_operation_lists_every_field_and_an_example(browse):
    tree = check_html((await (await browse()).open("/docs/operations/audit_bibliography")).text)
    fields = tree.xpath("//th[@scope='row']/code/text()")
    assert {"entries[].doi", "summary.retracted", "error.kind"} <= set(fields)
    assert "Idempotency-Key" not in fields
    [example] = tree.xpath("//pre[@aria-label='Example of a body']/text()")
    assert "entries" in json.loads(example)


def test_a_schema_that_contains_itself_has_an_end():
    schema = {"properties": {"part": {"$ref": "#"}}}
    assert len(list(list_schema_rows(schema, {"$defs": {}, **schema}))) < 20
    document = {
        "components": {
            "schemas": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}}
        }
    }
    assert len(list(list_schema_rows(document["components"]["schemas"]["Node"], document))) < 20


async def test_strangers_see_how_to_connect_with_the_address_of_this_server(connect):
    page = await (await connect()).open("/docs/connect")
    lines = check_html(page.text).xpath("//pre/text()")
    assert lines == [one.text for one in list_client_setups(BASE)]
    assert page.headers["cache-control"] == "no-store"


def test_the_lines_are_what_each_client_reads():
    setups = {one.client: one for one in list_client_setups(BASE)}
    for one in setups.values():
        assert BASE in one.text
        if one.language == "json":
            assert BASE in json.dumps(json.loads(one.text))
        if one.language == "sh":
            assert shlex.split(one.text)
    assert tomllib.loads(setups["Codex"].text) == {"mcp_servers": {"assay": {"url": BASE + "/mcp"}}}
    compile(setups["Python"].text, "lines", "exec")


async def test_the_start_page_leads_to_the_console_and_the_documentation(connect):
    page = await (await connect()).open("/")
    assert page.headers["content-type"].startswith("text/html")
    links = html.document_fromstring(page.text).xpath("//a/@href")
    assert {"/console", "/docs", "/docs/connect", "/tools", "/openapi.json"} <= set(links)
    assert f"{BASE}/mcp" in page.text
    policy = page.headers["content-security-policy"]
    assert "script-src" not in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("accept", ["application/json", "*/*"])
async def test_programs_receive_json_where_they_did(connect, ada, accept):
    browser = await connect()
    headers = {"accept": accept, "authorization": f"Bearer {ada.key}"}
    for path in ("/tools", "/openapi.json", "/health/live"):
        answer = await browser.http.get(path, headers=headers)
        assert answer.headers["content-type"].startswith("application/json")
    missing = await browser.http.get("/docs/nothing", headers=headers)
    assert (missing.status_code, missing.json()["error"]["kind"]) == (404, "not_found")
