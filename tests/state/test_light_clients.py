"""The AWS clients without boto3: signatures, retries, answers that are damaged or not of the service."""

import json
import re
import socket
import threading
import zlib
from contextlib import contextmanager

import pytest
from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials
from hypothesis import given
from hypothesis import strategies as st
from tests.support.table_factories import light_client

from assay.aws.dynamodb_table import DynamoTable
from assay.aws.light_clients import create_light_client
from assay.aws.remote_browser import LambdaBrowser
from assay.aws.service_calls import ServiceCalls
from assay.aws.signature_v4 import Credentials, SigningScope, presign_query, sign_request
from assay.aws.signed_http import NoAnswer, ServiceRefusal
from assay.errors import DependencyUnavailable, Network
from assay.net.exceptions import Unreachable
from assay.settings import Settings
from assay.state.ports import Conflict

SUITE = {
    "credentials": Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
    "scope": SigningScope("us-east-1", "service"),
    "now": 1_440_938_160.0,  # 2015-08-30T12:36:00Z
}
S3_GUIDE = {
    "credentials": Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    "scope": SigningScope("us-east-1", "s3"),
    "now": 1_369_353_600.0,  # 2013-05-24T00:00:00Z
}
HOST = {"host": "example.amazonaws.com"}
S3_HOST = {"host": "examplebucket.s3.amazonaws.com"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
DATED = {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"}
UNRESERVED = "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("request_line", "headers", "body", "signer", "signature"),
    [
        ("GET /", HOST, b"", SUITE, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST /", HOST, b"", SUITE, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (
            "POST /",
            HOST | FORM,
            b"Param1=value1",
            SUITE,
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
        ),
        (
            "GET /",
            HOST | {"my-header1": " value1", "my-header2": ' "a   b   c"'},
            b"",
            SUITE,
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
        ),
        (f"GET {UNRESERVED}", HOST, b"", SUITE, "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        ("GET /\u1234", HOST, b"", SUITE, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        (
            "GET /test.txt",
            S3_HOST | {"range": "bytes=0-9"},
            b"",
            S3_GUIDE,
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        (
            "PUT /test%24file.text",
            S3_HOST | DATED,
            b"Welcome to Amazon S3.",
            S3_GUIDE,
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_a_signature_is_that_of_the_published_example(request_line, headers, body, signer, signature):
    method, path = request_line.split(" ")
    signed = sign_request(method, path, headers, body, **signer)
    assert signed["authorization"].endswith(f"Signature={signature}")


def build_path(parts):
    """A path without empty segments, which botocore would remove; no path of this package has one."""
    return "/" + re.sub("/+", "/", "".join(parts)).strip("/")


@given(
    path=st.lists(st.sampled_from(["a", "Z", "0", "-", "_", "~", "/", "%24", "%3A", "%C3"]), max_size=8).map(
        build_path
    ),
    body=st.binary(max_size=50),
    value=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20),
    token=st.sampled_from(["", "token"]),
    service=st.sampled_from(["dynamodb", "lambda", "s3"]),
)
def test_a_signature_is_that_of_botocore(path, body, value, token, service):
    url, headers = f"https://a.example{path}", {"host": "a.example", "x-amz-target": value}
    signed = sign_request(
        "POST",
        path,
        headers,
        body,
        credentials=Credentials("key", "secret", token),
        scope=SigningScope("eu-west-1", service),
        now=1_440_938_160.0,
    )
    theirs = AWSRequest("POST", url, headers, data=body)
    theirs.context["timestamp"] = signed["x-amz-date"]
    theirs.context["payload_signing_enabled"] = True
    sign = (S3SigV4Auth if service == "s3" else SigV4Auth)(
        BotoCredentials("key", "secret", token or None), service, "eu-west-1"
    )
    theirs.headers["X-Amz-Date"] = signed["x-amz-date"]
    if token:
        theirs.headers["X-Amz-Security-Token"] = token
    if service == "s3":
        theirs.headers["X-Amz-Content-SHA256"] = sign.payload(theirs)
    expected = sign.signature(sign.string_to_sign(theirs, sign.canonical_request(theirs)), theirs)
    assert signed["authorization"].endswith(expected)


def test_a_presigned_url_is_that_of_the_published_example():
    query = presign_query("GET", "/test.txt", S3_HOST, seconds=86_400, **S3_GUIDE)
    assert query.endswith("=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")


@given(size=st.integers(1, 50_000_000), sent=st.integers(1, 50_000_000), token=st.sampled_from(["", "to/ken+="]))
def test_a_presigned_url_is_that_of_botocore_for_one_size_alone(size, sent, token):
    headers = {"host": "a.example", "content-type": "application/pdf", "if-none-match": "*", "x-amz-meta-until": "9"}
    keys, now = ("key", "secret", token), 1_440_938_160.0
    query = presign_query(
        "PUT",
        "/upload/a%24b",
        headers | {"content-length": str(size)},
        seconds=900,
        credentials=Credentials(*keys),
        scope=SigningScope("eu-west-1", "s3"),
        now=now,
    )
    theirs = AWSRequest("PUT", f"https://a.example/upload/a%24b?{query.rpartition('&')[0]}", headers)
    theirs.headers["content-length"] = str(sent)
    theirs.context["timestamp"] = "20150830T123600Z"
    sign = S3SigV4QueryAuth(BotoCredentials("key", "secret", token or None), "s3", "eu-west-1", expires=900)
    signed = sign.headers_to_sign(theirs)
    assert "content-length" in signed
    expected = sign.signature(sign.string_to_sign(theirs, sign.canonical_request(theirs)), theirs)
    assert query.endswith(expected) == (size == sent)


def reply(status, body=b"{}", *headers, length=None):
    size = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status} Any", f"Content-Length: {size}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def refusal(status, code):
    return reply(status, json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}"}).encode())


class ScriptedService:
    """A service on loopback that answers each request with the next of `replies`, which may depend on the bodies so far.

    None closes the connection, and so does an answer with that header.
    """

    def __init__(self, listener, replies):
        self._listener, self._replies, self.connections = listener, list(replies), 0
        self.requests, self.bodies = [], []
        threading.Thread(target=self._serve, daemon=True).start()
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection, connection.makefile("rb") as lines:
                while self._replies and (head := self._read(lines)):
                    self.requests.append(head)
                    if (answer := self._replies.pop(0)) is None:
                        break
                    connection.sendall(answer := answer(self.bodies) if callable(answer) else answer)
                    if b"\r\nConnection: close\r\n" in answer:
                        break

    def _read(self, lines):
        head = {}
        for line in iter(lines.readline, b"\r\n"):
            if not line:
                return None
            name, _, value = line.decode().partition(":")
            head[name.lower()] = value.strip()
        self.bodies.append(lines.read(int(head.get("content-length", 0))))
        return head


@contextmanager
def service(*replies):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield ScriptedService(listener, replies)
        listener.shutdown(socket.SHUT_RDWR)


ROW = reply(200, b'{"Item": {"sort": {"S": "-"}, "value": {"B": "b25l"}, "version": {"N": "5"}}}')


async def test_requests_share_a_connection_and_one_that_the_service_closed_is_replaced():
    with service(ROW, ROW, None, ROW) as dynamodb:
        table = DynamoTable("rows", light_client("dynamodb", dynamodb.url))
        for _ in range(3):
            assert await table.get("key") == ("-", b"one", 5)
        await table.close()
    assert (dynamodb.connections, len(dynamodb.requests)) == (2, 4)


@pytest.mark.parametrize(
    "first",
    [
        refusal(400, "ProvisionedThroughputExceededException"),
        refusal(500, "InternalServerError"),
        refusal(503, ""),
        refusal(429, ""),
        None,
        reply(200, b'{"Item": ', "Connection: close", length=200),
        reply(200, b'{"Item": {}}', "x-amz-crc32: 1"),
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}",
        b"SSH-2.0-OpenSSH\r\n\r\n",
    ],
    ids=[
        "throttled", "failing", "unavailable", "too many", "silence", "truncated", "damaged", "no length", "not HTTP"
    ],
)  # fmt: skip
def test_a_request_that_may_succeed_later_is_sent_again(first):
    checked = reply(200, body := b'{"Item": {}}', f"x-amz-crc32: {zlib.crc32(body)}")
    with service(first, checked) as dynamodb:
        client = light_client("dynamodb", dynamodb.url)
        assert client.get_item(TableName="rows", Key={}) == {"Item": {}}
        assert len(dynamodb.requests) == 2
        client.close()


def test_an_answer_that_stops_midway_is_asked_for_again():
    with service(reply(200, b'{"Item": ', length=200), reply(200, b'{"Item": {}}')) as dynamodb:
        client = light_client("dynamodb", dynamodb.url, seconds=1)
        assert client.get_item(TableName="rows", Key={}) == {"Item": {}}
        client.close()


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([refusal(400, "AccessDeniedException")], ServiceRefusal),
        ([refusal(302, "")], ServiceRefusal),
        ([reply(404, b"<html>not of the service</html>")], ServiceRefusal),
        ([reply(200, b"<html>not of the service</html>")], NoAnswer),
        ([reply(200, b"[" * 100_000)], NoAnswer),
        ([reply(200, b"", length=10**12)] * 3, NoAnswer),
        ([reply(200, b"{}", *(["x: y"] * 200))] * 3, NoAnswer),
        ([refusal(400, "ThrottlingException")] * 3, ServiceRefusal),
    ],
    ids=[
        "denied", "redirect", "proxy's page", "proxy's page as success", "too deep", "too large", "headers", "busy"
    ],
)  # fmt: skip
def test_a_request_ends_after_a_final_answer_or_three_attempts(answers, kind):
    with service(*answers, ROW) as dynamodb:
        client = light_client("dynamodb", dynamodb.url)
        with pytest.raises(kind):
            client.get_item(TableName="rows", Key={})
        assert len(dynamodb.requests) == len(answers)
        client.close()


