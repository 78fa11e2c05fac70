"""The credentials of a function that starts from a snapshot: from an address on this machine, renewed before they end."""

import json
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from assay.aws.aws_environment import find_endpoint
from assay.aws.container_credentials import ContainerCredentials, NoCredentials, has_container_credentials

ENVIRON = {"AWS_REGION": "eu-west-1", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "secret"}


@pytest.fixture
def lender():
    """A server whose `answers` are (status, body) in turn, the last again and again; `seen` are its requests."""

    class Lender(BaseHTTPRequestHandler):
        def do_GET(self):
            server.seen.append((self.path, self.headers["authorization"]))
            status, body = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Lender) as server:
        server.seen, server.answers = [], []
        server.environ = ENVIRON | {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{server.server_port}/v1/x?a=b"
        }
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def lend(key, until):
    end = datetime.fromtimestamp(until, UTC).isoformat().replace("+00:00", "Z")
    body = {"AccessKeyId": key, "SecretAccessKey": "s", "Token": "t", "Expiration": end}
    return 200, json.dumps(body).encode()


def test_credentials_are_kept_until_shortly_before_their_end(lender):
    lender.answers = [lend("first", 10_000), lend("second", 20_000)]
    now = [1_000.0]
    credentials = ContainerCredentials(lender.environ, lambda: now[0])
    assert [credentials().key, credentials().key] == ["first", "first"]
    assert credentials() == ("first", "s", "t")
    now[0] = 9_800.0
    assert credentials().key == "second"
    assert lender.seen == [("/v1/x?a=b", "secret")] * 2


def test_valid_credentials_outlast_a_failure_and_expired_ones_do_not(lender):
    lender.answers = [lend("first", 10_000), (500, b"")]
    now = [1_000.0]
    credentials = ContainerCredentials(lender.environ, lambda: now[0])
    credentials()
    now[0] = 9_900.0
    assert credentials().key == "first"
    now[0] = 10_001.0
    with pytest.raises(NoCredentials):
        credentials()


@pytest.mark.parametrize("answer", [(403, b"{}"), (200, b"[]"), (200, b"{}"), (200, b"\xff"), (200, b"")])
def test_other_answers_are_no_credentials(lender, answer):
    lender.answers = [answer]
    with pytest.raises(NoCredentials, match="cannot be read"):
        ContainerCredentials(lender.environ)()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://192.0.2.1/",
        "http://credentials.example/",
        "http://127.0.0.1.example/",
        "https://127.0.0.1/",
        "file:///etc",
    ],
)
def test_the_token_is_sent_to_this_machine_alone(address):
    environ = ENVIRON | {"AWS_CONTAINER_CREDENTIALS_FULL_URI": address}
    assert not has_container_credentials(environ)
    assert find_endpoint("dynamodb", environ) is None


def test_credentials_of_the_environment_come_first(lender):
    lender.answers = [(500, b"")]
    endpoint = find_endpoint("dynamodb", lender.environ | {"AWS_ACCESS_KEY_ID": "own", "AWS_SECRET_ACCESS_KEY": "s"})
    assert endpoint.credentials() == ("own", "s", "")
    assert lender.seen == []
