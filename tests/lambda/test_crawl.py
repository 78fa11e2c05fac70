"""A crawl on Lambda: begun over REST, worked on by SQS's messages, told over REST."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

SEAMED = Path(__file__).with_name("replaced_function")
START = "http://otters.example/otters"


@pytest.fixture
def crawling(run, site):
    """The function that works on crawls; every name of its web leads to `site`."""
    return run("Crawl", SEAMED, PORT=str(urlsplit(site.url).port))


@pytest.fixture
def rest(run, event):
    function = run("Rest")

    def call_function(method, path, body=None, **more):
        created = event("http_api_post", body, path=path, method=method)
        return function.call(created | more)

    return call_function


@pytest.fixture
def waiting(cloud):
    """The messages that wait, as SQS hands them to Lambda."""

    def receive_messages():
        answer = cloud.sqs.receive_message(
            QueueUrl=cloud.queue, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"], WaitTimeSeconds=2
        )
        return [
            {
                "messageId": each["MessageId"],
                "receiptHandle": each["ReceiptHandle"],
                "body": each["Body"],
                "attributes": each["Attributes"],
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:turns",
                "awsRegion": "us-east-1",
            }
            for each in answer.get("Messages", [])
        ]

    return receive_messages


def test_it_runs_from_beginning_to_end(crawling, rest, waiting, article):
    begun = rest("POST", "/v1/crawl", {"url": START, "maxPages": 5, "excludePatterns": ["/stones"]})
    assert begun["statusCode"] == 202, begun
    identity = json.loads(begun["body"])["crawlId"]
    assert crawling.call({"Records": waiting()}) == {"batchItemFailures": []}
    output = rest("GET", f"/v1/crawl/{identity}", body="", rawQueryString="includeContent=true&limit=1")
    assert output["statusCode"] == 200, output
    status = json.loads(output["body"])
    assert (status["status"], status["pagesFound"], status["pagesCrawled"]) == ("completed", 2, 1)
    assert "Otters hold hands" in status["pages"][0]["content"]


def test_it_can_be_cancelled_and_its_message_is_then_done(crawling, rest, waiting, site, article):
    identity = json.loads(rest("POST", "/v1/crawl", {"url": START})["body"])["crawlId"]
    assert json.loads(rest("DELETE", f"/v1/crawl/{identity}", body="")["body"])["status"] == "cancelled"
    assert crawling.call({"Records": waiting()}) == {"batchItemFailures": []}
    assert site.requests == []


def test_the_schedule_finds_nothing_to_do(crawling):
    assert crawling.call({}) == {"moved": 0, "delivered": 0}
