"""What every tool of plain JSON owes on the command line: one line out, `{"error", "hint"?}` where it fails."""

import base64
import json
import os
import subprocess
import sys

import pytest
from tests.support.forked_commands import COMMAND, run_command

from assay.entrypoints.cli.json_command import parse_object, select_known
from assay.errors import InvalidInput
from assay.toolkit import tool_registry

PLAIN = [
    name
    for name in tool_registry.tool_names()
    if "json" in tool_registry.find_tool(name).toolsets and tool_registry.find_tool(name).plain
]
JSON_COMMAND = "assay.entrypoints.cli.json_command"
PAGE = "<title>On otters</title><article><h1>On otters</h1><p>They hold hands while they sleep, and float.</p>"
A_PDF = (  # without a table of its objects, which readers do without
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)
GOOD = {  # what needs nobody but this machine
    "readability_extract": {"html": PAGE, "base_url": "https://example.org/"},
    "metadata_extract": {"html": PAGE, "base_url": "https://example.org/"},
    "dedupe_rank": {"docs": [{"id": "a", "title": "On otters"}]},
    "pdf_extract": {"pdf_base64": base64.b64encode(A_PDF).decode()},
    "citation_pack": {"doc": {"url": "https://example.org/"}},
}


@pytest.fixture
def run(environ):
    def run(*arguments: str, given: str | bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
        given = given.encode() if isinstance(given, str) else given
        module = COMMAND if arguments[0] == "call" else JSON_COMMAND
        return run_command(*arguments, env=os.environ | environ | more, module=module, given=given)

    return run


def refusal(done) -> dict[str, str]:
    """The failure's one line, when it has kept the contract."""
    assert done.returncode != 0
    assert done.stdout == b""
    assert done.stderr.endswith(b"\n")
    [line] = done.stderr.decode().splitlines()
    outputs = json.loads(line)
    assert set(outputs) <= {"error", "hint", "retry_after_ms"}
    assert isinstance(outputs["error"], str)
    return outputs


@pytest.mark.parametrize("name", [name for name in PLAIN if name in GOOD])
def test_a_success_is_one_line_and_nothing_else(name, run):
    for done in (run(name, given=json.dumps(GOOD[name])), run("call", name, json.dumps(GOOD[name]))):
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""
        [line] = done.stdout.decode().splitlines()
        assert done.stdout.endswith(b"\n")
        answer = json.loads(line)
        assert isinstance(answer, dict)
        assert "_meta" not in answer
        assert "null" not in line


@pytest.mark.parametrize("name", PLAIN)
def test_a_failure_is_one_line_on_standard_error(name, run):
    output = refusal(run(name, given="{}"))
    assert output["error"].strip()


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("given", ["", "  \n", "{", '{"url":', "[]", '"text"', "5", "true", "not json", "{'a': 1}"])
def test_what_is_not_an_object_is_refused(name, given):
    with pytest.raises(InvalidInput) as failure:
        parse_object(given.encode(), tool_registry.find_tool(name))
    assert failure.value.message.startswith(tool_registry.find_tool(name).plain.prefix)
    assert "\n" not in failure.value.message


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize(
    "given",
    [b'{"q": "\xff"}', b'{"q": NaN}', b'{"q": Infinity}', b"[" * 200_000, b'{"q":' * 100_000, b'{"q": 1' + b"0" * 5000],
    ids=["no UTF-8", "NaN", "Infinity", "deep lists", "deep objects", "cut number"],
)
def test_hostile_json_is_refused(name, given):
    with pytest.raises(InvalidInput):
        parse_object(given, tool_registry.find_tool(name))


@pytest.mark.parametrize("name", PLAIN)
def test_null_is_an_empty_object_and_unknown_names_are_passed_over(name):
    tool = tool_registry.find_tool(name)
    assert parse_object(b"null", tool) == {}
    assert select_known(parse_object(b'\xef\xbb\xbf {"no_such_field": 1} \n', tool), tool) == {}


@pytest.mark.parametrize("name", PLAIN)
def test_only_strict_tools_mind_what_follows_the_object(name):
    tool = tool_registry.find_tool(name)
    if not tool.plain.strict:
        assert parse_object(b"{} and more", tool) == {}
        return
    with pytest.raises(InvalidInput, match="invalid character 'a' after top-level value"):
        parse_object(b"{} and more", tool)


@pytest.mark.parametrize("name", PLAIN)
async def test_every_field_of_another_type_is_named(name, ask):
    tool = tool_registry.find_tool(name)
    for field in tool.ask.model_fields:
        reply = await ask(name, **{field: {"of": ["another", "kind"]}})
        assert reply.error.kind == "validation"


@pytest.mark.parametrize("name", PLAIN)
async def test_a_misspelled_field_is_named_at_the_other_doors(name, ask):
    reply = await ask(name, **GOOD.get(name, {}), no_such_field=1)
    assert reply.error.kind == "validation"


def test_empty_input_and_cut_input_are_distinguished(run):
    assert refusal(run("metadata_extract"))["error"] == "parse json: EOF"
    assert refusal(run("metadata_extract", given='{"html": "x'))["error"] == "parse json: unexpected EOF"


def test_an_unknown_name_is_refused_in_the_same_shape(run):
    assert refusal(run("no_such_tool", given="{}"))["error"] == "unknown tool: no_such_tool"
    assert refusal(run("read_artifact", given="{}"))["error"] == "unknown tool: read_artifact"


def test_a_wrong_setting_is_reported_in_the_same_shape(run):
    arguments = json.dumps(GOOD["metadata_extract"])
    assert (
        "RATE_LIMIT_PER_TENANT"
        in refusal(run("metadata_extract", given=arguments, RATE_LIMIT_PER_TENANT="often"))["error"]
    )


def test_a_line_stays_one_line_whatever_the_text_holds(run):
    name = "one\u2028two\x85three\n😀"
    done = run("dedupe_rank", given=json.dumps({"docs": [{"id": name, "title": "Otters"}]}))
    [line] = done.stdout.decode().splitlines()
    assert json.loads(line)["groups"][0]["members"] == [name]


def test_a_terminal_without_unicode_is_not_an_obstacle(environ):
    html = "<meta property='og:title' content='größer'>"
    arguments = json.dumps({"html": html, "base_url": "https://example.org/"})
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    command = [sys.executable, "-m", JSON_COMMAND, "metadata_extract", arguments]
    done = subprocess.run(command, env=os.environ | environ | plain, capture_output=True, timeout=60)
    assert json.loads(done.stdout)["opengraph"]["og:title"] == "größer"


def test_an_answer_of_any_size_comes_whole(run):
    html = "".join(f"<meta property='og:title{n}' content='{'x' * 1000}'>" for n in range(2_000))
    done = run("metadata_extract", given=json.dumps({"html": html, "base_url": "https://example.org/"}))
    assert len(json.loads(done.stdout)["opengraph"]) == 2_000


def test_a_home_that_cannot_be_written_stops_no_answer(run):
    done = run("metadata_extract", given=json.dumps(GOOD["metadata_extract"]), ASSAY_HOME="/proc/nowhere")
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""


NO_SNAPSHOT = {"archived_snapshots": {}}
ARCHIVED = "http://93.184.215.14/otters"  # public by its number: no name is asked for


@pytest.fixture
def look_up(run, site):
    """The output of `wayback_lookup` where the archive has no snapshot and answers to a save as given."""

    def look_up(status, headers=None, **arguments):
        site.says("/available", json.dumps(NO_SNAPSHOT), kind="application/json")
        site.says("/save/", b"", status, headers=headers or {})
        done = run("wayback_lookup", json.dumps({"url": ARCHIVED} | arguments), WAYBACK_BASE_URL=site.url)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), [request.path for request in site.requests if request.path.startswith("/save/")]

    return look_up


