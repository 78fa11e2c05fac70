"""Standard input and output, with a real child process."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

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


def spoken(out):
    return [json.loads(line) for line in out.splitlines()]


def said_to(process, *messages):
    process.stdin.write(lines(*messages))
    process.stdin.flush()


def heard_from(process):
    return json.loads(process.stdout.readline())


def test_what_is_in_flight_when_the_client_leaves_is_answered(child):
    process = child()
    out, err = process.communicate(
        lines(*OPENING, call(1, "wait", seconds=0.3), call(2, "echo", query="ä")), timeout=20
    )
    answers = {message["id"]: message for message in spoken(out)}
    assert process.returncode == 0
    assert set(answers) == {0, 1, 2}
    assert answers[1]["result"]["structuredContent"]["text"] == "waited"
    assert answers[2]["result"]["structuredContent"]["text"] == "ä"
    assert b"Traceback" not in err


def test_calls_run_side_by_side(child):
    process = child()
    said_to(process, *OPENING)
    heard_from(process)
    began = time.monotonic()
    said_to(process, *[call(number, "wait", seconds=0.6) for number in range(1, 21)])
    assert {heard_from(process)["id"] for _ in range(20)} == set(range(1, 21))
    assert time.monotonic() - began < 6, "20 calls of 0.6 s one after the other take 12 s"


def test_only_messages_go_out(child):
    process = child()
    out, err = process.communicate(lines(*OPENING, call(1, "noisy")), timeout=20)
    assert [message["id"] for message in spoken(out)] == [0, 1]
    assert b"not a message" in err


def test_a_line_that_is_no_message_is_refused_and_the_next_one_served(child):
    process = child()
    wrong = [
        b"not json\n",
        b"[]\n",
        b"\xff\n",
        b"\n",
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
        b"[" * 9999 + b"\n",
    ]
    out, _ = process.communicate(lines(*OPENING) + b"".join(wrong) + lines(call(1, "echo", query="a")), timeout=20)
    answers = spoken(out)
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
    out, _ = process.communicate(lines(*OPENING) + long + lines(call(1, "echo", query="a")), timeout=20)
    refused, last = spoken(out)[-2:]
    assert (refused["error"]["code"], last["id"]) == (-32700, 1)


def test_a_cancelled_call_stops_and_is_not_answered(child):
    process = child()
    said_to(process, *OPENING, call(1, "wait", seconds=60))
    heard_from(process)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "enough"}}
    said_to(process, cancel, call(2, "echo", query="a"))
    assert heard_from(process)["id"] == 2
    out, err = process.communicate(timeout=20)
    assert (out, process.returncode) == (b"", 0)
    assert b"cancelled" in err


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_answers_what_is_in_flight_and_ends(child, stop):
    process = child()
    said_to(process, *OPENING, call(1, "wait", seconds=0.4))
    heard_from(process)
    process.send_signal(stop)
    assert heard_from(process)["id"] == 1
    assert process.wait(timeout=10) == 0
    assert b"Traceback" not in process.stderr.read()


def test_it_ends_when_nobody_reads_any_more(child):
    process = child()
    said_to(process, *OPENING)
    heard_from(process)
    process.stdout.close()
    said_to(process, call(1, "echo", query="a"))
    process.stdin.close()
    assert process.wait(timeout=20) == 0


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_sdks_own_client_is_served_in_both_eras(mode, environ):
    shared = str(Path(__file__).parents[3] / "shared")
    command = StdioServerParameters(
        command=sys.executable, args=[str(REGISTRY), "stdio"], env=os.environ | environ | {"PYTHONPATH": shared}
    )
    heard = []

    async def progress(done, total, message):
        heard.append((done, total, message))

    async with Client(stdio_client(command), mode=mode) as client:
        tools = await client.list_tools()
        assert [tool.name for tool in tools.tools] == ["echo", "empty", "kept", "large", "limited", "noisy", "wait"]
        said = await client.call_tool("echo", {"query": "a"})
        assert said.structured_content == {"text": "a", "tenant": "local"}
        linked = await client.call_tool("large", {})
        assert [item.type for item in linked.content] == ["text", "resource_link"]
        read = await client.read_resource(linked.content[1].uri)
        assert len(json.loads(read.contents[0].text)["text"]) == 40_000
        await client.call_tool("wait", {}, progress_callback=progress)
        assert heard == [(0, 3, "step 0"), (1, 3, "step 1"), (2, 3, "step 2")]
        assert (await client.call_tool("limited", {})).is_error


def test_a_call_cut_off_by_the_end_carries_the_envelope(child):
    process = child()
    said_to(process, *OPENING, call(1, "wait", seconds=60))
    heard_from(process)
    process.send_signal(signal.SIGTERM)
    answer = heard_from(process)
    assert answer["id"] == 1
    assert answer["error"]["data"]["error"]["retryable"] is True
    assert process.wait(timeout=10) == 0
