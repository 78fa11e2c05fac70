"""Amounts in tables of figures whose currency sign, bracket or percent sign stands in a column of its own."""

import re

SIGN_BEFORE = re.compile(r"(?=\S)\(?(?:[A-Z]{0,3}[$€£¥₹₩])?\s?\(?")
SIGN_AFTER = re.compile(r"(?=\S)\)?\s?%?\s?\)?")
MAX_SIGN = 12  # characters of a sign, with its emphasis
AMOUNT = re.compile(r"[(+−–—-]*\s?(?:[A-Z]{0,3}[$€£¥₹₩]\s?)?[(+−–—-]*[.,]?\d|[−–—-]+\)?\Z")
STRONG = "**"


def join_amounts(grid: list[list[str]]) -> list[list[str]]:
    """Return the rows of a table, of the same length, with the columns of such signs joined to those of the amounts.

    The signs stand in columns of their own so that the digits are below each other.
    """
    columns: list[tuple[str, ...]] = []
    for column in zip(*grid, strict=True):
        if columns and _are_amounts(columns[-1], column):
            columns[-1] = tuple([_join(*pair) for pair in zip(columns[-1], column, strict=True)])
        else:
            columns.append(column)
    return [[*row] for row in zip(*columns, strict=True)] if len(columns) < len(grid[0]) else grid


def _are_amounts(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Return whether one of two columns beside each other has nothing but signs of the amounts in the other.

    Heads and other texts may span both columns, or stand above one of them.
    """
    has_amount = False
    for one, other in zip(left, right, strict=True):
        if not one or not other or one == other:
            continue
        if not _is_amount(one, other):
            return False
        has_amount = True
    if not has_amount:
        return False
    return _holds_signs(left, right, SIGN_BEFORE) or _holds_signs(right, left, SIGN_AFTER)


def _is_amount(one: str, other: str) -> bool:
    """Return whether two texts are a sign and an amount."""
    if _is_sign(one, SIGN_BEFORE):
        return AMOUNT.match(_plain(other)) is not None
    return _is_sign(other, SIGN_AFTER) and AMOUNT.match(_plain(one)) is not None


def _holds_signs(column: tuple[str, ...], beside: tuple[str, ...], sign: re.Pattern[str]) -> bool:
    return all(
        not text or text == other or not other or _is_sign(text, sign)
        for text, other in zip(column, beside, strict=True)
    )


def _is_sign(text: str, sign: re.Pattern[str]) -> bool:
    return len(text) <= MAX_SIGN and sign.fullmatch(_plain(text)) is not None


def _plain(text: str) -> str:
    return text.replace("*", "").replace("\\", "").strip()


def _join(one: str, other: str) -> str:
    """Return the texts of two cells as that of one; where both are, the second is not that of a cell across both."""
    if not one or not other or one == other:
        return one or other
    space = "" if _is_sign(other, SIGN_AFTER) or _plain(one).endswith("(") else " "
    if all(text.startswith(STRONG) and text.endswith(STRONG) for text in (one, other)):
        return f"{one.removesuffix(STRONG)}{space}{other.removeprefix(STRONG)}"
    return f"{one}{space}{other}"
