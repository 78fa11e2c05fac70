"""One contract, three stores: SQLite, DynamoDB as moto plays it, and an engine that speaks DynamoDB over HTTP."""

import time
import uuid

import boto3
import pytest
from botocore.config import Config
from infra.dynamodb import engine
from moto import mock_aws

from assay.aws import DynamoTable, S3Bucket
from assay.local import Cipher, FileBucket, SqliteTable

FAKE = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}


class Clock:
    """Time that stands still until a test moves it, from the real time on: engines have a clock of their own."""

    def __init__(self):
        self.now = float(int(time.time())) + 0.5

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def cipher():
    return Cipher(bytes(range(32)))


@pytest.fixture(scope="session")
def engine_url():
    with engine() as url:
        yield url


@pytest.fixture
def dynamodb(engine_url):
    """A client of the engine."""
    client = boto3.client("dynamodb", endpoint_url=engine_url, config=Config(max_pool_connections=64), **FAKE)
    yield client
    client.close()


@pytest.fixture
def moto():
    with mock_aws():
        yield


def created(client):
    name = f"assay-{uuid.uuid4().hex}"
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}, {"AttributeName": "sort", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each in ("key", "sort")],
    )
    return name


def in_sqlite(request):
    return SqliteTable(
        request.getfixturevalue("tmp_path") / "home" / "rows.sqlite3",
        request.getfixturevalue("cipher"),
        clock=request.getfixturevalue("clock"),
    )


def in_moto(request):
    request.getfixturevalue("moto")
    client = boto3.client("dynamodb", **FAKE)
    return DynamoTable(created(client), client, clock=request.getfixturevalue("clock"))


def in_engine(request):
    client = request.getfixturevalue("dynamodb")
    return DynamoTable(created(client), client, clock=request.getfixturevalue("clock"))


@pytest.fixture(params=[in_sqlite, in_moto, in_engine])
async def table(request):
    table = request.param(request)
    yield table
    await table.close()


# moto looks at a condition and writes in two steps, so it loses updates that DynamoDB would not:
# what many do at once is asked of the stores that are honest about it.
@pytest.fixture(params=[in_sqlite, in_engine])
async def honest_table(request):
    table = request.param(request)
    yield table
    await table.close()


@pytest.fixture(params=["files", "moto"])
async def bucket(request, tmp_path, cipher, clock):
    if request.param == "files":
        yield FileBucket(tmp_path / "bucket", cipher, clock=clock)
        return
    request.getfixturevalue("moto")
    client = boto3.client("s3", **FAKE)
    client.create_bucket(Bucket="assay")
    bucket = S3Bucket("assay", client, clock=clock)
    yield bucket
    await bucket.close()


@pytest.fixture
async def table_in_engine(request):
    table = in_engine(request)
    yield table
    await table.close()
