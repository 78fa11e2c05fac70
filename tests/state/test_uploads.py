"""Documents sent to a presigned URL of a bucket, on an engine that speaks S3."""

import math
from contextlib import closing
from dataclasses import replace

import boto3
import httpx
import pytest
from tests.support.table_factories import FAKE

from assay.aws.s3_bucket import S3Bucket
from assay.aws.s3_uploads import S3Uploads
from assay.errors import Misconfigured, NotFound
from assay.state.rate_limit import LimitCounters
from assay.state.uploads import UploadStore, list_object_names

NAMES = ("AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL")


@pytest.fixture
def store(engine_url, table_in_engine, monkeypatch, clock):
    for name, value in zip(NAMES, ("us-east-1", "test", "test", engine_url), strict=True):
        monkeypatch.setenv(name, value)
    bucket = S3Bucket("uploads", clock=clock)
    return UploadStore(table_in_engine, bucket, S3Uploads("uploads", clock=clock), "acme", "ada", clock)


async def open_upload(store, size):
    return await store.open("a.txt", "text/plain", size, LimitCounters(store.table), 3)


async def test_a_document_sent_to_a_presigned_url_is_read_by_its_owner_until_it_expires(store, engine_url, clock):
    with closing(boto3.client("s3", endpoint_url=engine_url, **FAKE)) as client:
        client.create_bucket(Bucket="uploads")
        upload, address, _ = await open_upload(store, 6)
        with pytest.raises(NotFound, match="has not been sent"):
            await store.read(upload.id)
        async with httpx.AsyncClient(timeout=60) as http:
            response = await http.put(address.url, content=b"otters", headers=address.headers)
        assert response.status_code == 200
        assert await store.read(upload.id) == (upload, b"otters")
        [name] = list_object_names("acme", "ada", upload)
        head = client.head_object(Bucket="uploads", Key=name)
        assert (head["ContentType"], head["Metadata"]) == ("text/plain", {"until": str(math.ceil(upload.until))})
        with pytest.raises(NotFound, match="does not exist"):
            await replace(store, user="bob").read(upload.id)
        clock.now += 86_401
        assert await store.bucket.get(name) is None
    await store.bucket.close()


async def test_the_bucket_is_part_of_the_host_at_amazon(store, monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    _, address, _ = await open_upload(store, 6)
    assert address.url.startswith("https://uploads.s3.us-east-1.amazonaws.com/upload/")
    assert "&X-Amz-Expires=900&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost%3Bif-none-match" in address.url


async def test_without_credentials_there_is_no_address(store, monkeypatch):
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(Misconfigured):
        await open_upload(store, 6)
