"""Standard input and output, with a real child process."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.support import forked_commands
from tests.support.processor_time import assert_linear

from assay.entrypoints.mcp.stdio_streams import lines_of

REGISTRY = Path(__file__).with_name("registry.py")
OPENING = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def call(number, name, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def lines(*messages):
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def parse_lines(out):
    return [json.loads(line) for line in out.splitlines()]


def send_to(process, *messages):
    process.stdin.write(lines(*messages))
    process.stdin.flush()


def read_from(process):
    return json.loads(process.stdout.readline())


def test_what_is_in_flight_when_the_client_leaves_is_answered(child):
    process = child()
    out, err = process.communicate(
        lines(*OPENING, call(1, "wait", seconds=0.3), call(2, "echo", query="ä")), timeout=60
    )
    answers = {message["id"]: message for message in parse_lines(out)}
    assert process.returncode == 0
    assert set(answers) == {0, 1, 2}
    assert answers[1]["result"]["structuredContent"]["text"] == "waited"
    assert answers[2]["result"]["structuredContent"]["text"] == "ä"
    assert b"Traceback" not in err


def test_calls_run_side_by_side(child):
    process = child()
    send_to(process, *OPENING)
    read_from(process)
    send_to(process, *[call(number, "wait", others=19) for number in range(1, 21)])
    assert {read_from(process)["id"] for _ in range(20)} == set(range(1, 21))


def test_only_messages_go_out(child):
    process = child()
    out, err = process.communicate(lines(*OPENING, call(1, "noisy")), timeout=60)
    assert [message["id"] for message in parse_lines(out)] == [0, 1]
    assert b"not a message" in err


def test_a_line_that_is_not_a_message_is_refused_and_the_next_one_served(child):
    process = child()
    wrong = [
        b"not json\n",
        b"[]\n",
        b"\xff\n",
        b"\n",
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
        b"[" * 9999 + b"\n",
    ]
    out, _ = process.communicate(lines(*OPENING) + b"".join(wrong) + lines(call(1, "echo", query="a")), timeout=60)
    answers = parse_lines(out)
    assert [answer["error"]["code"] for answer in answers if "error" in answer] == [
        -32700,
        -32600,
        -32700,
        -32600,
        -32700,
    ]
    assert answers[-1]["id"] == 1


def test_a_line_over_ten_megabytes_does_not_stop_the_server(child):
    process = child()
    long = b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":"' + b"a" * 11_000_000 + b'"}}\n'
    out, _ = process.communicate(lines(*OPENING) + long + lines(call(1, "echo", query="a")), timeout=60)
    refused, last = parse_lines(out)[-2:]
    assert (refused["error"]["code"], last["id"]) == (-32700, 1)


def test_twice_as_long_a_line_is_read_in_about_twice_the_time(tmp_path):
    def write(kilobytes):
        (tmp_path / "line").write_bytes(b"a" * 1000 * kilobytes + b"\nb")
        return kilobytes

    def read(kilobytes):
        with (tmp_path / "line").open("rb") as file:
            assert [len(line) for line in lines_of(file.fileno())] == [1000 * kilobytes, 1]

    assert_linear(read, write)


def test_a_cancelled_call_stops_and_is_not_answered(child):
    process = child()
    send_to(process, *OPENING)
    assert read_from(process)["id"] == 0
    waiting = call(1, "wait", seconds=60)
    waiting["params"]["_meta"] = {"progressToken": "waiting"}
    send_to(process, waiting)
    assert read_from(process)["params"]["progressToken"] == "waiting"  # before that, nothing runs that could stop
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "enough"}}
    send_to(process, cancel, call(2, "echo", query="a"))
    while (message := read_from(process)).get("method") == "notifications/progress":
        pass  # repeated while the call lasted
    assert message["id"] == 2
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"", 0)
    assert b"cancelled" in err


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_answers_what_is_in_flight_and_ends(child, stop):
    process = child()
    send_to(process, *OPENING, call(1, "wait", seconds=0.4))
    read_from(process)
    process.send_signal(stop)
    assert read_from(process)["id"] == 1
    assert process.wait(timeout=60) == 0
    assert b"Traceback" not in process.stderr.read()


def test_it_ends_when_nobody_reads_any_more(child):
    process = child()
    send_to(process, *OPENING)
    read_from(process)
    process.stdout.close()
    send_to(process, call(1, "echo", query="a"))
    process.stdin.close()
    assert process.wait(timeout=60) == 0


def test_a_client_that_never_reads_is_not_read_from_and_gets_all_answers_later(child):
    process = child()
    send_to(process, *OPENING)
    read_from(process)
    request, sent, blocked = lines(call(1, "echo", query="a" * 400)), 0, 0
    os.set_blocking(process.stdin.fileno(), False)
    rest = b""
    while sent < 20_000 and blocked < 8:  # the pipe stays full
        rest = rest or request
        try:
            written = os.write(process.stdin.fileno(), rest)
        except BlockingIOError:
            blocked += 1
            time.sleep(0.1)
            continue
        rest, blocked = rest[written:], 0
        sent += not rest
    assert sent < 2_000
    os.set_blocking(process.stdin.fileno(), True)
    done = threading.Thread(target=lambda: (process.stdin.write(rest), process.stdin.close()))
    done.start()
    answers = [json.loads(line) for line in process.stdout]
    done.join()
    assert len(answers) == sent + bool(rest)
    assert all(answer["id"] == 1 for answer in answers)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_sdks_own_client_is_served_in_both_eras(mode, environ):
    shared = str(Path(__file__).parents[3] / "shared")
    command = StdioServerParameters(
        command=sys.executable, args=[str(REGISTRY), "stdio"], env=os.environ | environ | {"PYTHONPATH": shared}
    )
    read_head = []

    async def progress(done, total, message):
        read_head.append((done, total, message))

    async with Client(stdio_client(command), mode=mode) as client:
        tools = await client.list_tools()
        assert [tool.name for tool in tools.tools] == [
            "echo",
            "empty",
            "kept",
            "large",
            "limited",
            "noisy",
            "stuck",
            "wait",
        ]
        response = await client.call_tool("echo", {"query": "a"})
        assert response.structured_content == {"text": "a", "tenant": "local"}
        linked = await client.call_tool("large", {})
        assert [item.type for item in linked.content] == ["text", "resource_link"]
        read = await client.read_resource(linked.content[1].uri)
        assert len(json.loads(read.contents[0].text)["text"]) == 40_000
        await client.call_tool("wait", {}, progress_callback=progress)
        assert read_head == [(0, 3, "step 0"), (1, 3, "step 1"), (2, 3, "step 2")]
        assert (await client.call_tool("limited", {})).is_error


def test_a_call_cut_off_by_the_end_carries_the_envelope(child):
    process = child(SHUTDOWN_GRACE_SECONDS="2")
    send_to(process, *OPENING, call(1, "wait", seconds=60))
    read_from(process)
    process.send_signal(signal.SIGTERM)
    answer = read_from(process)
    assert answer["id"] == 1
    assert answer["error"]["data"]["error"]["retryable"] is True
    process.wait(timeout=50)


@pytest.mark.parametrize("how", ["loop", "thread"])
@pytest.mark.parametrize("stop", ["signal", "end of input"])
def test_a_call_that_cannot_be_stopped_does_not_keep_the_process(how, stop, child):
    process = child(SHUTDOWN_GRACE_SECONDS="1")
    send_to(process, *OPENING)
    read_from(process)
    send_to(process, call(1, "stuck", how=how))
    assert process.stderr.readline() == b"stuck\n"
    if stop == "signal":
        process.send_signal(signal.SIGTERM)
    else:
        process.stdin.close()
    process.wait(timeout=50)  # the call takes 60 seconds, the grace is 1


def test_when_the_client_is_gone_no_call_is_waited_for(child):
    process = child(SHUTDOWN_GRACE_SECONDS="40")
    send_to(process, *OPENING, call(1, "wait", seconds=60))
    read_from(process)
    process.stdout.close()
    process.stdin.close()
    assert process.wait(timeout=25) == 0  # calls in flight would have 30 seconds


def test_a_message_before_initialize_is_refused_and_the_connection_goes_on(child):
    process = child()
    early = {"jsonrpc": "2.0", "id": 5, "method": "tools/list"}
    ping = {"jsonrpc": "2.0", "id": 6, "method": "ping"}
    send_to(process, early, ping, *OPENING, early)
    answers = [read_from(process) for _ in range(4)]
    assert answers[0]["error"]["code"] == -32602
    assert [answer["id"] for answer in answers] == [5, 6, 0, 5]
    assert answers[3]["result"]["tools"]


def test_a_client_that_discovers_the_new_revision_may_still_initialize_and_use_both(child):
    """The specification scopes `initialize` to the process and allows both eras in it; Claude Code and others do this."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}
    old = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    new = {"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"_meta": meta}}
    process = child()
    send_to(process, discover)
    assert read_from(process)["result"]["supportedVersions"] == ["2026-07-28"]
    send_to(process, old)
    assert read_from(process)["error"]["code"] == -32602  # no envelope, and not initialized yet
    send_to(process, *OPENING, old, new, discover)
    answers = {answer["id"]: answer["result"] for answer in (read_from(process) for _ in range(4))}
    assert answers[0]["protocolVersion"] == "2025-11-25"
    assert "resultType" not in answers[2]
    assert answers[3]["resultType"] == "complete"
    assert [tool["name"] for tool in answers[2]["tools"]] == [tool["name"] for tool in answers[3]["tools"]]
    assert answers[1]["supportedVersions"] == ["2026-07-28"]


@pytest.mark.parametrize("opening", [[], OPENING], ids=["first", "after initialize"])
def test_an_envelope_of_an_unknown_revision_is_refused_with_those_that_are_served(opening, child):
    meta = {"io.modelcontextprotocol/protocolVersion": "2099-01-01", "io.modelcontextprotocol/clientCapabilities": {}}
    process = child()
    send_to(process, *opening, {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}})
    answers = {answer["id"]: answer for answer in (read_from(process) for _ in (*opening[:1], 1))}
    error = answers[1]["error"]
    assert (error["code"], error["data"]["supported"]) == (-32022, ["2026-07-28"])


