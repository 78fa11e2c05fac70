from functools import partial

import pytest
from tests.support.processor_time import assert_quick

from assay.evaluation import claim_sentences
from assay.evaluation.claim_evidence import find_key_sentences, has_negation, measure_support, remove_references

REPORT = """Tea growers met in Kandy last week. The weather was dull.

A trial with 4,200 adults found that daily green tea lowered blood pressure by 3 percent. Its authors work in Colombo.

The price of packaging rose again."""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("vaccines", "vaccine"),
        ("lowered", "lowers"),
        ("organisation", "organization"),
        ("colour", "color"),
        ("realise", "realize"),
        ("studies", "studied"),
        ("Tea's", "tea"),
        ("running", "run"),
        ("effects", "effective"),
        ("vaccinated", "vaccines"),
        ("behavioural", "behaviour"),
    ],
)
def test_endings_and_spellings_of_a_word_meet(one, other):
    assert claim_sentences.extract_terms(one) == claim_sentences.extract_terms(other) != set()


@pytest.mark.parametrize(("one", "other"), [("police", "policies"), ("news", "new"), ("stud", "studies")])
def test_words_that_only_look_alike_do_not_meet(one, other):
    assert claim_sentences.extract_terms(one) != claim_sentences.extract_terms(other)


def test_words_that_stand_anywhere_bear_on_nothing():
    assert claim_sentences.extract_terms("the and with für aber nicht dans avec para como") == set()
    assert claim_sentences.extract_terms("4,200 adults") == {"4200", *claim_sentences.extract_terms("adults")}


def test_a_claim_that_is_met_in_one_place_is_addressed():
    result = measure_support("Green tea lowers blood pressure", REPORT)
    assert (result.coverage, result.share, result.contrast) == ("addressed", 1.0, False)
    assert (
        "A trial with 4,200 adults found that daily green tea lowered blood pressure by 3 percent." in result.sentences
    )


def test_a_claim_that_is_nowhere_met_is_not_addressed():
    result = measure_support("Volcanoes cause earthquakes in Iceland", REPORT)
    assert (result.coverage, result.share, result.sentences) == ("not_addressed", 0.0, [])


def test_a_claim_that_is_met_in_part_is_reported_as_such():
    assert (
        measure_support("Green tea cures diabetes, cancer and arthritis quickly", REPORT).coverage
        == "partially_addressed"
    )


def test_a_claim_without_words_of_meaning_is_met_in_part_by_anything():
    assert measure_support("it is so", REPORT).coverage == "partially_addressed"


def test_words_scattered_over_a_long_text_say_nothing_together():
    filler = "Nothing of note happened on that quiet afternoon. " * 10
    scattered = f"Green fields lay there. {filler} Tea was sold. {filler} Blood was given. {filler} Pressure was felt."
    assert measure_support("Green tea lowers blood pressure", scattered).coverage == "partially_addressed"
    assert measure_support(
        "Green tea lowers blood pressure", "Green fields. Tea was sold there. Blood pressure fell."
    ).coverage == ("addressed")


def test_a_source_that_denies_the_claim_is_marked_to_be_read():
    denied = "The trial found no significant effect of green tea on blood pressure."
    assert measure_support("Green tea lowers blood pressure", denied).contrast is True


def test_a_denial_of_something_else_is_not_of_the_claim():
    text = "Green tea lowered blood pressure in the trial. The tea house did not open on Monday."
    assert measure_support("Green tea lowers blood pressure", text).contrast is False


@pytest.mark.parametrize(
    "sentence", ["It didn’t work.", "Das stimmt nicht.", "Ce n'est aucunement vrai.", "这不是真的。"]
)
def test_denials_are_known_in_several_languages(sentence):
    assert has_negation([sentence])


def test_a_turn_of_thought_is_not_a_denial():
    assert not has_negation(["However, the effect was larger in women, although whereas yet but."])


def test_key_sentences_keep_their_order_and_prefer_numbers_and_findings():
    text = "Tea is green. The study found that 30 percent drink tea. Tea is nice to have. Cats sleep all day long."
    assert find_key_sentences("30 percent drink green tea", text, 2) == [
        "Tea is green.",
        "The study found that 30 percent drink tea.",
    ]


def test_what_others_wrote_is_not_looked_at():
    text = "Our garden is described here at length, with all its roses. " * 5
    cited = "\n## References\n\n1. Lee. Green tea lowers blood pressure. 2020.\n"
    assert measure_support("Green tea lowers blood pressure", text + cited).coverage == "not_addressed"


def test_a_numbered_list_with_years_at_the_end_is_one_of_references():
    body = "A long text about roses in the garden of my aunt. " * 20
    listed = "\n".join(f"{number}. Author {number}. A title of some work. {2000 + number}." for number in range(1, 8))
    assert remove_references(f"{body}\n\n{listed}").strip() == body.strip()
    steps = "\n".join(f"{number}. Stir the tea for some more minutes." for number in range(1, 8))
    assert steps in remove_references(f"{body}\n\n{steps}")


def test_sentences_keep_their_closing_marks_and_go_on_behind_an_ellipsis():
    said = "He said: “It is the stone, not the shell, that matters.” (She did not.) “The stone … matters most to them.”"
    assert list(claim_sentences.split_sentences(said)) == [
        "He said: “It is the stone, not the shell, that matters.”", "(She did not.)", "“The stone … matters most to them.”"
    ]  # fmt: skip
    cut = "They went to the river ... and did not return… The next day they came back."
    assert len(list(claim_sentences.split_sentences(cut))) == 2


def test_chinese_is_split_at_its_own_marks_and_matched_by_pairs():
    text = "今天的天气非常好。绿茶可以降低血压！我们去公园散步好吗？"
    assert list(claim_sentences.split_sentences(text)) == ["今天的天气非常好", "绿茶可以降低血压", "我们去公园散步好吗"]
    result = measure_support("绿茶降低血压", text)
    assert result.coverage == "addressed"
    assert result.sentences[0] == "绿茶可以降低血压"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Grüner Tee senkt den Blutdruck", "Die Studie zeigt: Grüner Tee senkt bei Frauen den Blutdruck."),
        ("Le thé vert réduit la tension", "L’étude montre que le thé vert réduit la tension artérielle."),
        ("Зелёный чай снижает давление", "Исследование показало: зелёный чай снижает давление."),
    ],
)
def test_other_languages_are_met_word_by_word(claim, text):
    assert measure_support(claim, text).coverage == "addressed"


def test_an_empty_source_addresses_nothing():
    assert measure_support("Green tea lowers blood pressure", "").coverage == "not_addressed"


def test_hostile_text_costs_little_time():
    for nasty in (" " * 200_000, "1. a line of some length without years\n" * 20_000, "ne " * 100_000, "." * 200_000):
        assert_quick(partial(measure_support, "Green tea lowers blood pressure", nasty), 3)


HEADED = (
    "# Removal of the old weir\n\n"
    + "The old weir was removed in autumn. " * 3
    + "\n\nHerons fish there. The weir was old."
)


def test_what_bears_on_a_claim_is_shown_once_and_is_not_a_heading():
    shown = find_key_sentences("The old weir was removed", HEADED)
    assert shown == ["The old weir was removed in autumn.", "The weir was old."]


def test_a_text_of_headings_has_nothing_to_show():
    assert find_key_sentences("The old weir was removed", "# Removal of the old weir\n\n## The weir") == []
