"""Object storage in Amazon S3."""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.aws.service_calls import ServiceCalls, read_error_code
from assay.state.ports import check_name

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Bucket:
    """ports.Bucket over the S3 bucket `name`; an object's metadata holds `until` in epoch seconds.

    The role needs s3:ListBucket besides the object actions; without it S3 answers 403 instead of 404 for a missing key.
    """

    def __init__(self, name: str, client: "S3Client | None" = None, *, clock: Callable[[], float] = time.time) -> None:
        self._name, self._clock = name, clock
        self._remote: ServiceCalls[S3Client] = ServiceCalls("s3", client)

    async def put(
        self, name: str, body: bytes, *, content_type: str = "application/octet-stream", until: float | None = None
    ) -> None:
        check_name(name)
        metadata = {} if until is None else {"until": str(math.ceil(until))}
        await self._remote.ask(
            lambda s3: s3.put_object(
                Bucket=self._name, Key=name, Body=body, ContentType=content_type, Metadata=metadata
            )
        )

    async def get(self, name: str) -> bytes | None:
        check_name(name)
        return await self._remote.ask(lambda s3: self._get(s3, name))

    async def delete(self, name: str) -> None:
        check_name(name)
        await self._remote.ask(lambda s3: s3.delete_object(Bucket=self._name, Key=name))

    async def close(self) -> None:
        await self._remote.close()

    def _get(self, s3: "S3Client", name: str) -> bytes | None:
        try:
            answer = s3.get_object(Bucket=self._name, Key=name)
        except Exception as refusal:
            if read_error_code(refusal) == "NoSuchKey":
                return None
            raise
        with answer["Body"] as body:
            is_past = float(answer["Metadata"].get("until", "inf")) <= self._clock()
            return None if is_past else body.read()
