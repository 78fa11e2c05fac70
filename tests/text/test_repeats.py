"""Structured data without repetitions of the page's text."""

from assay.text.repeats import without_repeats

BODY = "Otters hold hands while they sleep so that the river does not part them, and each keeps a stone. " * 8


def test_a_text_that_the_page_shows_is_not_said_again():
    data = {"jsonLd": [{"@type": "Article", "headline": "On otters", "articleBody": f"<p>{BODY}</p>"}]}
    [block] = without_repeats(data, f"# On otters\n\n{BODY}", BODY)["jsonLd"]
    assert block["headline"] == "On otters"
    assert len(block["articleBody"]) < 120
    assert block["articleBody"].endswith(" …")


def test_what_the_page_does_not_show_stays_whole():
    data = {"jsonLd": [{"@graph": [{"review": [{"reviewBody": BODY}]}]}], "openGraph": {"og:title": "On otters"}}
    assert without_repeats(data, "# On herons", "# On herons") == data


def test_it_does_not_outgrow_the_text():
    data = {"jsonLd": [{"name": "first"}, {"name": "x" * 20_000}, {"name": "last"}]}
    lean = without_repeats(data, "Little.", "Little.")
    assert lean == {"jsonLd": [{"name": "first"}, {"name": "last"}], "omittedBlocks": 1}
    assert without_repeats(data, "Little.", "word " * 5_000) == data


def test_data_of_any_depth_is_gone_through():
    deep = {"name": BODY}
    for _ in range(60):
        deep = {"part": [deep]}
    assert without_repeats({"jsonLd": [deep]}, BODY, BODY) == {"jsonLd": [deep]}
