"""`assay workspace`: the operator adds, removes and lists members."""

import json

import pytest

from assay.entrypoints.cli.main import main


@pytest.fixture
def run(environ, monkeypatch, capsys):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def run(*arguments):
        code = main(["workspace", *arguments])
        printed = capsys.readouterr()
        return json.loads(printed.out if code == 0 else printed.err)

    return run


def test_members_are_added_listed_and_removed_with_an_audit_event_each(run, environ):
    run("add", "river", "--tenant", "acme", "--user", "ada")
    both = run("add", "river")["members"]
    assert [(each["tenantId"], each["userId"]) for each in both] == [("acme", "ada"), ("local", "local")]
    assert run("remove", "river", "--tenant", "acme", "--user", "ada") == run("list", "river")
    assert [each["userId"] for each in run("list", "river")["members"]] == ["local"]
    with open(f"{environ['ASSAY_HOME']}/audit.jsonl", encoding="utf-8") as audit:
        events = [json.loads(line) for line in audit]
    kinds = [(event["event_type"], event["user_id"], event["metadata"]["workspace"]) for event in events]
    assert kinds[-1] == ("workspace.member.remove", "ada", "river")
    assert [kind for kind, *_ in kinds] == ["workspace.member.add", "workspace.member.add", "workspace.member.remove"]


def test_a_wrong_name_is_refused(run):
    assert run("add", "no spaces")["error"]["field"] == "workspace"
