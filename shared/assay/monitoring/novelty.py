"""Finds what is new in the results of a check: by normalized URL, and by text where stories have several URLs."""

import hashlib
from collections.abc import Sequence
from typing import Literal, NamedTuple

from assay.errors import InvalidInput
from assay.monitoring.watch_records import FoundItem, SeenText, WatchState, build_item_id, choose_last
from assay.net.urls import canonicalize_url
from assay.text.near_duplicates import are_similar
from assay.text.tokenize import extract_terms
from assay.text.url_parts import split_url

ALIKE_TITLES = 0.7  # Jaccard similarity of short texts: titles of different stories share many words
MAX_TERMS = 60
TRACKING = ("utm_", "fbclid", "gclid", "msclkid", "mc_cid", "mc_eid", "ref_src", "cmpid", "igshid")
LENGTHS = {"title": 300, "snippet": 500, "author": 200, "date": 40}


class WatchResult(NamedTuple):
    """One result of a search."""

    url: str
    title: str = ""
    snippet: str = ""
    author: str = ""
    date: str = ""


def normalize_url(url: str) -> str:
    """Return the URL in the form in which results are compared: without fragment, tracking parameters and final slash.

    http and https, and a host with and without www, count as the same.
    """
    try:
        url = canonicalize_url(url)
    except InvalidInput:
        return url.strip()
    parts = split_url(url)
    query = "&".join(sorted(pair for pair in parts.query.split("&") if pair and not pair.lower().startswith(TRACKING)))
    host = parts.netloc.removeprefix("www.")
    return f"{host}{parts.path.rstrip('/')}" + (f"?{query}" if query else "")


def merge_results(state: WatchState, results: Sequence[WatchResult], now: float, *, by_text: bool) -> WatchState:
    """Return the state with these results: those not seen before are new items, except at the first check."""
    seen, texts = dict.fromkeys(state.seen), list(state.texts)
    items, near_duplicates = list(state.items), state.near_duplicates
    for result in results:
        mark = hashlib.sha256(normalize_url(result.url).encode()).hexdigest()[:20]
        is_known = mark in seen
        seen.pop(mark, None)
        seen[mark] = None  # moves to the end: what still is found is kept longest
        terms = extract_terms(f"{result.title} {result.snippet}")[:MAX_TERMS] if by_text else []
        if is_known:
            continue
        is_near_duplicate = bool(terms) and any(
            are_similar(terms, text.terms.split(" "), alike_short=ALIKE_TITLES) for text in texts
        )
        if terms:
            texts.append(SeenText(url=result.url[:500], terms=" ".join(terms)))
        if is_near_duplicate:
            near_duplicates += 1
        elif state.checks:
            items.append(build_item(result, now, state.checks))
    return state.model_copy(
        update={
            "checks": state.checks + 1,
            "last": choose_last(state.last, now),
            "seen": list(seen),
            "texts": texts,
            "items": items,
            "near_duplicates": near_duplicates,
        }
    )


def build_item(
    result: WatchResult, now: float, batch: int, diff: str = "", change: Literal["", "missing", "back"] = ""
) -> FoundItem:
    fields = {name: getattr(result, name)[:length] for name, length in LENGTHS.items()}
    return FoundItem(id=build_item_id(), url=result.url, found=now, diff=diff, change=change, batch=batch, **fields)
