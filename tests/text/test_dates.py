"""Dates in every format that upstreams return."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.dates import rfc3339

NOW = 1_785_000_000.0  # 2026-07-25T17:20:00Z


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2026-07-01T09:30:00Z", "2026-07-01T09:30:00Z"),
        ("2026-07-01T09:30:00.123456789+02:00", "2026-07-01T07:30:00Z"),
        ("2026-07-01T09:30:00-0500", "2026-07-01T14:30:00Z"),
        ("2026-07-01T09:30:00", "2026-07-01T09:30:00Z"),
        ("2026-07-01 09:30:00", "2026-07-01T09:30:00Z"),
        ("2026-07-01 09:30", "2026-07-01T09:30:00Z"),
        ("2025-12-30T00:00:00.0000000", "2025-12-30T00:00:00Z"),
        ("2026-07-01", "2026-07-01T00:00:00Z"),
        ("2026/7/1", "2026-07-01T00:00:00Z"),
        ("2026-07", "2026-07-01T00:00:00Z"),
        ("Wed, 01 Jul 2026 09:30:00 GMT", "2026-07-01T09:30:00Z"),
        ("Wed, 01 Jul 2026 09:30:00 +0200", "2026-07-01T07:30:00Z"),
        ("Jul 2, 2026", "2026-07-02T00:00:00Z"),
        ("January 2, 2006", "2006-01-02T00:00:00Z"),
        ("02 Jan 2006", "2006-01-02T00:00:00Z"),
        ("2 January 2006", "2006-01-02T00:00:00Z"),
        ("01/02/2006", "2006-01-02T00:00:00Z"),
        ("3 hours ago", "2026-07-25T14:20:00Z"),
        ("an hour ago", "2026-07-25T16:20:00Z"),
        ("1 day ago", "2026-07-24T17:20:00Z"),
        ("2 mins ago", "2026-07-25T17:18:00Z"),
        ("2h", "2026-07-25T15:20:00Z"),
        ("3d", "2026-07-22T17:20:00Z"),
        ("1w", "2026-07-18T17:20:00Z"),
        ("2mo", "2026-05-26T17:20:00Z"),
        ("1y", "2025-07-25T17:20:00Z"),
        ("yesterday", "2026-07-24T17:20:00Z"),
        (1_700_000_000, "2023-11-14T22:13:20Z"),
        (1_700_000_000_000, "2023-11-14T22:13:20Z"),
    ],
)
def test_it_is_reported_in_utc(said, meant):
    assert rfc3339(said, NOW) == meant


@pytest.mark.parametrize(
    "said",
    [
        *(None, "", "soon", "5 parsecs ago", "2026-13-45", "31/12/2020", "9999-01-01", "99999y", "Foo 3, 2020", True),
        *(0, -5, float("nan"), float("inf"), 10**30, [], {}, "2027-01-01", "0000-01-01", "١٢ Jan 2020x"),
    ],
)
def test_what_is_not_a_date_that_can_be_meant_is_none(said):
    assert rfc3339(said, NOW) is None


@given(st.one_of(st.text(), st.floats(), st.integers(), st.from_regex(r"\d{1,9}[-/ ]\d{1,9}[-/ ]\d{1,9}.*")))
def test_nothing_makes_it_raise(said):
    assert rfc3339(said, NOW) is None or rfc3339(said, NOW).endswith("Z")
