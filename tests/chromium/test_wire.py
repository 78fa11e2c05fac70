"""What is asked of the browser's function and what comes back mean the same on both sides."""

import gzip
import json
from dataclasses import replace
from io import BytesIO

import pytest

from assay.aws.remote_browser import LambdaBrowser
from assay.chromium import render_protocol
from assay.errors import InvalidInput, Network, RateLimited, ToolError, UpstreamFailed
from assay.local.file_bucket import FileBucket
from assay.net.exceptions import OffLimits, TooManyRedirects, Unreachable
from assay.settings import Settings
from assay.state.ports import Rendered

PAGE = Rendered(
    "http://site.example/",
    200,
    "<p>ö</p>",
    {"a": "b"},
    "title",
    ("http://x.example/",),
    b"\x89PNG",
    ("wrong",),
    True,
    False,
)
FAILURES = [
    Unreachable("No address was found.", "dns"),
    TooManyRedirects("In a circle.", "other"),
    OffLimits("The URL leads to a loopback address.", "a loopback address"),
    RateLimited("Slowly.", retry_after=7),
    *(kind("A sentence.") for kind in render_protocol.PLAIN),
]


def round_trip(message):
    return json.loads(json.dumps(message))


def test_a_page_comes_back_as_it_was():
    assert render_protocol.decode_result(round_trip(render_protocol.encode_result(PAGE))) == PAGE


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
def test_a_failure_is_the_same_failure(failure):
    with pytest.raises(ToolError) as caught:
        render_protocol.decode_result(round_trip(render_protocol.encode_failure(failure)))
    assert type(caught.value) is type(failure)
    assert caught.value.envelope() == failure.envelope()
    assert caught.value.message == failure.message
    assert getattr(caught.value, "reason", None) == getattr(failure, "reason", None)


def test_the_callers_rule_goes_with_the_question():
    settings = Settings.read(
        {"ALLOWED_DOMAINS": "example.org", "BROWSER_USER_AGENT": "assay", "MAX_HTML_BYTES": "5000"}
    )
    event = round_trip(
        render_protocol.build_request("http://x/", settings, settle=0.5, seconds=9, screenshot=False, console=True)
    )
    ruled = render_protocol.apply_host_rule(Settings.read({}), event["rule"])
    assert (ruled.allowed_domains, ruled.browser_agent, ruled.max_html_bytes) == (("example.org",), "assay", 5000)
    assert not render_protocol.apply_host_rule(Settings.read({}), {"allow_private_ips": True}).allow_private_ips


class FakeLambdaClient:
    """boto3's lambda client, as far as it is asked."""

    def __init__(self, answer, failed=False):
        self.answer, self.failed, self.requests = answer, failed, []

    def invoke(self, FunctionName, Payload):  # noqa: N803
        self.requests.append((FunctionName, json.loads(Payload)))
        failed = {"FunctionError": "Unhandled"} if self.failed else {}
        return {"Payload": BytesIO(json.dumps(self.answer).encode()), **failed}

    def close(self):
        pass


@pytest.fixture
def bucket(tmp_path):
    from assay.local.cipher import Cipher

    return FileBucket(tmp_path, Cipher(b"k" * 32))


async def test_the_function_is_asked_and_its_answer_read(bucket):
    client = FakeLambdaClient(render_protocol.encode_result(PAGE))
    browser = LambdaBrowser(Settings.read({"ASSAY_BROWSER": "Browser-1"}), client, bucket)
    assert await browser.render("http://site.example/", settle=0.5, seconds=9, screenshot=True) == PAGE
    [(name, event)] = client.requests
    assert (name, event["url"], event["screenshot"], event["console"]) == (
        "Browser-1",
        "http://site.example/",
        True,
        False,
    )
    await browser.close()


async def test_a_function_that_ends_is_not_a_page_and_may_be_asked_again(bucket):
    browser = LambdaBrowser(Settings.read({}), FakeLambdaClient({"errorMessage": "timed out"}, failed=True), bucket)
    with pytest.raises(Network) as failure:
        await browser.render("http://site.example/", settle=0.5, seconds=9)
    assert failure.value.retryable
    await browser.close()


async def test_a_page_that_was_kept_and_is_gone_is_reported(bucket):
    browser = LambdaBrowser(Settings.read({}), FakeLambdaClient({"kept": "render/none"}), bucket)
    with pytest.raises(Network):
        await browser.render("http://site.example/", settle=0.5, seconds=9)
    await browser.close()


async def test_a_refusal_there_is_a_refusal_here(bucket):
    refused = render_protocol.encode_failure(OffLimits("The URL leads to a loopback address.", "a loopback address"))
    browser = LambdaBrowser(Settings.read({}), FakeLambdaClient(refused), bucket)
    with pytest.raises(InvalidInput):
        await browser.render("http://127.0.0.1/", settle=0.5, seconds=9)
    await browser.close()


def test_a_failure_that_has_no_name_there_is_the_nearest_that_has():
    class UnknownError(RateLimited):
        pass

    with pytest.raises(RateLimited) as caught:
        render_protocol.decode_result(
            round_trip(render_protocol.encode_failure(UnknownError("Slowly.", retry_after=3)))
        )
    assert caught.value.retry_after == 3


async def test_a_kept_page_that_inflates_without_bound_is_refused(bucket):
    body = gzip.compress(bytes(200 << 20))
    await bucket.put("render/bomb", body)
    browser = LambdaBrowser(
        Settings.read({"MAX_HTML_BYTES": "100000"}), FakeLambdaClient({"kept": "render/bomb"}), bucket
    )
    with pytest.raises(UpstreamFailed, match="larger"):
        await browser.render("http://site.example/", settle=0.5, seconds=9)
    await bucket.put("render/bomb", gzip.compress(json.dumps(render_protocol.encode_result(PAGE)).encode())[:-20])
    with pytest.raises(UpstreamFailed):
        await browser.render("http://site.example/", settle=0.5, seconds=9)
    await browser.close()


async def test_a_large_page_that_was_kept_is_read(bucket):
    large = replace(PAGE, html="<p>" + "€" * 90_000)
    await bucket.put("render/large", gzip.compress(json.dumps(render_protocol.encode_result(large)).encode()))
    browser = LambdaBrowser(
        Settings.read({"MAX_HTML_BYTES": "100000"}), FakeLambdaClient({"kept": "render/large"}), bucket
    )
    assert await browser.render("http://site.example/", settle=0.5, seconds=9) == large
    await browser.close()
