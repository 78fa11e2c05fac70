"""The labelled claims of gold/claims: what a source says is never called absent, much of what it does not say is."""

import json
from functools import cache, partial
from pathlib import Path

import pytest
from tests.support.processor_time import assert_quick

from assay.verification.claim_coverage import measure_coverage
from assay.verification.claim_numbers import ClaimNumber, numbers_agree, parse_numbers
from assay.verification.language_detection import languages_differ

GOLD = Path(__file__).parent / "gold"
LANGUAGES = ("en", "de", "fr", "es")
PAGES = [
    page
    for tongue in LANGUAGES
    for page in json.loads((GOLD / "claims" / f"{tongue}.json").read_text())
    if not page["paraphrased"]  # test_claim_paraphrases.py measures these
]
PARAPHRASES = json.loads((GOLD / "free_paraphrases.json").read_text())


once = cache(measure_coverage)


def measure_claims(pages):
    """(kind, what was measured, the claim) of each claim about these pages."""
    for page in pages:
        text = "\n\n".join([page["title"], " ".join(page["text"])])
        for claim, kind in page["claims"]:
            yield kind, once(claim, text), f"{page['page']}: {claim}"


def is_pointed_at(found):
    return found.coverage == "not_addressed" or found.contrast


def recall(pages, kinds):
    results = [is_pointed_at(measure_coverage) for kind, measure_coverage, _ in measure_claims(pages) if kind in kinds]
    return sum(results) / len(results)


def test_the_set_is_large_and_in_four_languages():
    count = {
        tongue: sum(len(page["claims"]) for page in PAGES if page["page"].startswith(tongue)) for tongue in LANGUAGES
    }
    assert sum(count.values()) >= 120
    assert min(count.values()) >= 30


@pytest.mark.parametrize("tongue", LANGUAGES)
def test_what_a_source_says_is_neither_called_absent_nor_opposed(tongue):
    pages = [page for page in PAGES if page["page"].startswith(tongue)]
    wrong = [claim for kind, result, claim in measure_claims(pages) if kind == "supported" and is_pointed_at(result)]
    assert wrong == []


def test_a_paraphrase_on_a_page_of_its_field_is_not_called_absent():
    fields = {page["page"].rpartition("-")[0] for page in PARAPHRASES}
    for field in fields:
        pages = [page for page in PARAPHRASES if page["page"].startswith(field)]
        text = "\n\n".join(" ".join(page["text"]) for page in pages)
        wrong = [
            claim for page in pages for claim, _ in page["claims"] if once(claim, text).coverage == "not_addressed"
        ]
        assert wrong == []


@pytest.mark.parametrize(("kind", "least"), [("absent", 0.05), ("opposite", 0.65), ("number", 0.85)])
def test_each_kind_is_found(kind, least):
    assert recall(PAGES, (kind,)) > least


OTTERS = "Otters hunt salmon in the river. They sleep among the reeds and carry stones under the arm."
RIVER = "Otter jagen Lachse im Fluss. Sie schlafen im Schilf und tragen Steine unter dem Arm."
TURKEY = "Inflation in Turkey forced up interest rates"


@pytest.mark.parametrize(
    ("claim", "text", "coverage"),
    [
        (TURKEY, "Otters hunt salmon in the river. They sleep among the reeds.", "not_addressed"),
        (TURKEY, "The lira lost value. Money became dear, and firms could not pay.", "partially_addressed"),
        ("The Treaty of Westphalia ended the Thirty Years' War in 1648", OTTERS, "not_addressed"),
        ("The Treaty Of Westphalia Ended The Thirty Years War", OTTERS, "partially_addressed"),
        ("Der Friede von Osnabrück beendete einen langen Krieg", RIVER, "partially_addressed"),
        ("Der Friede von Osnabrück beendete 1648 den Krieg gegen die NSDAP", RIVER, "not_addressed"),
        ("Sales in Lima doubled", OTTERS, "partially_addressed"),
        ("It stopped them from going there", "Otters hunt salmon in the river.", "partially_addressed"),
        ("通货膨胀迫使土耳其中央银行提高利率", "水獭在河里捕食鲑鱼，夜里睡在芦苇丛中。", "partially_addressed"),
        ("戴眼镜的孩子越来越多", "近视的学龄儿童比例上升。", "partially_addressed"),
        ("Повышение ставок вызвано инфляцией в Турции", "Выдры охотятся на лосося в реке.", "partially_addressed"),
    ],
)
def test_only_a_claim_of_another_field_or_with_other_names_is_called_absent(claim, text, coverage):
    assert measure_coverage(claim, text).coverage == coverage


