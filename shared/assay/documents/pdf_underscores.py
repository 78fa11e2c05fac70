"""Underscores in names that LaTeX draws as short rules, because its old fonts have no such sign: "run_all"."""

from collections.abc import Sequence

from assay.documents.pdf_links import find_place
from assay.documents.pdf_objects import Box
from assay.documents.pdf_text_page import TextPage

MOST = 300  # rules of a page; more are parts of a drawing
THIN, HIGHEST_TICK = 1.2, 3.0  # points
WIDTH = (0.25, 0.75)  # minimum and maximum width of a rule, relative to the size of the text beside it
LEVEL, NEAR = 0.12, 0.15  # maximum distance from the baseline, and from the letters beside, likewise
NEAR_IN_COLUMNS = 0.4  # from letters of a listing
ABOVE = 0.2  # where the letters beside are looked for, in parts of their size above the baseline
SMALLEST, LARGEST = 4.0, 40.0  # points: sizes of texts

type Run = tuple[float, float, float, int]  # left, right and bottom of rules beside each other, and their number


def restore_underscores(page: TextPage, boxes: Sequence[Box]) -> None:
    """Put an underscore into the text of a page for each rule on the baseline directly beside a letter.

    One with ticks at its ends is the sign of a space.
    """
    rules = sorted(
        (bottom, left, right)
        for left, bottom, right, top in boxes
        if top - bottom <= THIN and WIDTH[0] * SMALLEST <= right - left <= WIDTH[1] * LARGEST
    )
    if not 0 < len(rules) <= MOST:
        return
    ticks = [box for box in boxes if box[2] - box[0] <= THIN < box[3] - box[1] <= HIGHEST_TICK]
    changes: dict[int, str] = {}
    for run in _join_rules(rules):
        if not any(abs(tick[0] - run[0]) < THIN and abs(tick[1] - run[2]) < THIN for tick in ticks):
            _add_underscores(page, run, changes)
    if changes:
        page.change(changes)


def _join_rules(rules: list[tuple[float, float, float]]) -> list[Run]:
    """Join the rules that touch each other."""
    runs: list[Run] = []
    for bottom, left, right in rules:
        if runs and abs(runs[-1][2] - bottom) < THIN and abs(left - runs[-1][1]) < THIN:
            runs[-1] = (runs[-1][0], right, bottom, runs[-1][3] + 1)
        else:
            runs.append((left, right, bottom, 1))
    return runs


def _add_underscores(page: TextPage, run: Run, changes: dict[int, str]) -> None:
    """Add the underscores of a run behind the letter before it, or before the one behind it."""
    left, right, bottom, count = run
    width = (right - left) / count
    before, after = _find_letter(page, left, bottom, width, -1), _find_letter(page, right, bottom, width, 1)
    if before is None and after is None:
        return
    signs = "_" * count
    if before is not None and after is not None and before < after <= before + 2:
        changes |= dict.fromkeys(range(before + 1, after), "")
    if before is not None:
        changes[before] = changes.get(before, page.text[before]) + signs
    elif after is not None:
        changes[after] = signs + changes.get(after, page.text[after])


def _find_letter(page: TextPage, edge: float, bottom: float, width: float, side: int) -> int | None:
    """Return the place of the letter or digit whose baseline the rule is on and that begins or ends at its edge."""
    place = find_place(page, edge + side * width / 2, bottom + ABOVE * width)
    if page.text[place : place + 1] == " ":
        place += side
    if not 0 <= place < len(page.text) or not page.text[place].isalnum():
        return None
    base, size = page.level(place)
    box = page.box(place)
    gap = edge - box[2] if side < 0 else box[0] - edge
    near = NEAR_IN_COLUMNS if page.is_listed(place) else NEAR
    is_beside = abs(gap) <= near * size and abs(base - bottom) <= LEVEL * size
    return place if is_beside and WIDTH[0] * size <= width <= WIDTH[1] * size else None
