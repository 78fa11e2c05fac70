"""Text in markdown: its spaces, and what has to be escaped so that it stays text (CommonMark 2.4, 6.1)."""

import re
from html.entities import html5

from assay.text.sanitize import sanitise

SPECIAL = re.compile(r"[\\`*_\[\]<&~]")
SIMPLE = re.compile(r"[\t\n !-%')+-;=-Z^a-}]*")  # ASCII without any of \ ` * _ [ ] < & ~ ( and without controls
ESCAPED = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|\s*\Z)|`|\*|(?<![^\W_])_+|_+(?![^\W_])|\](?=\()|<(?=[A-Za-z/!?]|\Z)"
    r"|&(?=#\w{1,8};|(\w{1,31};))|~(?=~)"
)
AT_START = re.compile(  # of lines that would begin a heading, a quotation, an item, a rule, a table, code, …
    r"^( {0,3})(#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|\d{1,9}(?=[.)](?:\s|$))|=+$|(?=[:| ]*-)[-:|][-:| ]*$|(?:\*[ \t]*){3,}$"
    r"|(?:_[ \t]*){3,}$|~{3,}|:(?=\s)|\[(?=[^\]]{1,999}\]:))",
    re.MULTILINE,
)
HEADING_END = re.compile(r"(?<!\S)#+$")  # signs that markdown would leave out
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
LONGEST_ENTITY = 34
ENTITY_START, ENTITY_END = re.compile(r"(?<!\\)&#?\w{0,31}\Z"), re.compile(r"#?\w{0,31};")
BRACKETS = re.compile(r"\\.|[\[\]]")
IN_FORMULA = re.compile(r"(?<=\])(?=\()|(?<=<)(?=[A-Za-z/!?])")
TICKS = re.compile(r"`+")
MANY = 1_000_000  # signs, all of which are escaped


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


def escape_line_start(text: str) -> str:
    """Return markdown with the starts of its lines escaped that would begin a block."""
    if text[:1].isalpha() and "\n" not in text:
        return text
    if "\n" in text:
        return AT_START.sub(_escape_start, text)
    start = AT_START.match(text)
    return _escape_start(start) + text[start.end() :] if start else text


def _escape_start(found: re.Match[str]) -> str:
    indent, sign = found.groups()
    return f"{indent}{sign}\\" if sign.isdigit() else f"{indent}\\{sign}"


def escape_heading_end(text: str) -> str:
    """Return the markdown of a heading with signs at its end that would close it escaped (4.2)."""
    return HEADING_END.sub(lambda found: f"\\{found.group()}", text) if text.endswith("#") else text


def escape_unpaired_brackets(text: str) -> str:
    """Return markdown for use between brackets, with its own escaped unless they are pairs."""
    if "[" not in text and "]" not in text:
        return text
    depth = 0
    for found in BRACKETS.finditer(text):
        depth += {"[": 1, "]": -1}.get(found.group(), 0)
        if depth < 0:
            break
    return escape_brackets(text) if depth else text


def escape_joint(before: str, text: str) -> tuple[str, str]:
    """Return two texts of markdown, where a backslash parts what would be markup only in both together."""
    if (text[0] == "(" and before[-1] == "]") or text[0] == before[-1] == "~":
        return before, f"\\{text}"
    start = ENTITY_START.search(before[-LONGEST_ENTITY:]) if "&" in before[-LONGEST_ENTITY:] else None
    if start and ENTITY_END.match(text):
        place = len(before) - len(start.group())
        before = f"{before[:place]}\\{before[place:]}"
    return before, text


def break_markup(tex: str) -> str:
    """Return TeX with a space, which is insignificant, within what would be a link or an element."""
    return IN_FORMULA.sub(" ", tex)


def unescape_markdown(text: str) -> str:
    """Return the text without the backslashes that escape its signs."""
    return ESCAPE.sub(r"\1", text) if "\\" in text else text


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
