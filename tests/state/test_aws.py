"""What Amazon's world alone must bear: refusals, silence, a request that arrives twice, an engine of our own."""

import asyncio
import json
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.config import Config
from tests.support.local_dynamodb import engine
from tests.support.table_factories import FAKE

import assay
from assay.aws.dynamodb_table import DynamoTable
from assay.aws.s3_bucket import S3Bucket
from assay.aws.telemetry import record
from assay.entrypoints.http.response_headers import with_response_headers
from assay.errors import DependencyUnavailable, Misconfigured, Network, ToolError
from assay.state.audit import Call
from assay.state.lambda_invocation import note_invocation
from assay.state.ports import Conflict

ONCE = Config(retries={"mode": "standard", "total_max_attempts": 1}, connect_timeout=1, read_timeout=1)


def refusing(operation, code, status):
    """A DynamoDB client whose service refuses `operation` with `code`."""
    client = boto3.client("dynamodb", config=ONCE, **FAKE)
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "no"}).encode()

    def answer(**_):
        from botocore.awsrequest import AWSResponse

        class Raw:
            def stream(self, *_, **__):
                yield body

        return AWSResponse("http://127.0.0.1/", status, {}, Raw())

    client.meta.events.register(f"before-send.dynamodb.{operation}", answer)
    return client


@contextmanager
def sent_twice(client, operation):
    """Every `operation` succeeds, its answer is lost, and the client sends it again."""

    def once_more(attempts, **_):
        return 0 if attempts == 1 else None

    event = f"needs-retry.dynamodb.{operation}"
    client.meta.events.register_first(event, once_more)
    yield
    client.meta.events.unregister(event, once_more)


async def test_a_write_whose_answer_was_lost_is_not_a_conflict_with_itself(table_in_engine, dynamodb):
    with sent_twice(dynamodb, "PutItem"):
        first = await table_in_engine.put("key", "sort", b"one", expect=0)
        second = await table_in_engine.put("key", "sort", b"two", expect=first)
        assert await table_in_engine.get("key", "sort") == ("sort", b"two", second)
        with pytest.raises(Conflict):
            await table_in_engine.put("key", "sort", b"three", expect=first)


async def test_rows_that_dynamodb_has_not_deleted_yet_cost_few_requests(table_in_engine, dynamodb, clock):
    row = {"key": {"S": "key"}, "value": {"B": b""}, "version": {"N": "1"}, "until": {"N": str(int(clock.now) - 9)}}
    for start in range(0, 150, 25):
        puts = [{"PutRequest": {"Item": row | {"sort": {"S": f"{start + n:03}"}}}} for n in range(25)]
        dynamodb.batch_write_item(RequestItems={table_in_engine._name: puts})
    await table_in_engine.put("key", "999", b"live")
    requests = []
    dynamodb.meta.events.register("before-call.dynamodb.Query", lambda **_: requests.append(1))
    page = await table_in_engine.query("key", limit=1)
    assert ([item.sort for item in page.items], page.after) == (["999"], None)
    assert len(requests) <= 6


async def test_a_delete_whose_answer_was_lost_is_not_a_conflict_with_itself(table_in_engine, dynamodb):
    version = await table_in_engine.put("key", "sort", b"one")
    with sent_twice(dynamodb, "DeleteItem"):
        await table_in_engine.delete("key", "sort", expect=version)
        assert await table_in_engine.get("key", "sort") is None
        await table_in_engine.put("key", "sort", b"two")
        with pytest.raises(Conflict):
            await table_in_engine.delete("key", "sort", expect=version)


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ProvisionedThroughputExceededException", 400, DependencyUnavailable),
        ("ThrottlingException", 400, DependencyUnavailable),
        ("InternalServerError", 500, DependencyUnavailable),
        ("ResourceNotFoundException", 400, ToolError),
        ("AccessDeniedException", 400, ToolError),
    ],
)
async def test_a_refusal_is_reported_in_our_words(code, status, error):
    table = DynamoTable("assay", refusing("GetItem", code, status))
    with pytest.raises(ToolError, match=code) as failure:
        await table.get("key")
    assert type(failure.value) is error
    assert failure.value.provider == "dynamodb"
    await table.close()


async def test_no_answer_is_reported_in_our_words(closed_port):
    client = boto3.client("dynamodb", endpoint_url=f"http://127.0.0.1:{closed_port}", config=ONCE, **FAKE)
    table = DynamoTable("assay", client)
    with pytest.raises(Network) as failure:
        await table.get("key")
    assert (failure.value.provider, failure.value.retryable) == ("dynamodb", True)
    await table.close()


