"""Article text that a page carries only in its JSON-LD, for a script to render."""

import json
import re
from collections.abc import Iterator
from typing import Any

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.markdown_escapes import escape_markdown

MAX_SCRIPT = 2_000_000  # characters per script
MAX_DEPTH = 12
TAGS = re.compile(r"<[a-zA-Z/!][^>]{0,2000}>")
BODY_PROPERTIES = ("articleBody", "text")
ARTICLE_TYPES = ("Article", "BlogPosting", "Report", "DiscussionForumPosting", "Question", "Recipe", "Review")


def find_embedded_body(tree: HtmlElement) -> str:
    """Return the longest article body in the page's JSON-LD; "" if there is none."""
    longest = ""
    for script in tree.iter("script"):
        text = script.text or ""
        if (script.get("type") or "").strip().lower() != "application/ld+json" or len(text) > MAX_SCRIPT:
            continue
        if '"articleBody"' not in text and '"text"' not in text:
            continue
        try:
            data = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        longest = max([longest, *_bodies(data)], key=len)
    return longest


def _bodies(data: Any) -> Iterator[str]:
    waiting = [(data, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, list):
            waiting += [(inner, depth + 1) for inner in value]
        elif isinstance(value, dict):
            kind = json.dumps(value.get("@type", ""))
            for name in BODY_PROPERTIES:
                body = value.get(name)
                if isinstance(body, str) and any(known in kind for known in ARTICLE_TYPES):
                    yield body
            waiting += [(inner, depth + 1) for inner in value.values() if isinstance(inner, dict | list)]


def to_paragraphs(body: str) -> str:
    """Convert plain text or simple HTML to markdown paragraphs."""
    if TAGS.search(body):
        body = TAGS.sub("\n\n", body)
    return "\n\n".join(escape_markdown(" ".join(part.split())) for part in re.split(r"\n+", body) if part.strip())
