"""The sentence, of several, that is most relevant to a claim."""

import pytest

from assay.evaluation.claim_sentences import find_relevant_sentence


@pytest.mark.parametrize(
    ("claim", "texts", "found"),
    [
        (
            "Vaccines cause autism in children",
            ["Cats are nice. Studies show that vaccination does not cause autism. Buy now."],
            "Studies show that vaccination does not cause autism.",
        ),
        (
            "Otters hold hands",
            ["It is fine today.", "An otter holding hands with us."],
            "An otter holding hands with us.",
        ),
        (
            "Inflation was 3.5% in 2024",
            ["Inflation was high.", "In 2024 it was 3.5 percent."],
            "In 2024 it was 3.5 percent.",
        ),
        ("Otters hold hands while sleeping", ["Hands are washed before dinner is served."], ""),
        ("Otters hold hands", ["", "  ", "Nothing to see here."], ""),
        ("the of and", ["The cat of the house and the dog."], ""),
    ],
)
def test_the_sentence_that_shares_most_is_found_or_none(claim, texts, found):
    assert find_relevant_sentence(claim, texts) == found
