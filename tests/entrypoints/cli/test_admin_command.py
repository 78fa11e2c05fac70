"""`assay admin`: the endpoints of administration from the command line, as the operator of this machine's stores."""

import json

import pytest
from tests.oauth.live_server import LiveServer

from assay.administration.admin_endpoints import ENDPOINTS
from assay.entrypoints.cli.main import main

ADA = ("--tenant-id", "acme", "--user-id", "ada")


@pytest.fixture
def run(environ, monkeypatch, capsys):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def run(*arguments, code=0):
        assert main(["admin", *arguments]) == code
        printed = capsys.readouterr()
        return json.loads(printed.err if code else printed.out)

    return run


def test_keys_are_created_listed_and_revoked_and_every_action_is_audited(run, environ):
    made = run("create-key", *ADA, "--name", "laptop", "--scopes", "core", "--scopes", "admin")
    assert made["entry"]["scopes"] == ["admin", "core"]
    assert [key["id"] for key in run("list-keys", "--tenant-id", "acme")["keys"]] == [made["entry"]["id"]]
    assert run("revoke-key", "--id", made["entry"]["id"])["revoked"]["name"] == "laptop"
    with open(f"{environ['ASSAY_HOME']}/audit.jsonl", encoding="utf-8") as audit:
        events = [json.loads(line) for line in audit]
    assert [(event["event_type"], event["metadata"]["subject"]) for event in events] == [
        ("key.create", made["entry"]["id"]),
        ("admin.action", "create_key"),
        ("admin.action", "list_keys"),
        ("key.revoke", made["entry"]["id"]),
        ("admin.action", "revoke_key"),
    ]


def test_consent_is_given_and_a_person_s_data_exported_and_erased(run):
    assert run("decide-consent", *ADA, "--purpose", "memory", "--granted", "true")["granted"] is True
    assert len(run("export-data", *ADA)["namespaces"]["consents"]) == 1
    assert run("erase-data", *ADA, "--dry-run", "true")["dryRun"] is True
    assert run("erase-data", *ADA)["receipt"]["consentsWithdrawn"] == 1


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("revoke-key", "--id", "x"), "id"),
        (("list-keys", "--limit", "many"), "limit"),
        (("decide-consent", *ADA, "--purpose", "fun", "--granted", "true"), "purpose"),
    ],
)
def test_a_wrong_input_names_the_field(run, words, field):
    assert run(*words, code=2)["error"]["field"] == field


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.command)
def test_each_endpoint_has_help_that_explains_every_option(capsys, endpoint):
    with pytest.raises(SystemExit) as ended:
        main(["admin", endpoint.command, "--help"])
    printed = capsys.readouterr().out
    assert ended.value.code == 0
    assert f"{endpoint.method} {endpoint.path}" in " ".join(printed.split())
    for name, schema in endpoint.tool.input_schema["properties"].items():
        assert f"--{name.replace('_', '-')}" in printed
        assert schema["description"]


def test_a_missing_option_is_named(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["admin", "list-grants", "--user-id", "ada"])
    assert ended.value.code == 2
    assert "--tenant-id" in capsys.readouterr().err


@pytest.fixture
def server(environ, tmp_path):
    """The address of a server with stores of its own, whose operator's key is that of the command line."""
    elsewhere = {"ASSAY_HOME": str(tmp_path / "server"), "ADMIN_API_KEY": "operator-key-0123456789"}
    live = LiveServer(environ | elsewhere)
    yield live.url
    live.stop()


def test_a_server_is_administered_with_the_key_of_the_operator(run, server, monkeypatch):
    monkeypatch.setenv("ADMIN_API_KEY", "operator-key-0123456789")
    made = run("--server", server, "create-key", *ADA, "--name", "laptop", "--scopes", "core")
    assert [key["id"] for key in run("--server", server, "list-keys")["keys"]] == [made["entry"]["id"]]
    assert run("list-keys")["keys"] == []  # not in the stores of this machine
    assert run("--server", server, "revoke-key", "--id", made["entry"]["id"])["revoked"]["name"] == "laptop"
    refused = run("--server", server, "revoke-key", "--id", made["entry"]["id"], code=1)
    assert (refused["error"]["kind"], refused["error"]["field"]) == ("not_found", "id")


def test_metrics_of_a_server_are_printed_as_text(server, environ, monkeypatch, capsys):
    for name, value in (environ | {"ADMIN_API_KEY": "operator-key-0123456789"}).items():
        monkeypatch.setenv(name, value)
    assert main(["admin", "--server", server, "read-metrics"]) == 0
    assert capsys.readouterr().out.startswith("# HELP assay_info")


def test_without_key_or_login_the_way_to_one_is_told(run, server):
    assert "--scope admin" in run("--server", server, "list-keys", code=1)["error"]["message"]
