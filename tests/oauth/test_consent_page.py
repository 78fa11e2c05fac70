"""The page where a person sees what is stored about them, and grants or withdraws consent to it."""

import re

import httpx
import pytest
from tests.oauth.browsers import KEY, Browser
from tests.oauth.test_real_clients import chrome, real_browser  # noqa: F401  chrome is a fixture

from assay.caller import Caller
from assay.entrypoints.http.local_server import create_app
from assay.own_stores import OwnStores
from assay.settings import Settings

PAGE, BASE = "/oauth/personal-data", "http://127.0.0.1:8787"
ADA = Caller("acme", "ada")


@pytest.fixture
def environ(environ):
    return environ | {"MEMORY_ENABLED": "true", "TERMS_VERSION": "2026-11"}


@pytest.fixture
async def signed_in(browser):
    """The page of Ada, who has signed in."""
    page = await browser.sign_in(await browser.open(PAGE))
    assert page.headers["location"] == PAGE
    return await browser.open(PAGE)


def remember(http, key=KEY):
    return http.post("/tools/memory_save", json={"note": "Otters"}, headers={"authorization": f"Bearer {key}"})


async def test_a_refusal_leads_to_the_page_and_consent_there_counts_at_once(browser, signed_in):
    refused = (await remember(browser.http)).json()
    assert refused["status"] == "no_consent"
    assert refused["consent"] == {"purpose": "memory", "termsVersion": "2026-11", "url": BASE + PAGE}
    assert f"{BASE}{PAGE}, signed in as ada of acme" in refused["reason"]
    assert signed_in.text.count("You do not consent.") == 4
    done = await browser.submit(PAGE, signed_in, purpose="memory", decision="grant")
    assert (done.status_code, done.headers["location"]) == (303, PAGE + "#memory")
    page = await browser.open(PAGE)
    assert "2026-11" in page.text
    assert re.search(r"Granted 20\S+ on this page, terms 2026-11", page.text)
    assert (await remember(browser.http)).json()["status"] == "ok"
    await browser.submit(PAGE, page, purpose="memory", decision="withdraw")
    page = (await browser.open(PAGE)).text
    assert page.index("Withdrawn 20") < page.index("Granted 20")
    assert (await remember(browser.http)).json()["status"] == "no_consent"


async def test_over_mcp_a_refusal_carries_the_page_too(call_tool, connect, services):
    call = {"name": "memory_recall", "arguments": {}}
    http = await connect("192.0.2.10")
    answer = await http.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        headers={
            "authorization": f"Bearer {KEY}",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-11-25",
        },
    )
    assert answer.json()["result"]["structuredContent"]["consent"]["url"] == BASE + PAGE


async def test_the_page_shows_a_person_nothing_of_another_and_needs_a_sign_in(browser, signed_in, connect, services):
    await OwnStores(services, ADA).consents.decide("memory", granted=True, decided_from="<b>x", terms_version="<i>")
    page = (await browser.open(PAGE)).text
    assert "by &lt;b&gt;x, terms &lt;i&gt;" in page
    other = Browser(await connect("192.0.2.8"))
    entry = await other.open(PAGE)
    assert "Your Assay key" in entry.text
    await other.sign_in(entry, "assay_bob")
    assert (await other.open(PAGE)).text.count("You do not consent.") == 4
    assert "default-src 'none'" in (await other.open(PAGE)).headers["content-security-policy"]


async def test_only_a_form_of_this_browser_and_page_decides(browser, signed_in, connect, services):
    form = {"purpose": "memory", "decision": "grant"}
    stranger = Browser(await connect("192.0.2.8"))
    await stranger.sign_in(await stranger.open(PAGE), "assay_bob")
    foreign = Browser(browser.http, origin="https://evil.example")
    forged = [
        await foreign.submit(PAGE, signed_in, **form),
        await browser.http.post(PAGE, data=form),
        await stranger.submit(PAGE, signed_in, **form),
        await browser.http.get(PAGE, params=form),
        await browser.submit(PAGE, signed_in, purpose="everything", decision="grant"),
        await browser.submit(PAGE, signed_in, purpose="memory", decision="x"),
    ]
    assert [answer.status_code for answer in forged] == [403, 400, 400, 200, 400, 400]
    for person in (ADA, Caller("acme", "bob")):
        assert await OwnStores(services, person).consents.read_history() == []


async def test_consent_is_to_the_terms_that_the_page_showed(browser, signed_in, services):
    services.settings = Settings.read({**services.settings.environ, "TERMS_VERSION": "2027-01"})
    await browser.submit(PAGE, signed_in, purpose="memory", decision="grant")
    assert await OwnStores(services, ADA).consents.read_history() == []
    await browser.submit(PAGE, await browser.open(PAGE), purpose="memory", decision="grant")
    [decision] = await OwnStores(services, ADA).consents.read_history()
    assert (decision.terms_version, decision.decided_from) == ("2027-01", "web")


async def test_decisions_are_limited(browser, signed_in):
    statuses = [
        (await browser.submit(PAGE, signed_in, purpose="memory", decision="grant")).status_code for _ in range(62)
    ]
    assert set(statuses) == {303, 429}


async def test_on_a_machine_without_keys_it_is_the_page_of_its_user(services, environ):
    services.settings = Settings.read(environ | {"ASSAY_API_KEYS": "", "ASSAY_CONSENT": "analytics"})
    wire = httpx.ASGITransport(create_app(services), client=("127.0.0.1", 50_000))
    async with httpx.AsyncClient(transport=wire, base_url=BASE) as http:
        browser = Browser(http)
        page = await browser.open(PAGE)
        assert "You are the user of this machine." in page.text
        assert "You consent by a setting of this machine." in page.text
        assert (await http.post("/tools/memory_save", json={"note": "x"})).json()["consent"]["url"] == BASE + PAGE
        await browser.submit(PAGE, page, purpose="memory", decision="grant")
        assert (await http.post("/tools/memory_save", json={"note": "x"})).json()["status"] == "ok"
        assert (await http.post(PAGE, data={"purpose": "memory", "decision": "withdraw"})).status_code == 400
        assert (await http.get("/oauth/grants")).headers["location"] == "/console/account"


async def test_a_person_consents_with_a_real_browser(live, chrome):  # noqa: F811
    async with real_browser(chrome, live.url + PAGE) as tab:
        await tab.wait_for("!!document.querySelector('#key')")
        await tab.evaluate(f"document.querySelector('#key').value = '{KEY}'")
        await tab.click("form button")
        await tab.wait_for("!!document.querySelector('#grant-memory')")
        assert await tab.evaluate("getComputedStyle(document.body).maxWidth") == "512px"  # the style applies
        assert await tab.evaluate("document.scripts.length") == 0
        await tab.click("#grant-memory")
        await tab.wait_for("!!document.querySelector('#withdraw-memory')")
        assert await tab.evaluate("location.hash") == "#memory"
        async with httpx.AsyncClient(base_url=live.url, timeout=60) as http:
            assert (await remember(http)).json()["status"] == "ok"
            await tab.click("#withdraw-memory")
            await tab.wait_for("!!document.querySelector('#grant-memory')")
            assert "Withdrawn" in await tab.evaluate("document.body.innerText")
            assert (await remember(http)).json()["status"] == "no_consent"
