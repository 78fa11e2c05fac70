"""Court decisions are told from articles that have "vs." in their titles."""

import pytest
from tests.support.processor_time import assert_quick

from assay.verification.court_decisions import is_case, is_decision, parse_name
from assay.verification.printed_fields import read_fields

NAMES = {
    "Brown v. Board of Education, 347 U.S. 483 (1954)": "Brown v. Board of Education",
    "Marbury v. Madison, 5 U.S. (1 Cranch) 137 (1803).": "Marbury v. Madison",
    "Miranda v. Arizona (1966)": "Miranda v. Arizona",
    "Roe v. Doe (S.D.N.Y. 2019).": "Roe v. Doe",
    "Dole Food Co., Inc. v. Patrickson, 538 U.S. 468": "Dole Food Co., Inc. v. Patrickson",
    "Roe v. Acme, Inc., No. 12-345, 2019 WL 12 (S.D.N.Y. 2019)": "Roe v. Acme, Inc.",
}
ARTICLES = [
    "Brook, A., & Reed, B. (2015). Aspirin vs. placebo in adults. River Letters, 3(1), 45-67.",
    "Brook A, Reed B. Aspirin vs placebo in adults. River Letters. 2015 Jan 12;3:45-67.",
    "Brook A. Aspirin vs Placebo in Adults. River Letters. 2015 Jan 12;3:45-67.",
    "Brook, A. (2019). Man v. Machine: who plays better? River Letters.",
    "Ada Brook, Man v. Machine, 12 Harv. L. Rev. 34 (2015)",
    "Man v. Machine, 12 River Letters 34 (2015). doi:10.1234/man.7",
]


@pytest.mark.parametrize("citation", NAMES)
def test_the_name_of_a_decision_is_that_of_its_parties(citation):
    assert is_decision(citation)
    assert parse_name(citation) == NAMES[citation]


@pytest.mark.parametrize("citation", ARTICLES)
def test_an_article_with_versus_in_its_title_is_no_decision(citation):
    assert not is_decision(citation)
    assert read_fields(citation).venue


def test_a_long_gap_in_a_reference_costs_little_time():
    assert_quick(lambda: (is_case("a" * 120 + " " * 200_000), is_decision("a" * 120 + " " * 200_000 + "b")), 1)
