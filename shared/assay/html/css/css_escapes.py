r"""CSS escapes (CSS Syntax Module Level 3, section 4.3.7): `\\64` is a d."""

import re

ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)


def unescape(text: str) -> str:
    """Return the text with its CSS escapes decoded."""
    if "\\" not in text:
        return text
    return ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    if not found.group(1):
        return found.group(2)
    code = int(found.group(1), 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
