"""Words of markdown: markup is none, and in scripts without spaces each letter is one."""

import pytest

from assay.text.word_count import count_words


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("", 0),
        ("The river rose - twice - in _one_ night.", 7),
        ("* * *\n\n# Survey | **2025** |", 2),
        ("see [the *map*](https://example.org/a_b?c=d) now", 4),
        ("a\x1cb\tc\x0bd", 4),
        ("“Reeds” — along the wall’s edge…", 5),
        ("naïve café", 2),
        ("ten\u00a0boats\u2003moored", 3),
        ("川に舟 two", 4),
        ("e\u0301 \u0301 \ud800 ½", 2),
        ("".join(map(chr, range(0x2190, 0x21B0))) + " arrows → here", 2),
    ],
)
def test_only_what_has_a_letter_or_digit_is_a_word(markdown, words):
    assert count_words(markdown) == words
