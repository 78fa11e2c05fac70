"""Asking a trusted upstream again, and following it on its own host."""

import asyncio
import time

import pytest
from tests.support.time_limits import try_limits
from tests.support.upstream import CUT, SILENT, Upstream

from assay.errors import Network, RateLimited, UpstreamFailed
from assay.net.provider_client import ONCE, TWICE, ProviderClient
from assay.net.redirects import resolve_redirect_on_host
from assay.net.retry import RetryPolicy, TransientError


@pytest.fixture
async def upstream():
    upstream = await Upstream().start()
    yield upstream
    await upstream.close()


@pytest.fixture
async def http():
    http = ProviderClient(pause=0)
    yield http
    await http.close()


async def send_request(http, upstream, **more):
    return await http.request("x", "GET", upstream.url + "/a", **more)


@pytest.mark.parametrize(("tries", "count"), [(ONCE, 1), (TWICE, 2), (RetryPolicy(3), 3)])
async def test_a_question_is_put_as_often_as_said(http, upstream, tries, count):
    upstream.says({}, 503)
    with pytest.raises(UpstreamFailed):
        await send_request(http, upstream, tries=tries)
    upstream.says(CUT)
    with pytest.raises(Network):
        await send_request(http, upstream, tries=tries)
    assert len(upstream.requests) == 2 * count


async def test_what_changes_something_is_asked_once(http, upstream):
    upstream.says({}, 503)
    with pytest.raises(UpstreamFailed):
        await http.request("x", "POST", upstream.url, tries=RetryPolicy(3))
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(("late", "count"), [(False, 1), (True, 2)])
async def test_a_late_try_is_repeated_only_where_that_is_wanted(http, upstream, late, count):
    upstream.says(SILENT)

    async def send(seconds):
        upstream.requests.clear()
        with pytest.raises(Network, match="timed out"):
            await send_request(http, upstream, tries=RetryPolicy(2, each=seconds, late=late))
        assert len(upstream.requests) == count

    await try_limits(send, 0.2, 2, 20)


async def test_the_whole_has_an_end_whatever_the_parts(http, upstream):
    upstream.says(SILENT)
    with pytest.raises(Network, match=r"within 0\.1 seconds"):
        await send_request(http, upstream, tries=RetryPolicy(9, each=0.04, late=True), seconds=0.1)


@pytest.mark.parametrize("status", [429, 503])
async def test_a_wait_is_kept_only_by_the_patient_and_only_where_it_fits(http, upstream, status):
    upstream.says({}, status, retry_after="1")
    with pytest.raises((RateLimited, UpstreamFailed)):
        await send_request(http, upstream, tries=RetryPolicy(2))
    with pytest.raises((RateLimited, UpstreamFailed)) as failure:
        await send_request(http, upstream, tries=RetryPolicy(2, patient=True), seconds=0.5)
    assert failure.value.retry_after == 1
    assert len(upstream.requests) == 2
    upstream.then({}, status, retry_after="1")
    upstream.says({"found": 1})
    began = time.monotonic()
    assert (await send_request(http, upstream, tries=RetryPolicy(2, patient=True))).body == {"found": 1}
    assert time.monotonic() - began >= 1


async def test_pauses_grow_and_differ():
    waits = []

    async def failing():
        waits.append(asyncio.get_running_loop().time())
        raise TransientError(UpstreamFailed("no"))

    for _ in range(2):
        with pytest.raises(UpstreamFailed):
            await RetryPolicy(3).run(failing, pause=0.02, until=asyncio.get_running_loop().time() + 5)
    first, second = waits[1] - waits[0], waits[2] - waits[1]
    assert first >= 0.01
    assert second >= 0.02
    assert waits[4] - waits[3] != first


async def test_a_redirect_on_the_same_host_is_followed_as_often_as_said(http, upstream):
    upstream.then(b"", 302, location="/b?c=1")
    upstream.says({"found": 1})
    assert (await send_request(http, upstream, params={"q": "x"}, redirects=1)).body == {"found": 1}
    assert [(one.path, one.query) for one in upstream.requests] == [("/a", {"q": "x"}), ("/b", {"c": "1"})]
    upstream.says(b"", 302, location="/a")
    with pytest.raises(UpstreamFailed, match="redirect"):
        await send_request(http, upstream, redirects=5)
    assert len(upstream.requests) == 8
    with pytest.raises(UpstreamFailed, match="redirect"):
        await send_request(http, upstream)


@pytest.mark.parametrize(
    ("url", "to", "expected"),
    [
        ("https://a.example/x", "/y#z", "https://a.example/y"),
        ("https://a.example/x/", "y", "https://a.example/x/y"),
        ("http://a.example/x", "https://a.example/x", "https://a.example/x"),
        ("https://a.example/x", "http://a.example/x", None),
        ("https://a.example/x", "https://b.example/x", None),
        ("https://a.example/x", "//b.example/x", None),
        ("https://a.example/x", "https://a.example:8443/x", None),
        ("https://a.example/x", "https://u@a.example/x", None),
        ("https://a.example/x", "ftp://a.example/x", None),
        ("https://a.example/x", "https://[bad/", None),
        ("https://a.example/x", "", None),
    ],
)
def test_only_the_configured_host_is_asked(url, to, expected):
    assert resolve_redirect_on_host(url, 302, {"location": to}) == expected
    assert resolve_redirect_on_host(url, 200, {"location": to}) is None
