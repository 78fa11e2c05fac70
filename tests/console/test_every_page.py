"""What every page of the console owes, for each row of the table of pages."""

import hashlib
import json
from importlib import import_module
from importlib.resources import files
from urllib.parse import quote, urlencode, urljoin, urlsplit

import httpx
import pytest
from tests.console.conftest import BASE, EVE, HOSTILE
from tests.console.page_checks import check_headers, check_html
from tests.isolation.isolation_rows import CONSOLE_PAGES
from tests.oauth.browsers import Browser, read_form

from assay.caller import Caller
from assay.entrypoints.console.asset_files import compute_digest, get_asset_address, read_assets
from assay.entrypoints.console.page_table import ASSETS, PAGES
from assay.entrypoints.http.local_server import create_app
from assay.settings import Settings

GETS = [page for page in PAGES if page.method == "GET"]
FORMS = [page for page in PAGES if page.method == "POST"]
every_page = pytest.mark.parametrize("page", GETS, ids=lambda page: page.path)
every_form = pytest.mark.parametrize("page", FORMS, ids=lambda page: page.path)


def build_address(page, ada):
    """The address of the first request that `CONSOLE_PAGES` has for the page."""
    request = CONSOLE_PAGES[f"{page.method} {page.path}"](ada)[0]
    query = urlencode(request.get("params", {}))
    return request.get("path", page.path) + (f"?{query}" if query else "")


def test_every_page_has_a_handler_and_a_sample():
    assert {f"{page.method} {page.path}" for page in PAGES} == set(CONSOLE_PAGES)
    for page in PAGES:
        module, _, function = page.handler.partition(":")
        assert callable(getattr(import_module(f"assay.entrypoints.console.{module}"), function))
    navigation = [page.nav for page in GETS if page.nav]
    assert len(navigation) == len(set(navigation))
    assert not [page.path for page in PAGES if page.nav and "{" in page.path]


@every_page
async def test_a_page_shows_hostile_data_as_text_under_a_strict_policy(page, ada, browse):
    response = await (await browse()).open(build_address(page, ada))
    assert response.status_code == 200, response.text
    check_headers(response)
    check_html(response.text)


@every_page
async def test_a_page_reflects_nothing_of_its_address(page, ada, browse):
    browser, address = await browse(), build_address(page, ada)
    names = ("q", "query", "after", "next", "error", "done", "message")
    attack = urlencode({name: f"\"'><script>taken()</script>{name}" for name in names})
    for attacked in (f"{address}{'&' if '?' in address else '?'}{attack}", f"{address}/{quote(HOSTILE, safe='')}"):
        response = await browser.open(attacked)
        assert response.status_code < 500, response.text
        if "text/html" in response.headers["content-type"]:
            check_headers(response)
            check_html(response.text)


@every_page
async def test_a_page_asks_strangers_to_sign_in_and_brings_them_back(page, ada, connect):
    browser: Browser = await connect()
    address = build_address(page, ada)
    response = await browser.open(address)
    if page.is_public:
        assert response.status_code == 200
        check_html(response.text)
        return
    assert "Your Assay key" in response.text
    assert ada.mark not in response.text
    back = await browser.sign_in(response, ada.key)
    assert (back.status_code, back.headers["location"]) == (303, address)
    assert (await browser.open(address)).status_code == 200


@every_page
async def test_a_page_shows_another_tenant_nothing_of_ada(page, ada, browse):
    caller = Caller(EVE.tenant, EVE.user, EVE.scopes | {"admin"})
    response = await (await browse(caller)).open(build_address(page, ada))
    assert response.status_code < 500, response.text
    check_html(response.text)
    for secret in (ada.mark, "zander", "acme"):
        assert secret not in response.text.replace(quote(ada.mark), "")


@every_page
async def test_a_page_of_administrators_is_for_them_alone(page, ada, browse):
    response = await (await browse(EVE)).open(build_address(page, ada))
    if page.scope:
        assert response.status_code == 403
        check_html(response.text)
    else:
        assert response.status_code != 403


