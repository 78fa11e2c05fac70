"""Signing in at the server itself, over HTTP: the ordinary way, and what attackers try."""

import json
import re

import pytest
from tests.oauth.browsers import CALLBACK, KEY, Browser, Client, read_answer, read_form

from assay.oauth.pkce import build_challenge

REVOKE = "/console/account/grants/revoke"


async def find_grant(browser):
    """The id of the person's first grant, as their page has it."""
    page = (await browser.open("/console/account")).text
    return re.search(f'{REVOKE}".*?name="id" value="([0-9a-f]+)"', page)[1]


BASE = "http://127.0.0.1:8787"


async def test_a_client_signs_in_calls_a_tool_refreshes_and_revokes(browser, client, tokens, call_tool):
    assert tokens["token_type"] == "Bearer"
    assert tokens["scope"] == "tool:*"
    assert (await call_tool(tokens["access_token"])).status_code == 200
    fresh = (await client.refresh(tokens["refresh_token"])).json()
    assert (await call_tool(fresh["access_token"])).status_code == 200
    gone = await client.http.post("/oauth/revoke", data={"token": fresh["refresh_token"], "client_id": client.id})
    assert (gone.status_code, gone.json()) == (200, {})
    for one in (tokens, fresh):
        refused = await call_tool(one["access_token"])
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == (
            f'Bearer error="invalid_token", resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp", '
            'scope="tool:*"'
        )


async def test_the_metadata_name_one_issuer_and_one_resource_everywhere(browser, client, call_tool):
    anonymous = await browser.http.post("/mcp", json={})
    place = re.search(r'resource_metadata="([^"]+)"', anonymous.headers["www-authenticate"])[1]
    resource = (await browser.http.get(place)).json()
    assert resource["resource"] == f"{BASE}/mcp"
    assert resource["bearer_methods_supported"] == ["header"]
    assert "offline_access" not in resource["scopes_supported"]
    [issuer] = resource["authorization_servers"]
    for path in ("oauth-authorization-server", "openid-configuration"):
        server = (await browser.http.get(f"{issuer}/.well-known/{path}")).json()
        assert (await browser.http.head(f"{issuer}/.well-known/{path}")).status_code == 200
        assert server["issuer"] == issuer
        assert server["code_challenge_methods_supported"] == ["S256"]
        assert server["client_id_metadata_document_supported"] is True
        assert server["authorization_response_iss_parameter_supported"] is True
        assert "none" in server["token_endpoint_auth_methods_supported"]
    for path, name in (
        ("", BASE),
        ("/mcp/search", f"{BASE}/mcp/search"),
        ("/tools", f"{BASE}/tools"),
        ("/v1", f"{BASE}/v1"),
    ):
        assert (await browser.open(f"/.well-known/oauth-protected-resource{path}")).json()["resource"] == name
    assert (await browser.open("/.well-known/oauth-protected-resource/other")).status_code == 404
    page = await browser.sign_in(await browser.open("/oauth/authorize", **client.query))
    assert (await browser.allow(page))["iss"] == issuer


async def test_a_token_reaches_the_resource_it_was_issued_for_and_no_other(browser, client, tokens, call_tool):
    token = tokens["access_token"]
    headers = {"authorization": f"Bearer {token}"}
    assert (await call_tool(token)).status_code == 200
    for path in ("/tools", "/openapi.json"):
        assert (await browser.http.get(path, headers=headers)).status_code == 401
    other_host = await browser.http.get(f"/tools?access_token={token}")
    assert other_host.status_code == 401
    foreign = await browser.http.post("/mcp", json={}, headers=headers | {"host": "localhost:8787"})
    assert foreign.status_code == 401
    whole = await browser.open("/oauth/authorize", **client.query | {"resource": ""})
    answer = await browser.allow(whole)
    wide = (await client.exchange(answer["code"])).json()["access_token"]
    assert (await call_tool(wide)).status_code == 200
    assert (await browser.http.get("/tools", headers={"authorization": f"Bearer {wide}"})).status_code == 200