@pytest.mark.parametrize("has_keys", [True, False], ids=["keys in the environment", "keys in a profile"])
async def test_a_client_is_made_at_the_first_question(has_keys, engine_url, monkeypatch, tmp_path):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", engine_url)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test") if has_keys else monkeypatch.delenv(name, raising=False)
    (tmp_path / "credentials").write_text("[default]\naws_access_key_id = test\naws_secret_access_key = test\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    with closing(boto3.client("s3", endpoint_url=engine_url, **FAKE)) as client:
        client.create_bucket(Bucket="assay")
    bucket = S3Bucket("assay")
    await asyncio.gather(*(bucket.put(f"name/{number}", b"body") for number in range(60)))
    assert await bucket.get("name/59") == b"body"
    await bucket.close()


async def test_amazon_without_a_region_is_a_configuration_error(monkeypatch, tmp_path):
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    table = DynamoTable("assay")
    with pytest.raises(Misconfigured, match="region"):
        await table.get("key")
    await table.close()


async def test_a_body_carries_its_type_and_expiry_for_whoever_serves_it(moto, clock):
    client = boto3.client("s3", **FAKE)
    client.create_bucket(Bucket="assay")
    bucket = S3Bucket("assay", client)
    await bucket.put("name", b"# body", content_type="text/markdown", until=clock.now + 60)
    head = client.head_object(Bucket="assay", Key="name")
    assert head["ContentType"] == "text/markdown"
    assert head["Metadata"] == {"until": str(int(clock.now + 60.5))}
    await bucket.close()


async def test_a_bucket_that_is_not_there_is_no_absent_body(moto):
    bucket = S3Bucket("assay", boto3.client("s3", **FAKE))
    with pytest.raises(ToolError, match="NoSuchBucket"):
        await bucket.get("name")
    await bucket.close()


def test_a_call_is_logged_and_measured(capsys):
    call = Call(1.0, "web_search", "t1", "u1", "https", "r1", 0.25, "network", cached=False, query_length=4)
    record(call)
    log, metrics = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (log["tool_name"], log["tenant_id"], log["error_code"]) == ("web_search", "t1", "network")
    assert (metrics["tool"], metrics["Calls"], metrics["Errors"]) == ("web_search", 1, 1)
    assert (metrics["AllCalls"], metrics["AllErrors"], metrics["Milliseconds"]) == (1, 1, 250)
    directives = metrics["_aws"]["CloudWatchMetrics"]
    assert {each["Namespace"] for each in directives} == {"Assay"}
    by_tool = [each for each in directives if each["Dimensions"] == [["tool"]]]
    assert [[metric["Name"] for metric in each["Metrics"]] for each in by_tool] == [["Calls", "Errors"]]
    names = {metric["Name"] for each in directives for metric in each["Metrics"]}
    assert names <= metrics.keys()
    assert "CacheHits" not in names  # zeros are not sent


def test_a_refused_caller_is_counted_and_is_no_call(capsys):
    refusal = Call(1.0, "none", "none", "none", "https", "r1", 0.0, "unauthenticated", False, 0, kind="auth.failure")
    record(refusal)
    metrics = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert metrics["AuthFailures"] == 1
    assert "Calls" not in metrics
    assert "AllCalls" not in metrics


def test_a_logged_call_names_the_invocation_of_lambda(caplog, monkeypatch):
    monkeypatch.setenv("_X_AMZN_TRACE_ID", "Root=1-5e1b4151-43a0913a12345678;Parent=1;Sampled=0")
    call = Call(1.0, "web_search", "t1", "u1", "https", "r1", 0.25, None, cached=True, query_length=4)
    handle = with_response_headers(lambda *_: record(call) or {"headers": {}, "body": ""}, build_no_services)
    try:
        for number in (1, 2):
            handle({}, SimpleNamespace(aws_request_id=f"lambda-{number}", function_name="search"))
    finally:
        note_invocation(None)
    logged = [vars(line) for line in caplog.records if line.message == "tool_call"]
    assert [line["lambda_request_id"] for line in logged] == ["lambda-1", "lambda-2"]
    assert logged[1]["cold_start"] is False
    assert {line["xray_trace_id"] for line in logged} == {"1-5e1b4151-43a0913a12345678"}


def build_no_services() -> Any:
    raise ToolError("There are none.")


def test_the_engine_listens_on_loopback_alone(engine_url):
    port = int(engine_url.rpartition(":")[2])
    sockets = [
        line.split() for family in ("tcp", "tcp6") for line in Path(f"/proc/net/{family}").read_text().splitlines()
    ]
    listening = [address for _, address, _, state, *_ in sockets if state == "0A"]
    assert [address for address in listening if address.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


def test_an_engine_that_does_not_start_says_why(tmp_path):
    with pytest.raises(RuntimeError, match="No module named no_such_engine"), engine(("-m", "no_such_engine")):
        pass


@pytest.mark.parametrize("world", ["aws", "local"])
def test_a_world_is_imported_without_what_only_its_calls_need(world):
    heavy = ("boto3", "botocore", "cryptography", "aws_lambda_powertools")
    program = f"import sys, assay.{world}; print([name for name in {heavy} if name in sys.modules])"
    environment = {"PYTHONPATH": str(Path(assay.__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
