"""Removes invisible parts of markdown: HTML comments, and link definitions used as comments."""

import re

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
LINK_DEFINITION_COMMENT = re.compile(r" {0,3}\[[^\]\n]{0,80}\]:\s{0,9}(?:#|<>)(?:\s.*)?$")  # such as [//]: # (hidden)


def without_comments(markdown: str) -> str:
    """Return the markdown without comments; code blocks are unchanged."""
    if "<!--" not in markdown and "]:" not in markdown:
        return markdown
    kept: list[str] = []
    for is_code, part in _parts(markdown):
        kept.append(part if is_code else _strip_disguised_comments(part))
    return "".join(kept)


def _strip_disguised_comments(part: str) -> str:
    lines = COMMENT.sub("", part).splitlines(keepends=True)
    return "".join(each for each in lines if not LINK_DEFINITION_COMMENT.match(each.rstrip("\n")))


def _parts(markdown: str) -> list[tuple[bool, str]]:
    """Return alternating code and text parts. A fence inside a comment opens no code block."""
    parts: list[tuple[bool, str]] = []
    mark, stretch, is_hidden = "", list[str](), False
    for each in markdown.splitlines(keepends=True):
        found = None if is_hidden else FENCE.match(each)
        if found and not mark:
            parts.append((False, "".join(stretch)))
            mark, stretch = found[1], [each]
        elif found and mark and found[1][0] == mark[0] and len(found[1]) >= len(mark):
            parts.append((True, "".join([*stretch, each])))
            mark, stretch = "", []
        else:
            stretch.append(each)
            if not mark:
                is_hidden = _is_open(each, is_hidden)
    return [*parts, (bool(mark), "".join(stretch))]


def _is_open(each: str, was_open: bool) -> bool:
    """Return whether a comment is still open at the end of the line."""
    opened, closed = each.rfind("<!--"), each.rfind("-->")
    return opened > closed or (was_open and closed < 0)
