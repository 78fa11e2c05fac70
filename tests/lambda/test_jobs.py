"""Schedules on Lambda: a tool's answer, or a failure that Lambda tries again."""

import json
from pathlib import Path

EVENTS = Path(__file__).with_name("events")
HITS = {"results": [{"title": "Otters", "url": "https://otters.example/1", "content": "They hold hands."}]}


def recorded(name):
    return json.loads((EVENTS / f"{name}.json").read_text())


def test_a_schedule_calls_a_tool(run, site):
    site.says("/searxng/search", json.dumps(HITS), kind="application/json")
    answer = run("Jobs").call(recorded("schedule"))
    assert answer["urls"] == ["https://otters.example/1"]


def test_a_failure_that_may_pass_is_raised_for_lambda_to_try_again(run, site):
    site.says("/searxng/search", "busy", status=503)
    answer = run("Jobs").call(recorded("schedule") | {"arguments": {"query": "otters when it is busy"}})
    assert answer["errorType"] == "Again"


def test_an_event_that_names_no_tool_is_told_so_and_not_tried_again(run):
    assert run("Jobs").call(recorded("eventbridge_rule"))["error"]["kind"] == "validation"
