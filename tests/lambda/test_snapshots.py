"""Copies of a function that start from one snapshot of its INIT (SnapStart) share nothing that must be one's own.

A process is primed as Lambda primes it, its hooks run as Lambda's runtime runs them, and forks stand for the copies.
"""

import datetime as dt
import json
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from infra.scripts import stack

RUN = """
import json, os, random, sys
from pathlib import Path

import handler  # INIT

from snapshot_restore_py import get_after_restore, get_before_snapshot

def list_sockets():
    places = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    return sorted(link for link in map(read_link, places) if link.startswith(("socket:", "anon_inode:[eventpoll]")))

def read_link(place):
    try:
        return os.readlink(place)
    except OSError:  # the folder's own descriptor
        return ""

def describe_process():
    from assay.entrypoints import runtime
    from assay.state.audit import name_instance

    services = runtime.services()
    streams = [each._head.stream for each in services.observers if hasattr(each, "_head")]
    event = json.loads(sys.argv[1])
    status = handler.handler(event, None)["statusCode"]
    return {
        "instance": name_instance(), "stream": streams, "random": random.random(), "status": status,
        "sockets": list_sockets(), "boto3": "boto3" in sys.modules,
    }

primed = describe_process()
for hook, args, named in reversed(get_before_snapshot()):
    hook(*args, **named)
held = list_sockets()
BETWEEN
copies = []
for _ in range(2):
    reading, writing = os.pipe()
    if os.fork() == 0:
        for hook, args, named in get_after_restore():
            hook(*args, **named)
        imported = set(sys.modules)
        described = describe_process()
        described["new"] = sorted(name for name in set(sys.modules) - imported if name.startswith("assay."))
        os.write(writing, json.dumps(described).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        copies.append(json.load(pipe))
    os.wait()
print(json.dumps({"primed": primed, "held": held, "copies": copies}))
"""
TOKEN = "lent-to-the-function"


@contextmanager
def lend_credentials(key="test"):
    """The address of Lambda's credentials, and the tokens that it was asked with."""
    asked = []

    class Lender(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.headers["authorization"])
            until = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
            body = {"AccessKeyId": key, "SecretAccessKey": "test", "Token": "t", "Expiration": until.isoformat()}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Lender)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/credentials", asked
    finally:
        server.shutdown()
        server.server_close()


def start_copies(folder, sent, environ, between=""):
    """What the process and two copies say of themselves; `between` is run while there is only the snapshot."""
    done = subprocess.run(
        [sys.executable, "-c", RUN.replace("BETWEEN", between), json.dumps(sent)],
        cwd=stack.ROOT / "functions" / folder,
        env={
            "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start",
            "AWS_LAMBDA_FUNCTION_NAME": "f",
            "AWS_REGION": "us-east-1",
            "PYTHONWARNINGS": "ignore::DeprecationWarning",  # of forks: the copies run no thread of before
            **environ,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@pytest.mark.parametrize(
    ("folder", "recorded", "body", "path"),
    [
        ("tools", "http_api_post", {"docs": [{"id": "a", "text": "Otters hold hands"}]}, "/tools/dedupe_rank"),
        ("mcp", "function_url_post", LISTING, "/mcp"),
    ],
)
def test_copies_of_a_snapshot_share_no_name_no_connection_and_no_credentials(
    folder, recorded, body, path, cloud, keys, event, tmp_path
):
    with lend_credentials() as (address, asked):
        environ = cloud.environment() | {
            "HOME": str(tmp_path),
            "TOOL": "dedupe_rank",
            "ASSAY_API_KEYS": keys,
            "AUDIT_BUCKET": cloud.bucket,
            "AUDIT_RETENTION_DAYS": "1",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": address,
            "AWS_CONTAINER_AUTHORIZATION_TOKEN": TOKEN,
        }
        sent = event(recorded, body, path=path, headers=ACCEPT)
        found = start_copies(folder, sent, environ)
    first, second = found["copies"]
    assert [each["status"] for each in (found["primed"], first, second)] == [200, 200, 200]
    for field in ("instance", "stream", "random"):
        values = [json.dumps(each[field]) for each in (found["primed"], first, second)]
        assert len(set(values)) == 3, (field, values)
    assert len(first["stream"]) == 1
    assert found["held"] == []
    sockets = [{link for link in each["sockets"] if link.startswith("socket:")} for each in (first, second)]
    assert all(sockets)
    assert not sockets[0] & sockets[1]
    assert first["new"] == []  # the snapshot has all that a call imports
    assert not first["boto3"]
    assert set(asked) == {TOKEN}
    assert len(asked) >= 3  # each copy asks for its own


def test_keys_that_were_revoked_after_the_snapshot_are_refused_by_its_copies(cloud, rings, event, tmp_path):
    name = cloud.parameter(rings("assay_a-key-that-opens"))
    own = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
    environ = cloud.environment() | own
    environ |= {"HOME": str(tmp_path), "TOOL": "dedupe_rank", "ASSAY_API_KEYS": f"ssm:{name}"}
    change = f"Name={name!r}, Value={rings('other')!r}, Type='SecureString', Overwrite=True"
    revoke = f"import boto3; boto3.client('ssm').put_parameter({change})"
    sent = event("http_api_post", {"docs": [{"id": "a", "text": "Otters"}]}, path="/tools/dedupe_rank")
    found = start_copies("tools", sent, environ, revoke)
    assert found["primed"]["status"] == 200
    assert [each["status"] for each in found["copies"]] == [401, 401]
