"""When two titles are one, and which work a printed reference means."""

from functools import partial

import pytest
from tests.support.processor_time import assert_linear

from assay.models.papers import Paper
from assay.verification import court_decisions, identify, title_matching
from assay.verification.citation_notes import remove_notes
from assay.verification.claim_numbers import parse_numbers
from assay.verification.conflicts_of_interest import find_conflict
from assay.verification.reference_matching import Reference, grade_match
from assay.verification.self_promotion import find_in_page

GREEN = "Effects of green tea on blood pressure in adults"
CELL = "Nanometre-scale thermometry in a living cell"


@pytest.mark.parametrize(
    ("supplied", "title", "match"),
    [
        (GREEN, GREEN, "match"),
        (GREEN.upper(), GREEN, "match"),
        ("Effect of green teas on adult blood pressure", GREEN, "match"),
        (f"{GREEN}: a randomised trial", GREEN, "match"),
        ("Green tea and blood pressure", GREEN, "match"),
        ("Nanometer scale thermometry in living cells", CELL, "match"),
        (f"RETRACTED: {GREEN}", GREEN, "match"),
        (GREEN, f"[RETRACTED ARTICLE] — {GREEN}", "match"),
        (GREEN, f"[Retracted] {GREEN}", "match"),
        (GREEN, f"{GREEN} (Retracted article. See vol. 12, pg. 34, 2010)", "match"),
        ("Über die Größe der Flüsse", "Uber die Grosse der Flusse", "match"),
        ("河川の流れと堰について", "河川の流れと堰について", "match"),
        ("Pi", "Pi", "not_checked"),
        ("Effects of black coffee on blood pressure in mice", GREEN, "mismatch"),
        ("Deep learning for otter health in wetlands", "Deep learning", "mismatch"),
        ("Deep learning: otter health in wetlands", "Deep learning", "match"),
        ("Die Wirkung von grünem Tee auf den Blutdruck", GREEN, "not_checked"),
        ("河川の流れと堰について", GREEN, "not_checked"),
        ("Green energy", GREEN, "not_checked"),  # one strange word accuses nobody
        ("", GREEN, "not_checked"),
    ],
)
def test_titles_are_compared_by_their_words(supplied, title, match):
    assert title_matching.compare_titles(supplied, title) == match


@pytest.mark.parametrize(
    ("reference", "title"),
    [
        (f"Kucsko, G., Maurer, P. C. (2013). {CELL}. Nature, 500, 54-58.", CELL),
        (f"Watson JD, Crick FH. {CELL}. Nature. 1953;171:737-8.", CELL),
        (f'Smith, John. "{CELL}." Journal of X 3.2 (2010): 1-9.', CELL),
        (f"Müller, J. (2013): {CELL}. In: Nature, S. 54. https://doi.org/10.1/x", CELL),
        (CELL, None),
        ("", None),
    ],
)
def test_a_title_is_found_in_a_printed_reference(reference, title):
    assert title_matching.extract_title(reference) == title


def paper(title, *authors, year=2013):
    return Paper(title=title, url="https://x.example/", source="crossref", authors=list(authors) or None, year=year)


@pytest.mark.parametrize(
    ("reference", "work", "confidence"),
    [
        (f"Kucsko, G. (2013). {CELL}. Nature.", paper(CELL, "G. Kucsko"), "high"),
        (f"Kucsko, G. (2013). {CELL}. Nature.", paper(CELL), "high"),
        (CELL, paper(CELL, "G. Kucsko"), "high"),
        (f"{CELL}, Nature 2013", paper(CELL, "G. Kucsko"), "high"),
        (f"Miller, G. (2013). {CELL}. Nature.", paper(CELL, "G. Kucsko"), "medium"),
        ("Kucsko, G. (2013). Nanometre-scale magnetometry in a living cell.", paper(CELL, "G. Kucsko"), "medium"),
        ("Smith J (2021). Deep learning for otter health. J. Wet.", paper("Deep learning", "Y LeCun"), "medium"),
        ("LeCun Y, Bengio Y. Deep learning. Nature 521 (2015)", paper("Deep learning", "Y LeCun"), "high"),
        ("Miller K. Beavers and the price of timber. 2020", paper(CELL, "G. Kucsko"), "none"),
    ],
)
def test_a_reference_means_a_work_where_title_and_names_agree(reference, work, confidence):
    match = grade_match(Reference.of_text(reference), work)
    assert match.confidence == confidence
    assert match.reason


@pytest.mark.parametrize(
    ("citation", "named"),
    [
        ("10.1038/nature12373", ("10.1038/nature12373", None)),
        ("https://doi.org/10.1038/NATURE12373", ("10.1038/nature12373", None)),
        ("https://www.nature.com/articles/10.1038/nature12373/full", ("10.1038/nature12373", "https://www.nature.com/articles/10.1038/nature12373/full")),
        ("http://blog.example/?ref=10.1038/nature12373", (None, "http://blog.example/?ref=10.1038/nature12373")),
        ("Kucsko, 2013. https://blog.example/x", (None, "https://blog.example/x")),
        ("Kucsko, 2013, doi:10.1038/nature12373, https://blog.example/x", ("10.1038/nature12373", "https://blog.example/x")),
        ("10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O", ("10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o", None)),
        ("hep-th/9711200v3", ("10.48550/arxiv.hep-th/9711200", None)),
        ("(math.GT/0309136)", ("10.48550/arxiv.math.gt/0309136", None)),
        ("Smith v. Jones", (None, None)),
    ],
)  # fmt: skip
def test_what_a_citation_names_is_distinguished(citation, named):
    assert identify.find_identifiers(citation) == named


@pytest.mark.parametrize(
    "text",
    [" " * 4_000, "“" * 4_000, "a. " * 1_300, "A v. " * 800, "1," * 2_000, "(2019) " * 500, "at A " * 800, "http://" * 500,
     "Head of a " * 400, "((((" * 1_000, "J. " * 1_300, "RETRACTED " * 400, "not " * 1_000, "éß½²İ" * 800],
)  # fmt: skip
def test_hostile_texts_are_read_like_any_other(text):
    name, address = identify.find_identifiers(text)
    identify.extract_remainder(text, name or "10.1/x", address)
    grade_match(Reference.of_text(text), paper(GREEN))
    assert title_matching.compare_titles(text, GREEN) != "match"
    assert find_conflict(text, "Acme A", "brand") is None
    assert find_in_page("http://brand.example/x", "1. x\n" * 4_000 + text) is None
    court_decisions.is_case(text)
    parse_numbers(text)


SLOW = {
    "a gap in a title": (title_matching.has_retraction_mark, lambda size: "a" + " " * size + "b"),
    "a title that is repeated": (partial(title_matching.contains_title, "Old weir"), lambda size: "Old weir " * size),
    "labels without numbers": (remove_notes, lambda size: "pmid-" * size),
    "a word behind labels": (remove_notes, lambda size: "pmid." * size + "a" * size),
}


@pytest.mark.parametrize("name", SLOW)
def test_the_time_grows_with_the_length(name):
    assert_linear(*SLOW[name])
