"""Bold lines are headings of a page that has no others, if all of them look like titles of sections."""

import pytest
from tests.html.reader.test_main_content import URL

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

TEXT = "Herons stand in shallow water for hours before they strike at a fish."
TITLES = ("PART I", "Item 1. Where herons live", "Item 2. What they eat", "Do they sleep?")


def read(markup):
    return read_main_content(parse_html(f"<body><main>{markup}</main></body>"), URL).markdown


def sections(*titles, text=TEXT):
    return "".join(f"<p><b>{title}</b></p><p>{text} {place}</p>" for place, title in enumerate(titles))


def test_bold_lines_above_texts_are_headings():
    first, *others = TITLES
    shown = read(f"<h1>Herons</h1><p>{TEXT}</p><p><b>{first}</b></p>{sections(*others)}")
    assert [line for line in shown.split("\n") if line.startswith("#")] == [
        "# Herons",
        *(f"## {title}" for title in TITLES),
    ]
    assert "**" not in shown


def test_a_bold_line_of_a_span_is_a_heading():
    markup = "".join(
        f"<div><span style='font-weight:700'>{title}</span></div><div>{TEXT}</div>" for title in TITLES[1:]
    )
    assert read(markup).startswith(f"## {TITLES[1]}\n\n{TEXT}\n\n## {TITLES[2]}")


UNCHANGED = {
    "a page with a heading": f"<h2>Herons</h2>{sections(*TITLES)}",
    "a heading by its role": f"<div role=heading>Herons</div>{sections(*TITLES)}",
    "two lines": sections(*TITLES[:2]),
    "stressed sentences": sections(*(f"{title} is so." for title in TITLES)),
    "some stressed sentences": sections(*TITLES[:3], "They never do.", "They are shy."),
    "labels": sections("Food:", "Water:", "Sleep:"),
    "numbers": sections("1", "2", "3"),
    "the same line again": sections("New in the shop", "New in the shop", "New in the shop"),
    "lines among each other": "".join(f"<p><b>{title}</b></p>" for title in TITLES),
    "links": sections(*(f"<a href=/{title}>{title}</a>" for title in TITLES)),
    "a part of the line": "".join(f"<p><b>{title}</b> {TEXT}</p>" for title in TITLES),
}


@pytest.mark.parametrize("markup", UNCHANGED.values(), ids=UNCHANGED)
def test_other_bold_lines_stay_bold(markup):
    shown = read(markup)
    assert not any(line.startswith("#") for line in shown.replace("## Herons", "").split("\n"))
    assert "**" in shown
