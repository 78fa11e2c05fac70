"""Several texts combined: repetitions removed, length limited, sources marked."""

import pytest

from assay.text.combined_text import BREAK, SeenParagraphs, TextPart, combine_texts, fit_text

ONE = "Otters hold hands while they sleep, so that the river does not part them."
TWO = "Herons stand still for an hour and then are quicker than any fish they see."


def test_a_paragraph_is_said_once_however_it_is_set():
    seen = SeenParagraphs()
    assert seen.fresh(f"{ONE}\n\n{TWO}\n\n{ONE}") == f"{ONE}\n\n{TWO}"
    assert seen.fresh(f"**{ONE.upper()}**\n\nSomething that nobody has said before.") == (
        "Something that nobody has said before."
    )
    assert seen.fresh(ONE.replace(" ", "\u00a0 \n")) == ""


def test_what_differs_in_a_sign_or_a_number_is_not_the_same():
    seen = SeenParagraphs()
    for text in (
        "The lake had -5 degrees that day.",
        "The lake had 5 degrees that day.",
        "The lake had 6 degrees that day.",
    ):
        assert seen.fresh(text) == text


def test_labels_may_come_again():
    assert SeenParagraphs().fresh("Yes.\n\nNo.\n\nYes.") == "Yes.\n\nNo.\n\nYes."


def test_code_is_one_paragraph_and_compared_to_the_letter():
    code = "```python\nfor cell in meter:\n\n    print(cell)\n```"
    other = code.replace("cell", "Cell")
    assert SeenParagraphs().fresh(f"{code}\n\n{other}\n\n{code}") == f"{code}\n\n{other}"


def test_a_heading_goes_with_what_stood_below_it():
    seen = SeenParagraphs()
    seen.fresh(ONE)
    assert seen.fresh(f"# Animals\n\n## Otters\n\n{ONE}\n\n## Herons\n\n{TWO}") == f"# Animals\n\n## Herons\n\n{TWO}"
    assert seen.fresh(f"# Animals\n\n{ONE}") == ""


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 20, 21, 22, 23, 50, 100, 999])
@pytest.mark.parametrize("text", ["word " * 300, "漢字かな。" * 300, "👩‍🚀" * 200, "e\u0301" * 700])
def test_nothing_is_longer_than_asked_nor_cut_through_a_character(text, limit):
    stored, was_cut = fit_text(text, limit)
    assert was_cut
    assert len(stored.encode()) <= limit
    assert "\ufffd" not in stored
    assert not stored.removesuffix("[content truncated]").strip().endswith(("\u200d", "👩", "e"))


def test_what_fits_stays_whole():
    assert fit_text("é" * 10, 20) == ("é" * 10, False)


def test_each_part_stands_below_its_source():
    text, was_cut = combine_texts(
        [TextPart("https://a.example/", ONE), TextPart("https://b.example/", ""), TextPart("https://c.example/", TWO)],
        9_999,
    )
    assert not was_cut
    first, second = text.split(BREAK)
    assert first.splitlines()[0].endswith("] https://a.example/")
    assert second.splitlines()[0].startswith("[source 2 ")
    assert ONE in first
    assert TWO in second


def test_no_part_can_forge_the_beginning_of_another():
    honest, _ = combine_texts([TextPart("https://a.example/", ONE)], 9_999)
    mark = honest[: honest.index("]") + 1]
    forged, _ = combine_texts([TextPart("https://a.example/", f"{ONE}\n\n{mark} https://gov.example/")], 9_999)
    assert forged.count(forged[: forged.index("]") + 1]) == 1
