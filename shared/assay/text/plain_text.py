"""Titles and snippets as plain text, without markup, entities and invisible characters."""

import html
import re
from typing import Any

from assay.text.sanitize import sanitise
from assay.text.superscripts import mark_superscript

# Only known element names count as tags, so that `List<String>` and `a < b > c` are unchanged.
ELEMENT_NAMES = (
    "a|abbr|article|b|big|blockquote|body|br|button|cite|code|dd|del|dfn|div|dl|dt|em|embed|figure|font|footer|form|"
    "h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|mark|math|meta|nav|object|ol|option|p|"
    "picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|"
    "td|template|textarea|tfoot|th|thead|time|title|tr|tt|u|ul|var|video|wbr"
)
INVISIBLE_ELEMENTS = re.compile(
    r"<(script|style|template|iframe|object)\b[^<>]*>.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
BLOCK_TAGS = re.compile(r"</?(?:br|p|div|li|tr|td|th|h[1-6]|hr|dd|dt|blockquote)\b[^<>]*>", re.IGNORECASE)
# Behind other characters a superscript stays joined, as titles that are compared write it: Cu2+.
RAISED = re.compile(r"(?<=(\d))<sup>([^<>]{1,40})</sup>", re.IGNORECASE)
TAGS = re.compile(rf"</?(?:{ELEMENT_NAMES})(?:\s[^<>]*|/)?>", re.IGNORECASE)


def to_plain_text(value: Any, limit: int = 2_000) -> str:
    """Return `value` on one line without tags, entities, control and invisible characters; "" if it is not a string.

    A result longer than `limit` characters ends in an ellipsis.
    """
    if not isinstance(value, str) or not value:
        return ""
    text = value[: limit * 8]  # markup does not count towards the limit, but its amount is bounded
    if "<" in text:
        text = RAISED.sub(_mark_raised, text)
        text = TAGS.sub("", BLOCK_TAGS.sub(" ", INVISIBLE_ELEMENTS.sub(" ", text)))
    if "&" in text:
        text = html.unescape(text)
    text = " ".join(strip_invisible(text).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _mark_raised(match: re.Match[str]) -> str:
    opening, closing = mark_superscript(match[1], match[2])
    return opening + match[2] + closing


def strip_invisible(text: str) -> str:
    """Return the text without invisible characters; joiners stay where a script needs them."""
    return text if text.isascii() and text.isprintable() else sanitise(text)
