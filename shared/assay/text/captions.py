"""Video captions (WebVTT, SubRip, YouTube json3) as text without repetitions, in paragraphs of about a minute."""

import html
import json
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from assay.text.sanitize import sanitise

PARAGRAPH_SECONDS = 60.0  # seconds
MAX_PARAGRAPH_SECONDS = 75.0  # seconds after which a paragraph ends even inside a sentence
TIMING = re.compile(
    r"\s*((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})\s+-->\s+((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})(?:\s|$)"
)
SUBRIP = re.compile(r"\d{1,6}[ \t]*\r?\n" + TIMING.pattern)  # its cues are like those of WebVTT, each with a number
# Word timings, which mark automatic captions that repeat lines.
WORD_TIMING = re.compile(r"<(?:\d{1,4}:)?\d{1,2}:\d{2}\.\d{3}>")
VOICE = re.compile(r"<v(?:\.[^\s<>]{0,80})?\s{1,8}([^<>]{1,80})>")
TAG = re.compile(r"<[^<>]*>")
CHAPTER = re.compile(r"[\s\-–•*(\[]{0,6}((?:\d{1,2}:)?\d{1,2}:\d{2})[)\]]?\s{0,4}[-–—:|]?\s{0,4}(\S.{0,150})")
MIN_CHAPTERS = 3
WORD = re.compile(r"\w{4,}")
SENTENCE_ENDS = (".", "?", "!", "…", "。", "？", "！")
MAX_OVERLAP = 0.02  # seconds that consecutive cues may overlap without rolling


class Cue(NamedTuple):
    """Lines shown from `start` to `end`, in seconds."""

    start: float
    end: float
    lines: tuple[str, ...]
    is_rolling: bool = False  # whether its lines may repeat those shown before


class CaptionParagraph(NamedTuple):
    """About a minute of speech, from `start` in seconds."""

    start: float
    text: str


class Chapter(NamedTuple):
    """A part of a video, from `start` in seconds."""

    start: float
    title: str


class Highlight(NamedTuple):
    """A passage whose words recur in the rest. `score` is 0..1, `start` is in seconds."""

    text: str
    score: float
    start: float


def parse_cues(text: str) -> list[Cue]:
    """Return the cues of a WebVTT or SubRip file or of YouTube's json3 in order of time; [] for other formats.

    WebVTT: https://www.w3.org/TR/webvtt1/
    """
    begun = text.removeprefix("\ufeff").lstrip()
    if begun.startswith("WEBVTT") or SUBRIP.match(begun):
        found = list(_parse_webvtt(begun))
    elif begun.startswith("{"):
        found = list(_parse_json3(begun))
    else:
        found = []
    return sorted(found, key=lambda cue: cue.start)


def parse_chapters(description: str) -> list[Chapter]:
    """Return the chapters that a description lists by YouTube's rules: at least three, in order, the first at 0:00."""
    listed = [found for line in description.splitlines() if (found := CHAPTER.fullmatch(line))]
    chapters = [Chapter(_seconds(found[1]), found[2].strip()) for found in listed]
    starts = [one.start for one in chapters]
    is_list = len(chapters) >= MIN_CHAPTERS and starts[0] == 0 and starts == sorted(set(starts))
    return chapters if is_list else []


def build_paragraphs(found: Iterable[Cue], parts: Sequence[Chapter] = ()) -> list[CaptionParagraph]:
    """Return the spoken text, each line once, split where a chapter begins and at the first sentence end after a
    minute.
    """
    parted: list[CaptionParagraph] = []
    starts = [part.start for part in parts]
    start, words = 0.0, list[str]()
    for at, line in _distinct_lines(found):
        if words and (_is_full(at - start, words[-1]) or bisect(starts, at) > bisect(starts, start)):
            parted.append(CaptionParagraph(start, " ".join(words)))
            words = []
        if not words:
            start = at
        words.append(line)
    return [*parted, CaptionParagraph(start, " ".join(words))] if words else parted


