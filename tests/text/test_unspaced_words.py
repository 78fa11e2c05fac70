"""Words are counted alike in scripts with and without spaces between them."""

import pytest

from assay.text.unspaced_words import WORD_OR_LETTER, count_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("Three herons stood – silent.", 5),
        ("Naïve café", 2),
        ("三只苍鹭站在浅水里，等着鱼儿游近。", 9),
        ("2026年3月，三只苍鹭回到Marsh湿地。", 9),
        ("サギが三羽、浅瀬に立っていた。", 6),
        ("นกกระสายืนอยู่ในน้ำตื้น", 5),
        ("백로 세 마리가 얕은 물에 서 있었다.", 7),
        ("Три цапли стояли у воды.", 5),
        ("鹭", 1),
        ("。", 1),
    ],
)
def test_letters_that_form_words_without_spaces_count_as_about_as_many_words_as_in_english(text, words):
    assert count_words(text) == words


def test_a_long_word_of_another_script_is_one_word():
    assert count_words("Donaudampfschifffahrtsgesellschaftskapitän") == 1
    assert count_words("μεταπτυχιακός προγραμματισμός") == 2


def test_letters_of_such_scripts_are_compared_one_by_one():
    assert WORD_OR_LETTER.findall("Marsh湿地 café 2026年") == ["Marsh", "湿", "地", "café", "2026", "年"]