@pytest.mark.parametrize(("path", "other"), [("/tools", "/mcp"), ("/v1", "/tools")])
async def test_a_token_for_the_resource_of_one_path_is_accepted_there_only(browser, client, path, other):
    anonymous = await browser.http.post(f"{path}/x", json={})
    place = re.search(r'resource_metadata="([^"]+)"', anonymous.headers["www-authenticate"])[1]
    resource = (await browser.http.get(place)).json()["resource"]
    assert resource == BASE + path
    page = await browser.sign_in(await browser.open("/oauth/authorize", **client.query | {"resource": resource}))
    token = (await client.exchange((await browser.allow(page))["code"])).json()["access_token"]
    headers = {"authorization": f"Bearer {token}"}
    assert (await browser.http.post(f"{path}/x", json={}, headers=headers)).status_code == 404
    assert (await browser.http.post(other, json={}, headers=headers)).status_code == 401
    assert (await browser.http.get("/openapi.json", headers=headers)).status_code == 401


async def test_a_token_for_the_six_search_tools_reaches_no_other_endpoint(browser, client):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    sent = {"accept": "application/json, text/event-stream"}
    anonymous = await browser.http.post("/mcp/search", json=ping, headers=sent)
    place = re.search(r'resource_metadata="([^"]+)"', anonymous.headers["www-authenticate"])[1]
    assert place == f"{BASE}/.well-known/oauth-protected-resource/mcp/search"
    resource = (await browser.http.get(place)).json()["resource"]
    assert resource == f"{BASE}/mcp/search"
    page = await browser.sign_in(await browser.open("/oauth/authorize", **client.query | {"resource": resource}))
    token = (await client.exchange((await browser.allow(page))["code"], resource=resource)).json()["access_token"]
    headers = sent | {"authorization": f"Bearer {token}"}
    statuses = [
        (await browser.http.post(path, json=ping, headers=headers)).status_code
        for path in ("/mcp/search", "/mcp", "/tools/search", "/v1/scrape")
    ]
    assert statuses == [200, 401, 401, 401]


async def test_the_host_of_an_applications_own_scheme_is_not_shown_as_where_the_answer_goes(browser, connect):
    client = await Client(await connect()).register(redirect_uris=["vscode://accounts.example.com/cb"])
    page = await browser.open("/oauth/authorize", **client.query)
    assert '<span class="host">vscode:</span>' in page.text
    assert "accounts.example.com" not in page.text


async def test_a_page_that_refuses_too_many_requests_says_when_to_come_back(browser, client):
    for _ in range(125):
        answer = await browser.open("/oauth/authorize", client_id="x")
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize("resource", [f"{BASE}/mcp?toolset=core", f"{BASE}/mcp/"])
async def test_the_query_of_an_address_makes_no_other_resource(browser, client, call_tool, resource):
    page = await browser.sign_in(await browser.open("/oauth/authorize", **client.query | {"resource": resource}))
    token = await client.exchange((await browser.allow(page))["code"], resource=resource)
    assert (await call_tool(token.json()["access_token"], path="/mcp?toolset=all")).status_code == 200


async def test_a_narrow_key_makes_narrow_tokens(browser, client, call_tool):
    page = await browser.sign_in(await browser.open("/oauth/authorize", **client.query), "assay_bob")
    token = (await client.exchange((await browser.allow(page))["code"])).json()
    assert token["scope"] == "json"
    refused = await call_tool(token["access_token"])
    assert refused.status_code == 403
    assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    assert 'scope="json tool:format_bibliography"' in refused.headers["www-authenticate"]
    assert (await client.refresh(token["refresh_token"], scope="tool:*")).json()["error"] == "invalid_scope"


async def test_the_scopes_that_are_asked_for_are_the_ones_granted(browser, client, call_tool):
    query = client.query | {"scope": "tool:format_bibliography offline_access"}
    page = await browser.sign_in(await browser.open("/oauth/authorize", **query))
    assert "Use the tool format_bibliography" in page.text
    token = (await client.exchange((await browser.allow(page))["code"])).json()
    assert token["scope"] == "tool:format_bibliography"
    assert (await call_tool(token["access_token"])).status_code == 200
    assert (await call_tool(token["access_token"], "web_search")).status_code == 403


