"""New deployments for experiments: SQLite files, or a loopback emulation of AWS."""

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared"
FAKE_CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}


@contextmanager
def deployment(name: str, folder: Path) -> Iterator[dict[str, str]]:
    """Yield the environment variables of a process in a new deployment, `sqlite` or `aws`."""
    base = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(SHARED)}
    base |= {"ASSAY_HOME": str(folder / "home"), "ALLOW_PRIVATE_IPS": "true", "RATE_LIMIT_PER_TENANT": "0"}
    if name == "sqlite":
        yield base
        return
    from tests.support.local_dynamodb import engine

    with engine(services="dynamodb,s3,sqs") as url:
        base |= FAKE_CREDENTIALS | {"AWS_ENDPOINT_URL": url, "DAILY_QUOTA_PER_TENANT": "0"}
        with _environment_set(FAKE_CREDENTIALS | {"AWS_ENDPOINT_URL": url}):
            yield base | create_resources(url)


@contextmanager
def _environment_set(environ: dict[str, str]) -> Iterator[None]:
    """Set the variables in this process, and restore it afterwards."""
    before = {name: os.environ.get(name) for name in environ}
    os.environ |= environ
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ |= {} if value is None else {name: value}


def create_resources(url: str) -> dict[str, str]:
    """Create a table, a bucket and a queue with a dead-letter queue at the AWS emulation `url`."""
    import boto3

    name = f"assay-{uuid.uuid4().hex[:12]}"
    dynamodb, s3, sqs = (boto3.client(each, endpoint_url=url) for each in ("dynamodb", "s3", "sqs"))
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}, {"AttributeName": "sort", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each in ("key", "sort")],
    )
    s3.create_bucket(Bucket=name)
    dead = sqs.create_queue(QueueName=f"{name}-dead")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 8})
    queue = sqs.create_queue(QueueName=name, Attributes={"RedrivePolicy": policy})["QueueUrl"]
    for client in (dynamodb, s3, sqs):
        client.close()
    return {"ASSAY_TABLE": name, "ASSAY_BUCKET": name, "ASSAY_QUEUE": queue}
