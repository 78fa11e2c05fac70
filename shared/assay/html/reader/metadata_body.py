"""The text of an article that a page carries only in its metadata, for a script to show."""

import json
import re
from collections.abc import Iterator
from typing import Any

from lxml.html import HtmlElement

from assay.html.reader.inline_markdown import escape_markdown

LARGEST = 2_000_000  # characters of one script
DEEPEST = 12
TAGS = re.compile(r"<[a-zA-Z/!][^>]{0,2000}>")
BODIES = ("articleBody", "text")
KINDS = ("Article", "BlogPosting", "Report", "DiscussionForumPosting", "Question", "Recipe", "Review")


def embedded_body(tree: HtmlElement) -> str:
    """The longest body that the page's JSON-LD gives an article, as paragraphs; "" when there is none."""
    found = ""
    for script in tree.iter("script"):
        text = script.text or ""
        if (script.get("type") or "").strip().lower() != "application/ld+json" or len(text) > LARGEST:
            continue
        if '"articleBody"' not in text and '"text"' not in text:
            continue
        try:
            told = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        found = max([found, *_bodies(told)], key=len)
    return found


def _bodies(told: Any) -> Iterator[str]:
    waiting = [(told, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            continue
        if isinstance(value, list):
            waiting += [(inner, depth + 1) for inner in value]
        elif isinstance(value, dict):
            kind = json.dumps(value.get("@type", ""))
            for name in BODIES:
                body = value.get(name)
                if isinstance(body, str) and any(known in kind for known in KINDS):
                    yield body
            waiting += [(inner, depth + 1) for inner in value.values() if isinstance(inner, dict | list)]


def as_paragraphs(body: str) -> str:
    """Plain text or simple HTML as markdown paragraphs."""
    if TAGS.search(body):
        body = TAGS.sub("\n\n", body)
    return "\n\n".join(escape_markdown(" ".join(part.split())) for part in re.split(r"\n+", body) if part.strip())
