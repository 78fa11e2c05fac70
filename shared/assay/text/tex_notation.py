"""TeX of formulas: escaping of text, joining of parts, grouping of bases and names of functions."""

import re
from collections.abc import Iterable

from assay.text.word_lists import parse_words

SPECIAL = re.compile(r"[\\{}$%&#_]")
COMMAND_AT_END = re.compile(r"\\[A-Za-z]+\Z")
FUNCTIONS = parse_words(
    "sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln exp lim max min sup inf det gcd"
)
ACCENTS = dict.fromkeys("¯‾―\u0305", "overline") | dict.fromkeys("^ˆ\u0302", "hat") | dict.fromkeys("~˜\u0303", "tilde")
ACCENTS |= dict.fromkeys("´\u0301", "acute") | dict.fromkeys("`\u0300", "grave") | dict.fromkeys("˘\u0306", "breve")
ACCENTS |= dict.fromkeys("ˇ\u030c", "check") | dict.fromkeys("˚\u030a", "mathring") | {"\u20db": "dddot"}
ACCENTS |= {"\u20d6": "overleftarrow", "\u20e1": "overleftrightarrow"}
ACCENTS |= dict.fromkeys("→⃗", "vec") | dict.fromkeys(".˙\u0307", "dot") | dict.fromkeys("¨\u0308", "ddot")
BRACES = {"⏞": "overbrace", "⏟": "underbrace", "⎴": "overbracket", "⎵": "underbracket"}
OPERATORS = {"∑": "\\sum", "∏": "\\prod", "∫": "\\int", "∮": "\\oint", "⋃": "\\bigcup", "⋂": "\\bigcap"}


def escape_tex(text: str) -> str:
    """Return text with a backslash before the characters that TeX would interpret."""
    return SPECIAL.sub(lambda found: "\\backslash " if found.group() == "\\" else f"\\{found.group()}", text)


def join_tex(parts: Iterable[str]) -> str:
    """Return the parts in a row, with a space where a letter would extend the command before it."""
    joined: list[str] = []
    for part in parts:
        if joined and part[:1].isalpha() and COMMAND_AT_END.search(joined[-1]):
            joined.append(" ")
        if part:
            joined.append(part)
    return "".join(joined)


def group_tex(base: str) -> str:
    """Return the base of a script, in braces unless it is one character or command."""
    is_single = len(base) <= 1 or (base[0] == "\\" and base[1:].isalpha())
    return base if is_single else f"{{{base}}}"
