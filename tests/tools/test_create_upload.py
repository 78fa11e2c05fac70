"""Documents too large for a request: to the local server, by the path that every client takes."""

import base64
import io

import httpx
import pytest
from reportlab.pdfgen.canvas import Canvas
from starlette.requests import ClientDisconnect

from assay.entrypoints.http.local_server import create_app
from assay.local.local_uploads import LocalUploads, store_body, take_address
from assay.personal_data.namespaces import Person
from assay.personal_data.research_items import list_uploads
from assay.state.key_store import build_key, save_key
from assay.toolkit.tool_registry import find_tool

BASE = "http://127.0.0.1:8787"
PDF = "application/pdf"


async def build_sample(world, call):
    world.services.upload_target = LocalUploads(world.services.table, BASE)
    return {"size": 9, "content_type": PDF, "filename": "otters.pdf"}


SAMPLE = build_sample


def build_pdf(size):
    """A PDF of one line, and an attachment that makes it this large."""
    body = io.BytesIO()
    canvas = Canvas(body)
    canvas.drawString(50, 700, "Otters hold hands")
    canvas.save()
    return body.getvalue() + b"\n%" + b"x" * (size - len(body.getvalue()) - 2)


@pytest.fixture
async def server(services):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(services)), base_url=BASE) as client:
        yield client


@pytest.fixture
def environ(environ):
    return environ | {"UPLOADS_PER_DAY": "4"}


async def open_upload(server, size, content_type=PDF, **more):
    response = await server.post("/v1/uploads", json={"size": size, "content_type": content_type}, **more)
    assert response.status_code == 201, response.text
    return response.json()


async def send(server, opened, body, **headers):
    return await server.put(opened["url"], content=body, headers={**opened["headers"], **headers})


async def test_a_document_over_the_limit_of_requests_is_sent_and_read(server):
    body = build_pdf(11_000_000)
    refused = await server.post("/tools/pdf_extract", json={"pdf_base64": base64.b64encode(body).decode()})
    assert refused.status_code == 413
    assert "create_upload (POST /v1/uploads)" in refused.json()["error"]["message"]
    opened = await open_upload(server, len(body))
    assert opened["maxBytes"] == len(body)
    assert opened["method"] == "PUT"
    assert (await send(server, opened, body)).status_code == 200
    read = await server.post("/tools/pdf_extract", json={"upload_id": opened["uploadId"]})
    assert read.json()["pages"] == [{"index": 0, "text": "Otters hold hands"}]


async def test_an_audit_reads_an_upload(server):
    body = b"Otters hold hands [1].\n\n# References\n\n[1] Brook A. Otters. 2021.\n"
    opened = await open_upload(server, len(body), "text/markdown")
    ask = {"upload_id": opened["uploadId"], "wait_seconds": 0}
    early = await server.post("/tools/audit_document", json=ask)
    assert early.status_code == 404
    assert "has not been sent" in early.json()["error"]["message"]
    await send(server, opened, body)
    audit = await server.post("/tools/audit_document", json=ask)
    assert audit.status_code == 200, audit.text
    assert audit.json()["documentFormat"] == "markdown"


HTML = "<title>Otters</title><meta property='og:title' content='Café'><article><h1>Otters</h1><p>{}</p></article>"


@pytest.mark.parametrize(
    ("tool", "body", "arguments", "expected"),
    [
        (
            "metadata_extract",
            HTML.format("x" * 7_000_000),
            {"base_url": "https://example.org/"},
            {"opengraph": {"og:title": "Café"}, "twitter": {}, "jsonld": []},
        ),
        (
            "readability_extract",
            HTML.format("Otters hold hands while they sleep in the kelp. " * 3) + f"<!--{'x' * 5_000_000}-->",
            {"base_url": "https://example.org/"},
            {"title": "Otters"},
        ),
        (
            "audit_bibliography",
            "@misc{a, title={Café Otters}, author={Brook, Ada}}\n" + "%" * 7_000_000,
            {"format": "bibtex"},
            {"source": "bibliography:bibtex", "entryCount": 1},
        ),
    ],
    ids=lambda each: each if isinstance(each, str) and len(each) < 30 else "",
)
async def test_a_page_or_a_bibliography_is_read_from_an_upload(server, tool, body, arguments, expected):
    """In the encoding it was sent in, here one that is not UTF-8."""
    sent = body.encode("latin-1")
    opened = await open_upload(server, len(sent), "text/plain")
    arguments = {"upload_id": opened["uploadId"], **arguments}
    early = await server.post(f"/tools/{tool}", json=arguments)
    assert (early.status_code, "has not been sent" in early.text) == (404, True)
    await send(server, opened, sent)
    read = await server.post(f"/tools/{tool}", json=arguments)
    assert read.status_code == 200, read.text
    assert {name: read.json()[name] for name in expected} == expected
    [inline] = {"html", "bibliography"} & set(find_tool(tool).input_schema["properties"])
    both = await server.post(f"/tools/{tool}", json={**arguments, inline: "Otters"})
    assert (both.status_code, f"{inline} or upload_id, not both" in both.text) == (400, True)


