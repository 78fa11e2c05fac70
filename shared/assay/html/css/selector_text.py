"""What the text of a selector shows before it is parsed: the names it requires, and the key of its last step."""

import re

UNSUPPORTED = re.compile(r":(?::|hover|focus|active|visited|before|after|placeholder)")
# Letters, digits, "_", "-" and all beyond ASCII, by what is not among them: Python compiles a set with a long range in
# milliseconds, and the patterns of selectors have forty such sets.
NAME_CHARACTER = r"[^\0-,./:-@\[-\^`{-\x7f]"
NAMES = re.compile(rf"[.#]{NAME_CHARACTER}+")
NAMES_OUTSIDE_BRACKETS = re.compile(NAMES.pattern + r"(?![^\[]*\])")  # outside brackets
LEADING_NAME = re.compile(rf"\s*+([.#](?:{NAME_CHARACTER}++|\\[!-,./:-@\[\]^`{{|}}~])++)(?!\\)")
COMBINATOR = re.compile(r"[\s>+~]")
PLAIN_LAST_STEP = re.compile(rf"(?:.*[ \t\n\r\f>+~])?+([a-zA-Z][a-zA-Z0-9]*+)?([.#]{NAME_CHARACTER}++)*+\Z", re.DOTALL)
LAST_ATTRIBUTE = re.compile(r"(?:^|[\s>+~])\[([\w:-]+)(?:[~|^$*]?=[^\[\]()]{0,200})?\]$")
PSEUDO_CLASS = re.compile(rf"::?{NAME_CHARACTER}+(?:\((?:[^()]|\([^()]*+\))*+\))?+")
ARGUMENTS = re.compile(r"\([^()]*\)")
SINGLE_ALTERNATIVE = re.compile(r":(?:is|where)\(([^(),]*)\)", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""\[(?:[^\[\]"'\\]++|"[^"\\]*+"|'[^'\\]*+')*+\]""")
ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|([^0-9a-fA-F\0\n\r\f]))")
MAX_EXAMINED = 2_000  # characters of a selector that is examined before it is parsed
ESCAPED = 0xF0000  # from here, 128 characters for private use stand for those of ASCII
ESCAPED_CHARACTER = re.compile("[\U000f0000-\U000f007f]")
UNESCAPED = {ESCAPED + code: code for code in range(128)}


def protect_escapes(text: str) -> str:
    """Return a selector with a character for private use, which only names have, in place of each escape; with a
    backslash if that is not possible.
    """
    if not text.isascii() and ESCAPED_CHARACTER.search(text):
        return f"\\{text}"
    return ESCAPE.sub(_protect, text) if "\\" in text else text


def _protect(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else ord(found[2])
    if not 0 < code <= 0x10FFFF:
        return "\ufffd"
    return chr(ESCAPED + code) if code < 128 and not chr(code).isalpha() else chr(code)


def restore_escapes(name: str) -> str:
    """Return a part of a protected selector with the characters that were escaped."""
    return name if name.isascii() else name.translate(UNESCAPED)


def may_concern(text: str, names: set[str]) -> bool:
    """Return whether a selector may match in a document with these `names`, classes as `.class` and ids as `#id`."""
    if "(" in text or "[" in text or "\\" in text:
        return _may_unusual_concern(text, names)
    if not names.issuperset(NAMES.findall(text)) or not text or text.isspace():
        return False
    return ":" not in text or UNSUPPORTED.search(text) is None


def _may_unusual_concern(text: str, names: set[str]) -> bool:
    if (leading := LEADING_NAME.match(text)) and leading[1].replace("\\", "") not in names:
        return False
    outside = protect_escapes(text)
    if "\\" in outside or len(outside) > MAX_EXAMINED:
        return True
    if "[" in outside:
        outside = ATTRIBUTE.sub("", outside)
    if "(" in outside:
        outside = ARGUMENTS.sub("", SINGLE_ALTERNATIVE.sub(r" \1 ", outside))
        outside = ARGUMENTS.sub("", SINGLE_ALTERNATIVE.sub(r" \1 ", outside))
    if "(" in outside or "[" in outside:
        return True
    found = NAMES.findall(outside)
    if "\\" in text:
        found = [restore_escapes(name) for name in found]
    return names.issuperset(found) and UNSUPPORTED.search(outside) is None


def find_key(text: str) -> str | None:
    """Return the key that a rule is indexed under after it is parsed, if the text of its selector shows it."""
    if "&" in text or len(text) > MAX_EXAMINED:
        return None
    text = protect_escapes(text).strip()
    if "\\" in text:
        return None
    if plain := PLAIN_LAST_STEP.match(text):
        return restore_escapes(plain[2]) if plain[2] else plain[1] and plain[1].lower()
    if ":" in text and "[" not in text:  # what the last step requires besides its pseudo-classes decides
        text = PSEUDO_CLASS.sub("", text)
    last = COMBINATOR.split(text)[-1]
    if last.isalnum():
        return last.lower()
    if attribute := LAST_ATTRIBUTE.search(text):
        return f"[{attribute[1].lower()}]"
    words = NAMES_OUTSIDE_BRACKETS.findall(last)
    return restore_escapes(words[-1]) if words and last.endswith(words[-1]) else None


def cut_last_step(text: str) -> str | None:
    """Return the text before the last step, including the combinator; None if its text does not show it."""
    text = text.strip()
    last = COMBINATOR.split(text)[-1]
    return None if "\\" in text or not last or ")" in last or "]" in last else text[: -len(last)]
