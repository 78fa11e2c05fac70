"""Lists whose bullets and numbers are typed: in the lines of a paragraph, or at the start of paragraphs in a row."""

import re
from collections.abc import Sequence
from itertools import pairwise

from assay.html.reader.markdown_escapes import escape_line_start
from assay.html.reader.text_blocks import TextBlock

MAX_LINES = 1000  # lines of a paragraph that are examined
LEADING_BULLET = re.compile(r"[•·▪●‣◦○■□➢✓✔►▸–—-]\s+")
BULLET_LINE = re.compile(r"(\*{0,3})(?:[•▪●‣◦■➢]|\\?[-–*])\s+(?=\S)")  # in markdown: emphasised or escaped
NUMBER_LINE = re.compile(r"(\d{1,6})\\?([.)])\s+(?=\S)")
BULLET = re.compile(r"([•▪●‣◦■➢*-])\s+(?=\S)")
# The number of an item as text: a bracket, the numbers of outer items, its own number or letter, what closes it.
LABEL = re.compile(r"(\(?)((?:\d{1,3}\.){0,4})(\d{1,3}|[a-z]|[ivx]{2,5})([.)]{0,2})\s+(?=\S)", re.IGNORECASE)
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
FIRST_SIGNS = frozenset("•▪●‣◦■➢*-0123456789")
PARAGRAPH_TAGS = frozenset(("p", "div"))


def without_bullet(text: str) -> str:
    bullet = LEADING_BULLET.match(text)
    return text[bullet.end() :] if bullet else text


def format_lines(lines: list[str]) -> list[str]:
    """Return the lines of a paragraph, where two or more in a row have bullets or numbers as items of a list."""
    if not 1 < len(lines) <= MAX_LINES:
        return lines
    found: list[str] = []
    at = 0
    while at < len(lines):
        end = _find_end(lines, at)
        if end - at < 2:
            found.append(lines[at])
            at += 1
            continue
        items = [format_item(line) for line in lines[at:end]]
        # A list that begins with another number than 1 cannot follow a line, and a line would go on in the last item.
        found += ["", *items] if found and items[0][0] not in "-1" else items
        found += [""] if end < len(lines) else []
        at = end
    return found


def _find_end(lines: list[str], start: int) -> int:
    """Return the place after the lines in a row, from `start` on, that have a bullet, or numbers that count up."""
    at = start
    if BULLET_LINE.match(lines[start]):
        while at < len(lines) and BULLET_LINE.match(lines[at]):
            at += 1
        return at
    number = NUMBER_LINE.match(lines[start])
    while number:
        at += 1
        following = NUMBER_LINE.match(lines[at]) if at < len(lines) else None
        number = following if following and _counts_up(number, following) else None
    return at


def _counts_up(one: re.Match[str], other: re.Match[str]) -> bool:
    return int(other[1]) == int(one[1]) + 1 and one[2] == other[2]


def format_item(line: str) -> str:
    """Return a line of markdown with its typed bullet or number as that of an item; "" if it has none."""
    if number := NUMBER_LINE.match(line):
        return f"{number[1]}{number[2]} {escape_line_start(line[number.end() :])}"
    bullet = BULLET_LINE.match(line)
    return f"- {bullet[1]}{escape_line_start(line[bullet.end() :])}" if bullet else ""


def find_items(blocks: Sequence[TextBlock]) -> set[int]:
    """Return the places of paragraphs in a row that begin with the same bullet, or with numbers that count up."""
    return {
        block.index
        for pair in pairwise(blocks)
        if pair[0].text[:1] in FIRST_SIGNS and pair[1].text[:1] in FIRST_SIGNS and _are_items(*pair)
        for block in pair
    }


def _are_items(one: TextBlock, other: TextBlock) -> bool:
    frames = (one.frame, other.frame)
    is_row = frames[0].parent is frames[1].parent and all(frame.tag in PARAGRAPH_TAGS for frame in frames)
    return is_row and are_items(one.text, other.text)


def are_items(one: str, other: str) -> bool:
    """Return whether two texts in a row begin with the same bullet, or with numbers that count up."""
    bullets = (BULLET.match(one), BULLET.match(other))
    if bullets[0] and bullets[1]:
        return bullets[0][1] == bullets[1][1]
    numbers = (NUMBER_LINE.match(one), NUMBER_LINE.match(other))
    return bool(numbers[0] and numbers[1] and _counts_up(numbers[0], numbers[1]))


def is_numbered(one: str, other: str) -> bool:
    """Return whether two items begin with numbers or letters, as text, that count up."""
    labels = (LABEL.match(one), LABEL.match(other))
    if not labels[0] or not labels[1] or any(labels[0][part] != labels[1][part] for part in (1, 2, 4)):
        return False
    return bool(labels[0][2] or labels[0][4]) and _follows(labels[0][3].lower(), labels[1][3].lower())


def _follows(one: str, other: str) -> bool:
    if one.isdigit() or other.isdigit():
        return one.isdigit() and other.isdigit() and int(other) == int(one) + 1
    if len(one) == len(other) == 1 and ord(other) == ord(one) + 1:
        return True
    return one in ROMAN and other in ROMAN and ROMAN.index(other) == ROMAN.index(one) + 1
