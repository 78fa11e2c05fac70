"""Numbers of patents, as people write them and as offices do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.provider_base.parsing.patent_numbers import build_page_url, find_in_path, parse_number


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("US10165245B2", "US10165245B2"),
        ("us 10,165,245 b2", "US10165245B2"),
        ("U.S. Pat. No. 7,654,321", "US7654321"),
        ("US Patent 7,654,321", "US7654321"),
        ("7,654,321", "US7654321"),
        ("US 2013/0227762 A1", "US20130227762A1"),
        ("US2013/227762A1", "US20130227762A1"),
        ("US2013227762A1", "US20130227762A1"),
        ("US RE45,000 E1", "USRE45000E1"),
        ("USPP12345P2", "USPP12345P2"),
        ("US D850,000 S1", "USD850000S1"),
        ("US 1,234 A", "US1234A"),
        ("EP1000000A1", "EP1000000A1"),
        ("EP 1 000 000 B1", "EP1000000B1"),
        ("EP0227762", "EP0227762"),
        ("WO2011051540A1", "WO2011051540A1"),
        ("WO 2011/051540", "WO2011051540"),
        ("WO 2011/51540 A1", "WO2011051540A1"),
        ("WO 98/12345", "WO9812345"),
        ("WO-2011-051540-A1", "WO2011051540A1"),
        ("JP 2008-123456 A", "JP2008123456A"),
        ("JPH08-123456A", "JPH08123456A"),
        ("JP S60-12345 B2", "JPS6012345B2"),
        ("JP6123456B2", "JP6123456B2"),
        ("CN 101318498 B", "CN101318498B"),
        ("CN1234567C", "CN1234567C"),
        ("KR 10-1234567 B1", "KR101234567B1"),
        ("KR 10-2020-0012345 A", "KR20200012345A"),
        ("KR20200012345A", "KR20200012345A"),
        ("DE102011012345A1", "DE102011012345A1"),
    ],
)
def test_a_number_is_read_however_it_is_written(written, number):
    assert str(parse_number(written)) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "lithium battery",
        "EP 2020",
        "AI 2023",
        "G06F 16/00",
        "US",
        "10165245",
        "XY1234567",
        "US 12 or EP 34567",
        "1,234",
    ],
)
def test_what_is_not_a_number_is_none(text):
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("number", "is_grant"),
    [
        ("US10165245B2", True), ("US7654321A", True), ("US20130227762A1", False), ("USRE45000E1", True),
        ("USD850000S1", True), ("USPP12345P2", True), ("US20130227762P1", False), ("US7654321", False),
        ("EP1000000A1", False), ("EP1000000B1", True), ("EP1000000B9", True), ("WO2011051540A1", False),
        ("JP2008123456A", False), ("JP6123456B2", True), ("CN101318498A", False), ("CN101318498B", True),
        ("CN1234567C", True), ("CN201234567U", True), ("KR101234567B1", True), ("KR20200012345A", False),
        ("DE102011012345A1", False), ("DE102011012345B4", True), ("FR2900000B1", True), ("GB2500000A", False),
    ],
)  # fmt: skip
def test_a_kind_tells_a_grant_from_a_publication(number, is_grant):
    assert parse_number(number).is_grant is is_grant


def test_docdb_leaves_out_a_zero_that_google_has():
    assert parse_number("US20130227762A1").docdb == "2013227762"
    assert parse_number("US10165245B2").docdb == "10165245"
    assert parse_number("WO2011051540A1").docdb == "2011051540"


@pytest.mark.parametrize(
    ("address", "number"),
    [
        ("https://patents.google.com/patent/US10165245B2/en?oq=x", "US10165245B2"),
        ("patent/EP1000000A1/de", "EP1000000A1"),
        ("https://patents.google.com/patent/USRE45000E1", "USRE45000E1"),
        ("https://patents.google.com/patent/JPH08123456A/en", "JPH08123456A"),
        ("https://patents.google.com/?q=comb", None),
        ("https://patents.google.com/scholar/123", None),
        (None, None),
        (5, None),
    ],
)
def test_a_number_is_read_off_an_address(address, number):
    result = find_in_path(address)
    assert (str(result) if result else None) == number


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader_and_what_it_reads_it_reads_again(text):
    result = parse_number(text)
    if result:
        assert parse_number(str(result)) == result
        assert build_page_url(result).startswith("https://patents.google.com/patent/")
        assert str(result).isascii()
