"""Periods as statistics write them."""

from datetime import date

import pytest

from assay.provider_base.parsing.periods import find_first_day, find_last_day, format_period, parse_span, select_period


@pytest.mark.parametrize(
    ("text", "first", "last", "rhythm"),
    [
        ("2024", "2024-01-01", "2024-12-31", "annual"),
        ("2024-A1", "2024-01-01", "2024-12-31", "annual"),
        ("2024-S2", "2024-07-01", "2024-12-31", "semiannual"),
        ("2024S1", "2024-01-01", "2024-06-30", "semiannual"),
        ("2024-Q1", "2024-01-01", "2024-03-31", "quarterly"),
        ("2024Q4", "2024-10-01", "2024-12-31", "quarterly"),
        ("2024-02", "2024-02-01", "2024-02-29", "monthly"),
        ("2023M02", "2023-02-01", "2023-02-28", "monthly"),
        ("2024-M12", "2024-12-01", "2024-12-31", "monthly"),
        ("2024-W01", "2024-01-01", "2024-01-07", "weekly"),
        ("2020-W53", "2020-12-28", "2021-01-03", "weekly"),
        ("2024-02-29", "2024-02-29", "2024-02-29", "daily"),
        ("2024M02D05", "2024-02-05", "2024-02-05", "daily"),
        ("2024-02-05T00:00:00", "2024-02-05", "2024-02-05", "daily"),
    ],
)
def test_a_period_has_its_days_and_its_rhythm(text, first, last, rhythm):
    result = parse_span(text)
    assert (result.first, result.last, result.rhythm) == (date.fromisoformat(first), date.fromisoformat(last), rhythm)


@pytest.mark.parametrize(
    "text",
    ["", "24", "0000", "2024-", "2024-13", "2024-00", "2023-02-29", "2024-Q5", "2024-S3", "2024-W54", "2023-W53",
     "2024-Q", "٢٠٢٤", "2024/02", "x2024", "2024\n2025", "9999-W53"],
)  # fmt: skip
def test_what_is_not_a_period_has_no_days(text):
    assert parse_span(text) is None


@pytest.mark.parametrize("text", ["2024", "2024-S2", "2024-Q3", "2024-09", "2020-W53", "2024-02-29"])
def test_a_day_of_a_period_is_written_as_that_period(text):
    result = parse_span(text)
    assert format_period(result.first, result.rhythm) == text
    assert format_period(result.last, result.rhythm) == text


def test_a_bound_begins_and_ends_with_its_period():
    assert (find_first_day("2024"), find_last_day("2024")) == (date(2024, 1, 1), date(2024, 12, 31))
    assert (find_first_day("2024-02"), find_last_day("2024-02")) == (date(2024, 2, 1), date(2024, 2, 29))


QUARTERS = ["2023-Q4", "2025-Q1", "2024-Q1", "x", "2024-Q4", "2024-Q2"]


@pytest.mark.parametrize(
    ("since", "until", "most", "kept"),
    [
        (None, None, 2, ["2025-Q1", "2024-Q4"]),
        (None, "2024-06", 2, ["2024-Q2", "2024-Q1"]),
        ("2024", None, 2, ["2024-Q1", "2024-Q2"]),
        ("2024-05-31", "2024-12-31", 9, ["2024-Q2", "2024-Q4"]),
        ("2026", None, 9, []),
    ],
)
def test_the_newest_come_first_and_from_a_bound_on_the_oldest(since, until, most, kept):
    assert select_period(QUARTERS, str, since=since, until=until, most=most) == kept


def test_points_of_one_period_stay_in_their_order():
    points = [("2024", "b"), ("2025", "b"), ("2024", "a"), ("2025", "a")]
    newest = select_period(points, lambda point: point[0], since=None, until=None, most=9)
    assert newest == [("2025", "b"), ("2025", "a"), ("2024", "b"), ("2024", "a")]
