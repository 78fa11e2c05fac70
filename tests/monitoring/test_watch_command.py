"""`assay watch` for queries: saved, listed, checked and deleted, as JSON."""

import json

import pytest

from assay.entrypoints.cli.main import main

RESULTS = [{"title": "Otters return", "url": "https://river.example/1", "content": "They were last seen in 1950."}]


@pytest.fixture
def run(environ, site, monkeypatch, capsys):
    for name, value in (environ | {"ASSAY_CONSENT": "monitoring"}).items():
        monkeypatch.setenv(name, value)
    site.says("/searxng/search", json.dumps({"results": RESULTS}), kind="application/json")

    def run(*arguments):
        code = main(["watch", *arguments])
        printed = capsys.readouterr()
        return code, json.loads(printed.out) if printed.out else printed.err

    return run


def test_a_query_is_watched_listed_checked_and_deleted(run, site):
    code, saved = run("--query", "otters", "--kind", "news", "--every", "6h", "--days", "5", "--filter", "language=en")
    assert (code, saved["status"], saved["everyHours"], saved["ttlDays"]) == (0, "ok", 6, 5)
    assert "language=en" in site.requests[-1].path
    _, listed = run()
    assert listed["watched"] == []
    assert [watch["query"] for watch in listed["queries"]] == ["otters"]
    new = {"title": "Beavers", "url": "https://river.example/2", "content": "They build a dam."}
    site.says("/searxng/search", json.dumps({"results": [*RESULTS, new]}), kind="application/json")
    _, checked = run("--check", saved["id"])
    assert [result["title"] for result in checked["newResults"]] == ["Beavers"]
    assert run("--delete", saved["id"])[1]["deletedCount"] == 1
    assert run()[1] == {"watched": [], "queries": []}


def test_a_refusal_is_an_answer_with_an_exit_code(run):
    assert run("--check", "0" * 32)[0] == 1
    code, answer = run("--query", "otters", "--tenant", "acme", "--user", "ada")
    assert (code, answer["status"]) == (1, "no_consent")
    assert run("--query", "otters", "--days", "99")[0] == 2
    assert run("--query", "otters", "--filter", "language")[0] == 2
    assert run("--query", "otters", "--check", "0" * 32)[0] == 2
