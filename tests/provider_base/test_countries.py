"""Countries by two letters and by three."""

import pytest

from assay.provider_base.parsing.countries import PAIRS, to_alpha2, to_alpha3


@pytest.mark.parametrize(
    ("two", "three"), [("DE", "DEU"), ("us", "USA"), ("CH", "CHE"), ("XK", "XK"), ("EU27_2020",) * 2]
)
def test_two_letters_become_three(two, three):
    assert to_alpha3(two) == three


@pytest.mark.parametrize(
    ("three", "two"), [("DEU", "DE"), ("usa", "US"), ("fr", "FR"), ("WLD", "WLD"), ("EA20", "EA20")]
)
def test_three_letters_become_two(three, two):
    assert to_alpha2(three) == two


def test_no_code_stands_twice():
    words = PAIRS.split()
    assert len(words) == 249
    assert all(len(word) == 5 and word.isascii() and word.isupper() for word in words)
    assert len({word[:2] for word in words}) == len({word[2:] for word in words}) == 249
