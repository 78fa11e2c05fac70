"""Reports quote: whatever the words are, a reader of markdown sees the words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from assay.sessions.research import Research
from assay.sessions.session_report import build_document, escape_line, render_markdown
from assay.sessions.session_sources import MAX_SOURCES
from assay.text.sanitize import sanitise

READ = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SIGNS = st.text(alphabet=st.sampled_from("ab1 .)\\`*_{}[]()<>#+-=|~!$&;:/\"'\n\t@?^%ö"), max_size=30)


def words(text):
    return " ".join(sanitise(text).split())


@settings(max_examples=400, deadline=None)
@given(SIGNS | st.text(max_size=30), st.sampled_from(["{}", "- {}", "# {}", "1. [{}](https://a.example/)", "x {} y"]))
def test_text_is_shown_letter_for_letter(text, around):
    shown = html.fromstring("<div>" + READ.render(around.format(escape_line(text))) + "</div>")
    expected = words({"{}": "{}", "x {} y": "x {} y"}.get(around, "{}").format(words(text)))
    assert words(shown.text_content()) == expected
    tags = [element.tag for element in shown.iter()]
    plain = html.fromstring("<div>" + READ.render(around.format("word" if words(text) else "")) + "</div>")
    assert tags == [element.tag for element in plain.iter()]


def research(**more):
    step = {"stepNumber": 1, "description": "Look", "timestamp": "2026-01-01T00:00:00Z"}
    return Research("id", "Otters", 0.0, [step], **more)


def test_a_session_that_met_more_than_it_keeps_says_so():
    sources = [{"url": f"https://river.example/{number}"} for number in range(MAX_SOURCES)]
    report = render_markdown(research(sources=sources), sources, exported="now", tenant="t")
    assert f"A session keeps {MAX_SOURCES} sources; the others were not recorded." in report
    few = sources[:10]
    assert "were not recorded" not in render_markdown(research(sources=few), few, exported="now", tenant="t")


@pytest.mark.parametrize("outcome", ["live", "dead", "soft_404", "blocked", "redirected_to_root", "unreachable"])
def test_every_outcome_of_a_link_has_its_words(outcome):
    source = {"url": "https://a.example/", "linkOutcome": outcome, "httpStatus": 200}
    [line] = [
        line for line in render_markdown(research(), [source], exported="", tenant="").splitlines() if line[:2] == "1."
    ]
    assert line.endswith("(HTTP 200)")
    assert ("dead" in line) == (outcome == "dead")


def test_an_object_keeps_what_the_session_holds():
    full = build_document(research(summary="S", estimate=7, completed=60.0), [{"url": "u", "title": "<b>"}])
    assert full["summary"] == "S"
    assert full["totalStepsEstimate"] == 7
    assert full["completedAt"] == "1970-01-01T00:01:00Z"
    assert full["sources"] == [{"title": "<b>", "url": "u"}]
