"""Finds the list of references of a document and splits it into its printed entries."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from assay.bibliography.broken_lines import join_lines
from assay.bibliography.entry_labels import EntryLabel, find_labels
from assay.bibliography.entry_starts import cut_units, describe_units
from assay.bibliography.field_labels import load_model
from assay.bibliography.page_furniture import find_furniture
from assay.bibliography.reference_headings import (
    is_caption,
    is_end,
    is_list_heading,
    is_supplementary_heading,
    measure_level,
)

EVIDENCE = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\b10\.\d{4,9}/\S|https?://|arxiv:|\bpmid\b|\bPMC\d{4}|\bisbn\b", re.IGNORECASE
)
IDENTIFIER = re.compile(
    r"(?:[-*•]\s+)?(?:https?://\S+|(?:doi|pmid|pmcid|arxiv|isbn)[:\s]\s*\S+|10\.\d{4,9}/\S+|PMC\d+|\d{4}\.\d{4,5}(?:v\d+)?)"
    r"[.,;]?",
    re.IGNORECASE,
)
BULLET = re.compile(r"\s*[-*•‣▪◦–]\s+(?=\S)")
NAMES_AND_YEAR = re.compile(r"\D{2,150}\((?:1[5-9]|20)\d\d[a-z]?\)[.,:;]?")  # the title of an entry follows
LONGEST_NAMES = 300  # characters
MIN_LETTERS = 6  # letters and digits of an entry
LONGEST_ENTRY = 3_000  # characters; what follows belongs to no entry
HEAD = 2_000  # characters behind a heading in which an entry shows
CAPTION_LINES = 10
TAIL = 2.5  # lengths of the longest other entry after which the last one ends at an empty line


@dataclass(frozen=True)
class PrintedEntry:
    """An entry on one line, without its label; `start` and `end` are its place in the document, label included."""

    text: str
    label: str
    start: int
    end: int


@dataclass(frozen=True)
class ReferenceList:
    """The entries in order; `start` is that of the heading, `end` the end of the last entry, 0 if there is no list.

    `sections` are the places of the list and of each list that continues it, headings included.
    """

    entries: tuple[PrintedEntry, ...] = ()
    start: int = 0
    end: int = 0
    heading: str = ""
    sections: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class _Region:
    """Lines of a document: the places where they begin, and what they hold."""

    lines: list[str]
    places: list[int]

    def cut(self, first: int, last: int) -> "_Region":
        return _Region(self.lines[first:last], self.places[first:last])


def find_reference_list(text: str) -> ReferenceList:
    """Return the last list of references of a document, with supplementary lists that continue it.

    The text is plain or Markdown, with or without the line breaks, running heads and page numbers of print. The time is
    linear in its length. Without a heading such as "References" the list is empty.
    """
    region = _split_lines(text)
    headings = [at for at, line in enumerate(region.lines) if len(line) <= 160 and is_list_heading(line)]
    furniture = find_furniture(region.lines) if headings else set()
    lists = [_read_section(region, at, after, furniture) for at, after in pairwise([*headings, len(region.lines)])]
    lists = [each for each in lists if each.entries]
    if not lists:
        return ReferenceList()
    first = len(lists) - 1
    while first and _continues(lists[first - 1], lists[first]):
        first -= 1
    chosen = lists[first:]
    sections = tuple((each.start, each.end) for each in chosen)
    entries = tuple(entry for each in chosen for entry in each.entries)
    return ReferenceList(entries, chosen[0].start, chosen[-1].end, chosen[0].heading, sections)


def split_entries(text: str) -> tuple[PrintedEntry, ...]:
    """Split a text that is nothing but a list of references, with or without its heading."""
    region = _split_lines(text)
    kept = ["" if is_list_heading(line) else line for line in region.lines]
    return tuple(_split_region(_Region(kept, region.places), find_furniture(kept)))


def _split_lines(text: str) -> _Region:
    lines = text.split("\n")
    return _Region(lines, [0, *accumulate(len(line) + 1 for line in lines)][: len(lines)])


def _continues(one: ReferenceList, other: ReferenceList) -> bool:
    """Whether a list is the continuation of the one before: by its heading or by its numbers."""
    if is_supplementary_heading(other.heading):
        return True
    last, first = one.entries[-1].label, other.entries[0].label
    return last.isdigit() and first.isdigit() and int(first) == int(last) + 1


def _read_section(region: _Region, heading: int, after: int, furniture: set[int]) -> ReferenceList:
    """Read the list below a heading; it is empty where nothing below the heading looks like a reference."""
    section = region.cut(heading + 1, after)
    last = _find_section_end(section.lines, measure_level(region.lines[heading]))
    section = section.cut(0, last)
    head = "\n".join(section.lines[:40])[:HEAD]
    if not EVIDENCE.search(head):
        return ReferenceList()
    inside = {at for at in range(len(section.lines)) if at + heading + 1 in furniture}
    entries = _split_region(section, _find_captions(section.lines) | inside)
    entries = _drop_tail(entries)
    title = region.lines[heading].strip(" \t#*_:=")
    return ReferenceList(tuple(entries), region.places[heading], entries[-1].end if entries else 0, title)


def _find_section_end(lines: Sequence[str], level: int) -> int:
    """Return the line at which the section ends: a heading of the same level, or of what follows references."""
    filled = False
    for at, line in enumerate(lines):
        own = measure_level(line)
        if filled and ((own and (not level or own <= level)) or (len(line) <= 160 and is_end(line))):
            return at
        filled = filled or bool(line.strip())
    return len(lines)


def _find_captions(lines: Sequence[str]) -> set[int]:
    """Return the lines of figure and table captions, each up to the next empty line, and of headings inside."""
    removed: set[int] = set()
    remaining = 0
    for at, line in enumerate(lines):
        if is_caption(line):
            remaining = CAPTION_LINES
        elif not line.strip():
            remaining = 0
        if remaining or measure_level(line):
            removed.add(at)
            remaining = max(remaining - 1, 0)
    return removed


def _split_region(region: _Region, removed: set[int]) -> list[PrintedEntry]:
    labels = find_labels(region.lines)
    labelled = {label.line for label in labels}
    removed = removed - labelled
    if labels:
        starts = [(label.line, label.start) for label in labels]
        return _build_entries(region, starts, removed, labels)
    filled = [at for at, line in enumerate(region.lines) if line.strip() and at not in removed]
    identifiers = sum(IDENTIFIER.fullmatch(region.lines[at].strip()) is not None for at in filled)
    bullets = [at for at in filled if BULLET.match(region.lines[at])]
    if filled and identifiers * 2 >= len(filled):
        return _build_entries(region, [(at, 0) for at in filled], removed, ())
    if bullets and bullets[0] == filled[0] and len(bullets) * 6 >= len(filled):
        return _build_entries(region, [(at, 0) for at in bullets], removed, ())
    return _build_entries(region, _find_starts(region.lines, removed), removed, ())


def _find_starts(lines: Sequence[str], removed: set[int]) -> list[tuple[int, int]]:
    """Return the lines and columns at which the entries of an unlabelled list begin."""
    units = cut_units(lines, removed)
    marks = load_model("entry_model.json.gz").label(describe_units(units))
    parts: list[tuple[tuple[int, int], int]] = []  # start, letters and digits
    begun = ""
    for unit, mark in zip(units, marks, strict=True):
        letters = sum(map(str.isalnum, unit.text))
        if parts and (mark != "B" or (unit.gap == "space" and NAMES_AND_YEAR.fullmatch(begun))):
            parts[-1] = (parts[-1][0], parts[-1][1] + letters)
            begun = f"{begun} {unit.text}"[:LONGEST_NAMES]
        else:
            parts.append(((unit.line, unit.start), letters))
            begun = unit.text[:LONGEST_NAMES]
    return [start for at, (start, letters) in enumerate(parts) if not at or letters >= MIN_LETTERS]


def _build_entries(
    region: _Region, starts: Sequence[tuple[int, int]], removed: set[int], labels: Sequence[EntryLabel]
) -> list[PrintedEntry]:
    """Join the lines from each start to the next; `labels` stand at the starts, if the list has any."""
    width = max((len(line) for at, line in enumerate(region.lines) if at not in removed), default=0)
    entries: list[PrintedEntry] = []
    bounds = [*starts, (len(region.lines), 0)]
    for place, ((line, column), (after, until)) in enumerate(pairwise(bounds)):
        parts: list[str] = []
        end, size = region.places[line] + column, 0
        for at in range(line, min(after + bool(until), len(region.lines))):
            text = region.lines[at]
            if at in removed or size > LONGEST_ENTRY:
                continue
            if at == after:
                text = text[:until]
            if place == len(starts) - 1 and not text.strip() and _is_complete(parts, entries):
                break
            if text.strip():
                end = region.places[at] + len(text.rstrip())
            begin = 0 if at != line else labels[place].text if labels else column
            parts.append(text[begin:])
            size += len(text)
        joined = join_lines(parts, width)
        bullet = BULLET.match(joined)
        printed = joined[bullet.end() if bullet else 0 :][:LONGEST_ENTRY]
        if sum(map(str.isalnum, printed)) >= MIN_LETTERS:
            entries.append(
                PrintedEntry(printed, labels[place].value if labels else "", region.places[line] + column, end)
            )
    return entries


def _is_complete(parts: Sequence[str], entries: Sequence[PrintedEntry]) -> bool:
    """Whether the last entry may end at an empty line: it has a full stop and evidence, and others are no longer."""
    text = " ".join(parts).strip()
    longest = max((len(entry.text) for entry in entries), default=0)
    ended = text.endswith((".", ")", "]")) and EVIDENCE.search(text) is not None
    return bool(text) and (ended or len(text) > TAIL * longest > 0)


def _drop_tail(entries: list[PrintedEntry]) -> list[PrintedEntry]:
    """Leave out what follows the last entry with a year or a link, if it is no part of a numbered list."""
    last = len(entries)
    while last and not entries[last - 1].label and not EVIDENCE.search(entries[last - 1].text):
        last -= 1
    return entries[:last] if len(entries) - last > 1 or not last else entries