async def test_removing_a_key_ends_what_was_signed_in_with_it(services, browser, client, tokens, call_tool):
    import dataclasses

    services.settings = dataclasses.replace(
        services.settings, api_keys=services.settings.api_keys.replace("ada-laptop", "x")
    )
    assert (await call_tool(tokens["access_token"])).status_code == 200  # the key is the same
    others = '[{"name": "new", "sha256": "' + "0" * 64 + '"}]'
    services.settings = dataclasses.replace(services.settings, api_keys=others)
    assert (await call_tool(tokens["access_token"])).status_code == 401
    assert (await client.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert "Account and keys" not in (await browser.open("/console/account")).text


REFUSED = {
    "no challenge": {"code_challenge": ""},
    "the plain method": {"code_challenge_method": "plain", "code_challenge": "v" * 43},
    "no method": {"code_challenge_method": ""},
    "an implicit grant": {"response_type": "token"},
    "a fragment": {"response_mode": "fragment"},
    "a request object": {"request": "eyJ"},
    "a request address": {"request_uri": "http://127.0.0.1/"},
    "an unknown scope": {"scope": "admin"},
    "every right": {"scope": "*"},
    "a foreign resource": {"resource": "https://evil.example/mcp"},
    "a look-alike resource": {"resource": f"{BASE}/mcp/../mcp"},
    "a long state": {"state": "x" * 5_000},
    "no person": {"prompt": "none"},
}


@pytest.mark.parametrize("kind", sorted(REFUSED))
async def test_a_faulty_request_is_explained_and_redirects_nowhere(browser, client, kind):
    page = await browser.open("/oauth/authorize", **client.query | REFUSED[kind])
    assert page.status_code == 400
    assert "location" not in page.headers
    assert "Return to" in page.text
    assert "http-equiv" not in page.text


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": ""},
        {"client_id": "unknown"},
        {"client_id": "x" * 5_000},
        {"redirect_uri": ""},
        {"redirect_uri": "https://app.example/cb/"},
        {"redirect_uri": "https://app.example.evil.example/cb"},
        {"redirect_uri": "https://app.example@evil.example/cb"},
        {"redirect_uri": "https://app.example/cb?next=https://evil.example"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": "//evil.example"},
    ],
)
async def test_a_stranger_is_never_redirected_to(browser, client, changes):
    page = await browser.open("/oauth/authorize", **client.query | changes)
    assert page.status_code == 400
    assert "location" not in page.headers
    assert "evil.example" not in page.text
    assert "<a " not in page.text


async def test_repeated_parameters_are_refused(browser, client):
    page = await browser.open("/oauth/authorize", **client.query)
    twice = await browser.http.get(str(page.request.url) + "&client_id=x")
    assert twice.status_code == 400
    many = await browser.http.get("/oauth/authorize?" + "&".join(f"x{number}=1" for number in range(200)))
    assert many.status_code == 400


async def test_pages_cannot_be_framed_scripted_or_cached(browser, client):
    sign_in = await browser.open("/oauth/authorize", **client.query)
    consent = await browser.sign_in(sign_in)
    for page in (sign_in, consent, await browser.open("/oauth/device")):
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "base-uri 'none'" in policy
        assert "script" not in policy
        assert "<script" not in page.text
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "same-origin"
        assert page.headers["content-security-policy"].count("content-security-policy") == 0
    cookie = sign_in.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert sign_in.headers["set-cookie"] != consent.headers["set-cookie"]


async def test_markup_in_what_a_client_sends_is_text(browser, connect):
    name = '"><script>alert(1)</script><img src=x onerror=alert(1)> & Co'
    client = await Client(await connect()).register(client_name=name)
    hostile = {"state": '"><script>1</script>', "scope": 'tool:x"><script>', "prompt": "<b>"}
    for page in (
        await browser.open("/oauth/authorize", **client.query),
        await browser.open("/oauth/authorize", **client.query | hostile),
        await browser.open("/oauth/device", user_code='"><script>alert(1)</script>'),
    ):
        assert "<script" not in page.text
        assert "<img" not in page.text
        assert "<b>Otter" not in page.text


