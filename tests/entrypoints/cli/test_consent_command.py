"""`assay consent`: a person's decisions, recorded and listed at the command line."""

import json

import pytest

from assay.entrypoints.cli.main import main


@pytest.fixture
def run(environ, monkeypatch, capsys):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def run(*arguments):
        code = main(["consent", *arguments])
        printed = capsys.readouterr()
        return json.loads(printed.out if code == 0 else printed.err)

    return run


def test_a_consent_is_granted_withdrawn_and_kept_in_the_history(run, environ):
    assert run() == {"tenantId": "local", "userId": "local", "consents": []}
    [granted] = run("grant", "memory", "--terms", "2026-01")["consents"]
    assert granted.items() >= {"purpose": "memory", "granted": True, "termsVersion": "2026-01"}.items()
    [withdrawn] = run("withdraw", "memory")["consents"]
    assert (withdrawn["granted"], withdrawn["decidedFrom"]) == (False, "cli")
    assert run("list")["consents"] == [withdrawn]
    assert run("history")["consents"] == [granted, withdrawn]
    with open(f"{environ['ASSAY_HOME']}/audit.jsonl", encoding="utf-8") as audit:
        events = [json.loads(line) for line in audit]
    assert [event["event_type"] for event in events] == ["consent.grant", "consent.withdraw"]


def test_the_operator_records_what_others_decided(run):
    run("grant", "memory", "analytics", "--tenant", "acme", "--user", "ada")
    listed = run("--tenant", "acme", "--user", "ada")
    assert [each["purpose"] for each in listed["consents"]] == ["memory", "analytics"]
    assert run("--tenant", "acme", "--user", "bob")["consents"] == []


@pytest.mark.parametrize(
    ("arguments", "way"),
    [
        (("grant",), "Name what to grant: memory, analytics"),
        (("grant", "everything"), "Use memory, analytics, workspace, monitoring"),
        (("list", "memory"), "no purposes"),
    ],
)
def test_a_wrong_order_is_refused_with_the_way_out(run, arguments, way):
    error = run(*arguments)["error"]
    assert way in error["message"]
    assert error["field"] == "purposes"
