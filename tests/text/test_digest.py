"""Shortened texts for limited space."""

import pytest

from assay.text.digest import Item, build_digest, shorten

LONG = "# On otters\n\n" + "Otters hold hands while they sleep. " * 200


def test_what_fits_stays_whole():
    assert shorten("Otters.", 7) == "Otters."
    assert build_digest(["Two"], [Item("- a", "One."), Item("- b")], ["End"]) == "Two\n- a\n   One.\n- b\nEnd"


@pytest.mark.parametrize("limit", [200, 1_000, 4_000])
def test_every_item_is_named_and_begins_with_its_text(limit):
    items = [Item(f"- page {number}", LONG) for number in range(3)]
    output = build_digest(["Head"], items, ["Tail"], limit)
    assert len(output.encode()) <= limit
    assert all(f"- page {number}" in output for number in range(3))
    assert output.endswith("Tail")
    assert "# On otters" not in output
    assert output.count("   Otters hold hands") == (0 if limit == 200 else 3)


def test_more_items_than_there_is_room_for_are_cut():
    output = build_digest([], [Item(f"- page {number}", LONG) for number in range(900)], limit=500)
    assert len(output.encode()) <= 500
    assert output.endswith(" …")


def test_letters_are_not_cut_in_half():
    for limit in range(60, 80):
        assert len(shorten("川は丘から海まで土を運ぶ。" * 9, limit).encode()) <= limit
