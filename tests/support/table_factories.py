"""The stores that tests write to: SQLite in a folder, and tables in an engine that speaks DynamoDB over HTTP."""

import time
import uuid
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

from assay.aws.dynamodb_table import DynamoTable
from assay.aws.light_clients import create_light_client
from assay.local.cipher import Cipher
from assay.local.sqlite_table import SqliteTable

FAKE = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}


class FrozenClock:
    """Time that stands still until a test moves it, from the real time on: engines have a clock of their own."""

    def __init__(self) -> None:
        self.now = float(int(time.time())) + 0.5

    def __call__(self) -> float:
        return self.now


def cipher() -> Cipher:
    return Cipher(bytes(range(32)))


def sqlite(folder: Path, clock: Any) -> SqliteTable:
    """Each is another process's view of one file."""
    return SqliteTable(folder / "home" / "rows.sqlite3", cipher(), clock=clock)


def client(url: str) -> Any:
    """Asks the engine at `url`."""
    return boto3.client("dynamodb", endpoint_url=url, config=Config(max_pool_connections=64), **FAKE)


def light_client(service: str, url: str, **options: Any) -> Any:
    """The client without boto3, as a function on Lambda has it, for the engine at `url`."""
    environ = {
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_ENDPOINT_URL": url,
    }
    return create_light_client(service, environ, **options)


def create_table(client: Any) -> str:
    """The name of a new table."""
    name = f"assay-{uuid.uuid4().hex}"
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}, {"AttributeName": "sort", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each in ("key", "sort")],
    )
    return name


def dynamo(client: Any, name: str, clock: Any) -> DynamoTable:
    return DynamoTable(name, client, clock=clock)


shared_client = cache(client)  # to make one takes as long as ten requests; one that was closed connects anew


def create_engine_table(url: str) -> str:
    """The name of a new table in the engine at `url`."""
    with closing(shared_client(url)) as dynamodb:
        return create_table(dynamodb)


def open_engine_table(url: str, name: str, clock: Any) -> DynamoTable:
    """Each is another process's view of one table. Its client is that of servers, which is quicker than boto3's."""
    return dynamo(light_client("dynamodb", url), name, clock)
