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
CONFIRM_SECONDS = 600.0  # at least, between the two checks that must find a page missing
BACK = "The page can be read again."


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
    """Return the state with this reading: changed passages are a new item, except at the first check.

    A reading that began before the one that is stored is out of date and changes nothing.
    """
    if state.page is not None and page.read <= state.page.read and not is_ahead(state.page.read, now):
        return state
    changes: dict[str, object] = {
        "checks": state.checks + 1,
        "last": choose_last(state.last, now),
        "page": page,
        "missing_since": 0.0,
        "is_missing": False,
    }
    has_changed = state.page is not None and state.page.passages != page.passages
    if state.page is not None and (has_changed or state.is_missing):
        diff = format_diff(state.page.passages, page.passages)
        found = WatchResult(page.url or url, page.title, BACK if state.is_missing else "")
        item = build_item(found, now, state.checks, diff, "back" if state.is_missing else "")
        changes["items"] = [*state.items, item]
    return state.model_copy(update=changes)


def merge_missing_page(state: WatchState, known: PageState, reason: str, began: float, now: float) -> WatchState:
    """Return the state with a check that found the page missing: a new item if a check a while ago found the same.

    One check is not enough: a server that is being repaired reports pages as missing, too.
    """
    if began <= known.read and not is_ahead(known.read, now):
        return state
    since = state.missing_since
    if not since or is_ahead(since, now):
        return state.model_copy(update={"missing_since": now})
    if not state.is_missing and now - since < CONFIRM_SECONDS:
        return state
    changes: dict[str, object] = {"checks": state.checks + 1, "last": choose_last(state.last, now), "is_missing": True}
    if not state.is_missing:
        item = build_item(WatchResult(known.url, known.title, reason), now, state.checks, change="missing")
        changes["items"] = [*state.items, item]
    return state.model_copy(update=changes)
