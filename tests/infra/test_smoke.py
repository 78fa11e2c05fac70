"""The smoke check of a deployment passes where all is well and says what is not."""

import hashlib
import json

import pytest
from infra.scripts.smoke import Smoke, run_checks
from tests.oauth.live_server import LiveServer

KEY = "assay_a-key-for-the-smoke-check"
RING = json.dumps([{"name": "ada", "sha256": hashlib.sha256(KEY.encode()).hexdigest()}])


@pytest.fixture
def check(tmp_path, capsys):
    """`check(key, **environ)`: the number of failed checks of a server with these settings, and what was printed."""

    def run(key, **environ):
        server = LiveServer({"ASSAY_HOME": str(tmp_path), "CHROME_PATH": "disabled", **environ})
        smoke = Smoke(server.url, key)
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
