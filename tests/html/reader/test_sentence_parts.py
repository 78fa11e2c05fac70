"""Custom elements and buttons within a sentence: they are parts of it, and others are texts of their own."""

import pytest
from tests.html.reader.test_main_content import URL

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

WITHIN = {
    "custom element": ("A <x-source><a>large <b>study</b></a></x-source>, of herons", "A large **study**, of herons"),
    "custom element with a text": ("Herons (<x-term>Ardea</x-term>) hunt at dawn.", "Herons (Ardea) hunt at dawn."),
    "button": ("The <button><span>keel</span></button>, a bone.", "The keel, a bone."),
    "button beside a word": (
        "says our guide<button><b>Ann</b>,</button> who saw it.",
        "says our guide **Ann**, who saw it.",
    ),
}
APART = {
    "button behind a text": "<p>Herons hunt at dawn. <button>Copy</button></p>",
    "button among boxes": "<div>$12 <button>Copy</button> as new</div>",
    "custom element with a paragraph": "<div>Herons hunt <x-box><p>Copy</p></x-box> at dawn.</div>",
    "custom element between boxes": "<div><i>Herons</i> <x-box><b>Copy</b></x-box> <i>Otters</i></div>",
}


def read(markup):
    return read_main_content(parse_html(f"<body>{markup}</body>"), URL).markdown


@pytest.mark.parametrize(("inner", "shown"), WITHIN.values(), ids=WITHIN)
def test_an_element_within_a_sentence_is_a_part_of_it(inner, shown):
    assert read(f"<p>{inner}</p>") == shown


@pytest.mark.parametrize("markup", APART.values(), ids=APART)
def test_another_element_has_a_text_of_its_own(markup):
    lines = read(markup).replace("*", "").split("\n")
    assert len(lines) > 1 or lines == ["Herons hunt at dawn."]
    assert all(line == "Copy" for line in lines if "Copy" in line)


def test_an_element_of_code_begins_no_sentence():
    assert read("<pre>a <x-y><b>b</b></x-y> c</pre>") == "```\na\nb\n c\n```"
