"""Video captions as text."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.processor_time import assert_quick

from assay.text.captions import build_paragraphs, format_clock, parse_chapters, parse_cues, select_highlights

ROLLING = """WEBVTT
Kind: captions
Language: en

00:00:00.000 --> 00:00:02.000 align:start position:0%

otters<00:00:00.500><c> hold</c><00:00:01.000><c> hands</c>

00:00:02.000 --> 00:00:02.010 align:start position:0%
otters hold hands


00:00:02.010 --> 00:00:04.000 align:start position:0%
otters hold hands
while<00:00:02.500><c> they</c><00:00:03.000><c> sleep</c>

00:00:04.000 --> 00:00:04.010 align:start position:0%
while they sleep


00:00:04.010 --> 00:00:06.000 align:start position:0%
while they sleep
while<00:00:05.000><c> they</c><00:00:05.500><c> sleep</c>
"""


def text(captions):
    return " ".join(one.text for one in build_paragraphs(parse_cues(captions)))


def test_what_rolls_up_is_reported_once_and_what_is_said_twice_twice():
    assert text(ROLLING) == "otters hold hands while they sleep while they sleep"


def test_a_speaker_is_named_where_another_one_spoke_before():
    said = [("Ada", "Look."), ("Ada", "There."), ("Ben", "Where?"), ("Ada", "Here.")]
    cues = [f"00:0{place}.000 --> 00:0{place + 1}.000\n<v {name}>{line}" for place, (name, line) in enumerate(said)]
    assert text("\n\n".join(["WEBVTT", *cues])) == "Ada: Look. There. Ben: Where? Ada: Here."


def test_people_who_write_a_line_twice_mean_it():
    build_transcript = "WEBVTT\n\n00:01.000 --> 00:02.000\nNo.\n\n00:02.000 --> 00:03.000\nNo.\n"
    assert text(build_transcript) == "No. No."


def test_lines_that_stay_on_the_screen_are_reported_once():
    build_transcript = "WEBVTT\n\n00:01.000 --> 00:04.000\nOne\n\n00:02.000 --> 00:05.000\nOne\nTwo\n"
    assert text(build_transcript) == "One Two"


def test_headings_notes_styles_identifiers_and_marks_are_not_speech():
    build_transcript = (
        "\ufeffWEBVTT - a title\r\nRegion: x\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nNOTE\r\nnot said\r\n\r\n"
        "REGION\r\nid:a\r\n\r\nintro\r\n00:01.000 --> 00:02.000 line:0\r\n"
        "<v.loud Ada Brook>Hello <i>there</i> &amp; you &lt;b&gt;</v>\r\n"
    )
    assert text(build_transcript) == "Ada Brook: Hello there & you <b>"


def test_paragraphs_end_with_a_sentence_after_a_minute_and_without_one_soon_after():
    def build_transcript(mark):
        lines = [
            f"{n // 60:02}:{n % 60:02}.000 --> {n // 60:02}:{n % 60:02}.900\nline {n}{mark}\n" for n in range(0, 180, 4)
        ]
        return build_paragraphs(parse_cues("WEBVTT\n\n" + "\n".join(lines)))

    assert [one.start for one in build_transcript(".")] == [0.0, 60.0, 120.0]
    assert [one.start for one in build_transcript("")] == [0.0, 76.0, 152.0]


def test_chapters_are_what_a_description_lists_in_order_from_the_start():
    listed = "Buy stones!\n0:00 Intro\n(1:02) - The river\n1:00:05 | The sea\nhttps://a.example/ at 9:99"
    assert parse_chapters(listed) == [(0, "Intro"), (62, "The river"), (3605, "The sea")]
    assert parse_chapters("0:00 One\n1:00 Two") == []
    assert parse_chapters("0:10 One\n1:00 Two\n2:00 Three") == []
    assert parse_chapters("0:00 One\n2:00 Two\n1:00 Three") == []


def test_a_chapter_begins_a_paragraph():
    build_transcript = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\none\n\n00:05.000 --> 00:06.000\ntwo\n\n00:07.000 --> 00:08.000\nthree\n"
    )
    parted = build_paragraphs(parse_cues(build_transcript), parse_chapters("0:00 A\n0:04 B\n0:30 C"))
    assert [(one.start, one.text) for one in parted] == [(1.0, "one"), (5.0, "two three")]


def test_json3_is_read_too():
    events = [
        {"tStartMs": 0, "segs": [{"utf8": "otters"}, {"utf8": " hold"}]},
        {"tStartMs": 10, "aAppend": 1, "segs": [{"utf8": "\n"}]},
        {"tStartMs": 2000, "dDurationMs": 10, "segs": [{"utf8": "a < b"}, None, {"utf8": 3}]},
        {"tStartMs": "x", "segs": [{"utf8": "lost"}]},
        None,
    ]
    assert text(json.dumps({"events": events})) == "otters hold a < b"


@pytest.mark.parametrize(
    "body", ["", "<html>no</html>", "{", '{"events": 3}', "WEBVTT", "WEBVTT\n\n00:01.000 --> x\nno", "[]"]
)
def test_what_is_not_captions_has_no_cues(body):
    assert parse_cues(body) == []
    assert select_highlights(build_paragraphs(parse_cues(body))) == []


def test_hours_are_reported_where_there_are_any():
    assert (format_clock(249.9), format_clock(3849)) == ("04:09", "1:04:09")


def test_long_lines_of_broken_marks_cost_no_time():
    body = "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<v." * 400_000 + "\n\n" + "<" * 400_000 + "-->" * 100_000
    assert_quick(lambda: text(body), 2)


@given(st.text(alphabet="WEBVT01:.->\n <>vc&;{}\"'", max_size=300))
@settings(max_examples=200, deadline=None)
def test_no_text_breaks_the_reader(body):
    build_paragraphs(parse_cues("WEBVTT\n\n" + body))
    build_paragraphs(parse_cues("{" + body))
