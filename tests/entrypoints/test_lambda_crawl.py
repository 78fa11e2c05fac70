"""Crawls on Lambda: messages of SQS in, partial answers out, and a schedule."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.lambda_context import FakeLambdaContext

from assay.caller import Caller
from assay.context import Context
from assay.entrypoints import lambda_crawl, runtime
from assay.invoke import invoke


@pytest.fixture
def handler(services):
    """The handler over a laptop's stores; its loop is the entry points' own, as on Lambda."""
    services.runs_workers = False
    yield lambda_crawl.handler_for(lambda: services)
    runtime.wait_for(services.web.close())  # its connections belong to the loop of the entry points


@pytest.fixture
def ask(services) -> Callable[..., Any]:
    def run_tool(tool: str, /, **arguments: Any) -> Any:
        return runtime.wait_for(invoke(tool, arguments, Context(services, Caller())))

    return run_tool


@pytest.fixture
def waiting(services):
    """The messages that wait, as SQS would hand them over."""

    def records() -> list[dict[str, Any]]:
        results = runtime.wait_for(services.queue.receive(visible=60, most=10))
        return [record(message.body, message.receipt, message.receives) for message in results]

    return records


def record(body: str, receipt: str, receives: int = 1) -> dict[str, Any]:
    return {
        "messageId": f"m-{receipt}",
        "receiptHandle": receipt,
        "body": body,
        "attributes": {"ApproximateReceiveCount": str(receives)},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:turns",
        "awsRegion": "eu-central-1",
    }


def test_a_message_is_a_turn_of_its_crawl(handler, ask, waiting, article):
    begun = ask("cinder_crawl", url=article).wire["crawlId"]
    assert handler({"Records": waiting()}, FakeLambdaContext()) == {"batchItemFailures": []}
    status = ask("cinder_get_crawl_status", id=begun).wire
    assert status["status"] == "completed"
    assert status["pages"][0]["statusCode"] == 200


def test_a_message_is_a_turn_of_an_audit_too(handler, ask, waiting, article):
    text = f"Otters hold hands [1].\n\n# References\n\n[1] Brook A. On otters. River News. 2025. {article}\n"
    begun = ask("audit_document", text=text, claims=0, wait_seconds=0).wire
    assert handler({"Records": waiting()}, FakeLambdaContext()) == {"batchItemFailures": []}
    report = ask("audit_document", audit_id=begun["auditId"], wait_seconds=0).wire
    assert (begun["status"], report["status"]) == ("queued", "completed")
    assert report["references"][0]["linkLive"] is True


def test_a_message_is_a_tool_call_too(handler, ask, waiting, site, article):
    results = [{"title": "Otters", "url": article, "content": "A snippet."}]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
    arguments = {"query": "otters", "num_results": 1}
    begun = ask("start_tool_call", tool="search_and_scrape", arguments=arguments).wire["callId"]
    assert handler({"Records": waiting()}, FakeLambdaContext()) == {"batchItemFailures": []}
    fetched = ask("get_tool_call", id=begun, waitSeconds=0).wire
    assert (fetched["status"], fetched["result"]["sources"][0]["url"]) == ("completed", article)
    assert waiting() == []


def test_one_broken_message_fails_no_other_and_is_named(handler, ask, waiting, article, caplog):
    begun = ask("cinder_crawl", url=article).wire["crawlId"]
    [sound] = waiting()
    broken = record("no message of ours", "7.1")
    assert handler({"Records": [broken, sound, broken]}, FakeLambdaContext()) == {
        "batchItemFailures": [{"itemIdentifier": "m-7.1"}] * 2
    }
    assert ask("cinder_get_crawl_status", id=begun).wire["status"] == "completed"
    assert "delivers it again" in caplog.text


def test_a_message_delivered_twice_is_done_once(handler, ask, waiting, site, article):
    ask("cinder_crawl", url=article)
    [message] = waiting()
    for _ in range(3):
        assert handler({"Records": [message]}, FakeLambdaContext()) == {"batchItemFailures": []}
    assert [run_tool.path for run_tool in site.requests] == ["/robots.txt", "/otters", "/", "/stones"]


def test_messages_of_unknown_and_of_ended_crawls_are_done(handler, ask, waiting, article):
    begun = ask("cinder_crawl", url=article).wire["crawlId"]
    ask("cinder_cancel_crawl", id=begun)
    records = [*waiting(), record(json.dumps({"crawl": "0" * 32, "turn": 0}), "9.1")]
    assert handler({"Records": records}, FakeLambdaContext()) == {"batchItemFailures": []}


def test_a_message_whose_crawl_is_in_other_hands_stays(handler, ask, waiting, services, article):
    from assay.crawl.job import CRAWLS
    from assay.work_queue.job_record import Lease

    begun = ask("cinder_crawl", url=article).wire["crawlId"]
    lease = Lease(services.table, CRAWLS.key_of(begun), "another")
    now = services.clock()
    assert runtime.wait_for(lease.take(now, 30, now + 100)) == 0.0
    [message] = waiting()
    answer = handler({"Records": [message]}, FakeLambdaContext())
    assert answer == {"batchItemFailures": [{"itemIdentifier": message["messageId"]}]}
    assert ask("cinder_get_crawl_status", id=begun).wire["status"] == "queued"


def test_the_schedule_calls_again_what_nobody_took_up(handler, ask, waiting, article, clock):
    ask("cinder_crawl", url=article)
    waiting()  # received by somebody who died
    assert handler({}, FakeLambdaContext()) == {"moved": 0, "delivered": 0}
    clock.forward(600)
    assert handler({"version": "0"}, FakeLambdaContext()) == {"moved": 1, "delivered": 0}
    assert len(waiting()) == 2
