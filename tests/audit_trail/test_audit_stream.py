"""On AWS, audit events are sealed in a bucket with object lock, and `assay audit verify` detects what is done to them."""

import asyncio
import json
import os
import secrets
from contextlib import closing

import boto3
import pytest
from moto.server import ThreadedMotoServer
from tests.support.table_factories import FAKE, create_table

from assay.bootstrap import build_services
from assay.entrypoints.cli.main import main
from assay.webhooks.audit_delivery import deliver_events

SECRET = "whsec_" + "MDEy" * 8


@pytest.fixture(scope="module")
def account():
    """The address of a server of DynamoDB and S3 on loopback."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def s3(account, monkeypatch, tmp_path):
    """An account with a table and a bucket that locks its objects for 30 days."""
    bucket = f"audit-{secrets.token_hex(4)}"
    s3 = boto3.client("s3", endpoint_url=account, **FAKE)
    s3.create_bucket(Bucket=bucket, ObjectLockEnabledForBucket=True)
    retention = {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 30}}
    lock = {"ObjectLockEnabled": "Enabled", "Rule": retention}
    s3.put_object_lock_configuration(Bucket=bucket, ObjectLockConfiguration=lock)
    with closing(boto3.client("dynamodb", endpoint_url=account, **FAKE)) as dynamodb:
        table = create_table(dynamodb)
    settings = {"ASSAY_TABLE": table, "ASSAY_BUCKET": "state", "AUDIT_BUCKET": bucket, "AUDIT_RETENTION_DAYS": "30"}
    credentials = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_ENDPOINT_URL": account}
    own = {"ASSAY_HOME": str(tmp_path), "ALLOW_PRIVATE_IPS": "true", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in (settings | credentials | own).items():
        monkeypatch.setenv(name, value)
    yield s3
    s3.close()


@pytest.fixture
def instances(s3):
    """`instances()`: the services of another environment."""
    opened = []

    def build():
        opened.append(build_services())
        return opened[-1]

    yield build
    for services in opened:
        asyncio.run(services.close())


@pytest.fixture
def verify(s3, capsys):
    def run():
        capsys.readouterr()
        code = main(["audit", "verify"])
        report = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert code == (0 if report["intact"] else 1)
        return report

    return run


def list_keys(s3):
    return [each["Key"] for each in s3.list_objects_v2(Bucket=os.environ["AUDIT_BUCKET"]).get("Contents", [])]


def remove(s3, key):
    """Delete an object with its versions, as only who may bypass the lock can."""
    for each in s3.list_object_versions(Bucket=os.environ["AUDIT_BUCKET"], Prefix=key)["Versions"]:
        s3.delete_object(
            Bucket=os.environ["AUDIT_BUCKET"], Key=key, VersionId=each["VersionId"], BypassGovernanceRetention=True
        )


def test_every_call_of_every_instance_is_an_object_that_is_locked_and_all_are_intact(s3, instances, write, verify):
    for services in (instances(), instances()):
        write(3, services)
    keys = list_keys(s3)
    assert len(keys) == 6
    assert "ObjectLockRetainUntilDate" in s3.head_object(Bucket=os.environ["AUDIT_BUCKET"], Key=keys[0])
    report = verify()
    assert report == {"intact": True, "streams": 2, "events": 6, "lost": 0, "problems": []}


def test_an_object_that_was_overwritten_or_hidden_is_detected(s3, instances, write, verify):
    write(4, instances())
    keys = list_keys(s3)
    s3.put_object(Bucket=os.environ["AUDIT_BUCKET"], Key=keys[1], Body=b"{}")
    assert "overwritten" in str(verify()["problems"])
    s3.delete_object(Bucket=os.environ["AUDIT_BUCKET"], Key=keys[2])
    assert "was deleted" in str(verify()["problems"])
    assert verify()["events"] == 4


@pytest.mark.parametrize(
    ("tamper", "problem"),
    [
        pytest.param(lambda s3, keys: remove(s3, keys[1]), "events are missing", id="missing"),
        pytest.param(lambda s3, keys: remove(s3, keys[-1]), "ends with event 3, but 4", id="tail"),
        pytest.param(lambda s3, keys: [remove(s3, key) for key in keys], "ends with event 0, but 4", id="stream"),
        pytest.param(lambda s3, keys: swap(s3, keys[1], keys[2]), "events are missing", id="reordered"),
        pytest.param(lambda s3, keys: change(s3, keys[1]), "was changed", id="changed"),
    ],
)
def test_what_is_missing_changed_reordered_or_truncated_behind_the_lock_is_detected(
    tamper, problem, s3, instances, write, verify
):
    write(4, instances())
    assert verify()["intact"]
    tamper(s3, list_keys(s3))
    assert problem in str(verify()["problems"])


def read(s3, key):
    return s3.get_object(Bucket=os.environ["AUDIT_BUCKET"], Key=key)["Body"].read()


def swap(s3, one, other):
    bodies = read(s3, other), read(s3, one)
    for key, body in zip((one, other), bodies, strict=True):
        remove(s3, key)
        s3.put_object(Bucket=os.environ["AUDIT_BUCKET"], Key=key, Body=body)


def change(s3, key):
    body = read(s3, key).replace(b"number-1", b"number-9")
    remove(s3, key)
    s3.put_object(Bucket=os.environ["AUDIT_BUCKET"], Key=key, Body=body)


def test_events_wait_while_the_bucket_is_away_and_what_does_not_fit_is_counted(
    s3, instances, write, verify, monkeypatch
):
    monkeypatch.setenv("AUDIT_BUFFER_SIZE", "3")
    services = instances()
    write(1, services)
    monkeypatch.setenv("AUDIT_BUCKET", os.environ["AUDIT_BUCKET"] + "-absent")
    away = instances()
    write(5, away)
    s3.create_bucket(Bucket=os.environ["AUDIT_BUCKET"], ObjectLockEnabledForBucket=True)
    write(1, away)
    report = verify()
    assert report["lost"] == 3
    assert report["events"] == 3 + 1


async def test_the_webhook_gets_the_events_of_all_instances(s3, site, instances, write, monkeypatch):
    monkeypatch.setenv("AUDIT_WEBHOOK_URL", site.says("/audit", "fine", kind="text/plain"))
    monkeypatch.setenv("AUDIT_WEBHOOK_SECRET", SECRET)
    first, second = instances(), instances()
    write(2, first)
    write(3, second)
    assert await deliver_events(first) == 5
    assert await deliver_events(second) == 0
    [request] = [each for each in site.requests if each.path == "/audit"]
    assert len({event["stream"] for event in json.loads(request.body)["data"]["events"]}) == 2


def test_without_a_bucket_the_command_says_where_the_events_are(s3, monkeypatch, capsys):
    monkeypatch.delenv("AUDIT_BUCKET")
    assert main(["audit", "verify"]) != 0
    output = capsys.readouterr()
    assert "AUDIT_BUCKET" in output.out + output.err
