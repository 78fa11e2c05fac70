"""Describes the lines of an unlabelled reference list, for the model that tells where each entry begins.

The model `entry_model.json.gz` was trained on these features: a change here needs a new model.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

TOKEN = re.compile(r"\d+|[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\w\s]")
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
BRACKETED_YEAR = re.compile(r"\(\s?(?:1[5-9]|20)\d\d[a-z]?\b")
UPPER = "A-ZÀ-ÖØ-ÞΑ-ΫΆ-ΏЀ-Я" + "".join(letter for letter in map(chr, range(0x100, 0x250)) if letter.isupper())
CAPITAL, LETTER = f"[{UPPER}]", r"[^\W\d_]"
SENTENCE_END = re.compile(
    rf"(?:(?<={LETTER}{{3}}\.)|(?<=[\d)\]?!”\"“;][.;])|(?<=[)\];]))\s+(?={LETTER}|[—\"“«\[])"
    rf"|(?<=[\w/.)\]])\s+(?={CAPITAL}{LETTER}+,\s{CAPITAL}|(?:{CAPITAL}\.[\s-]?){{1,3}}{LETTER}{{2}}"
    rf"|{CAPITAL}{LETTER}+\s[A-Z]{{1,3}}[,.])"
)
LINK = re.compile(r"https?:|www\.|doi|10\.\d{4}", re.IGNORECASE)
RANGE_END = re.compile(r"\d\s?[-–—]\s?\d+[.,;)\]]*$|\bp{1,2}\.?\s?\d+\.?$")
INITIAL_END = re.compile(rf"(?:^|[\s.-]){CAPITAL}\.$")
AND = re.compile(r"(?:,|;|&|\b(?:and|und|et|y|e|en|och|og|и|of|the|in|for|de|der|la|des|on|a))$", re.IGNORECASE)
INLINE_WIDTH = 70  # shorter lines hold one entry at most
NAME = rf"{CAPITAL}{LETTER}+(?:[ '’-]{LETTER}+){{0,3}}"
STARTS = {
    "family, initial": re.compile(rf"{NAME},\s?(?:{CAPITAL}\.?[\s-]?){{1,4}}(?:[,;&(:.]|$|\s)"),
    "family initial": re.compile(rf"{NAME}\s[{UPPER}]{{1,3}}(?:[,;.:]|\s\(|$)"),
    "initial family": re.compile(rf"(?:{CAPITAL}\.[\s-]?){{1,4}}{LETTER}+(?:[ '’-]{LETTER}+){{0,3}}[,;.:]?(?:\s|$)"),
    "family, given": re.compile(rf"{NAME},\s{CAPITAL}{LETTER}+[\s,.;]"),
    "given family": re.compile(rf"{CAPITAL}{LETTER}+\s(?:{CAPITAL}\.?\s)?{CAPITAL}{LETTER}+(?:,|\sand\s|\.\s)"),
    "dash": re.compile(r"(?:[—–_]{2,}|-{3,}|[—–])[.,\s]"),
    "wide": re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,12}[，,、;；.．:：(（\s]"),
    "organization": re.compile(rf"{CAPITAL}[^.(]{{4,60}}[.(]\s?\(?(?:1[5-9]|20)\d\d"),
}


class LineUnit(NamedTuple):
    """A stretch of a line that may begin an entry: the line, its columns, its text and what stands before it.

    `gap` is "line", "blank", "page" or "space"; "first" for the first one.
    """

    line: int
    start: int
    end: int
    text: str
    gap: str
    indent: int


def cut_units(lines: Sequence[str], removed: set[int]) -> list[LineUnit]:
    """Cut lines, without those in `removed`, at line ends, and long lines at sentence ends."""
    units: list[LineUnit] = []
    gap = "first"
    for at, line in enumerate(lines):
        if at in removed:
            gap = gap if gap == "first" else "page"
            continue
        if not line.strip():
            gap = "blank" if gap == "line" else gap
            continue
        indent = len(line) - len(line.lstrip())
        cuts = [indent]
        if len(line) > INLINE_WIDTH:
            cuts += [found.end() for found in SENTENCE_END.finditer(line, indent)]
        for start, end in zip(cuts, [*cuts[1:], len(line)], strict=True):
            if text := line[start:end].rstrip():
                units.append(LineUnit(at, start, start + len(text), text, gap, indent))
                gap = "space"
        gap = "line"
    return units


def describe_units(units: Sequence[LineUnit]) -> list[list[str]]:
    """Return the features of each unit."""
    if not units:
        return []
    starts = [_name_start(unit.text) for unit in units]
    shapes = [_describe_start(unit.text) for unit in units]
    ends = [_describe_end(unit.text) for unit in units]
    years = [_find_year(unit.text) for unit in units]
    whole = _describe_list(units, starts)
    ordered = _find_order(units, starts)
    width = max(len(unit.text) for unit in units)
    least = min(unit.indent for unit in units)
    common = starts[0]
    described = []
    for at, unit in enumerate(units):
        before, after = max(at - 1, 0), min(at + 1, len(units) - 1)
        gap, start, end = unit.gap, starts[at], ends[before] if at else "first"
        deep = "deep" if unit.indent - least > 1 else "flush"
        short = min(len(units[before].text) * 5 // width, 4) if at else 9
        described.append(
            [
                "bias",
                f"gap={gap}",
                f"start={start}",
                f"end={end}",
                f"gap+start={gap}|{start}",
                f"gap+end={gap}|{end}",
                f"end+start={end}|{start}",
                f"deep={deep}|{whole[0]}|{gap}",
                f"short={short}|{gap}",
                f"year={years[at]}",
                f"years={years[before]}|{years[at]}|{years[after]}",
                f"same={start == common}|{gap}",
                *shapes[at],
                f"order={ordered[at]}|{gap}|{start != '-'}",
                f"list={whole[1]}|{gap}",
                f"list+start={whole[1]}|{gap}|{start}",
                f"link={LINK.match(unit.text) is not None}",
                f"beforelink={LINK.search(units[before].text) is not None}|{end}",
                f"next={starts[after]}",
                f"size={min(len(unit.text) // 40, 5)}|{gap}",
                f"gapend={gap}|{end}|{start != '-'}",
                f"nextgap={units[after].gap}|{gap}",
                f"nextend={ends[at]}|{gap}",
            ]
        )
    return described


def _name_start(text: str) -> str:
    return next((name for name, pattern in STARTS.items() if pattern.match(text)), "-")


def _describe_start(text: str) -> list[str]:
    shapes = [_shape(token) for token in TOKEN.findall(text[:80])[:5]]
    word = TOKEN.match(text)
    return [
        *(f"s{size}={' '.join(shapes[:size])}" for size in (1, 2, 3, 4)),
        f"w={word[0].lower()[:12] if word else ''}",
    ]


def _shape(token: str) -> str:
    if token.isdigit():
        return "year" if YEAR.fullmatch(token) else "number"
    if not token[0].isalpha():
        return token
    if token.isupper():
        return "I" if len(token) == 1 else "II" if len(token) < 4 else "CAPS"
    return "Title" if token[0].isupper() else "lower" if token[0].islower() else "wide"


def _describe_end(text: str) -> str:
    """Name how a unit ends: in a link, a year, a page range, an initial, a joining word, a mark."""
    tail = text[-40:]
    last = tail.rsplit(None, 1)[-1]
    if LINK.search(last):
        return "link"
    if RANGE_END.search(tail):
        return "range." if tail[-1] in ".;" else "range"
    if YEAR.search(last):
        return "year." if tail[-1] == "." else "year"
    if AND.search(tail):
        return "and"
    if INITIAL_END.search(tail):
        return "initial"
    if tail[-1].isdigit():
        return "number"
    if tail[-1].isalpha():
        return "word"
    return tail[-2:] if tail[-2:-1] in ")]”\"'’" else tail[-1]


def _find_year(text: str) -> str:
    if found := BRACKETED_YEAR.search(text):
        return "(early" if found.start() < 120 else "(late"
    return "year" if YEAR.search(text) else "-"


def _describe_list(units: Sequence[LineUnit], starts: Sequence[str]) -> tuple[str, str]:
    """Describe the whole list: whether lines are indented, and how much of it blank lines and lines divide."""
    least = min(unit.indent for unit in units)
    lines = [unit for unit in units if unit.gap != "space"]
    deep = sum(unit.indent - least > 1 for unit in lines) * 8 // max(len(lines), 1)
    blank = sum(unit.gap == "blank" for unit in lines) * 4 // max(len(lines), 1)
    sizes = sorted(len(unit.text) for unit in lines)
    dated = sum(YEAR.search(unit.text) is not None for unit in lines) * 4 // max(len(lines), 1)
    named = sum(unit.gap != "space" and start != "-" for unit, start in zip(units, starts, strict=True))
    share = named * 4 // max(len(lines), 1)
    return f"{deep}", f"{blank}|{dated}|{share}|{min(sizes[len(sizes) // 2] // 50, 3)}"


def _find_order(units: Sequence[LineUnit], starts: Sequence[str]) -> list[str]:
    """Say of each unit that begins with a name whether it fits an alphabetical order, if the list has one."""
    words = [(at, unit.text[:3].casefold()) for at, unit in enumerate(units) if starts[at].startswith("family")]
    if len(words) < 4:
        return ["?"] * len(units)
    tails: list[str] = []
    ends: list[int] = []
    before = [-1] * len(words)
    for place, (_, word) in enumerate(words):
        at = bisect_right(tails, word)
        before[place] = ends[at - 1] if at else -1
        if at == len(tails):
            tails.append(word)
            ends.append(place)
        else:
            tails[at], ends[at] = word, place
    if len(tails) * 4 < len(words) * 2:
        return ["?"] * len(units)
    order = ["-"] * len(units)
    for at, _ in words:
        order[at] = "no"
    place = ends[-1]
    while place >= 0:
        order[words[place][0]] = "yes"
        place = before[place]
    return order
