"""The fixed words for what the guarded way out refuses."""

import pytest

from assay.errors import Blocked, NotFound, RateLimited, UpstreamFailed
from assay.net import json_tool_fetch
from assay.net.exceptions import OffLimits, TooManyRedirects, Unreachable
from assay.net.guarded_client import Fetched
from assay.settings import Settings


@pytest.mark.parametrize(
    ("told", "asked", "seconds"),
    [
        ("", 0, 8.0), ("200", 0, 0.2), ("200", 50, 0.05), ("soon", 0, 8.0), ("-5", 0, 8.0), ("0", 0, 8.0),
        ("1.5", 0, 8.0), ("9" * 30, 0, 8.0), ("²", 0, 8.0),
    ],
)  # fmt: skip
def test_a_timeout_that_is_invalid_is_passed_over(told, asked, seconds):
    assert json_tool_fetch.choose_timeout(Settings.read({"HTTP_TIMEOUT_MS": told}), asked, 8.0) == seconds


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (OffLimits("…", "a hidden service"), "SSRF blocked: onion domains are not allowed"),
        (OffLimits("…", "a cloud metadata service"), "SSRF blocked: private or loopback address"),
        (Unreachable("…", "dns"), "SSRF blocked: cannot resolve host"),
        (TooManyRedirects("…", "other"), "http: too many redirects"),
        (Unreachable("…", "timeout"), "http: timeout: no whole answer within 3 seconds"),
        (Unreachable("x closed it.", "reset"), "http: x closed it."),
    ],
)
def test_each_failure_has_its_words(failure, words):
    assert json_tool_fetch.to_tool_error(failure, 3).message == words


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, NotFound),
        (410, NotFound),
        (401, Blocked),
        (403, Blocked),
        (429, RateLimited),
        (400, UpstreamFailed),
        (500, UpstreamFailed),
    ],
)
def test_a_status_is_reported_with_its_kind(status, kind):
    failure = json_tool_fetch.to_status_error(Fetched("", status, {"retry-after": "9"}, b"", False, 0), "status", 0.0)
    assert type(failure) is kind
    assert failure.message == f"status {status}"


def test_a_name_says_which_tool_asks_and_whose_it_is():
    assert json_tool_fetch.build_user_agent("rss_fetch").startswith("agentcli-rss-fetch/0.1 (Assay/")
