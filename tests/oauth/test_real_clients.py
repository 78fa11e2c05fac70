"""Clients that others wrote sign in at the local server and call a tool; once through a real browser."""

import asyncio
import contextlib
import json
import subprocess
import threading
import time
import webbrowser
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import httpx2
import pytest
from mcp import Client as SdkClient
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from tests.oauth.browsers import KEY, VERIFIER, read_form

from assay.chromium.browser_process import connect
from assay.chromium.cdp import Refusal
from assay.chromium.launch_options import QUIET, spawn_browser
from assay.oauth.pkce import build_challenge
from assay.settings import Settings

ROOT = Path(__file__).parents[2]
TOOL, ARGUMENTS = "metadata_extract", {"html": "<title>Otters</title>", "base_url": "https://example.org/"}


def sign_in(address, key=KEY):
    """A person opens the address, signs in and allows; where the browser is sent to."""
    base = "http://" + urlsplit(address).netloc
    with httpx.Client(base_url=base, headers={"origin": base}, timeout=60) as http:
        page = http.get(address)
        page = http.post("/oauth/sign-in", data=read_form(page.text) | {"key": key})
        done = http.post("/oauth/consent", data=read_form(page.text) | {"decision": "allow"})
        return done.headers["location"]


class Storage:
    """Keeps what the SDK's client asks to keep."""

    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


class SdkPerson:
    """The handlers of the SDK's client, played by a person."""

    def __init__(self, browse=sign_in):
        self.visits, self._browse, self._answer = 0, browse, ""

    async def open(self, address):
        self.visits += 1
        self._answer = await asyncio.to_thread(self._browse, address)

    async def answer(self):
        query = dict(parse_qsl(urlsplit(self._answer).query))
        return AuthorizationCodeResult(code=query["code"], state=query["state"], iss=query["iss"])


@contextlib.asynccontextmanager
async def sdk_client(url, person, storage, redirect_uri="http://127.0.0.1:43210/cb", **more):
    metadata = OAuthClientMetadata(client_name="SDK", redirect_uris=[redirect_uri])
    provider = OAuthClientProvider(url, metadata, storage, person.open, person.answer, **more)
    async with (
        httpx2.AsyncClient(auth=provider, timeout=60) as wire,
        SdkClient(streamable_http_client(url, http_client=wire)) as client,
    ):
        yield client


async def call(client):
    result = await client.call_tool(TOOL, ARGUMENTS)
    assert not result.is_error
    return result.structured_content


async def test_the_sdks_client_registers_signs_in_calls_a_tool_and_refreshes(live):
    person, storage = SdkPerson(), Storage()
    async with sdk_client(live.url + "/mcp", person, storage) as client:
        assert await call(client)
    first = storage.tokens
    assert person.visits == 1
    storage.tokens = first.model_copy(update={"access_token": "assayat_gone"})
    async with sdk_client(live.url + "/mcp", person, storage) as client:
        assert await call(client)
    assert storage.tokens.access_token not in (first.access_token, "assayat_gone")


async def test_the_sdks_client_signs_in_with_a_metadata_document(live, site):
    uri, address = "http://127.0.0.1:43210/cb", site.url + "/client.json"
    document = {"client_id": address, "client_name": "Documented", "redirect_uris": [uri]}
    site.says("/client.json", json.dumps(document), kind="application/json")
    person, storage = SdkPerson(), Storage()
    storage_client = OAuthClientMetadata(client_name="Documented", redirect_uris=[uri])
    storage.client = OAuthClientInformationFull(**storage_client.model_dump(), client_id=address)
    async with sdk_client(live.url + "/mcp", person, storage) as client:
        assert await call(client)
    assert [one.path for one in site.requests] == ["/client.json"]


