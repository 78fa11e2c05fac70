"""Schedules on Lambda: a job's pass, a tool's answer, or a failure that Lambda tries again."""

import asyncio
import json
import time

from infra.scripts.stack import ROOT

from assay.aws.dynamodb_table import DynamoTable
from assay.aws.s3_bucket import S3Bucket
from assay.caller import Caller
from assay.jobs.watched_urls import watch
from assay.services import Services
from assay.settings import Settings

EVENTS = ROOT / "infra/events"
HITS = {"results": [{"title": "Otters", "url": "https://otters.example/1", "content": "They hold hands."}]}


def load_event(name):
    return json.loads((EVENTS / f"{name}.json").read_text())


def test_a_schedule_calls_a_tool(run, site):
    site.says("/searxng/search", json.dumps(HITS), kind="application/json")
    answer = run("Jobs").call(load_event("schedule"))
    assert answer["urls"] == ["https://otters.example/1"]


def test_a_failure_that_may_pass_is_raised_for_lambda_to_try_again(run, site):
    site.says("/searxng/search", "busy", status=503)
    answer = run("Jobs").call(load_event("schedule") | {"arguments": {"query": "otters when it is busy"}})
    assert answer["errorType"] == "RetryableFailure"


def test_an_event_that_names_no_tool_is_reported_and_not_tried_again(run):
    assert run("Jobs").call(load_event("eventbridge_rule"))["error"]["kind"] == "validation"


def test_a_schedule_runs_a_job_and_its_report_is_in_the_bucket(run, site, cloud):
    page = "http://93.184.215.14/paper"  # public by its number: no name is asked for, and only the archive is told
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(time.time() + 60))
    copy = f"/web/{stamp}/{page}"
    site.says("/archive/save/", "<html>the copy", headers={"content-location": copy})
    asyncio.run(watch_page(cloud, page))
    answer = run("Jobs", WAYBACK_BASE_URL=site.url + "/archive").call({"job": "archive"})
    assert (answer["done"], answer["outcomes"], answer["parked"]) == (1, {"archived": 1}, 0)
    [name] = [name for name in answer["reports"] if name.endswith(".json")]
    output = json.loads(cloud.s3.get_object(Bucket=cloud.bucket, Key=name)["Body"].read())
    assert output["items"][0]["archivedUrl"] == f"https://web.archive.org{copy}"


async def watch_page(cloud, page):
    table = DynamoTable(cloud.table, cloud.dynamodb)
    await watch(Services(Settings(), table, S3Bucket(cloud.bucket, cloud.s3)), Caller("acme"), [page], jobs=["archive"])
