"""A title or a snippet as plain text: no markup, no entities, nothing that a reader cannot see."""

import html
import re
from typing import Any

# Elements by name, so that `List<String>` and `a < b > c` stay what they are.
NAMES = (
    "a|abbr|article|b|big|blockquote|body|br|button|cite|code|dd|del|dfn|div|dl|dt|em|embed|figure|font|footer|form|"
    "h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|mark|math|meta|nav|object|ol|option|p|"
    "picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|"
    "td|template|textarea|tfoot|th|thead|time|title|tr|tt|u|ul|var|video|wbr"
)
UNSEEN = re.compile(
    r"<(script|style|template|iframe|object)\b[^<>]*>.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
BREAKS = re.compile(r"</?(?:br|p|div|li|tr|td|th|h[1-6]|hr|dd|dt|blockquote)\b[^<>]*>", re.IGNORECASE)
TAGS = re.compile(rf"</?(?:{NAMES})(?:\s[^<>]*|/)?>", re.IGNORECASE)
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Joiners shape Arabic, Persian and Indic words and emoji; between other letters they only hide.
NEEDS_JOINER = (
    "\u0600-\u07bf\u0860-\u109f\u1780-\u17ff\u1800-\u18af\ua840-\ua87f\ua980-\ua9df\ufb50-\ufdff\ufe70-\ufefc"
)
JOINERS = re.compile(
    rf"(?<![{NEEDS_JOINER}\u200d\ufe0f\u2600-\u27bf\U0001f000-\U0001faff])[\u200c\u200d]+"
    rf"|[\u200c\u200d]+(?![{NEEDS_JOINER}\u2600-\u27bf\U0001f000-\U0001faff])"
)


def plain(value: Any, limit: int = 2_000) -> str:
    """`value` on one line, without tags, entities, control and invisible characters; "" when it is not text.

    What is longer than `limit` characters ends in an ellipsis.
    """
    if not isinstance(value, str) or not value:
        return ""
    text = value[: limit * 8]  # markup is not charged to the limit, but it has an end
    if "<" in text:
        text = TAGS.sub("", BREAKS.sub(" ", UNSEEN.sub(" ", text)))
    if "&" in text:
        text = html.unescape(text)
    text = " ".join(visible(text).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def visible(text: str) -> str:
    """The text without characters that no reader sees; joiners stay where a script needs them."""
    if text.isascii() and text.isprintable():
        return text
    text = INVISIBLE.sub("", text)
    return JOINERS.sub("", text) if "\u200c" in text or "\u200d" in text else text
