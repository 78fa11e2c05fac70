"""JSON as answers and stored documents have it."""

import datetime as dt
import enum
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.json_encoding import encode_json

TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


@given(VALUES)
def test_whoever_reads_it_gets_the_same_value(value):
    encoded = encode_json(value)
    assert json.loads(encoded) == value
    assert b"\n" not in encoded


def test_it_is_as_short_as_can_be_and_keeps_every_script_as_it_is():
    assert encode_json({"a": [1, True, None], "über": "水\u2028"}) == '{"a":[1,true,null],"über":"水\u2028"}'.encode()


def test_integers_of_any_size_and_keys_that_are_numbers_are_as_in_the_standard_library():
    assert encode_json({2**70: 2**80}) == b'{"%d":%d}' % (2**70, 2**80)


def test_numbers_that_json_lacks_are_null():
    assert encode_json([math.nan, math.inf]) == b"[null,null]"


def test_half_of_a_surrogate_pair_is_refused_or_replaced():
    with pytest.raises(UnicodeEncodeError):
        encode_json(["\ud83d"])
    assert encode_json(["\ud83d"], errors="replace") == b'["?"]'


@pytest.mark.parametrize(
    "value", [{1, 2}, b"bytes", dt.date(2026, 1, 1), object()], ids=lambda value: type(value).__name__
)
def test_what_is_no_json_is_an_error(value):
    with pytest.raises(TypeError):
        encode_json({"value": value})


def test_texts_with_names_are_texts():
    class Colour(enum.StrEnum):
        RED = "red"

    assert encode_json({"colour": Colour.RED}) == b'{"colour":"red"}'
