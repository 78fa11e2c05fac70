"""Which pages hold brand guidelines, and what they state."""

from functools import partial

import pytest
from tests.support.processor_time import assert_quick

from assay.brand import portal

GUIDELINES = """# Acme brand guidelines

Our brand is bold.

## Primary colors

### Rocket Red
HEX #E4002B
RGB 228 0 43

| Name | Hex | RGB |
| --- | --- | --- |
| Desert Sand | #EDC9AF | 237, 201, 175 |

## Secondary

Sky: #87CEEB
Text: `#111111`

## Typography

Headline font: Acme Display
- **Body**: Inter
Our mono typeface is Fira Code.

## Tone of voice

We speak plainly, as a neighbour would.

- **Bold**: we say what we mean.
- Warm
- Never so long an attribute as this one here

### Do

- Say what it does
- Be brief

### Don't

- Shout

## Legal

- Ask us first
"""


def test_colours_have_names_and_uses():
    colors = portal.parse_guidelines(GUIDELINES).colors
    assert [(one.hex, one.name, one.role) for one in colors.palette] == [
        ("#e4002b", "Rocket Red", "primary"),
        ("#edc9af", "Desert Sand", "primary"),
        ("#87ceeb", "Sky", "secondary"),
        ("#111111", "Text", "text"),
    ]
    assert (colors.primary, colors.secondary, colors.text, colors.accent) == ("#e4002b", "#87ceeb", "#111111", None)


def test_typefaces_are_read_where_they_are_named():
    faces = portal.parse_guidelines(GUIDELINES).typography
    assert (faces.heading.family, faces.body.family, faces.mono.family) == ("Acme Display", "Inter", "Fira Code")


def test_the_voice_is_its_section_and_no_more():
    tone = portal.parse_guidelines(GUIDELINES).tone_of_voice
    assert tone.summary == "We speak plainly, as a neighbour would."
    assert tone.attributes == ["Bold", "Warm"]
    assert tone.dos_and_donts.dos == ["Say what it does", "Be brief"]
    assert tone.dos_and_donts.donts == ["Shout"]


@pytest.mark.parametrize(
    "text",
    [
        "Issue #123 and #4567 are closed; see page#abcdef and https://x.example/#fff000.",
        "We love colour and type. The font is nice.",
        "# Voice over IP\n\nCall us.",
        "",
    ],
)
def test_nothing_is_read_into_what_states_nothing(text):
    assert portal.parse_guidelines(text).wire() == portal.parse_guidelines("").wire()


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Press kit", "Everything for journalists."),
        ("Acme", "# Our design system\n\nHow we build."),
        ("Acme", "Download our logo, our fonts and colors here."),
        ("Media Center - Acme", "Find pictures."),
    ],
)
def test_a_page_on_a_brands_use_is_a_portal(title, text):
    assert portal.is_portal(title, text)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Page not found", "Try our brand guidelines or press kit."),
        ("404 | Acme", "brand kit, logo, colors, fonts, press"),
        ("Acme", "# Log in\n\nSign in to see the brand kit"),
        ("Sign in to Acme Brand Center", "brand kit"),
        ("Acme", "Sorry, this page can't be found. Style guide."),
        ("Acme design studio", "We design houses and gardens for people who like to live in them."),
        ("Press", "The press of a button starts it."),
        ("", ""),
    ],
)
def test_a_refusal_and_a_page_on_something_else_are_none(title, text):
    assert not portal.is_portal(title, text)


def test_a_long_portal_may_speak_of_logging_in():
    assert portal.is_portal("Brand guidelines", "Sign in to download more. " + "Our logo is bold. " * 40)


def test_a_portal_of_few_words_is_blocked():
    assert portal.is_blocked("word " * 149)
    assert not portal.is_blocked("word " * 150)


def test_hostile_text_is_read_in_reasonable_time():
    for text in (
        "#" * 200_000,
        "- " * 100_000,
        "# " + "a " * 100_000,
        "#aaaaaa " * 30_000,
        "Body: " * 30_000,
        "-" * 200_000,
    ):
        assert_quick(partial(portal.parse_guidelines, text), 2)
        assert_quick(partial(portal.is_portal, "x", text), 2)
