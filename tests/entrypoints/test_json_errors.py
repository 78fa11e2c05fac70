"""JSON that cannot be read: each entry point says why in the words of JSON, and where."""

import json

import pytest
from tests.entrypoints.http.test_http_api import event

from assay.entrypoints.cli.main import main
from assay.entrypoints.http.http_api import answer
from assay.entrypoints.mcp.jsonrpc import RpcError, parse_json

WRONG = {
    '{"url": "x': "unterminated string at character 9",
    '{"url": "x"} {}': "extra data at character 14",
    '{"url": 1,\n "b" 2}': "expecting ':' delimiter at line 2, column 6",
    '{"url": NaN}': "NaN is no JSON number",
    '{"url": 1' + "0" * 5000 + "}": "a number has too many digits",
    "\ufeff{}": "it begins with a byte order mark",
    '{"url": "x", "url": "y"}': "an object names a key twice",
    "[" * 100_000: "it is nested too deeply",
}


@pytest.mark.parametrize(("text", "reason"), WRONG.items(), ids=WRONG.values())
async def test_each_entry_point_says_what_is_wrong(text, reason, services, capsys):
    response = await answer("scrape_page", event(text), None, services)
    error = json.loads(response["body"])["error"]
    assert error["message"] == f"The body cannot be read as JSON: {reason}. Send one JSON object."
    assert error["field"] == "body"
    assert main(["call", "scrape_page", text]) == 2
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["message"] == f"The arguments cannot be read as JSON: {reason}. Send one JSON object."
    with pytest.raises(RpcError, match="Parse error: ") as wrong:
        parse_json(text.encode())
    assert wrong.value.message == f"Parse error: {reason}."


@pytest.mark.parametrize("word", ["num_results=" + "[" * 100_000, "num_results:=" + "[" * 100_000])
def test_a_word_that_is_nested_too_deeply_is_refused(word, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    assert main(["call", "web_search", "query=otters", word]) == 2
    assert json.loads(capsys.readouterr().err)["error"]["field"] == "num_results"


@pytest.mark.parametrize("text", ['{"docs": [], "limit": 1' + "0" * 5000 + "}"])
def test_a_plain_tool_names_no_function_of_python(text, capsys):
    assert main(["call", "dedupe_rank", text]) == 1
    assert json.loads(capsys.readouterr().err)["error"] == "a number has too many digits"
