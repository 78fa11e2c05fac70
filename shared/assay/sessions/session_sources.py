"""The sources of a session, one row per URL."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from assay.sessions.session_keys import build_source_sort
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document, encode, update
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import query_all

NOTED = "noted"  # [epoch seconds, position in the batch]: the order of sources; not exported
MAX_SOURCES = 5_000  # sources per session
MAX_CLAIMS = 20  # per source, the latest
LINK_FIELDS = (
    "linkOutcome",
    "httpStatus",
    "finalUrl",
    "verified",
    "verifiedAt",
    "archivedUrl",
)  # fields set by later link checks
FIRST_MET = (NOTED, "foundInStep", "metAfterStep")
CHECKED = (*LINK_FIELDS, "retractionCheck")  # of which the latest finding counts
CLOSER = ("scraped", "cited", "full_text")  # a source that was read outranks one that was only found


async def put(
    table: TableStore,
    key: str,
    sources: Iterable[Mapping[str, Any]],
    *,
    now: float,
    until: float,
    most: int = MAX_SOURCES,
) -> None:
    """Store the sources up to the session's limit.

    Two entries for one URL are merged; the first position is kept.
    """
    distinct = {str(source["url"]): source for source in reversed([*sources])}
    if not distinct:
        return
    noted = [{**source, NOTED: [now, place]} for place, source in enumerate(reversed(distinct.values()))]
    before = await table.add(key, "sources", len(noted), until=until) - len(noted)
    is_new = await map_concurrently(lambda source: _put(table, key, source, until, full=before >= most), noted)
    if old := len(noted) - sum(is_new):
        await table.add(key, "sources", -old, until=until)


async def _put(table: TableStore, key: str, source: Document, until: float, *, full: bool) -> bool:
    """Return whether the source is new and was stored."""
    row = build_source_sort(source["url"])
    if not full:
        try:
            await table.put(key, row, encode(source), until=until, expect=0)
        except Conflict:
            pass
        else:
            return True
    if await table.get(key, row) is not None:
        await update(table, key, row, lambda known: _merge_sources(known or source, source), until=until)
    return False


async def tell(table: TableStore, key: str, url: str, status: Mapping[str, Any], *, until: float) -> bool:
    """Store the link status on its source (None clears it); return False if there is no such source."""
    changed = {name: status[name] for name in LINK_FIELDS if name in status}
    while (item := await table.get(key, build_source_sort(url))) is not None:
        source = {name: value for name, value in {**json.loads(item.value), **changed}.items() if value is not None}
        try:
            await table.put(key, build_source_sort(url), encode(source), until=until, expect=item.version)
        except Conflict:
            continue
        return True
    return False


def _merge_sources(known: Document, new: Document) -> Document:
    new = {name: value for name, value in new.items() if name != "metAfterStep"}  # it was met before
    is_closer = new.get("relevance") in CLOSER and known.get("relevance") not in CLOSER
    first, second = (new, known) if is_closer else (known, new)
    fixed = {name: known[name] for name in FIRST_MET if name in known}
    preferred = {name: value for name, value in first.items() if value is not None}
    checked = {name: new[name] for name in CHECKED if new.get(name) is not None}
    return {**second, **preferred, **fixed, **checked, **_merge_claims(known, new)}


def _merge_claims(known: Document, new: Document) -> Document:
    """The claims that were compared with the source, each with its latest result."""
    claims = {each["claim"]: each for source in (known, new) for each in source.get("claims") or ()}
    return {"claims": list(claims.values())[-MAX_CLAIMS:]} if claims else {}


async def read(table: TableStore, key: str) -> list[Document]:
    """Return the sources in the order in which they were first recorded."""
    found: list[Document] = [json.loads(item.value) for item in await query_all(table, key, "source/")]
    found.sort(key=lambda source: (source.get(NOTED, [0, 0]), source["url"]))
    return [{name: value for name, value in source.items() if name != NOTED} for source in found]
