"""Captions of a video as text to be read: cues parsed, what rolls up told once, paragraphs of about a minute."""

import html
import json
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from assay.text.sanitize import sanitise

PARAGRAPH = 60.0  # seconds
LONGEST = 75.0  # seconds, after which a paragraph ends in the middle of a sentence
TIMING = re.compile(
    r"\s*((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})\s+-->\s+((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})(?:\s|$)"
)
WITHIN = re.compile(r"<(?:\d{1,4}:)?\d{1,2}:\d{2}\.\d{3}>")  # when a word is spoken: what a machine wrote, line by line
VOICE = re.compile(r"<v(?:\.[^\s<>]{0,80})?\s{1,8}([^<>]{1,80})>")
TAG = re.compile(r"<[^<>]*>")
CHAPTER = re.compile(r"[\s\-–•*(\[]{0,6}((?:\d{1,2}:)?\d{1,2}:\d{2})[)\]]?\s{0,4}[-–—:|]?\s{0,4}(\S.{0,150})")
LEAST_CHAPTERS = 3
WORD = re.compile(r"\w{4,}")
ENDS = (".", "?", "!", "…", "。", "？", "！")
OVERLAP = 0.02  # seconds by which neighbours may meet without rolling


class Cue(NamedTuple):
    """Lines shown from `start` to `end`, in seconds."""

    start: float
    end: float
    lines: tuple[str, ...]
    is_rolling: bool = False  # its lines may repeat those shown before it


class Paragraph(NamedTuple):
    """About a minute of speech, from `start` in seconds."""

    start: float
    text: str


class Chapter(NamedTuple):
    """A part of a video, from `start` in seconds."""

    start: float
    title: str


class Highlight(NamedTuple):
    """A passage that says what much of the rest is about. `score` is 0..1."""

    text: str
    score: float
    start: float


def cues(text: str) -> list[Cue]:
    """The cues of a WebVTT file or of YouTube's json3, in order of time; [] where it is neither."""
    begun = text.removeprefix("\ufeff").lstrip()
    if begun.startswith("WEBVTT"):
        found = list(_webvtt(begun))
    elif begun.startswith("{"):
        found = list(_json3(begun))
    else:
        found = []
    return sorted(found, key=lambda cue: cue.start)


def chapters(description: str) -> list[Chapter]:
    """The chapters that a description lists, as YouTube reads them: three at least, in order, the first at 0:00."""
    listed = [found for line in description.splitlines() if (found := CHAPTER.fullmatch(line))]
    told = [Chapter(_seconds(found[1]), found[2].strip()) for found in listed]
    starts = [one.start for one in told]
    is_list = len(told) >= LEAST_CHAPTERS and starts[0] == 0 and starts == sorted(set(starts))
    return told if is_list else []


def paragraphs(found: Iterable[Cue], parts: Sequence[Chapter] = ()) -> list[Paragraph]:
    """What is said, each line once, parted where a chapter begins and at the first end of a sentence after a minute."""
    parted: list[Paragraph] = []
    starts = [part.start for part in parts]
    start, words = 0.0, list[str]()
    for at, line in _lines(found):
        if words and (_is_full(at - start, words[-1]) or bisect(starts, at) > bisect(starts, start)):
            parted.append(Paragraph(start, " ".join(words)))
            words = []
        if not words:
            start = at
        words.append(line)
    return [*parted, Paragraph(start, " ".join(words))] if words else parted


def highlights(parted: list[Paragraph], most: int = 5) -> list[Highlight]:
    """The passages whose words recur most elsewhere, best first."""
    spoken = [set(WORD.findall(one.text.lower())) for one in parted]
    recurring = Counter(word for words in spoken for word in words)
    weighed = [
        (sum(recurring[word] - 1 for word in words) / (len(words) + 20), place) for place, words in enumerate(spoken)
    ]
    best = sorted(weighed, key=lambda pair: (-pair[0], pair[1]))[:most]
    top = max((weight for weight, _ in best), default=0.0) or 1.0
    return [
        Highlight(_short(parted[place].text), round(weight / top, 2), round(parted[place].start, 1))
        for weight, place in best
        if weight > 0
    ]


def clock(seconds: float) -> str:
    """`04:09`, `1:04:09`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def _is_full(seconds: float, last: str) -> bool:
    return seconds >= LONGEST or (seconds >= PARAGRAPH and last.endswith(ENDS))


def _short(text: str, limit: int = 240) -> str:
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0].rstrip() + "…"


def _lines(found: Iterable[Cue]) -> Iterator[tuple[float, str]]:
    """Each line with the second at which it is first shown."""
    shown: tuple[str, ...] = ()
    until = 0.0
    for cue in found:
        rolls = cue.is_rolling or cue.start < until - OVERLAP
        new = cue.lines[_count_repeated_lines(shown, cue.lines) :] if rolls else cue.lines
        for line in new:
            yield cue.start, line
        shown = (*shown, *new)[-4:]
        until = cue.end


def _count_repeated_lines(shown: tuple[str, ...], lines: tuple[str, ...]) -> int:
    """How many of the first lines are those last shown."""
    return next((many for many in range(min(len(lines), len(shown)), 0, -1) if shown[-many:] == lines[:many]), 0)


def _webvtt(text: str) -> Iterator[Cue]:
    rolling = WITHIN.search(text) is not None
    block: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line:
            block.append(line)
        elif block:
            yield from _cue(block, rolling)
            block = []


def _cue(block: list[str], rolling: bool) -> Iterator[Cue]:
    """The cue of a block; none of a heading, a note, a style or a region, which have no times."""
    for place, line in enumerate(block[:2]):  # an identifier may stand before the times
        timing = TIMING.match(line) if "-->" in line else None
        if timing:
            lines = tuple(said for raw in block[place + 1 :] if (said := _clean_line(raw)))
            if lines:
                yield Cue(_seconds(timing[1]), _seconds(timing[2]), lines, rolling)
            return


def _clean_line(raw: str) -> str:
    """A line without its marks; who speaks stays."""
    if "<" in raw:
        raw = TAG.sub("", VOICE.sub(r"\1: ", raw))
    return " ".join(sanitise(html.unescape(raw)).split())


def _seconds(text: str) -> float:
    seconds = 0.0
    for part in text.replace(",", ".").split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def _json3(text: str) -> Iterator[Cue]:
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
            yield Cue(start, start, said)  # its lines never repeat, though they stay on the screen together


def _join_segments(segments: Any) -> str:
    parts = [one.get("utf8") for one in segments if isinstance(one, dict)] if isinstance(segments, list) else []
    return "".join(part for part in parts if isinstance(part, str))


def _milliseconds(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value / 1000 if is_number and 0 <= value < 1e10 else None