@pytest.mark.parametrize(
    ("answer", "error"),
    [(refusal(400, "RequestLimitExceeded"), DependencyUnavailable), (reply(200, b"oops"), Network)],
)
async def test_failures_are_reported_as_those_of_boto3(answer, error):
    with service(answer) as dynamodb:
        calls = ServiceCalls("dynamodb", light_client("dynamodb", dynamodb.url, attempts=1))
        with pytest.raises(error) as failure:
            await calls.ask(lambda client: client.get_item(TableName="rows", Key={}))
        assert (failure.value.provider, failure.value.retryable) == ("dynamodb", True)
        await calls.close()


async def test_a_conflict_with_a_write_whose_answer_was_lost_is_not_a_conflict():
    def read_row(bodies):
        """The row of the first write."""
        return reply(200, json.dumps({"Item": json.loads(bodies[0])["Item"]}).encode())

    failed = refusal(400, "ConditionalCheckFailedException")
    with service(None, failed, read_row, None, failed, read_row) as dynamodb:
        table = DynamoTable("rows", light_client("dynamodb", dynamodb.url))
        version = await table.put("key", "-", b"one", expect=0)
        with pytest.raises(Conflict):
            await table.put("key", "-", b"two", expect=version)
        await table.close()
    assert str(version).encode() in dynamodb.bodies[0]