async def test_the_sdks_client_asks_for_more_when_its_token_is_too_narrow(live):
    person, storage, uri = SdkPerson(), Storage(), "http://127.0.0.1:43210/cb"
    async with sdk_client(live.url + "/mcp", person, storage) as client:
        await client.list_tools()
    query = {
        "response_type": "code",
        "client_id": storage.client.client_id,
        "redirect_uri": uri,
        "code_challenge": build_challenge(VERIFIER),
        "code_challenge_method": "S256",
        "scope": "crawl",
        "resource": live.url + "/mcp",
    }
    location = await asyncio.to_thread(sign_in, f"{live.url}/oauth/authorize?{urlencode(query)}")
    form = {
        "grant_type": "authorization_code",
        "code": dict(parse_qsl(urlsplit(location).query))["code"],
        "client_id": storage.client.client_id,
        "redirect_uri": uri,
        "code_verifier": VERIFIER,
    }
    async with httpx.AsyncClient(timeout=60) as http:
        narrow = (await http.post(live.url + "/oauth/token", data=form)).json()
    storage.tokens = OAuthToken(**narrow)
    async with sdk_client(live.url + "/mcp", person, storage) as client:
        assert await call(client)
    assert person.visits == 2
    assert storage.tokens.scope == f"crawl tool:{TOOL}"


@pytest.mark.filterwarnings("ignore:Using in-memory token storage")
async def test_fastmcps_client_signs_in_and_calls_a_tool(live, monkeypatch):
    from fastmcp.client import Client as FastMcpClient
    from fastmcp.client.auth import OAuth

    visits = []

    def open_page(address):
        def visit():
            location = sign_in(address)
            for _ in range(200):  # the client's own server may still be starting
                with contextlib.suppress(httpx.TransportError):
                    httpx.get(location, timeout=60)
                    return
                time.sleep(0.02)

        visits.append(threading.Thread(target=visit))
        visits[-1].start()
        return True

    monkeypatch.setattr(webbrowser, "open", open_page)
    async with FastMcpClient(live.url + "/mcp", auth=OAuth()) as client:
        result = await client.call_tool(TOOL, ARGUMENTS)
        assert result.structured_content
    for visit in visits:
        await asyncio.to_thread(visit.join)
    assert len(visits) == 1


@pytest.fixture(scope="session")
def chrome():
    subprocess.run([ROOT / "infra/scripts/chromium"], capture_output=True, check=True)
    return str(ROOT / ".tools/chromium/bin/chromium-headless-shell")


class Tab:
    """A tab of a real browser that may reach loopback."""

    def __init__(self, pipe, session):
        self._pipe, self._session = pipe, session

    async def evaluate(self, script):
        answer = await self._pipe.send("Runtime.evaluate", self._session, expression=script, returnByValue=True)
        return answer["result"].get("value")

    async def wait_for(self, script):
        async with asyncio.timeout(60):
            while True:
                with contextlib.suppress(Refusal):  # the page navigates meanwhile
                    if value := await self.evaluate(script):
                        return value
                await asyncio.sleep(0.02)

    async def click(self, selector):
        with contextlib.suppress(Refusal):
            await self.evaluate(f"document.querySelector('{selector}').click()")


@contextlib.asynccontextmanager
async def real_browser(chrome, address):
    settings = Settings.read({"CHROME_PATH": chrome})
    process = await connect(spawn_browser(settings, lambda *_: [*QUIET, "--no-sandbox", "--disable-dev-shm-usage"]))
    try:
        target = await process.pipe.send("Target.createTarget", url=address)
        attached = await process.pipe.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        yield Tab(process.pipe, attached["sessionId"])
    finally:
        await process.end()


async def test_a_person_signs_in_with_a_real_browser(live, site, chrome):
    site.says("/cb", "<title>Back</title>")

    class BrowsingPerson(SdkPerson):
        async def open(self, address):
            async with real_browser(chrome, address) as tab:
                await tab.wait_for("!!document.querySelector('#key')")
                assert await tab.evaluate("getComputedStyle(document.body).maxWidth") == "512px"  # the style applies
                await tab.evaluate(f"document.querySelector('#key').value = '{KEY}'")
                await tab.click("form button")
                await tab.wait_for("!!document.querySelector('button[value=allow]')")
                assert "SDK" in await tab.evaluate("document.body.innerText")
                assert await tab.evaluate("document.cookie") == ""
                await tab.click("button[value=allow]")
                self._answer = await tab.wait_for("document.title == 'Back' && location.href")

    storage = Storage()
    async with sdk_client(live.url + "/mcp", BrowsingPerson(), storage, redirect_uri=site.url + "/cb") as client:
        assert await call(client)
