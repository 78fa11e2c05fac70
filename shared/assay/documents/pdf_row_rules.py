"""Grids of tables that have lines between their rows only, where each cell has its own piece of the line.

Browsers and office programs draw the borders below cells so: the columns are told by where the pieces meet.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

from assay.documents.pdf_gaps import split_spans
from assay.documents.pdf_grids import MOST_GRIDS, Grid, build_grid
from assay.documents.pdf_objects import Box, overlaps
from assay.documents.pdf_rulings import LONGEST, SHORTEST
from assay.documents.pdf_text_page import Place, TextPage

THIN, HIGHEST = 2.5, 300.0  # points; maximum width of a line, and height of the ground of a cell
MEETING, ALIGNED = 0.6, 2.0  # points within which pieces meet, and lines end
MIN_LINES, FEW_LINES, SHARE = (
    2,
    3,
    0.5,
)  # of a table, and of one whose rows may have none; share of its lines that have a meeting point
MOST_PIECES = 2_000  # of a page
GAP, WORD_GAP = 0.5, 0.1  # minimum gap between cells, in text heights: of two columns, and of more
STEP, SAME_SIZE = 2.0, 0.12  # maximum distance of the lines of a row, in font sizes; maximum difference of their sizes
MOST_HEADS = 3  # rows without a line above the first line
DESCENT = 0.4  # of text, in font sizes
REACH = 150.0  # points; maximum distance of rows without a line from the lines
NEAR = 2.5  # maximum distance of text from the line below or above it, in font sizes


class RowRule(NamedTuple):
    """A line below cells: its height, its ends, and where its pieces meet."""

    place: float
    left: float
    right: float
    joints: tuple[float, ...]


class _Piece(NamedTuple):
    """Text that may be that of a cell."""

    left: float
    right: float
    bottom: float
    size: float


def add_row_grids(page: TextPage, places: list[Place], grids: list[Grid], boxes: Iterable[Box]) -> list[Grid]:
    """Return the grids with those of these tables, by the lines of the page and the boxes of what is painted on it."""
    groups = [
        group
        for group in _group_rules(_list_rules(boxes))
        if len(group) >= MIN_LINES and not any(overlaps(_measure(group), grid.box) for grid in grids)
    ]
    if not 0 < len(groups) <= MOST_GRIDS:
        return grids
    levels = [(start, end, page.level(start)[0]) for start, end, _ in places]
    return grids + [grid for group in groups for grid in _build_grids(group, _list_pieces(page, levels, group))]


def _measure(rules: list[RowRule]) -> Box:
    """The area of lines."""
    return rules[0].left, rules[-1].place, rules[0].right, rules[0].place


def _list_pieces(page: TextPage, levels: list[tuple[int, int, float]], rules: list[RowRule]) -> list[_Piece]:
    """The text between the ends of rules and near them, from top to bottom; `levels` are lines with their baselines."""
    gap = WORD_GAP if max(len(rule.joints) for rule in rules) > 1 else GAP
    left, bottom, right, top = _measure(rules)
    found = [
        _Piece(*page.span(one, two))
        for start, end, level in levels
        if bottom - REACH < level < top + REACH
        for one, two in split_spans(page, start, end, gap)
    ]
    inside = [piece for piece in found if left - ALIGNED <= piece.left and piece.right <= right + ALIGNED]
    return sorted(inside, key=lambda piece: -piece.bottom)


def _list_rules(boxes: Iterable[Box]) -> list[RowRule]:
    """The lines of at least two pieces, and the edges of the grounds of cells beside each other, from top to bottom."""
    levels: dict[tuple[float, float], list[Box]] = defaultdict(list)
    for box in boxes:
        if box[3] - box[1] <= HIGHEST and SHORTEST <= box[2] - box[0] <= LONGEST:
            levels[round(box[1], 1), round(box[3], 1)].append(box)
    if sum(map(len, levels.values())) > MOST_PIECES:
        return []
    found: list[RowRule] = []
    for (bottom, top), parts in levels.items():
        places = ((bottom + top) / 2,) if top - bottom <= THIN else (bottom, top)
        for left, right, joints in _join_pieces(parts):
            found += [RowRule(place, left, right, joints) for place in places]
    return sorted(found, key=lambda rule: -rule.place)


def _join_pieces(parts: list[Box]) -> Iterator[tuple[float, float, tuple[float, ...]]]:
    """The left and the right edge of pieces that touch, and where they meet."""
    run: list[Box] = []
    for box in [*sorted(parts), (math.inf, 0.0, math.inf, 0.0)]:
        if run and abs(box[0] - run[-1][2]) > MEETING:
            if len(run) > 1:
                yield run[0][0], run[-1][2], tuple(each[0] for each in run[1:])
            run = []
        run.append(box)


def _group_rules(rules: list[RowRule]) -> list[list[RowRule]]:
    """The lines of each table: those that begin and end at the same places, and whose pieces meet at the same ones."""
    groups: list[list[RowRule]] = []
    for rule in rules:
        group = next((group for group in reversed(groups) if _has_ends(group[0], rule)), None)
        if group is None or not any(_has_joints(one, two) for one, two in ((group[0], rule), (rule, group[0]))):
            groups.append([rule])
        elif group[-1].place - rule.place > THIN:
            group.append(rule)
    return groups


def _has_ends(one: RowRule, two: RowRule) -> bool:
    return abs(one.left - two.left) <= ALIGNED and abs(one.right - two.right) <= ALIGNED


def _has_joints(one: RowRule, two: RowRule) -> bool:
    """Whether the pieces of a line meet wherever those of another one do: a cell may be as wide as several."""
    return all(any(abs(joint - other) <= ALIGNED for other in one.joints) for joint in two.joints)


def _build_grids(rules: list[RowRule], pieces: list[_Piece]) -> Iterator[Grid]:
    """The grids of lines below each other; text across the columns parts them."""
    left, right = rules[0].left, rules[0].right
    joints = _choose_joints(rules)
    xs = [left, *joints, right]
    run: list[float] = []
    for rule, following in zip(rules, [*rules[1:], None], strict=True):
        run.append(rule.place)
        if following is None or not _is_row(_take(pieces, following.place, rule.place), joints):
            if joints and len(run) >= MIN_LINES:
                ys = _extend(run, pieces, joints)
                if len(ys) > 2 and not (len(run) <= FEW_LINES and _has_many_rows(ys, pieces, joints)):
                    yield build_grid(xs, ys)
            run = []


def _choose_joints(rules: list[RowRule]) -> list[float]:
    """Where the pieces of at least half of the lines meet, from left to right."""
    found: list[float] = []
    for joint in sorted(joint for rule in rules for joint in rule.joints):
        times = sum(any(abs(joint - other) <= ALIGNED for other in rule.joints) for rule in rules)
        if times >= max(MIN_LINES, SHARE * len(rules)) and not (found and joint - found[-1] <= ALIGNED):
            found.append(joint)
    return found


def _take(pieces: list[_Piece], bottom: float, top: float) -> list[_Piece]:
    return [piece for piece in pieces if bottom < piece.bottom < top]


def _has_many_rows(places: list[float], pieces: list[_Piece], joints: list[float]) -> bool:
    """Whether there are several lines of text in each column between two of few lines: rows without lines between."""
    for top, bottom in pairwise(places):
        held = _take(pieces, bottom, top)
        columns = Counter(_find_column(piece, joints) for piece in held)
        if min(columns[column] for column in range(len(joints) + 1)) > 1:
            return True
    return False


def _crosses(piece: _Piece, joints: Iterable[float]) -> bool:
    return any(piece.left < joint - 1 and piece.right > joint + 1 for joint in joints)


def _is_row(pieces: list[_Piece], joints: list[float]) -> bool:
    return not any(_crosses(piece, joints) for piece in pieces)


def _extend(places: list[float], pieces: list[_Piece], joints: list[float]) -> list[float]:
    """The places of the lines, with the edges of the rows above the first one and of that below the last one.

    Empty if more rows follow below: the rows of that table have no lines.
    """
    pitch = max(one - two for one, two in pairwise(places))
    ys = list(places)
    for _ in range(MOST_HEADS):
        row = _take_row([piece for piece in reversed(pieces) if piece.bottom > ys[0]], ys[0], joints)
        if not row or (len(ys) > len(places) and row[0].bottom - ys[0] > pitch):
            break
        ys.insert(0, max(piece.bottom + piece.size for piece in row))
    for number in range(2):
        row = _take_row([piece for piece in pieces if piece.bottom < ys[-1]], ys[-1], joints)
        if not row:
            break
        if number:
            return []
        ys.append(min(piece.bottom - DESCENT * piece.size for piece in row))
    return ys


def _take_row(pieces: list[_Piece], place: float, joints: list[float]) -> list[_Piece]:
    """The text beside each other next to a line, if it is in several columns; `pieces` begin with the nearest."""
    row: list[_Piece] = []
    filled: set[int] = set()
    for level, line in groupby(pieces, key=lambda piece: round(piece.bottom)):
        held = list(line)
        size, columns = held[0].size, {_find_column(piece, joints) for piece in held}
        is_other = row and (len(filled & columns) > len(joints) or abs(size - row[0].size) > SAME_SIZE * size)
        if (
            is_other
            or abs(level - place) > (STEP if row else NEAR) * size
            or any(_crosses(each, joints) for each in held)
        ):
            break
        row += held
        filled |= columns
        place = level
    return row if len(filled) > 1 else []


def _find_column(piece: _Piece, joints: list[float]) -> int:
    return sum(joint < piece.left + 1 for joint in joints)
