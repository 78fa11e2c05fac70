"""Signing in on Lambda: the service information function issues tokens, the MCP function accepts them."""

import base64
import gzip
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


def test_a_person_tries_a_tool_in_the_console(run, event):
    console, sign_in = run("Console"), run("ServiceInfo")
    cookies, browser = [], {"sec-fetch-site": "same-origin"}

    def get(path, **headers):
        asked = event("http_api_get", path=path, key=None, headers=browser | headers) | {"cookies": cookies}
        return console.call(asked)

    def post(function, path, fields):
        headers = browser | {"content-type": FORM}
        asked = event("http_api_post", urlencode(fields), path=path, key=None, headers=headers) | {"cookies": cookies}
        return function.call(asked)

    entry = Page(get("/console/tools/dedupe_rank"))
    cookies[:] = entry.cookies
    back = Page(post(sign_in, "/oauth/sign-in", read_form(entry.text) | {"key": KEY}))
    assert (back.status, back.headers["location"]) == (303, "/console/tools/dedupe_rank")
    cookies[:] = back.cookies
    answer = get("/console/tools/dedupe_rank")
    page = Page(answer)
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert not answer.get("isBase64Encoded")  # pages with a token are not compressed
    asset = page.text.partition('rel="stylesheet" href="')[2].partition('"')[0]
    style = get(asset, **{"accept-encoding": "gzip"})
    assert style["isBase64Encoded"]
    assert style["headers"]["content-encoding"] == "gzip"
    assert b"--pico" in gzip.decompress(base64.b64decode(style["body"]))
    fields = read_form(page.text) | {"in-docs": '[{"id": "a", "text": "Otters"}, {"id": "b", "text": "Crabs"}]'}
    shown = Page(post(console, "/console/tools/dedupe_rank", fields))
    assert shown.status == 200, shown.text
    assert 'id="answer"' in shown.text
    begun = Page(post(console, "/console/tools/search_and_scrape", fields | {"in-query": "otters"}))
    assert begun.status == 303, begun.text
    assert "working" in Page(get(begun.headers["location"])).text
    assert "/mcp" in Page(get("/docs/connect")).text
    assert KEY not in console.log()