def select_highlights(parted: list[CaptionParagraph], limit: int = 5) -> list[Highlight]:
    """Return up to `limit` passages whose words recur most in the others, best first."""
    spoken = [set(WORD.findall(one.text.lower())) for one in parted]
    recurring = Counter(word for words in spoken for word in words)
    weighed = [
        (sum(recurring[word] - 1 for word in words) / (len(words) + 20), place) for place, words in enumerate(spoken)
    ]
    best = sorted(weighed, key=lambda pair: (-pair[0], pair[1]))[:limit]
    top = max((weight for weight, _ in best), default=0.0) or 1.0
    return [
        Highlight(_shorten(parted[place].text), round(weight / top, 2), round(parted[place].start, 1))
        for weight, place in best
        if weight > 0
    ]


def format_paragraph(paragraph: CaptionParagraph) -> str:
    """Format a paragraph with its time before it."""
    return f"[{format_clock(paragraph.start)}] {paragraph.text}"


def format_clock(seconds: float) -> str:
    """Format seconds as `04:09` or `1:04:09`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def _is_full(seconds: float, last: str) -> bool:
    return seconds >= MAX_PARAGRAPH_SECONDS or (seconds >= PARAGRAPH_SECONDS and last.endswith(SENTENCE_ENDS))


def _shorten(text: str, limit: int = 240) -> str:
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0].rstrip() + "…"


def _distinct_lines(found: Iterable[Cue]) -> Iterator[tuple[float, str]]:
    """Yield each line with the second at which it is first shown."""
    shown: tuple[str, ...] = ()
    until = 0.0
    for cue in found:
        rolls = cue.is_rolling or cue.start < until - MAX_OVERLAP
        new = cue.lines[_count_repeated_lines(shown, cue.lines) :] if rolls else cue.lines
        for line in new:
            yield cue.start, line
        shown = (*shown, *new)[-4:]
        until = cue.end


def _count_repeated_lines(shown: tuple[str, ...], lines: tuple[str, ...]) -> int:
    """Return how many of the first lines repeat the lines last shown."""
    return next((many for many in range(min(len(lines), len(shown)), 0, -1) if shown[-many:] == lines[:many]), 0)


def _parse_webvtt(text: str) -> Iterator[Cue]:
    rolling = WORD_TIMING.search(text) is not None
    block: list[str] = []
    text = _name_speakers_once(text)
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line:
            block.append(line)
        elif block:
            yield from _parse_cue(block, rolling)
            block = []


def _name_speakers_once(text: str) -> str:
    """Name a speaker where another one begins to speak, not at each cue."""
    speaker = ""

    def name(found: re.Match[str]) -> str:
        nonlocal speaker
        last, speaker = speaker, found[1]
        return "" if speaker == last else f"{speaker}: "

    return VOICE.sub(name, text)


def _parse_cue(block: list[str], rolling: bool) -> Iterator[Cue]:
    """Yield the cue of a block; headers, notes, styles and regions have no timing and yield nothing."""
    for place, line in enumerate(block[:2]):  # an identifier may precede the timing
        timing = TIMING.match(line) if "-->" in line else None
        if timing:
            lines = tuple(said for raw in block[place + 1 :] if (said := _clean_line(raw)))
            if lines:
                yield Cue(_seconds(timing[1]), _seconds(timing[2]), lines, rolling)
            return


def _clean_line(raw: str) -> str:
    """Return a line without markup."""
    if "<" in raw:
        raw = TAG.sub("", raw)
    return " ".join(sanitise(html.unescape(raw)).split())


def _seconds(text: str) -> float:
    seconds = 0.0
    for part in text.replace(",", ".").split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def _parse_json3(text: str) -> Iterator[Cue]:
    try:
        events = json.loads(text).get("events")
    except (ValueError, RecursionError):
        return
    for event in events if isinstance(events, list) else []:
        if not isinstance(event, dict) or event.get("aAppend"):
            continue
        start = _milliseconds(event.get("tStartMs"))
        said = tuple(
            line for raw in _join_segments(event.get("segs")).split("\n") if (line := _clean_line(html.escape(raw)))
        )
        if said and start is not None:
            yield Cue(start, start, said)  # json3 lines never repeat, although they overlap on the screen


def _join_segments(segments: Any) -> str:
    parts = [one.get("utf8") for one in segments if isinstance(one, dict)] if isinstance(segments, list) else []
    return "".join(part for part in parts if isinstance(part, str))


def _milliseconds(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value / 1000 if is_number and 0 <= value < 1e10 else None
