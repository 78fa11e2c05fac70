"""Compares two readings of a page by their passages."""

import json
from collections.abc import Sequence
from difflib import unified_diff

from assay.monitoring.novelty import WatchResult, build_item
from assay.monitoring.watch_records import PageState, WatchState, choose_last
from assay.state.clock_skew import is_ahead

MAX_PASSAGES, MAX_PASSAGE, PASSAGES_BYTES = 2_000, 2_000, 120_000
MAX_DIFF = 8_000  # characters
CUT = "[The diff is longer; the rest is left out.]"


def split_passages(text: str) -> list[str]:
    """Split the text into passages, one for each line with words; what exceeds the limits is left out."""
    passages: list[str] = []
    left = PASSAGES_BYTES
    for line in text.splitlines():
        if not (passage := " ".join(line.split())[:MAX_PASSAGE]):
            continue
        left -= len(json.dumps(passage, ensure_ascii=False).encode()) + 1
        if left < 0 or len(passages) == MAX_PASSAGES:
            break
        passages.append(passage)
    return passages


def format_diff(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the unified diff of the passages, without file names, with one passage of context."""
    lines: list[str] = []
    left = MAX_DIFF
    for line in list(unified_diff(before, after, n=1, lineterm=""))[2:]:
        left -= len(line) + 1
        if left < 0:
            return "\n".join([*lines, CUT])
        lines.append(line)
    return "\n".join(lines)


def merge_page(state: WatchState, url: str, page: PageState, now: float) -> WatchState:
    """Return the state with this reading: changed passages are a new item, except at the first look.

    A reading that began before the one that is stored is out of date and changes nothing.
    """
    if state.page is not None and page.read <= state.page.read and not is_ahead(state.page.read, now):
        return state
    changes = {"looks": state.looks + 1, "last": choose_last(state.last, now), "page": page}
    if state.page is not None and state.page.passages != page.passages:
        diff = format_diff(state.page.passages, page.passages)
        changes["items"] = [*state.items, build_item(WatchResult(page.url or url, page.title), now, state.looks, diff)]
    return state.model_copy(update=changes)