def test_sentences_that_bear_on_a_claim_are_shown_in_their_order():
    text = "The weir fell in May. Otters came back. Nobody paid. The weir had stood since 1911. Birds sang."
    result = measure_coverage("The weir that had stood since 1911 fell in May", text)
    assert result.coverage == "addressed"
    assert list(result.sentences) == ["The weir fell in May.", "The weir had stood since 1911."]


@pytest.mark.parametrize(("claim", "text"), [("", "A text."), ("it is so", "A text of some length."), ("Otters", "")])
def test_nothing_to_measure_is_not_absence(claim, text):
    result = measure_coverage(claim, text)
    assert (result.coverage, result.contrast) == ("partially_addressed", False)


def test_what_was_not_read_to_its_end_is_not_called_silent():
    text, claim = (
        "The river carries silt from the hills down to the sea. ",
        "Inflation in Turkey forced up interest rates",
    )
    assert measure_coverage(claim, text * 3_000).coverage == "not_addressed"
    assert measure_coverage(claim, text * 30_000).coverage == "partially_addressed"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7,400 people", [ClaimNumber(7_400, unit="people")]),
        ("1.050 Schüler", [ClaimNumber(1_050, unit="schuler")]),
        ("1 260 passages", [ClaimNumber(1_260, unit="passages")]),
        ("2.3 million pounds", [ClaimNumber(2_300_000, unit="pounds")]),
        ("2,3 millones de euros", [ClaimNumber(2_300_000, unit="euros")]),
        ("80 %", [ClaimNumber(80, share=True)]),
        ("zwei Drittel", [ClaimNumber(200 / 3, share=True, rough=True)]),
        ("a quarter", [ClaimNumber(25, share=True, rough=True)]),
        ("more than seven thousand", [ClaimNumber(7_000, bound=True)]),
        ("about 900 words", [ClaimNumber(900, unit="words", rough=True)]),
        ("no numbers", []),
    ],
)
def test_numbers_are_read_however_they_are_written(text, expected):
    results = parse_numbers(text)
    assert [(one.share, one.bound, one.unit, one.rough) for one in results] == [
        (one.share, one.bound, one.unit, one.rough) for one in expected
    ]
    assert [one.value for one in results] == pytest.approx([one.value for one in expected])


@pytest.mark.parametrize(
    ("claimed", "told", "same"),
    [
        ("400", "412", True),
        ("40 %", "39.6 percent", True),
        ("a quarter", "25 percent", True),
        ("almost a third", "31 Prozent", True),
        ("more than 7,000", "7,400", True),
        ("40 %", "14 %", False),
        ("40 %", "40", False),
        ("7,000", "7,400", False),
    ],
)
def test_numbers_agree_as_far_as_rounding_goes(claimed, told, same):
    assert numbers_agree(parse_numbers(claimed)[0], parse_numbers(told)[0]) is same


GERMAN = "Die Wirkung von grünem Tee auf den Blutdruck"


@pytest.mark.parametrize(
    "text",
    [
        "How otters keep their stones for many years",
        "HOW OTTERS KEEP THEIR STONES FOR MANY YEARS",
        "Acoustic monitoring of chalk aquifers beneath the Montreuze viaduct",  # with few function words
        "Les effets du thé sur la tension artérielle",
        "Evolución de los olivares en la comarca",
        "Gevolgen van thee voor de bloeddruk van ouderen",
        "河川の流れと堰の歴史について",
        "Влияние чая на давление",
    ],
)
def test_texts_in_two_languages_differ(text):
    assert languages_differ(text, GERMAN)
    assert languages_differ(GERMAN, text)


@pytest.mark.parametrize(
    "text",
    ["", "Deep learning", "BERT", "COVID-19", "Gletscher in Patagonien kalben schneller als erwartet.", "\ud800" * 40],
)
def test_texts_of_one_language_and_texts_too_short_to_tell_do_not_differ(text):
    assert not languages_differ(text, GERMAN)
    assert not languages_differ(GERMAN, text)


def test_the_language_of_a_long_text_costs_little():
    for text in ("a" * 2_000_000, "a b " * 500_000, "é" * 1_000_000, "\0" * 1_000_000):
        assert_quick(partial(languages_differ, text, GERMAN), 1)


def test_what_is_shown_of_a_source_is_said_once_and_is_not_a_heading():
    text = (
        "# Removal of the old weir\n\n" + "The old weir was removed in autumn. " * 3 + "\n\nHerons fish by the river."
    )
    assert measure_coverage("The old weir was removed in autumn", text).sentences == [
        "The old weir was removed in autumn."
    ]
