"""Evidence about a DOI comes in the same order, whichever registry answered first."""

from itertools import permutations

import pytest

from assay.verification.registry_records import Record

EVIDENCE = [
    ("crossref", "Existence, title and integrity notices come from Crossref's record of this DOI."),
    ("openalex", "OpenAlex has a record of this DOI."),
    ("doi.org", "The DOI is registered at doi.org."),
]


@pytest.mark.parametrize("answered", list(permutations(EVIDENCE)))
def test_the_order_does_not_depend_on_who_answered_first(answered):
    record = Record("10.1234/otters", searched=[name for name, _ in answered], notes=[note for _, note in answered])
    record.sort_by_registry()
    assert list(zip(record.searched, record.notes, strict=True)) == EVIDENCE
