"""Clients of DynamoDB, SSM, SQS, S3 and Lambda with the methods of boto3's that this package calls, no others.

They take and return what boto3's do, so that each can replace the other.
"""
# ruff: noqa: N803  # the names of arguments are boto3's

import base64
import hashlib
import io
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit  # noqa: TID251  # of addresses in the environment

from assay.aws.aws_environment import find_endpoint
from assay.aws.signed_http import NoAnswer, Response, SignedHttp

type Fields = dict[str, Any]

XML_CODE = re.compile(rb"<Code>([A-Za-z0-9.]{1,100})</Code>")
METADATA = "x-amz-meta-"
VIRTUAL_HOST = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")  # a name with dots does not fit S3's certificate


class JsonClient:
    """A client of a service whose operations are JSON objects sent by POST."""

    target, version = "", "1.0"

    def __init__(self, http: SignedHttp) -> None:
        self._http = http

    def close(self) -> None:
        self._http.close()

    def _call(self, operation: str, fields: Fields) -> Fields:
        headers = {
            "content-type": f"application/x-amz-json-{self.version}",
            "x-amz-target": f"{self.target}.{operation}",
        }
        response = self._http.send("POST", "/", headers, json.dumps(fields).encode())
        return _parse_object(response.body)


class SsmClient(JsonClient):
    target, version = "AmazonSSM", "1.1"

    def get_parameters(self, **fields: Any) -> Fields:
        return self._call("GetParameters", fields)


class SqsClient(JsonClient):
    target = "AmazonSQS"

    def send_message(self, **fields: Any) -> Fields:
        return self._call("SendMessage", fields)

    def receive_message(self, **fields: Any) -> Fields:
        return self._call("ReceiveMessage", fields)

    def change_message_visibility(self, **fields: Any) -> Fields:
        return self._call("ChangeMessageVisibility", fields)

    def delete_message(self, **fields: Any) -> Fields:
        return self._call("DeleteMessage", fields)

    def get_queue_attributes(self, **fields: Any) -> Fields:
        return self._call("GetQueueAttributes", fields)

    def get_queue_url(self, **fields: Any) -> Fields:
        return self._call("GetQueueUrl", fields)


class DynamoClient(JsonClient):
    target = "DynamoDB_20120810"

    def get_item(self, **fields: Any) -> Fields:
        return self._call("GetItem", fields)

    def batch_get_item(self, **fields: Any) -> Fields:
        return self._call("BatchGetItem", fields)

    def put_item(self, **fields: Any) -> Fields:
        return self._call("PutItem", fields)

    def update_item(self, **fields: Any) -> Fields:
        return self._call("UpdateItem", fields)

    def delete_item(self, **fields: Any) -> Fields:
        return self._call("DeleteItem", fields)

    def query(self, **fields: Any) -> Fields:
        return self._call("Query", fields)

    def _call(self, operation: str, fields: Fields) -> Fields:
        answer: Fields = _decode_binary(super()._call(operation, _encode_binary(fields)))
        return answer


class S3Client:
    """S3's objects. A bucket at an address of one's own is part of the path."""

    def __init__(self, http: SignedHttp, *, bucket_in_path: bool = True) -> None:
        self._http, self._bucket_in_path = http, bucket_in_path

    def put_object(
        self, *, Bucket: str, Key: str, Body: bytes, ContentType: str, Metadata: Mapping[str, str]
    ) -> Fields:
        checksum = base64.b64encode(hashlib.md5(Body, usedforsecurity=False).digest()).decode()
        headers = {"content-type": ContentType, "content-md5": checksum}  # buckets with object lock require it
        headers |= {METADATA + name: value for name, value in Metadata.items()}
        self._send("PUT", Bucket, Key, headers, Body)
        return {}

    def get_object(self, *, Bucket: str, Key: str) -> Fields:
        response = self._send("GET", Bucket, Key, {})
        named = {
            name.removeprefix(METADATA): value for name, value in response.headers.items() if name.startswith(METADATA)
        }
        return {"Body": io.BytesIO(response.body), "Metadata": named}

    def delete_object(self, *, Bucket: str, Key: str) -> Fields:
        self._send("DELETE", Bucket, Key, {})
        return {}

    def close(self) -> None:
        self._http.close()

    def _send(self, method: str, bucket: str, key: str, headers: Mapping[str, str], body: bytes = b"") -> Response:
        path = "/" + quote(key, safe="/~")
        if self._bucket_in_path or not VIRTUAL_HOST.fullmatch(bucket):
            return self._http.send(method, f"/{quote(bucket, safe='')}{path}", headers, body)
        return self._http.send(method, path, headers, body, subdomain=bucket)


