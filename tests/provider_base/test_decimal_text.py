"""Figures as they were written."""

import pytest

from assay.provider_base.parsing.decimal_text import to_decimal_text


@pytest.mark.parametrize(
    "text",
    ["0", "-0", "1.10", "+3", "1e-7", "1E+05", ".5", "5.", "0.30000000000000004", "123456789012345678901234567890"],
)
def test_a_number_keeps_its_digits(text):
    assert to_decimal_text(text) == text
    assert to_decimal_text(f" {text} ") == text


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (-5, "-5"), (2**70, str(2**70))])
def test_a_whole_number_is_written_out(number, text):
    assert to_decimal_text(number) == text


@pytest.mark.parametrize(
    "value", [None, True, False, "", ".", "-", ":", "NaN", "nan", "inf", "1,5", "1 5", "0x1", "1_0", "٣", [], {}, 1.5,
              "1" * 61, 10**70, "1" * 5_000_000, "12abc"]
)  # fmt: skip
def test_what_is_not_a_number_has_no_figure(value):
    assert to_decimal_text(value) is None
