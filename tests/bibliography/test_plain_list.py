"""Lists of printed references and DOIs, numbered or not, over one line or several."""

import pytest

from assay.bibliography.notation import parse_bibliography
from assay.errors import InvalidInput

ONE = "Nakamori, H., & Moreau-Tissot, I. (2003). Seasonal movement of honey bees. Annals of Slow Science, 12(3), 4-19."
OTHER = "Vasterling, L. (2011). Kilns of the north. London: River Press."
TITLES = ["Seasonal movement of honey bees", "Kilns of the north"]


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}\n{OTHER}",
        f"References\n\n{ONE}\n\n{OTHER}\n",
        f"## Bibliography\n[1] {ONE}\n[2] {OTHER}",
        f"[1] {ONE}\n[2] {OTHER}",
        f"1. {ONE.replace('. Annals', '.' + chr(10) + '   Annals')}\n2. {OTHER}",
        f"- {ONE}\n- {OTHER}",
        f"{ONE.replace('. Annals', '.' + chr(10) + 'Annals')}\n\n{OTHER}",
    ],
)
def test_a_list_is_cut_into_its_references(text):
    parsed = parse_bibliography(text)
    assert parsed.format == "text"
    assert [work.title for work in parsed.entries] == TITLES
    assert parsed.total == 2


def test_a_list_of_dois_is_read():
    parsed = parse_bibliography("10.71234/a\nhttps://doi.org/10.71234/b\n\ndoi:10.71234/c")
    assert [work.doi for work in parsed.entries] == ["10.71234/a", "10.71234/b", "10.71234/c"]


def test_a_text_that_is_no_list_of_references_is_refused():
    with pytest.raises(InvalidInput) as caught:
        parse_bibliography("Otters keep their stones warm.\nNobody knows how.")
    assert caught.value.field == "bibliography"


def test_only_the_asked_number_is_parsed_and_all_are_counted():
    parsed = parse_bibliography("\n".join([ONE] * 500), limit=3)
    assert (len(parsed.entries), parsed.total) == (3, 500)