def test_the_first_answers_come_before_any_library_is_imported(environ):
    """And what the first call needs is imported while nobody waits."""
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    command = [sys.executable, "-X", "importtime", "-m", "assay.entrypoints.cli.main", "mcp"]
    shared = str(Path(__file__).parents[3] / "shared")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    freeze = [sys.executable, "-m", "assay.entrypoints.mcp.freeze_catalogue"]
    subprocess.run(freeze, env=os.environ | environ | {"PYTHONPATH": shared}, check=True, timeout=60)
    with subprocess.Popen(command, env=os.environ | environ | {"PYTHONPATH": shared}, **pipes) as process:
        send_to(process, *OPENING, listing)
        while read_from(process)["id"] != 1:
            pass
        imported = b""
        while b" assay.toolkit.tool\n" not in imported:  # it never comes where nothing is prepared
            imported += process.stderr.readline()
        process.communicate(timeout=60)
    before = imported.partition(b" pydantic\n")[0]
    assert b" assay.entrypoints.mcp.stdio\n" in before
    for library in (b" mcp\n", b" anyio\n", b" lxml\n", b" httpx\n", b" fastapi\n"):
        assert library not in before


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--tools", "crawl,web_search", "--read-only"),
         {"cinder_extract", "cinder_get_crawl_status", "cinder_scrape", "cinder_search", "cinder_search_and_scrape",
          "get_tool_call", "read_artifact", "web_search"}),
        (("--tools", "core", "--exclude", "read_artifact,sequential_search"),
         {"academic_search", "get_research_session", "get_tool_call", "scrape_page", "search_and_scrape", "web_search"}),
        (("--search-only",),
         {"academic_search", "fetch", "news_search", "scrape_page", "search", "verify_citation"}),
    ],
    ids=["included", "excluded", "search"],
)  # fmt: skip
def test_options_select_the_tools(options, names, environ):
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    lines = "".join(json.dumps(message) + "\n" for message in (*OPENING, listing))
    done = run_command(environ, *options, given=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {tool["name"] for answer in answers if answer["id"] == 1 for tool in answer["result"]["tools"]} == names


@pytest.mark.parametrize("options", [("--tools", "cor"), ("--exclude", "all"), ("--search-only", "--read-only")])
def test_an_option_that_selects_nothing_is_refused(options, environ):
    done = run_command(environ, *options)
    assert done.returncode != 0
    assert json.loads(done.stderr)["error"]["kind"] == "validation"


def run_command(environ, *options, given=""):
    return forked_commands.run_command("mcp", *options, env=os.environ | environ, given=given.encode())
