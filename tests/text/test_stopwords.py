"""Queries without stop words."""

import pytest

from assay.text.stopwords import remove_stopwords


@pytest.mark.parametrize(
    ("query", "language", "shorter"),
    [
        ("What is the diet of otters?", None, "diet otters"),
        ("the otters", "en-GB", "otters"),
        ("die Nahrung der Otter", "de", "Nahrung Otter"),
        ("the otters", "fi", "otters"),
        ("otters kelp", None, None),
        ("what is it", None, None),
        ('the "diet of otters"', None, None),
        ("cats OR the dogs", None, None),
        ("the otters -kelp", None, None),
        ("the otters site:example.org", None, None),
        ("to be or not to be", None, "not"),
        ("", None, None),
    ],
)
def test_small_words_go_and_operators_stay(query, language, shorter):
    assert remove_stopwords(query, language) == shorter