async def test_a_page_of_one_browser_is_worth_nothing_in_another(browser, client, connect):
    """Consent fixation: an attacker prepares a request and makes a victim's browser finish it, or the other way round."""
    attacker, victim = browser, Browser(await connect("192.0.2.8"))
    mine = await attacker.open("/oauth/authorize", **client.query)
    await victim.open("/oauth/authorize", **client.query)
    for response in (
        await victim.submit("/oauth/sign-in", mine, key=KEY),
        await victim.submit("/oauth/consent", mine, decision="allow"),
    ):
        assert response.status_code == 400
        assert "another browser" in response.text
    stolen = read_form(mine.text)["request"]
    own = read_form((await victim.open("/oauth/authorize", **client.query)).text)
    answer = await victim.http.post("/oauth/sign-in", data=own | {"request": stolen, "key": KEY})
    assert answer.status_code == 400


async def test_the_cookie_of_before_the_sign_in_is_worth_nothing_after_it(browser, client, connect):
    """Session fixation."""
    page = await browser.open("/oauth/authorize", **client.query)
    planted = dict(browser.http.cookies)
    await browser.sign_in(page)
    other = Browser(await connect())
    other.http.cookies.update(planted)
    assert "Your Assay key" in (await other.open("/console/account")).text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_forms_of_other_sites_are_refused(browser, client, headers):
    page = await browser.open("/oauth/authorize", **client.query)
    consent = await browser.sign_in(page)
    form = read_form(consent.text) | {"decision": "allow"}
    answer = await browser.http.post("/oauth/consent", data=form, headers=headers)
    assert answer.status_code in (400, 403)
    assert "location" not in answer.headers
    without = await browser.http.post("/oauth/consent", data={**form, "form_token": "0" * 64})
    assert without.status_code == 400
    assert (await browser.http.get("/oauth/consent", params=form)).status_code == 405
    assert "code" in await browser.allow(consent)


async def test_a_consent_is_used_once_and_can_be_refused(browser, client):
    consent = await browser.sign_in(await browser.open("/oauth/authorize", **client.query))
    denied = read_answer(await browser.submit("/oauth/consent", consent, decision="deny"))
    assert denied == {"error": "access_denied", "state": "s-1", "iss": BASE}
    again = await browser.submit("/oauth/consent", consent, decision="allow")
    assert again.status_code == 400
    page = await browser.open("/oauth/authorize", **client.query)
    assert "Allow access?" in page.text  # signed in, and asked again
    assert set(await browser.allow(page)) == {"code", "state", "iss"}
    assert (await browser.submit("/oauth/consent", page, decision="allow")).status_code == 400


async def test_consent_is_remembered_per_client_and_host_until_a_revocation(browser, client, tokens, connect):
    silent = await browser.open("/oauth/authorize", **client.query)
    assert "code" in read_answer(silent)
    asked = {
        "a client that wants to ask": client.query | {"prompt": "consent"},
        "more scopes": client.query | {"scope": "tool:* core"},
        "another resource": client.query | {"resource": BASE},
        "another client": (await Client(await connect()).register()).query,
    }
    for query in asked.values():
        assert "Allow access?" in (await browser.open("/oauth/authorize", **query)).text
    page = await browser.open("/console/account")
    assert "Otter Reader" in page.text
    assert "app.example" in page.text
    assert (await browser.submit(REVOKE, page, id=await find_grant(browser))).status_code == 303
    assert "No application has access" in (await browser.open("/console/account")).text
    assert "Allow access?" in (await browser.open("/oauth/authorize", **client.query)).text