@pytest.mark.parametrize(
    ("tool", "limit"),
    [
        ("metadata_extract", 8 * 1_048_576),
        ("readability_extract", 5 * 1_048_576),
        ("audit_bibliography", 10_000_000),
        ("pdf_extract", 20 * 1_048_576),
    ],
)
async def test_an_upload_over_the_limit_of_the_tool_is_refused(server, tool, limit):
    opened = await open_upload(server, limit + 1)
    base = {"base_url": "https://example.org/"} if "metadata" in tool or "readability" in tool else {}
    refused = await server.post(f"/tools/{tool}", json={"upload_id": opened["uploadId"], **base})
    assert (refused.status_code, f"limit {limit:,}" in refused.text) == (400, True)


@pytest.mark.parametrize(
    ("body", "headers"),
    [(b"x" * 1_048_577, {}), (b"x" * 1_048_575, {}), (b"x" * 1_048_576, {"content-type": "text/html"})],
)
async def test_an_address_takes_one_size_and_type_and_what_it_refuses_is_not_read(server, services, body, headers):
    opened = await open_upload(server, 1_048_576)
    assert (await send(server, opened, body, **headers)).status_code == 400
    assert (await server.post("/tools/pdf_extract", json={"upload_id": opened["uploadId"]})).status_code == 404
    [item] = await list_uploads(services, Person("local", "local"))
    assert [await services.bucket.get(name) for name in item.objects] == [None]


async def test_an_address_is_used_once_and_unknown_ones_take_nothing(server, services, clock):
    opened = await open_upload(server, 3)
    assert [(await send(server, opened, b"abc")).status_code for _ in range(2)] == [200, 404]
    assert (await server.put("/uploads/unknown", content=b"abc")).status_code == 404
    late = await open_upload(server, 3)
    clock.forward(16 * 60)
    assert (await send(server, late, b"abc")).status_code == 404
    erased = await open_upload(server, 3)
    for item in await list_uploads(services, Person("local", "local")):
        await services.table.delete(*item.rows[0])
    assert (await send(server, erased, b"abc")).status_code == 404


async def test_a_document_whose_upload_is_erased_while_it_is_sent_is_not_stored(server, services):
    opened = await open_upload(server, 2 * 1_048_576)
    [item] = await list_uploads(services, Person("local", "local"))

    async def send_slowly():
        yield b"x" * 1_048_576
        yield b"x"
        await services.table.delete(*item.rows[0])
        for name in item.objects:
            await services.bucket.delete(name)
        yield b"x" * 1_048_575

    assert (await send(server, opened, send_slowly())).status_code == 404
    assert [await services.bucket.get(name) for name in item.objects] == [None, None]


async def test_a_document_whose_sender_has_gone_is_not_stored(server, services):
    opened = await open_upload(server, 2 * 1_048_576)
    [item] = await list_uploads(services, Person("local", "local"))
    expected = await take_address(services.table, opened["url"].rpartition("/")[2])

    async def break_off():
        yield b"x" * 1_048_577
        raise ClientDisconnect

    with pytest.raises(ClientDisconnect):
        await store_body(services.table, services.bucket, expected, PDF, break_off())
    assert [await services.bucket.get(name) for name in item.objects] == [None, None]


async def test_an_upload_is_gone_after_a_day(server, clock):
    opened = await open_upload(server, 3)
    await send(server, opened, b"abc")
    clock.forward(86_401)
    gone = await server.post("/tools/pdf_extract", json={"upload_id": opened["uploadId"]})
    assert (gone.status_code, "does not exist" in gone.json()["error"]["message"]) == (404, True)


async def test_the_uploads_of_a_person_a_day_are_limited(server):
    for _ in range(4):
        await open_upload(server, 3)
    refused = await server.post("/v1/uploads", json={"size": 3})
    assert refused.status_code == 429
    assert "4 calls a day for the user's uploads" in refused.json()["error"]["message"]


async def test_the_address_needs_no_key_and_the_upload_is_its_owners_alone(server, services):
    keys = {}
    for user in ("ada", "bob"):
        keys[user], key = build_key(user, services.clock(), tenant="acme", user=user)
        await save_key(services.table, key)
    headers = {user: {"authorization": f"Bearer {key}"} for user, key in keys.items()}
    services.requires_keys = True
    assert (await server.post("/v1/uploads", json={"size": 3})).status_code == 401
    opened = await open_upload(server, 3, headers=headers["ada"])
    assert (await send(server, opened, b"abc")).status_code == 200
    ask = {"upload_id": opened["uploadId"]}
    own = await server.post("/tools/pdf_extract", json=ask, headers=headers["ada"])
    others = await server.post("/tools/pdf_extract", json=ask, headers=headers["bob"])
    assert own.status_code != 404  # three letters are no PDF
    assert (others.status_code, "does not exist" in others.json()["error"]["message"]) == (404, True)


@pytest.mark.parametrize(
    "wrong",
    [{"size": 0}, {"size": 50_000_001}, {"size": 3, "content_type": "image/png"}, {"size": 3, "filename": "../a"}],
)
async def test_other_things_than_documents_are_refused(ask, wrong):
    assert (await ask("create_upload", **wrong)).error.kind == "validation"


async def test_without_a_server_nothing_takes_uploads(ask):
    reply = await ask("create_upload", size=3)
    assert reply.error.kind == "config"
    assert "assay serve" in reply.error.message
