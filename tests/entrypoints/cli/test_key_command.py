"""`assay key`: keys of the table are created, listed and revoked; a name alone prints an entry of the ring."""

import json
import os
import subprocess
import sys

import pytest
from tests.support import table_factories

from assay.entrypoints.auth import ring
from assay.entrypoints.cli.main import main


@pytest.fixture
def run(environ, monkeypatch, capsys):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def run(*arguments):
        code = main(["key", *arguments])
        printed = capsys.readouterr()
        return json.loads(printed.out if code == 0 else printed.err)

    return run


def test_a_key_is_shown_once_listed_and_revoked(run, environ, tmp_path):
    created = run(
        "create", "ada-laptop", "--tenant", "acme", "--user", "ada", "--scope", "research", "--expires", "90d"
    )
    secret = created.pop("key")
    assert created.items() >= {"name": "ada-laptop", "tenant": "acme", "user": "ada", "scopes": ["research"]}.items()
    assert created["expires"][:10] > created["created"][:10]
    other = run("create", "bob", "--read-only")
    assert run("list") == [created, {name: value for name, value in other.items() if name != "key"}]
    assert run("list", "--tenant", "acme") == [created]
    stored = [path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert stored == []
    assert run("revoke", created["id"])["revoked"]["name"] == "ada-laptop"
    assert [key["name"] for key in run("list")] == ["bob"]
    assert run("revoke", created["id"])["error"]["kind"] == "not_found"


def test_keys_that_are_made_and_revoked_are_audited(run, environ, tmp_path):
    created = run("create", "ada-laptop", "--tenant", "acme", "--user", "ada")
    run("revoke", created["id"])
    run("revoke", created["id"])
    run("ada")
    [audit] = tmp_path.rglob("audit.jsonl")
    events = [json.loads(line) for line in audit.read_text().splitlines()]
    assert [event["event_type"] for event in events] == ["key.create", "key.revoke"]
    for event in events:
        assert (event["tenant_id"], event["user_id"], event["metadata"]["subject"]) == ("acme", "ada", created["id"])
    assert created["key"] not in audit.read_text()


def test_with_a_table_on_aws_standard_output_has_the_key_alone(environ, engine_url):
    table = table_factories.create_engine_table(engine_url)
    keys = {"AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    aws = keys | {"ASSAY_TABLE": table, "ASSAY_BUCKET": "unused", "AWS_ENDPOINT_URL": engine_url}

    def run_process(*arguments):
        command = [sys.executable, "-m", "assay.entrypoints.cli.main", "key", *arguments]
        return subprocess.run(command, env=os.environ | environ | aws, capture_output=True, text=True, check=True)

    done = run_process("create", "ada-laptop")
    created = json.loads(done.stdout)
    assert '"event_type":"key.create"' in done.stderr
    assert created["key"] not in done.stderr
    assert [key["id"] for key in json.loads(run_process("list").stdout)] == [created["id"]]


def test_a_name_alone_prints_an_entry_of_the_ring_and_stores_nothing(run):
    printed = run("ada", "--scope", "tool:web_search", "--read-only")
    caller = ring(json.dumps([printed["entry"]])).caller(printed["key"])
    assert (caller.tenant, caller.scopes, caller.read_only) == ("ada", {"tool:web_search"}, True)
    assert run("list") == []


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("create",), "name"),
        (("revoke",), "name"),
        (("list", "ada"), "name"),
        (("create", "a b"), "name"),
        (("create", "ada", "--tenant", "a/b"), "tenant"),
        (("create", "ada", "--scope", "everything please"), "scope"),
        (("create", "ada", "--scope", "reserch"), "scope"),
        (("create", "ada", "--scope", "tool:web_serch"), "scope"),
        (("create", "ada", "--scope", "web_search"), "scope"),
        (("revoke", "%"), "id"),
        (("ada", "--expires", "1d"), "name"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_field(run, arguments, field):
    assert run(*arguments)["error"]["field"] == field
    assert run("list") == []
