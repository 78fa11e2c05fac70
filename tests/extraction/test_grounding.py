"""Whether a page says something, and in which words."""

import pytest

from assay.language_models.grounding import QuoteFinder

PAGE = """# Otter Lamp

The **Otter Lamp** costs CHF 1'299.– and weighs 2,5 kg. It lost -3.5 points last year.

| Year | Flow |
| --- | --- |
| 2019 | 12 |

It was first shown on 4th March 2025 in [Bern](https://shop.example/bern), and on 12.11.2024 elsewhere. The makers say
that every lamp is turned by hand from the oak of old river boats, oiled twice, and left to dry for one whole winter.
売り切れです。"""


@pytest.fixture
def witness():
    return QuoteFinder(PAGE)


@pytest.mark.parametrize(
    "value",
    [
        "Otter Lamp",
        "otter lamp",
        "OTTER  LAMP",
        1299,
        2.5,
        -3.5,
        12,
        2019,
        "2024-11-12",
        "2024-11-12T00:00:00Z",
        "https://shop.example/bern",
        "Bern",
        "turned by hand",
        "売り切れ",
        "Each lamp is turned by hand from oak taken from old river boats, then oiled twice and dried for a whole winter.",
    ],
)
def test_what_the_page_says_is_found(witness, value):
    result = witness.find_value(value)
    assert result
    assert all(part in " ".join(PAGE.split()) for part in result.split(" … "))


@pytest.mark.parametrize(
    "value",
    [
        "Badger",
        "amp",
        "tter Lamp",
        1300,
        99,
        "2025-03-05",
        "2025-13-45",
        "",
        " ",
        "**",
        None,
        True,
        "A lamp of brass that was welded by robots in a large factory far away from any water, and painted in green.",
        "x" * 200,
    ],
)
def test_what_the_page_does_not_say_is_not_found(witness, value):
    assert witness.find_value(value) is None


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("the otter lamp COSTS", "The **Otter Lamp** costs"),
        ("“turned by hand … oiled twice”", "turned by hand … oiled twice"),
        ("turned by hand ... made of brass", None),
        ("made of brass", None),
        ("...", None),
        ("", None),
        (None, None),
        (5, None),
        (["costs"], None),
    ],
)
def test_a_quote_is_the_pages_own_words_or_none(witness, quote, found):
    assert witness.find_quote(quote) == found


LINKED = "| Two [otters](https://rivers.example/a) lay<br>on a [bank](https://rivers.example/b). |"


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("two otters lay on a bank", "Two [otters](https://rivers.example/a) lay<br>on a [bank"),
        ("two [otters](https://rivers.example/a) lay", "Two [otters](https://rivers.example/a) lay"),
        ("two otters swam", None),
    ],
)
def test_a_quote_may_leave_out_the_targets_of_links(quote, found):
    assert QuoteFinder(LINKED).find_quote(quote) == found


def test_the_target_of_a_link_is_found():
    assert "(https://rivers.example/b)" in (QuoteFinder(LINKED).find_value("https://rivers.example/b") or "")


def test_a_snippet_holds_whole_words_of_one_line():
    words = " ".join(f"word{n}" for n in range(100))
    results = QuoteFinder(f"before\n{words}\nafter").find_value("word50")
    assert results.startswith("word")
    assert results.split()[0] in words.split()
    assert results.split()[-1] in words.split()
    assert "before" not in results
    assert len(results) <= 300


def test_a_long_quote_is_cut():
    assert len(QuoteFinder("otter " * 500).find_quote("otter " * 400)) <= 300
