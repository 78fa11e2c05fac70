"""Sets labelled references as lists in print: wrapped, indented, hyphenated, over pages, or flattened to paragraphs."""

import re
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from labelled_references import LabelledReference

from assay.bibliography.entry_starts import STARTS

LABEL = re.compile(r"^\s*(?:\[?\(?\d{1,4}[\]).]?[\s.]\s*|\[[^\]]{1,20}\]\s*|[-*•]\s+)")
HEADS = (
    "{number}", "- {number} -", "Page {number} of 40", "\f{number} Annals of Slow Science",
    "Otters of the North\n{number}\f", "{number}\n\nA. Heron and B. Stork / River Studies 12 (2015) 1-20",
)  # fmt: skip
LABELS = ("[{}] ", "{}. ", "({}) ", "{}) ", "{} ", "[{}]", "{}.")
HYPHENATED = re.compile(r"[a-z]{8,}$")


class PrintedList(NamedTuple):
    """A list in print, and the places where its entries begin."""

    text: str
    starts: list[int]
    style: str


def group_references(references: Sequence[LabelledReference], rng: Random) -> list[list[str]]:
    """Group reference strings to lists: those of one file, or those that begin alike, sorted or not."""
    files: dict[str, list[str]] = defaultdict(list)
    alike: dict[str, list[str]] = defaultdict(list)
    for each in references:
        text = LABEL.sub("", each.text)
        if len(text) < 25:
            continue
        files[each.file].append(text)
        alike[next((name for name, pattern in STARTS.items() if pattern.match(text)), "-")].append(text)
    groups = [texts for texts in files.values() if len(texts) > 4]
    for texts in alike.values():
        rng.shuffle(texts)
        groups += [texts[at : at + 40] for at in range(0, len(texts), 40)]
    lists = []
    for texts in groups:
        for at in range(0, len(texts), 40):
            part = texts[at : at + 40]
            if len(part) > 3:
                lists.append(sorted(part, key=str.casefold) if rng.random() < 0.5 else part)
    return lists


def print_list(texts: Sequence[str], rng: Random, *, labelled: bool) -> PrintedList:
    """Set references as a list of a random style."""
    style = rng.choice(("wrapped", "wrapped", "hanging", "hanging", "indented", "lines", "blank", "paragraphs", "flat"))
    width = rng.randint(38, 110)
    pattern = rng.choice(LABELS) if labelled else ""
    page = rng.randint(18, 55) if style in ("wrapped", "hanging", "indented") and rng.random() < 0.7 else 0
    head, number = rng.choice(HEADS), rng.randint(3, 400)
    text, starts, rows = "", list[int](), 0
    is_hyphenated = rng.random() < 0.6
    for at, reference in enumerate(texts, 1):
        entry = pattern.format(at) + reference
        lines = _set_lines(entry, style, width, rng, is_hyphenated=is_hyphenated)
        for place, line in enumerate(lines):
            if page and rows and rows % page == 0:
                gap = rng.choice(("\n", "\n\n"))
                text += (
                    f"{gap if gap != chr(10) else ''}{head.format(number=number)}\n{'' if gap == chr(10) else chr(10)}"
                )
                number += 1
            if place == 0:
                starts.append(len(text) + len(line) - len(line.lstrip()))
            text += line + "\n"
            rows += 1
        text = _separate(text, style, rng, bool(lines[-1:] and len(lines[-1]) < 0.8 * width))
    return PrintedList(text, starts, style)


def _set_lines(entry: str, style: str, width: int, rng: Random, *, is_hyphenated: bool) -> list[str]:
    if style in ("lines", "flat", "blank") and rng.random() < 0.9:
        return [entry]
    lines = textwrap.wrap(entry, width, break_long_words=rng.random() < 0.5, break_on_hyphens=True) or [entry]
    if is_hyphenated:
        lines = _hyphenate(lines, rng)
    deep = " " * rng.choice((2, 3, 4, 6))
    if style == "hanging":
        return [lines[0], *(deep + line for line in lines[1:])]
    if style == "indented":
        return [deep + lines[0], *lines[1:]]
    if style == "paragraphs":  # as readers of PDF render hanging lines: the first line apart
        return (
            [lines[0] + ("\n" if len(lines) > 1 and rng.random() < 0.5 else ""), " ".join(lines[1:])]
            if lines[1:]
            else lines
        )
    return lines


def _hyphenate(lines: list[str], rng: Random) -> list[str]:
    lines = list(lines)
    for at in range(len(lines) - 1):
        if rng.random() < 0.25 and (found := HYPHENATED.search(lines[at])):
            cut = found.start() + rng.randint(3, len(found[0]) - 3)
            lines[at], lines[at + 1] = lines[at][:cut] + "-", lines[at][cut:] + " " + lines[at + 1]
    return lines


def _separate(text: str, style: str, rng: Random, is_short: bool) -> str:
    """Put what stands between two entries: nothing, an empty line, or a space where paragraphs run on."""
    if style == "blank":
        return text + "\n"
    if style == "flat":
        return text[:-1] + " " if rng.random() < 0.85 else text + "\n"
    if style == "paragraphs":
        return text + "\n" if is_short or rng.random() < 0.3 else text[:-1] + " "
    return text
