"""A person at a browser, and a client that asks for access, over plain HTTP."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx

from assay.oauth.pkce import build_challenge

KEY = "assay_" + "k" * 43
RING = json.dumps(
    [
        {"name": "ada-laptop", "sha256": hashlib.sha256(KEY.encode()).hexdigest(), "tenant": "acme", "user": "ada"},
        {
            "name": "bob",
            "sha256": hashlib.sha256(b"assay_bob").hexdigest(),
            "tenant": "acme",
            "user": "bob",
            "scopes": ["json"],
        },
    ]
)
VERIFIER = "v" * 64
CALLBACK = "https://app.example/cb"


def read_form(page: str) -> dict[str, str]:
    """The hidden fields of the first form."""
    form = page.partition("<form")[2].partition("</form>")[0]
    pairs = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
    return {unescape(name): unescape(value) for name, value in pairs}


@dataclass
class Browser:
    """Keeps cookies, sends what browsers send with a form, and follows no redirect."""

    http: httpx.AsyncClient
    origin: str = "http://127.0.0.1:8787"

    async def open(self, path: str, **query: str) -> httpx.Response:
        return await self.http.get(path + ("?" + urlencode(query) if query else ""))

    async def submit(self, path: str, page: httpx.Response, **fields: str) -> httpx.Response:
        form = read_form(page.text) | fields
        return await self.http.post(path, data=form, headers={"origin": self.origin, "sec-fetch-site": "same-origin"})

    async def sign_in(self, page: httpx.Response, key: str = KEY) -> httpx.Response:
        return await self.submit("/oauth/sign-in", page, key=key)

    async def allow(self, page: httpx.Response) -> dict[str, str]:
        """What the client receives at its redirect URI."""
        return read_answer(await self.submit("/oauth/consent", page, decision="allow"))


def read_answer(response: httpx.Response) -> dict[str, str]:
    assert response.status_code == 303, response.text
    return dict(parse_qsl(urlsplit(response.headers["location"]).query))


@dataclass
class Client:
    """A public client at the other end of the redirect."""

    http: httpx.AsyncClient
    id: str = ""
    query: dict[str, str] = field(default_factory=dict)

    async def register(self, **metadata: object) -> "Client":
        asked = {"client_name": "Otter Reader", "redirect_uris": [CALLBACK]} | metadata
        answer = await self.http.post("/oauth/register", json=asked)
        assert answer.status_code == 201, answer.text
        self.id = answer.json()["client_id"]
        self.query = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": asked["redirect_uris"][0],
            "code_challenge": build_challenge(VERIFIER),
            "code_challenge_method": "S256",
            "state": "s-1",
            "resource": "http://127.0.0.1:8787/mcp",
        }
        return self

    async def exchange(self, code: str, **changes: str) -> httpx.Response:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.id,
            "redirect_uri": self.query["redirect_uri"],
            "code_verifier": VERIFIER,
        } | changes
        return await self.http.post("/oauth/token", data={name: value for name, value in form.items() if value})

    async def refresh(self, token: str, **changes: str) -> httpx.Response:
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.id} | changes
        return await self.http.post("/oauth/token", data=form)
