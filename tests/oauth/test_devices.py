"""Device authorization, and `assay login` on the command line."""

import io
import json
import re
import stat
import sys
import threading

import httpx
import pytest
from tests.oauth.browsers import KEY, read_form

from assay import sync
from assay.entrypoints.cli.main import main
from assay.errors import ConfigError, ToolError, Unauthenticated
from assay.oauth import device_codes
from assay.oauth.device_login import parse_server
from assay.oauth.stored_logins import load_login, save_login

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture
def poll(client):
    async def post(device_code, **changes):
        form = {"grant_type": DEVICE_GRANT, "device_code": device_code, "client_id": "assay-cli"} | changes
        return (await client.http.post("/oauth/token", data=form)).json()

    return post


async def start(client, **changes):
    form = {"client_id": "assay-cli", "resource": "http://127.0.0.1:8787"} | changes
    return (await client.http.post("/oauth/device_authorization", data=form)).json()


async def confirm(browser, user_code):
    """The consent page, after the code and the key were entered."""
    page = await browser.submit("/oauth/device", await browser.open("/oauth/device"), user_code=user_code)
    return await browser.sign_in(page)


async def test_a_program_receives_tokens_after_a_person_has_allowed_it(browser, client, poll, clock):
    started = await start(client)
    assert (await poll(started["device_code"]))["error"] == "authorization_pending"
    assert (await poll(started["device_code"]))["error"] == "slow_down"
    clock.forward(started["interval"])
    page = await confirm(browser, started["user_code"].lower().replace("-", " "))
    assert "Assay command line" in page.text
    assert "nobody sent it to you" in page.text
    done = await browser.submit("/oauth/consent", page, decision="allow")
    assert "Connected" in done.text
    tokens = await poll(started["device_code"])
    headers = {"authorization": f"Bearer {tokens['access_token']}"}
    assert (await client.http.get("/tools", headers=headers)).status_code == 200
    assert (await poll(started["device_code"]))["error"] == "expired_token"


async def test_each_poll_that_comes_too_soon_lengthens_the_interval(client, poll, clock):
    started = await start(client)
    for seconds, answer in (
        (0, "authorization_pending"),
        (2, "slow_down"),
        (5, "slow_down"),  # 10 seconds are asked for now, and 15 after this one
        (10, "slow_down"),
        (20, "authorization_pending"),
        (20, "authorization_pending"),
        (15, "slow_down"),
    ):
        clock.forward(seconds)
        assert (await poll(started["device_code"]))["error"] == answer, seconds


async def test_a_refusal_reaches_the_program_and_consent_is_never_remembered(browser, client, poll):
    started = await start(client)
    page = await confirm(browser, started["user_code"])
    assert "Denied" in (await browser.submit("/oauth/consent", page, decision="deny")).text
    assert (await poll(started["device_code"]))["error"] == "access_denied"
    for _ in range(2):
        started = await start(client)
        page = await browser.submit(
            "/oauth/device", await browser.open("/oauth/device"), user_code=started["user_code"]
        )
        assert "Allow access?" in page.text
        await browser.submit("/oauth/consent", page, decision="allow")


async def test_a_device_code_is_bound_to_its_client_and_time(browser, client, poll, clock):
    started = await start(client)
    await browser.submit("/oauth/consent", await confirm(browser, started["user_code"]), decision="allow")
    assert (await poll(started["device_code"], client_id=client.id))["error"] == "invalid_grant"
    assert (await poll("assaydc_x"))["error"] == "expired_token"
    assert (await poll("x" * 5_000))["error"] == "expired_token"
    clock.forward(device_codes.DEVICE_SECONDS + 1)
    assert (await poll(started["device_code"]))["error"] == "expired_token"
    assert (await start(client, resource="https://evil.example"))["error"] == "invalid_target"


async def test_polling_does_not_keep_a_device_code_alive(client, poll, clock):
    started = await start(client)
    for _ in range(3):
        clock.forward(started["expires_in"] / 4)
        assert (await poll(started["device_code"]))["error"] == "authorization_pending"
    clock.forward(started["expires_in"] / 4 + 1)
    assert (await poll(started["device_code"]))["error"] == "expired_token"


