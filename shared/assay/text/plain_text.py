"""A title or a snippet as plain text: no markup, no entities, nothing that a reader cannot see."""

import html
import re
from typing import Any

from assay.text.sanitize import sanitise

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
    return text if text.isascii() and text.isprintable() else sanitise(text)
