"""The labelled citations of gold/references.json: a sample of every kind is audited, as users send bibliographies.

`make trust-report` audits all of them.
"""

from collections import Counter

import pytest
import pytest_asyncio
from tests.verification.citation_services import gold
from tests.verification.gold_audit import audit_references, is_found, is_sound

MADE = GOLD = gold("references")  # MADE is what the services know
OF_EACH_KIND = 4
MIN_CITATIONS, MIN_LANGUAGES, MIN_FOUND = 1_000, 6, 0.95


def take_sample():
    taken = Counter()
    for case in GOLD["cases"]:
        taken[case["kind"], case["form"]] += 1
        if taken[case["kind"], case["form"]] <= OF_EACH_KIND:
            yield case


@pytest.fixture
def environ(environ, citation_services):
    return environ | citation_services.environ


@pytest_asyncio.fixture
async def audited(cited_services):
    return await audit_references(cited_services, list(take_sample()))


def test_the_set_is_large_in_many_languages_and_half_of_it_sound():
    cases = GOLD["cases"]
    assert len(cases) >= MIN_CITATIONS
    assert len({case["language"] for case in cases}) >= MIN_LANGUAGES
    assert sum(map(is_sound, cases)) * 2 >= len(cases)


async def test_nothing_sound_is_flagged_nearly_all_errors_are_and_what_is_not_indexed_is_named(audited):
    for case, entry in audited:
        if case["kind"] == "unindexed":
            assert "not indexed here" in entry["reason"], entry
        if is_sound(case):
            assert entry["flags"] == case["flags"], (case, entry)
    planted = [(case, entry) for case, entry in audited if not is_sound(case)]
    assert sum(is_found(case, entry) for case, entry in planted) >= MIN_FOUND * len(planted)
