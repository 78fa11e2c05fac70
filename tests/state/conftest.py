"""One contract, three stores: SQLite, DynamoDB as moto plays it, and an engine that speaks DynamoDB over HTTP."""

import uuid
from contextlib import closing

import boto3
import pytest
from moto import mock_aws
from tests.support import table_factories
from tests.support.table_factories import FAKE, FrozenClock, create_table, dynamo, light_client, shared_client, sqlite

from assay.aws.s3_bucket import S3Bucket
from assay.local.file_bucket import FileBucket


@pytest.fixture
def clock():
    return FrozenClock()


@pytest.fixture
def cipher():
    return table_factories.cipher()


@pytest.fixture
def dynamodb(engine_url):
    """A client of the engine."""
    with closing(shared_client(engine_url)) as dynamodb_client:
        yield dynamodb_client


@pytest.fixture
def moto():
    with mock_aws(config={"core": {"reset_boto3_session": False}}):  # a session reads the models of services anew
        yield


def in_sqlite(request):
    return sqlite(request.getfixturevalue("tmp_path"), request.getfixturevalue("clock"))


def in_moto(request):
    request.getfixturevalue("moto")
    dynamodb_client = boto3.client("dynamodb", **FAKE)
    return dynamo(dynamodb_client, create_table(dynamodb_client), request.getfixturevalue("clock"))


def in_engine(request):
    dynamodb_client = request.getfixturevalue("dynamodb")
    return dynamo(dynamodb_client, create_table(dynamodb_client), request.getfixturevalue("clock"))


def in_engine_without_boto3(request):
    url, name = request.getfixturevalue("engine_url"), create_table(request.getfixturevalue("dynamodb"))
    return dynamo(light_client("dynamodb", url), name, request.getfixturevalue("clock"))


@pytest.fixture(params=[in_sqlite, in_moto, in_engine, in_engine_without_boto3])
async def table(request):
    table = request.param(request)
    yield table
    await table.close()


# moto looks at a condition and writes in two steps, so it loses updates that DynamoDB would not:
# what many do at once is asked of the stores that are honest about it. The engine decides who wins, not the client:
# boto3's takes three times as long for the same requests.
@pytest.fixture(params=[in_sqlite, in_engine_without_boto3])
async def honest_table(request):
    table = request.param(request)
    yield table
    await table.close()


@pytest.fixture(params=["files", "moto", "engine"])
async def bucket(request, tmp_path, cipher, clock):
    if request.param == "files":
        yield FileBucket(tmp_path / "bucket", cipher, clock=clock)
        return
    if request.param == "engine":
        url = request.getfixturevalue("engine_url")
        with closing(boto3.client("s3", endpoint_url=url, **FAKE)) as client:
            client.create_bucket(Bucket=(name := f"assay-{uuid.uuid4().hex}"))
        bucket = S3Bucket(name, light_client("s3", url), clock=clock)
    else:
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