def test_a_look_up_with_save_saves_a_page_that_has_no_snapshot(look_up):
    copy = {"content-location": f"/web/20260101000000/{ARCHIVED}"}
    answer, saves = look_up(200, copy, save=True)
    assert answer == {"saved": True}
    assert len(saves) == 1


def test_a_save_that_failed_is_reported_with_the_look_up(look_up):
    answer, saves = look_up(403, save=True)
    assert answer["saved"] is False
    assert "wayback" in answer["save_error"]
    assert len(saves) == 1


@pytest.mark.parametrize("save", [None, False])
def test_a_look_up_without_save_saves_nothing(look_up, save):
    assert look_up(200, save=save) == ({}, [])


def test_a_look_up_of_what_is_no_web_address_saves_nothing(run, site):
    site.says("/available", json.dumps(NO_SNAPSHOT), kind="application/json")
    arguments = json.dumps({"url": "example", "save": True})
    assert "http" in refusal(run("wayback_lookup", arguments, WAYBACK_BASE_URL=site.url))["error"]
    assert not [request for request in site.requests if request.path.startswith("/save/")]


def test_another_value_of_save_is_named(run, site):
    arguments = json.dumps({"url": ARCHIVED, "save": "yes"})
    assert refusal(run("wayback_lookup", arguments, WAYBACK_BASE_URL=site.url))["error"].startswith("parse json: save")
    assert site.requests == []
