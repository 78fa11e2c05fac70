"""Sessions on both stores that keep their word when many write: SQLite, and an engine that speaks DynamoDB over HTTP."""

import time
import uuid

import boto3
import pytest
from botocore.config import Config
from infra.dynamodb import engine

from assay.aws import DynamoTable
from assay.local import Cipher, SqliteTable
from assay.sessions import Desk

FAKE = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self):
        self.now = float(int(time.time())) + 0.5

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="session")
def engine_url():
    with engine() as url:
        yield url


@pytest.fixture
def in_sqlite(tmp_path, clock):
    """Makes tables over one file: each is another process's view of it."""
    return lambda: SqliteTable(tmp_path / "home" / "rows.sqlite3", Cipher(bytes(range(32))), clock=clock)


@pytest.fixture
def in_engine(engine_url, clock):
    client = boto3.client("dynamodb", endpoint_url=engine_url, config=Config(max_pool_connections=64), **FAKE)
    name = f"assay-{uuid.uuid4().hex}"
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}, {"AttributeName": "sort", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each in ("key", "sort")],
    )
    yield lambda: DynamoTable(name, client, clock=clock)
    client.close()


@pytest.fixture(params=["in_sqlite", "in_engine"])
async def instances(request):
    """`instances()` opens the store once more, as another instance does."""
    make = request.getfixturevalue(request.param)
    opened = []

    def instance():
        opened.append(make())
        return opened[-1]

    yield instance
    for table in opened:
        await table.close()


@pytest.fixture
def desk_at(instances, clock):
    """`desk_at(tenant, user)`: someone's desk, over an instance of its own."""

    def desk(tenant="acme", user="ada", **more):
        return Desk(instances(), tenant, user, clock=clock, **more)

    return desk
