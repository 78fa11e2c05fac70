"""`assay me`: a person's data is exported and erased at the command line, and the receipt verified."""

import io
import json

import pytest

from assay.entrypoints.cli.main import main


@pytest.fixture
def run(environ, monkeypatch, capsys):
    for name, value in (environ | {"MEMORY_ENABLED": "true", "ASSAY_CONSENT": "memory"}).items():
        monkeypatch.setenv(name, value)

    def run(*arguments):
        code = main([*arguments])
        printed = capsys.readouterr()
        return code, json.loads(printed.out or printed.err)

    return run


def test_data_is_exported_erased_after_a_dry_run_and_the_receipt_verified(run, tmp_path, monkeypatch, environ):
    run("call", "memory_save", "note=Otters hold hands.")
    _, manifest = run("me", "export", str(tmp_path / "me.zip"))
    assert manifest["items"]["memories"] == 1
    assert (tmp_path / "me.zip").stat().st_mode & 0o077 == 0
    _, counted = run("me", "erase")
    assert (counted["dryRun"], counted["items"]["memories"]) == (True, 1)
    code, receipt = run("me", "erase", "--yes")
    assert (code, receipt["deleted"]["memories"]) == (0, 1)
    assert run("me", "erase")[1]["items"]["memories"] == 0
    assert run("call", "memory_recall", "limit=5")[1]["status"] == "no_consent"
    (tmp_path / "receipt.json").write_text(json.dumps(receipt, indent=1))
    assert run("me", "verify", str(tmp_path / "receipt.json")) == (0, {"valid": True, "id": receipt["id"]})
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(receipt | {"userId": "eve"})))
    assert run("me", "verify", "-") == (1, {"valid": False, "id": receipt["id"]})
    with open(f"{environ['ASSAY_HOME']}/audit.jsonl", encoding="utf-8") as audit:
        kinds = [json.loads(line)["event_type"] for line in audit]
    assert [kind for kind in kinds if kind.startswith("data.")] == ["data.export", "data.erasure"]


def test_an_operator_erases_another_person(run):
    run("consent", "grant", "memory", "--tenant", "acme", "--user", "ada")
    run("key", "create", "ada", "--tenant", "acme", "--user", "ada")
    run("key", "create", "bob", "--tenant", "acme", "--user", "bob")
    _, receipt = run("me", "erase", "--yes", "--tenant", "acme", "--user", "ada")
    assert (receipt["userId"], receipt["deleted"]["api_keys"], receipt["consentsWithdrawn"]) == ("ada", 1, 1)
    assert [key["name"] for key in run("key", "list")[1]] == ["bob"]


@pytest.mark.parametrize(
    "words", [("export",), ("verify",), ("erase", "file"), ("verify", "/dev/null"), ("verify", "/no/file")]
)
def test_a_wrong_order_is_refused_with_the_way_out(run, words):
    code, answer = run("me", *words)
    assert (code, answer["error"]["field"]) == (2, "file")
