"""Text in markdown: its spaces, and what has to be escaped so that it stays text (CommonMark 2.4, 6.1)."""

import re
from html.entities import html5

from assay.text.sanitize import sanitise

SPECIAL = re.compile(r"[\\`*_\[\]<&~]")
MARKUP_BYTES = b"\\`*_[]<&~(\x7f" + bytes({*range(32)} - {*b"\t\n"})
ESCAPED = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|\Z)|`|\*|(?<![^\W_])_+|_+(?![^\W_])|\](?=\()|<(?=[A-Za-z/!?]|\Z)"
    r"|&(?=#\w{1,8};|(\w{1,31};))|~(?=~)"
)
BRACKETS = re.compile(r"\\.|[\[\]]")
TICKS = re.compile(r"`+")
MANY = 1_000_000  # signs, all of which are escaped


def is_simple(text: str) -> bool:
    """Return quickly whether the text contains nothing to remove or escape."""
    return text.isascii() and len(text.encode().translate(None, MARKUP_BYTES)) == len(text)


def collapse_spaces(text: str) -> str:
    """Return the text with each run of white space replaced by one space."""
    if text.isprintable() and "  " not in text:  # the only printable white space is a space
        return text
    bare = " ".join(text.split())
    if not bare:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{bare}{' ' if text[-1].isspace() else ''}"


def escape_markdown(text: str) -> str:
    """Return the text with a backslash before characters that markdown would interpret, in any context.

    Invisible characters are removed first, because they could split a markup sequence.
    """
    text = sanitise(text)
    return escape_signs(text, text.count("*"), text.count("_")) if SPECIAL.search(text) else text


def escape_signs(text: str, stars: int, lines: int) -> str:
    """Return the text escaped, given the numbers of stars and low lines in the block: a single one needs none."""
    return ESCAPED.sub(lambda found: _escape(found, stars, lines), text)


def _escape(found: re.Match[str], stars: int, lines: int) -> str:
    sign, text = found.group(), found.string
    if sign == "*":
        before = text[found.start() - 1 : found.start()] if found.start() else ""
        after = text[found.end() : found.end() + 1]
        is_apart = before.isspace() and after.isspace() and stars < MANY
        if is_apart or (before and after and stars == 1):
            return sign
    elif sign == "&":
        return sign if found[1] and found[1] not in html5 else "\\&"
    elif sign[0] == "_":
        return sign if lines == 1 else "\\_" * len(sign)
    return "\\" + sign


def escape_brackets(text: str) -> str:
    """Return markdown with its brackets escaped, for use between brackets."""
    return BRACKETS.sub(lambda found: found.group() if len(found.group()) > 1 else f"\\{found.group()}", text)


def format_code(text: str) -> str:
    """Return inline code, fenced by more backticks than it contains."""
    text = collapse_spaces(text)
    bare = text.strip()
    if not bare:
        return " " if text else ""
    longest = max((len(run) for run in TICKS.findall(bare)), default=0)
    fence = "`" * (longest + 1)
    padded = f" {bare} " if bare.startswith("`") or bare.endswith("`") else bare
    return f"{' ' if text[0] == ' ' else ''}{fence}{padded}{fence}{' ' if text[-1] == ' ' else ''}"