async def test_a_function_that_failed_is_reported_as_by_boto3():
    with service(reply(200, b'{"errorMessage": "timed out"}', "X-Amz-Function-Error: Unhandled")) as functions:
        settings = Settings.read({"ASSAY_BROWSER": "arn:aws:lambda:us-east-1:1:function:browser"})
        browser = LambdaBrowser(settings, light_client("lambda", functions.url))
        with pytest.raises(Unreachable):
            await browser.render("https://a.example/", settle=0, seconds=1)
        await browser.close()


KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.mark.parametrize(
    "environ",
    [
        {"AWS_REGION": "us-east-1"},
        KEYS,
        KEYS | {"AWS_REGION": "cn-north-1"},
        KEYS | {"AWS_REGION": "us-east-1", "AWS_USE_FIPS_ENDPOINT": "true"},
        KEYS | {"AWS_REGION": "us-east-1.evil.example/"},
    ],
    ids=["no keys", "no region", "other domain", "other endpoint", "no such region"],
)
def test_what_the_environment_does_not_tell_is_left_to_boto3(environ):
    assert create_light_client("dynamodb", environ) is None


def test_a_request_names_the_trace_of_the_invocation_and_the_session_of_the_role():
    with service(reply(200)) as sqs:
        environ = KEYS | {
            "AWS_REGION": "us-east-1",
            "AWS_SESSION_TOKEN": "session",
            "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
            "AWS_ENDPOINT_URL_SQS": sqs.url,
            "AWS_LAMBDA_FUNCTION_NAME": "Crawl",
            "_X_AMZN_TRACE_ID": "Root=1-a;Lineage=b",
        }
        client = create_light_client("sqs", environ)
        client.send_message(QueueUrl="queue", MessageBody="text", DelaySeconds=0)
        client.close()
    [request] = sqs.requests
    assert request["x-amz-security-token"] == "session"
    assert request["x-amzn-trace-id"] == "Root=1-a;Lineage=b"
    assert "x-amz-security-token" in request["authorization"]
