import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.truncate import MARKER, cut, estimate_tokens, size_category

FAMILY = "👩‍👩‍👧"


def body(text):
    return text.removesuffix(MARKER)


def test_what_fits_is_left_alone():
    assert cut("short", 5) == ("short", False, 5)


def test_the_end_is_marked():
    assert cut("word " * 100, 60).text.endswith("\n\n[content truncated]")


def test_it_prefers_the_end_of_a_paragraph():
    text = "First thing here.\n\nSecond thing. More of it, on and on."
    assert body(cut(text, 30).text) == "First thing here."


def test_a_border_before_the_half_is_too_dear():
    text = "One.\n\n" + "A much longer second paragraph. It has sentences that go on and on without an end."
    assert body(cut(text, 60).text) == "One.\n\nA much longer second paragraph."


def test_then_a_sentence_then_a_line_then_a_word():
    assert body(cut("Aaaa bbbb cccc. Dddd eeee ffff gggg", 24).text) == "Aaaa bbbb cccc."
    assert body(cut("aaaa bbbb cccc\ndddd eeee ffff", 20).text) == "aaaa bbbb cccc"
    assert body(cut("aaaa bbbb cccc dddd", 12).text) == "aaaa bbbb"


def test_a_chinese_sentence_ends_at_its_own_full_stop():
    assert body(cut("今天天气很好。我们去公园散步然后回家吃饭睡觉。", 33).text) == "今天天气很好。"


def test_the_limit_counts_bytes():
    assert len(body(cut("é" * 100, 51).text).encode()) == 50


@pytest.mark.parametrize("joined", ["e\u0301", FAMILY, "🇳🇴", "👍🏽", "ก็"])
def test_what_is_read_as_one_character_is_not_parted(joined):
    size = len(joined.encode())
    for limit in range(size, size * 4):
        assert body(cut(joined * 5, limit).text) == joined * (limit // size)


def test_an_open_code_fence_is_closed():
    text = "Intro text.\n\n```python\n" + "print('line')\n" * 20 + "```\n"
    stored = body(cut(text, 120).text)
    assert stored.count("```") == 2
    assert stored.endswith("\n```")
    assert len(stored.encode()) <= 120


def test_a_table_ends_with_a_whole_row():
    text = "| a | b |\n| - | - |\n" + "| one. two | three |\n" * 10
    assert all(row.endswith("|") for row in body(cut(text, 75).text).splitlines())


@given(st.text(max_size=300), st.integers(0, 200))
def test_it_is_a_prefix_within_the_limit_and_good_text(text, limit):
    stored, truncated, size = cut(text, limit)
    assert size <= len(text.encode())
    text.encode()[size:].decode()  # the rest begins with a complete character
    if not truncated:
        assert stored == text
        return
    stored = stored.removesuffix(MARKER)
    assert len(stored.encode()) <= limit
    assert text.startswith(stored) or stored.endswith(("```", "~~~"))


@pytest.mark.parametrize(
    ("size", "category"),
    [(0, "small"), (4_999, "small"), (5_000, "medium"), (19_999, "medium"), (20_000, "large"), (50_000, "very_large")],
)
def test_sizes(size, category):
    assert size_category("x" * size) == category
    assert estimate_tokens("x" * size) == size // 4