@every_form
async def test_a_form_without_this_browsers_token_does_nothing(page, ada, browse, connect):
    browser, stranger = await browse(), await connect()
    fields = CONSOLE_PAGES[f"POST {page.path}"](ada)[0].get("form", {})
    address = build_address(page, ada)
    token = read_form((await browser.open("/console/account")).text)["form_token"]
    foreign = Browser(browser.http, origin="https://evil.example")
    tokenless = await browser.http.post(address, data=fields)
    cross = await foreign.http.post(address, data=fields | {"form_token": token}, headers={"origin": foreign.origin})
    site = await browser.http.post(
        address, data=fields | {"form_token": token}, headers={"sec-fetch-site": "cross-site"}
    )
    signed_out = await stranger.http.post(address, data=fields | {"form_token": token})
    assert [one.status_code for one in (tokenless, cross, site, signed_out)] == [400, 403, 400, 401]
    as_query = await browser.http.get(address, params=fields)
    assert as_query.status_code in (200, 404, 405)


@pytest.mark.parametrize(
    "path",
    [
        "/console//evil.example/",
        "/console/\\evil.example",
        "/console/https://evil.example",
        "/console/%2F%2Fevil.example",
        "/console/tools?next=https://evil.example&return_to=//evil.example",
        "/console/tools?x=%0d%0aset-cookie:a=b",
        "/console/" + "x" * 3_000,
    ],
)
async def test_the_sign_in_leads_back_to_a_page_of_the_console_alone(path, ada, connect):
    browser = await connect()
    entry = await browser.open(path)
    assert entry.status_code == 200, entry.text
    back = await browser.sign_in(entry, ada.key)
    assert back.status_code == 303
    location = back.headers["location"]
    assert location.startswith("/console/")
    assert len(location) <= 2_100
    assert urlsplit(urljoin("http://127.0.0.1:8787/", location)).netloc == "127.0.0.1:8787"
    assert "a=b" not in back.headers.get("set-cookie", "")
    assert check_html((await browser.open(location)).text).findtext(".//h1")


async def test_the_page_that_a_sign_in_leads_to_cannot_be_sent_along(ada, connect):
    browser = await connect()
    entry = await browser.open("/console/tools")
    sent = {"key": ada.key, "own_page": "https://evil.example", "next": "//evil.example", "kind": "grants"}
    back = await browser.submit("/oauth/sign-in", entry, **sent)
    assert back.headers["location"] == "/console/tools"


async def test_a_request_of_one_browser_does_not_sign_another_in(ada, connect):
    browser, stranger = await connect(), await connect()
    entry, other = await browser.open("/console/tools"), await stranger.open("/console/tools")
    moved = {"request": read_form(entry.text)["request"]}
    assert (await stranger.submit("/oauth/sign-in", other, key=ada.key, **moved)).status_code == 400


async def test_assets_stay_for_good_and_those_of_other_releases_are_missing(browse):
    browser = await browse()
    for name in read_assets():
        asset = await browser.open(get_asset_address(name))
        assert asset.status_code == 200
        assert asset.headers["content-encoding"] == "gzip"
        assert "immutable" in asset.headers["cache-control"]
        assert asset.headers["x-content-type-options"] == "nosniff"
    assert sum(len(asset.compressed) for asset in read_assets().values()) < 60_000
    for path in ("0/console.css", f"{compute_digest()}/sources.json", f"{compute_digest()}/..%2fpage_table.py"):
        assert (await browser.open(f"{ASSETS}{path}")).status_code == 404


def test_assets_that_others_wrote_are_what_the_manifest_says():
    folder = files("assay.entrypoints.console") / "assets"
    sources = json.loads((folder / "sources.json").read_text())
    own = {"console.css", "console.js", "charts.js"}
    assert {name for source in sources for name in source["sha256"]} | own | {"sources.json"} == {
        file.name for file in folder.iterdir()
    }
    for source in sources:
        assert source["license"] == "MIT"
        for name, digest in source["sha256"].items():
            assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


async def test_scripts_of_other_origins_read_no_page_even_where_they_may_call_tools(services, environ):
    services.settings = Settings.read({**environ, "ALLOWED_ORIGINS": "https://app.example"})
    wire = httpx.ASGITransport(create_app(services), client=("127.0.0.1", 50_000))
    async with httpx.AsyncClient(transport=wire, base_url=BASE) as http:
        allowed = {"origin": "https://app.example"}
        assert (await http.get("/tools", headers=allowed)).status_code == 200
        for path in ("/console", "/docs/connect", "/console/operations"):
            refused = await http.get(path, headers=allowed)
            assert refused.status_code == 403
            check_html(refused.text)
            assert "form_token" not in refused.text
            assert (await http.get(path, headers={"origin": BASE})).status_code == 200
