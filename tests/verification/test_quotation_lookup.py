"""Quotations in the text of their source: word for word, nearly, or not at all."""

import pytest
from tests.support.processor_time import assert_linear

from assay.documents import read
from assay.html.reader.markdown_escapes import unescape_markdown
from assay.verification.quotation_lookup import SourceText, look_up_quotation

SOURCE = SourceText(
    "The old weir was re-\nmoved in autumn, after eleven years\n\nof measurements. “Salmon”, he said, reached the upper river’s "
    "head in the following spring for the first time since 1911. Well-known otters did not follow; nobody knows why. "
    "Die Lachse kehrten zurück, als das Wehr fort war. 鮭は堰がなくなった後に上流に戻った。"
)
CASES = {
    "line break in a word": ("the old weir was removed in autumn", "exact"),
    "line break between paragraphs": ("after eleven years of measurements", "exact"),
    "first letter in brackets": ("[A]fter eleven years of measurements", "exact"),
    "other quotation marks": ("'Salmon', he said, reached the upper river's head", "exact"),
    "omission": ("The old weir was removed [...] after eleven years", "exact"),
    "omission by a letter": ("The old weir … eleven years of measurements", "exact"),
    "replacement": ("Salmon, [the angler] said, reached the upper river's head", "exact"),
    "changed ending": ("otters did not follow[ed]; nobody knows why", "exact"),
    "sic": ("otters did not [sic] follow", "exact"),
    "hyphen as a dash": ("well‐known otters did not follow", "exact"),
    "soft hyphen": ("well\u00adknown otters did not follow", "exact"),
    "german": ("die Lachse kehrten zurück, als das Wehr fort war", "exact"),
    "without spaces": ("堰がなくなった後に", "exact"),
    "exchanged word": ("the old weir was removed in winter after eleven years", "near"),
    "missing word": ("the old weir was removed in autumn after years of measurements", "near"),
    "added word": ("the very old weir was removed in autumn, after eleven years", "near"),
    "parts in another order": ("the first time since 1911 [...] the old weir was removed in autumn", "near"),
    "other words": ("herons built the town hall with borrowed money", "absent"),
    "half of the words": ("the old weir was praised by mayors and poets of years", "absent"),
    "same words elsewhere": ("the river said nobody knows the weir for the years", "absent"),
    "too short to be near": ("old weirs removed", "absent"),
    "nothing": ("[...]", "absent"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_quotation_is_found_whatever_typesetting_did_to_it(case):
    quotation, match = CASES[case]
    assert look_up_quotation(quotation, SOURCE).match == match


def test_a_near_match_shows_the_passage_and_how_many_words_differ():
    found = look_up_quotation("the old weir was removed in winter after eleven years", SOURCE)
    assert (found.changed, "removed in winter" in found.passage) == (1, False)
    assert found.passage.startswith("The old weir was re- moved in autumn")


QUOTED = "the p_value_ of *all* otters [in C#] was < 0.05** & <b>more</b> &amp; # less"


async def test_a_quotation_with_signs_is_found_in_the_markdown_of_a_document():
    body = b"{\\rtf1\\ansi First.\\par # It says: " + QUOTED.encode() + b", as `known`.\\par}"
    markdown = (await read(body, "rtf", max_bytes=1 << 20)).markdown
    found = look_up_quotation(QUOTED, SourceText(markdown))
    assert "\\*all\\*" in markdown
    assert found.match == "exact"
    assert unescape_markdown(found.passage) == QUOTED
    assert unescape_markdown(markdown) == f"First.\n\n# It says: {QUOTED}, as `known`."


HOSTILE = {
    "one word": ("a " * 400 + "b", lambda n: "a " * n),
    "hyphens": ("a-" * 400 + "b c d e", lambda n: "a-" * n),
    "hyphens and spaces": ("word " * 50, lambda n: "a-" + " " * n),
    "brackets": ("[" * 400 + "a b c d" + "[x]" * 400, lambda n: "[x] " * (n // 4)),
    "dots": (". " * 2_000 + "a b c d", lambda n: ". " * n),
    "nearly everywhere": ("old weir was removed " * 60 + "x", lambda n: "old weir was moved " * (n // 4)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_time_grows_with_the_source_and_no_faster(name):
    quotation, build = HOSTILE[name]

    assert_linear(lambda text: look_up_quotation(quotation, SourceText(text)), build, first=20_000, largest=80_000)