async def test_user_codes_cannot_be_guessed_at_speed(browser):
    page = await browser.open("/oauth/device")
    statuses = [(await browser.submit("/oauth/device", page, user_code=f"BCDF-{n:04}")).status_code for n in range(40)]
    assert 429 in statuses
    form = read_form(page.text) | {"user_code": "BCDF-GHJK", "form_token": "x"}
    assert (await browser.http.post("/oauth/device", data=form)).status_code == 400


class Person(io.TextIOBase):
    """Standard error of the command, read by a person who opens the page and allows what it shows."""

    def __init__(self, key=KEY):
        self.text, self._key, self.thread = "", key, None

    def write(self, text):
        self.text += text
        address = re.search(r"http://\S+user_code=\S+", self.text)
        if address and self.thread is None:
            self.thread = threading.Thread(target=self._allow, args=[address[0]])
            self.thread.start()
        return len(text)

    def _allow(self, address):
        base = address.partition("/oauth")[0]
        with httpx.Client(base_url=base, headers={"origin": base}, timeout=60) as http:
            entry = http.get(address)
            code = re.search(r"user_code=(\S+)", address)[1]
            page = http.post("/oauth/device", data=read_form(entry.text) | {"user_code": code})
            page = http.post("/oauth/sign-in", data=read_form(page.text) | {"key": self._key})
            http.post("/oauth/consent", data=read_form(page.text) | {"decision": "allow"})


def test_logging_in_on_the_command_line_lets_programs_call_without_a_key(live, tmp_path, monkeypatch, article):
    home = tmp_path / "laptop"
    monkeypatch.setenv("ASSAY_HOME", str(home))
    person = Person()
    monkeypatch.setattr(sys, "stderr", person)
    assert main(["login", live.url + "/mcp"]) == 0
    person.thread.join()
    assert "Logged in" in person.text
    assert stat.S_IMODE((home / "logins.json").stat().st_mode) == 0o600
    login = load_login(home, live.url)
    assert login.access not in person.text
    with sync.Client(live.url) as assay:
        assert "Otters" in assay.scrape_page(url=article).content
        save_login(home, live.url, type(login)(**{**vars(login), "expires": 0.0}))
        assert "Otters" in assay.scrape_page(url=article).content
    renewed = load_login(home, live.url)
    assert renewed.access != login.access
    assert main(["logout", live.url]) == 0
    assert load_login(home, live.url) is None
    with sync.Client(live.url, renewed.access) as assay, pytest.raises(Unauthenticated):
        assay.scrape_page(url=article)
    assert main(["logout", live.url]) == 0
    assert "There is no login" in person.text


def test_no_token_is_sent_to_another_server(site, tmp_path, monkeypatch, canary, capsys):
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    resource = {"authorization_servers": [site.url]}
    site.says("/.well-known/oauth-protected-resource", json.dumps(resource), kind="application/json")
    endpoints = ("device_authorization_endpoint", "token_endpoint", "revocation_endpoint")
    metadata = {"issuer": site.url} | dict.fromkeys(endpoints, canary.url + "/x")
    site.says("/.well-known/oauth-authorization-server", json.dumps(metadata), kind="application/json")
    assert main(["login", site.url]) == 1
    site.says(
        "/.well-known/oauth-protected-resource",
        json.dumps({"authorization_servers": [canary.url]}),
        kind="application/json",
    )
    assert main(["login", site.url]) == 1
    assert canary.requests == []
    assert capsys.readouterr().err


@pytest.mark.parametrize("address", ["assay.example", "http://assay.example", "https://a.example/x/y", "", "file:///x"])
def test_a_login_needs_the_address_of_a_server(address):
    with pytest.raises(ConfigError):
        parse_server(address)


def test_a_damaged_file_is_an_error_that_says_what_to_do(tmp_path):
    (tmp_path / "logins.json").write_text('{"http://x": {"access": 1}}')
    with pytest.raises(ToolError, match="assay login"):
        load_login(tmp_path, "http://x")
    (tmp_path / "logins.json").write_text("[")
    with pytest.raises(ToolError, match="assay login"):
        load_login(tmp_path, "http://x")
