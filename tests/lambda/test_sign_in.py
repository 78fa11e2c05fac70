"""Signing in on Lambda: the service information function issues tokens, the MCP function accepts them."""

import base64
import json
from html import unescape
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.oauth.browsers import CALLBACK, VERIFIER, read_form

from assay.oauth.pkce import build_challenge

ACCEPT = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
KEY = "assay_a-key-that-opens"  # of the fixtures
FORM = "application/x-www-form-urlencoded"


class Page:
    """An answer of the function, as the helpers for forms read it."""

    def __init__(self, answer):
        self.status, self.headers = answer["statusCode"], answer["headers"]
        self.cookies = [one.partition(";")[0] for one in answer.get("cookies", [])]
        body = answer["body"]
        self.text = base64.b64decode(body).decode() if answer.get("isBase64Encoded") else body


def test_a_client_signs_in_and_lists_tools(run, event):
    function, mcp = run("ServiceInfo"), run("Mcp")
    cookies = []

    def get(path, query=""):
        asked = event("http_api_get", path=path, key=None) | {"rawQueryString": query, "cookies": cookies}
        return Page(function.call(asked))

    def post(path, fields):
        kind = {"content-type": FORM if isinstance(fields, dict) else "application/json"}
        body = urlencode(fields) if isinstance(fields, dict) else fields
        asked = event("http_api_post", body, path=path, key=None, headers=kind) | {"cookies": cookies}
        return Page(function.call(asked))

    def ask(token):
        return mcp.call(event("http_api_post", LIST, path="/mcp", key=token, headers=ACCEPT))

    refused = mcp.call(event("http_api_post", LIST, path="/mcp", key=None, headers=ACCEPT))
    challenge = refused["headers"]["www-authenticate"]
    base = challenge.partition('resource_metadata="')[2].partition("/.well-known")[0]
    assert base.startswith("https://")
    assert json.loads(get("/.well-known/oauth-protected-resource/mcp").text)["resource"] == f"{base}/mcp"
    server = json.loads(get("/.well-known/oauth-authorization-server").text)
    assert server["issuer"] == base

    client = json.loads(post("/oauth/register", json.dumps({"redirect_uris": [CALLBACK]})).text)["client_id"]
    query = {
        "response_type": "code",
        "client_id": client,
        "redirect_uri": CALLBACK,
        "code_challenge": build_challenge(VERIFIER),
        "code_challenge_method": "S256",
        "resource": f"{base}/mcp",
    }
    page = get("/oauth/authorize", urlencode(query))
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "form-action" in page.headers["content-security-policy"]
    assert page.cookies[0].startswith("__Host-assay=")
    cookies[:] = page.cookies
    page = post("/oauth/sign-in", read_form(page.text) | {"key": KEY})
    cookies[:] = page.cookies
    assert "app.example" in unescape(page.text)
    done = post("/oauth/consent", read_form(page.text) | {"decision": "allow"})
    answer = dict(parse_qsl(urlsplit(done.headers["location"]).query))
    assert answer["iss"] == base
    page = get("/oauth/personal-data")
    assert page.text.count("You do not consent.") == 4
    assert "<script" not in page.text
    post("/oauth/personal-data", read_form(page.text) | {"purpose": "memory", "decision": "grant"})
    assert "Granted 20" in get("/oauth/personal-data").text
    form = {
        "grant_type": "authorization_code",
        "code": answer["code"],
        "client_id": client,
        "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER,
    }
    tokens = json.loads(post("/oauth/token", form).text)

    listed = ask(tokens["access_token"])
    assert listed["statusCode"] == 200
    assert json.loads(listed["body"])["result"]["tools"]
    post("/oauth/revoke", {"token": tokens["refresh_token"], "client_id": client})
    assert ask(tokens["access_token"])["statusCode"] == 401  # at once, in a function that runs
    for written in (function.log(), mcp.log()):
        assert tokens["access_token"] not in written
        assert tokens["refresh_token"] not in written
        assert answer["code"] not in written
        assert KEY not in written