async def test_a_program_on_the_own_machine_is_asked_for_every_time(browser, connect):
    client = await Client(await connect()).register(redirect_uris=["http://127.0.0.1:1000/cb"])
    query = client.query | {"redirect_uri": "http://127.0.0.1:43210/cb"}
    page = await browser.sign_in(await browser.open("/oauth/authorize", **query))
    assert "your own computer" in page.text
    response = await browser.submit("/oauth/consent", page, decision="allow")
    assert response.headers["location"].startswith("http://127.0.0.1:43210/cb?code=")
    code = read_answer(response)["code"]
    assert (await client.exchange(code, redirect_uri="http://127.0.0.1:43210/cb")).status_code == 200
    assert "Allow access?" in (await browser.open("/oauth/authorize", **query)).text


async def test_grants_that_begin_and_end_are_audited(browser, client, services, clock):
    events = []
    services.observers.append(events.append)

    async def connect_client():
        page = await browser.open("/oauth/authorize", **client.query | {"prompt": "consent"})
        code = (await browser.allow(page if "Allow access?" in page.text else await browser.sign_in(page)))["code"]
        return code, (await client.exchange(code)).json()

    _, first = await connect_client()
    await client.http.post("/oauth/revoke", data={"token": first["access_token"], "client_id": client.id})
    await client.http.post("/oauth/revoke", data={"token": first["access_token"], "client_id": client.id})
    code, _ = await connect_client()
    await client.exchange(code)  # reuse of a code
    _, third = await connect_client()
    await client.refresh(third["refresh_token"])
    clock.forward(61)
    await client.refresh(third["refresh_token"])  # reuse of a refresh token
    await connect_client()
    await browser.submit(REVOKE, await browser.open("/console/account"), id=await find_grant(browser))
    assert events.pop().kind == "admin.action"  # the page of the account
    assert [event.kind for event in events] == ["grant.create", "grant.revoke"] * 4
    for event in events:
        assert (event.tenant, event.user, event.event()["metadata"]["subject"]) == ("acme", "ada", client.id)
    written = json.dumps([event.event() for event in events])
    for secret in (code, *first.values(), *third.values()):
        assert not str(secret).startswith("assay") or secret not in written


async def test_a_person_revokes_their_own_grants_only(browser, client, tokens, connect, call_tool):
    other = Browser(await connect())
    page = await other.sign_in(await other.open("/console/account"), "assay_bob")
    assert page.headers["location"] == "/console/account"
    page = await other.open("/console/account")
    assert "No application has access" in page.text
    refused = await other.submit(REVOKE, page, id=await find_grant(browser))
    assert refused.status_code == 404
    assert (await call_tool(tokens["access_token"])).status_code == 200
    await other.submit("/oauth/sign-out", page)
    assert "Your Assay key" in (await other.open("/console/account")).text


async def test_a_wrong_key_is_refused_and_guessing_is_slowed(browser, client, services):
    events = []
    services.observers.append(events.append)
    page = await browser.open("/oauth/authorize", **client.query)
    answer = await browser.sign_in(page, "assay_wrong")
    assert answer.status_code == 400
    assert "assay_wrong" not in answer.text
    assert [event.kind for event in events] == ["auth.failure"]
    statuses = [(await browser.sign_in(page, "x" * 10_000)).status_code for _ in range(45)]
    assert set(statuses) <= {400, 429}
    assert 429 in statuses


async def test_a_code_is_for_its_own_client_and_verifier(browser, client, connect):
    other = await Client(await connect()).register()
    page = await browser.sign_in(await browser.open("/oauth/authorize", **client.query))
    code = (await browser.allow(page))["code"]
    other.query["redirect_uri"] = CALLBACK
    for refused in (
        await other.exchange(code),
        await client.exchange(code, code_verifier=""),
        await client.exchange(code, code_verifier=build_challenge("x")),
        await client.exchange(code, redirect_uri="https://app.example/other"),
        await client.exchange(code, redirect_uri=""),
        await client.exchange(code, resource="https://evil.example"),
    ):
        assert refused.status_code == 400
        assert refused.json()["error"] in ("invalid_grant", "invalid_target")
        assert refused.headers["cache-control"] == "no-store"
    assert (await client.exchange(code)).status_code == 200
    assert (await client.exchange(code)).json()["error"] == "invalid_grant"


