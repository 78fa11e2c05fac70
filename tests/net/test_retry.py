"""How long a server asks us to wait, and how long it may."""

from datetime import UTC, datetime

import pytest

from assay.net.retry import retry_after_seconds

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        (" 120 ", 120),
        ("3600", 3600),
        ("999999999", 3600),
        ("9" * 5000, 3600),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30),
        ("Sunday, 01-Mar-26 12:00:30 GMT", 30),
        ("Sun Mar  1 12:00:30 2026", 30),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 3600),
        ("Sun, 01 Mar 2026 13:00:30 +0100", 30),
        ("soon", None),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("12 seconds", None),
        ("Sun, 99 Mar 2026 12:00:30 GMT", None),
        ("Sun, 01 Mar 99999 12:00:30 GMT", None),
        (", , ,", None),
    ],
)
def test_a_wait_is_read_or_ignored(value, seconds):
    assert retry_after_seconds({"retry-after": value}, NOW) == seconds


def test_without_a_header_there_is_no_wait():
    assert retry_after_seconds({}) is None
