"""A page's data for machines beside its text: what the text says already is not said again."""

import json
import re
from collections.abc import Mapping
from typing import Any

WORD = re.compile(r"\w+")
TAG = re.compile(r"<[^<>]*>")
LONG, SHOWN = 300, 100  # characters of a text that may repeat the page's, and how many of it are shown then
COMPARED = 12  # words by which it is found there
LOOKED_AT = 200_000  # characters of the page in which such a text is looked for
DEPTH = 40
LEAST = 4 * 1024  # bytes of data that may stand beside a short text


def without_repeats(data: Mapping[str, Any], content: str, shown: str) -> dict[str, Any]:
    """The data, its long texts that stand in the page's `content` cut short, and no more JSON-LD than text is `shown`.

    `omittedBlocks` counts the blocks of JSON-LD for which there was no room.
    """
    blocks = data.get("jsonLd")
    if not blocks:
        return dict(data)
    said = " ".join(WORD.findall(content[:LOOKED_AT].casefold()))
    room = max(LEAST, len(shown.encode()))
    kept: list[Any] = []
    for block in blocks:
        lean = _lean(block, said, DEPTH)
        size = len(json.dumps(lean, ensure_ascii=False, separators=(",", ":")).encode())
        if size <= room:
            kept.append(lean)
            room -= size
    omitted = len(blocks) - len(kept)
    rest = {name: value for name, value in data.items() if name != "jsonLd"}
    return ({"jsonLd": kept} if kept else {}) | rest | ({"omittedBlocks": omitted} if omitted else {})


def _lean(value: Any, said: str, depth: int) -> Any:
    if isinstance(value, str):
        return f"{value[:SHOWN].rstrip()} …" if len(value) > LONG and _stands_in(value, said) else value
    if depth and isinstance(value, dict):
        return {name: _lean(inner, said, depth - 1) for name, inner in value.items()}
    if depth and isinstance(value, list):
        return [_lean(inner, said, depth - 1) for inner in value]
    return value


def _stands_in(text: str, said: str) -> bool:
    words = WORD.findall(TAG.sub(" ", text[:1_000]).casefold())[:COMPARED]
    return len(words) == COMPARED and " ".join(words) in said