async def test_the_endpoints_for_clients_refuse_what_is_not_a_form(client):
    post = client.http.post
    assert (await post("/oauth/token", json={"grant_type": "x"})).json()["error"] == "invalid_request"
    assert (await post("/oauth/token", data={"grant_type": "password"})).json()["error"] == "unsupported_grant_type"
    assert (await post("/oauth/token", data={"grant_type": "refresh_token"})).json()["error"] == "invalid_client"
    assert (await post("/oauth/token", data={"client_id": client.id})).json()["error"] == "invalid_request"
    unknown = await post("/oauth/token", data={"grant_type": "refresh_token", "client_id": "gone"})
    assert (unknown.status_code, unknown.json()["error"]) == (401, "invalid_client")
    assert (unknown.headers["cache-control"], unknown.headers["pragma"]) == ("no-store", "no-cache")
    basic = await post("/oauth/token", data={"grant_type": "refresh_token"}, auth=(client.id, "secret"))
    assert (basic.status_code, basic.headers["www-authenticate"]) == (401, 'Basic realm="assay"')
    nothing = await post("/oauth/revoke", data={"client_id": client.id})
    assert (nothing.status_code, nothing.json()["error"]) == (400, "invalid_request")
    for body in ("[]", "x", "[" * 10_000, '"x"', "{}"):
        answer = await post("/oauth/register", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400
    long = await post(
        "/oauth/token", content="x=" + "y" * 20_000, headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert long.status_code in (400, 413)
    assert (await post("/oauth/revoke", data={"token": "x" * 1_000, "client_id": client.id})).status_code == 200
    twice = await post(
        "/oauth/token",
        content="grant_type=a&grant_type=b",
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    assert twice.json()["error"] == "invalid_request"


async def test_a_server_without_keys_offers_no_sign_in(services, connect):
    import dataclasses

    services.settings = dataclasses.replace(services.settings, api_keys="")
    http = await connect()
    for path in (
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
        "/oauth/authorize",
    ):
        assert (await http.get(path)).status_code == 404
    assert (await http.post("/oauth/token", data={})).status_code == 404


async def test_neither_tokens_nor_codes_nor_keys_reach_a_log(browser, client, caplog, capfd, services, settings):
    caplog.set_level("DEBUG")
    page = await browser.sign_in(await browser.open("/oauth/authorize", **client.query))
    code = (await browser.allow(page))["code"]
    tokens = (await client.exchange(code)).json()
    await client.refresh(tokens["refresh_token"])
    await client.refresh(tokens["refresh_token"] + "x")
    await client.exchange(code + "x")
    await client.exchange(code)
    out, err = capfd.readouterr()
    audit = settings.home / "audit.jsonl"
    own = [record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    written = "\n".join([*own, out, err, audit.read_text() if audit.exists() else ""])
    for secret in (code, tokens["access_token"], tokens["refresh_token"], KEY, *browser.http.cookies.values()):
        assert secret not in written


async def test_behind_a_public_address_everything_carries_its_name(services, connect):
    import dataclasses

    from assay.entrypoints.http.local_server import create_app

    services.settings = dataclasses.replace(services.settings, public_url="https://assay.example")
    import httpx

    wire = httpx.ASGITransport(create_app(services), client=("192.0.2.7", 1))
    async with httpx.AsyncClient(transport=wire, base_url="https://assay.example") as http:
        anonymous = await http.post("/mcp", json={})
        assert "https://assay.example/.well-known/oauth-protected-resource/mcp" in anonymous.headers["www-authenticate"]
        assert (await http.get("/.well-known/oauth-authorization-server")).json()["issuer"] == "https://assay.example"
        client = await Client(http).register()
        query = client.query | {"resource": "https://assay.example/mcp"}
        page = await http.get("/oauth/authorize", params=query)
        cookie = page.headers["set-cookie"]
        assert cookie.startswith("__Host-assay=")
        assert "; Secure" in cookie
        assert (await http.get("/tools", headers={"host": "evil.example"})).status_code == 421
