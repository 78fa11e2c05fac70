"""Removes from a page's structured data what the page's text already contains."""

import re
from collections.abc import Mapping
from typing import Any

from assay.text.json_encoding import encode_json

WORD = re.compile(r"\w+")
TAG = re.compile(r"<[^<>]*>")
MIN_REPEATED, SHORTENED = 300, 100  # characters from which a text is shortened if repeated, and its length then
COMPARED_WORDS = 12  # words that are compared with the page
MAX_SEARCHED = 200_000  # characters of the page that are searched
MAX_DEPTH = 40
MIN_BYTES = 4 * 1024  # bytes of data allowed beside a short text


def without_repeats(data: Mapping[str, Any], content: str, shown: str) -> dict[str, Any]:
    """Return the data with long texts that occur in `content` shortened, and JSON-LD at most as long as `shown`.

    `omittedBlocks` is the number of JSON-LD blocks that did not fit.
    """
    blocks = data.get("jsonLd")
    if not blocks:
        return dict(data)
    page_words = " ".join(WORD.findall(content[:MAX_SEARCHED].casefold()))
    remaining = max(MIN_BYTES, len(shown.encode()))
    kept: list[Any] = []
    for block in blocks:
        shortened = _shorten_repeats(block, page_words, MAX_DEPTH)
        size = len(encode_json(shortened))
        if size <= remaining:
            kept.append(shortened)
            remaining -= size
    omitted = len(blocks) - len(kept)
    rest = {name: value for name, value in data.items() if name != "jsonLd"}
    return ({"jsonLd": kept} if kept else {}) | rest | ({"omittedBlocks": omitted} if omitted else {})


def _shorten_repeats(value: Any, page_words: str, depth: int) -> Any:
    if isinstance(value, str):
        return (
            f"{value[:SHORTENED].rstrip()} …" if len(value) > MIN_REPEATED and _occurs_in(value, page_words) else value
        )
    if depth and isinstance(value, dict):
        return {name: _shorten_repeats(inner, page_words, depth - 1) for name, inner in value.items()}
    if depth and isinstance(value, list):
        return [_shorten_repeats(inner, page_words, depth - 1) for inner in value]
    return value


def _occurs_in(text: str, page_words: str) -> bool:
    words = WORD.findall(TAG.sub(" ", text[:1_000]).casefold())[:COMPARED_WORDS]
    return len(words) == COMPARED_WORDS and " ".join(words) in page_words
