"""Presigned URLs: callers send documents straight to Amazon S3."""

import math
import time
from collections.abc import Callable

from assay.aws.aws_environment import find_endpoint, read_environment
from assay.aws.light_clients import METADATA, build_object_address
from assay.aws.signature_v4 import presign_query
from assay.errors import Misconfigured
from assay.state.ports import UploadAddress, check_name

MAX_PART = 5 * 1024**3  # bytes that S3 takes by one PUT


class S3Uploads:
    """ports.UploadTarget over the bucket `bucket`, signed with the function's own role.

    A URL for PUT is enough where a form for POST would also bound the size: S3 refuses a body of another length than
    the signed one, and `if-none-match: *` refuses a second body under the same name.
    """

    part_bytes = MAX_PART

    def __init__(self, bucket: str, *, clock: Callable[[], float] = time.time) -> None:
        self._bucket, self._clock = bucket, clock

    async def open(
        self,
        name: str,
        *,
        row: tuple[str, str],  # noqa: ARG002  # of the local server
        size: int,
        content_type: str,
        ends: float,
        until: float,
    ) -> UploadAddress:
        check_name(name)
        endpoint = find_endpoint("s3", read_environment())
        if endpoint is None:
            raise Misconfigured("Uploads need a region and credentials of AWS in the environment.", provider="s3")
        base, host, path = build_object_address(endpoint.url, self._bucket, f"{name}/0")
        headers = {"content-type": content_type, "if-none-match": "*", f"{METADATA}until": str(math.ceil(until))}
        now = self._clock()
        query = presign_query(
            "PUT",
            path,
            {**headers, "host": host, "content-length": str(size)},
            seconds=max(1, round(ends - now)),
            credentials=endpoint.credentials(),
            scope=endpoint.scope,
            now=now,
        )
        return UploadAddress(f"{base}{path}?{query}", headers)
