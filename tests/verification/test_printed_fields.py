"""Printed references are compared with records: what the parser divided wrongly is no error of the reference."""

import pytest

from assay.models.work_record import WorkRecord
from assay.verification.printed_fields import compare_printed_fields, read_fields

RECORD = WorkRecord(
    "crossref",
    ("Le saline costiere di Roccaquieta nel Quattrocento",),
    ("Della Palude, Niccolò", "van der Weir, Bruno"),
    venues=("Rivista di studi quieti",),
    years=frozenset({2006}),
    volume="23",
    pages=("448-455",),
)
SOUND = [
    "Della Palude, Niccolò, e Bruno van der Weir. 2006. «Le saline costiere di Roccaquieta nel Quattrocento». Rivista di studi quieti 23 (9): 448–55.",
    "DELLA PALUDE, Niccolò, VAN DER WEIR, Bruno, 2006. Le saline costiere di Roccaquieta nel Quattrocento. Rivista di studi quieti. Vol. 23, no. 9, p. 448–455.",
    "Della Palude N, van der Weir B. Le saline costiere di Roccaquieta nel Quattrocento. Rivista di studi quieti. 2006;23(9):448-55.",
]  # fmt: skip


def find_mismatches(text, record=RECORD):
    return [each.field for each in compare_printed_fields(text, read_fields(text), [record]).mismatches]


@pytest.mark.parametrize("text", SOUND)
def test_a_reference_as_recorded_has_no_mismatch(text):
    assert find_mismatches(text) == []


@pytest.mark.parametrize("text", SOUND)
def test_a_further_author_is_a_mismatch(text):
    text = text.replace("Bruno van der Weir", "Bruno van der Weir, e Leontine Crowhurst")
    text = text.replace("VAN DER WEIR, Bruno", "VAN DER WEIR, Bruno, CROWHURST, Leontine")
    assert find_mismatches(text.replace("van der Weir B.", "van der Weir B, Crowhurst L.")) == ["authors"]


def test_a_volume_with_the_number_of_the_recorded_page_does_not_stand_for_it():
    record = WorkRecord("crossref", RECORD.titles, RECORD.authors, pages=("23-39",))
    assert find_mismatches(SOUND[2], record) == ["pages"]


def test_names_without_spaces_are_found_in_an_undivided_list():
    record = WorkRecord("crossref", ("静水町における蜜蜂の増加について",), ("長谷川, 大輔", "渡辺, 健一"))
    assert (
        find_mismatches("長谷川大輔と渡辺健一, 「静水町における蜜蜂の増加について」, 遅い科学誌, 1999.", record) == []
    )