def is_path_style(url: str) -> bool:
    """Whether the bucket is part of the path at this endpoint of S3."""
    return not url.endswith(".amazonaws.com")


def build_object_address(url: str, bucket: str, key: str) -> tuple[str, str, str]:
    """The base of the URL, the host and the encoded path of an object at this endpoint of S3."""
    address = urlsplit(url)
    path = "/" + quote(key, safe="/~")
    if is_path_style(url) or not VIRTUAL_HOST.fullmatch(bucket):
        path, host = f"{address.path.rstrip('/')}/{quote(bucket, safe='')}{path}", address.netloc
    else:
        host = f"{bucket}.{address.netloc}"
    return f"{address.scheme}://{host}", host, path


class LambdaClient:
    def __init__(self, http: SignedHttp) -> None:
        self._http = http

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Fields:
        path = f"/2015-03-31/functions/{quote(FunctionName, safe='')}/invocations"
        response = self._http.send("POST", path, {"content-type": "application/json"}, Payload)
        failed = response.headers.get("x-amz-function-error")
        return {"Payload": io.BytesIO(response.body), **({"FunctionError": failed} if failed else {})}

    def close(self) -> None:
        self._http.close()


type LightClient = JsonClient | S3Client | LambdaClient
CLIENTS: Mapping[str, type[JsonClient | S3Client | LambdaClient]] = {
    "dynamodb": DynamoClient,
    "lambda": LambdaClient,
    "s3": S3Client,
    "sqs": SqsClient,
    "ssm": SsmClient,
}


def create_light_client(
    service: str, environ: Mapping[str, str], *, seconds: float = 10, attempts: int = 3
) -> LightClient | None:
    """A client with the region and the credentials of the environment; None if it lacks them, or for other services."""
    endpoint = find_endpoint(service, environ) if service in CLIENTS else None
    if endpoint is None:
        return None
    http = SignedHttp(endpoint, read_code, seconds=seconds, attempts=attempts)
    if service == "s3":
        return S3Client(http, bucket_in_path=is_path_style(endpoint.url))
    return CLIENTS[service](http)


def read_code(response: Response) -> str:
    """The code of an error response: of SQS's older protocol, of JSON or of XML; "" if there is none."""
    if queried := response.headers.get("x-amzn-query-error"):
        return queried.partition(";")[0]
    if named := response.headers.get("x-amzn-errortype"):
        return named.partition(":")[0]
    if match := XML_CODE.search(response.body[:10_000]):
        return match[1].decode()
    try:
        code = json.loads(response.body).get("__type", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return str(code).rpartition("#")[2]


def _parse_object(body: bytes) -> Fields:
    """The JSON object of a response. Raises NoAnswer: something between here and the service has answered."""
    try:
        answer = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise NoAnswer("a response that is not a JSON object")
    return answer


def _encode_binary(value: Any) -> Any:
    """The value with base64 for the bytes of DynamoDB's type B."""
    if isinstance(value, dict):
        return {name: _encode_binary(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_encode_binary(each) for each in value]
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _decode_binary(value: Any) -> Any:
    """The value with bytes for the base64 of DynamoDB's type B: no other field of that name holds a string."""
    if isinstance(value, dict):
        return {
            name: base64.b64decode(each) if name == "B" and isinstance(each, str) else _decode_binary(each)
            for name, each in value.items()
        }
    return [_decode_binary(each) for each in value] if isinstance(value, list) else value
