"""The smoke check of a deployment passes where all is well and says what is not."""

import hashlib
import json
from dataclasses import replace
from threading import Event

import pytest
from infra.scripts.smoke import LEAST_AHEAD, CheckFailed, Smoke, run_checks
from tests.oauth.live_server import LiveServer
from tests.support.pages import article

KEY = "assay_a-key-for-the-smoke-check"
RING = json.dumps([{"name": "ada", "sha256": hashlib.sha256(KEY.encode()).hexdigest()}])


@pytest.fixture
def check(tmp_path, capsys):
    """`check(key, **environ)`: the number of failed checks of a server with these settings, and what was printed."""

    def run(key, *, mcp_url=None, streams=False, **environ):
        server = LiveServer({"ASSAY_HOME": str(tmp_path), "CHROME_PATH": "disabled", **environ})
        smoke = Smoke(server.url, key, mcp_url, streams=streams)
        try:
            return run_checks(smoke), capsys.readouterr().out
        finally:
            smoke.close()
            server.stop()

    return run


def test_a_server_with_keys_passes_every_check(check):
    failures, printed = check(KEY, ASSAY_API_KEYS=RING)
    assert failures == 0, printed
    assert KEY not in printed


def test_a_server_that_lets_strangers_in_fails_the_checks_of_keys(check):
    failures, printed = check(KEY)
    assert failures == 2
    assert [line for line in printed.splitlines() if "FAILED" in line and "key is refused" in line]


def test_with_a_wrong_key_only_what_is_public_passes(check):
    failures, printed = check("assay_another", ASSAY_API_KEYS=RING)
    assert failures == 7, printed
    assert "instead of 200" in printed


def test_a_server_that_streams_reports_progress_before_its_answer(check, site):
    page = site.says("/otters", article())
    results = {"results": [{"title": "Otters", "url": page, "content": "A snippet."}]}
    site.says("/searxng/search", json.dumps(results), kind="application/json")
    slow = replace(site.pages["/otters"], before=lambda: Event().wait(3 * LEAST_AHEAD))
    site.pages["/otters"] = slow
    environ = {"ASSAY_API_KEYS": RING, "SEARXNG_URL": site.url + "/searxng", "ALLOW_PRIVATE_IPS": "true"}
    failures, printed = check(KEY, streams=True, **environ)
    assert failures == 0, printed
    assert "before the answer" in printed


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        ("application/json", '{"jsonrpc": "2.0", "id": 1, "result": {}}', "no stream of events but application/json"),
        ("text/event-stream", "data: {}\r\n\r\n" * 3, "3 events arrived together"),
    ],
)
def test_a_stream_that_is_held_back_fails_the_check(kind, body, reason, site):
    smoke = Smoke(site.url, KEY, site.says("/mcp", body, kind=kind), streams=True)
    with pytest.raises(CheckFailed, match=reason):
        smoke.list_checks()["MCP reports progress during a call"]()
    smoke.close()
