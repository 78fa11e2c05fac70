"""JSON documents in table rows, with compare-and-swap updates."""

import json
import random
from collections.abc import Callable
from typing import Any

from assay.state.ports import Conflict, TableStore
from assay.text.json_encoding import encode_json

type Document = dict[str, Any]


def encode(document: Document) -> bytes:
    return encode_json(document)


async def load(table: TableStore, key: str, sort: str = "-") -> Document | None:
    item = await table.get(key, sort)
    return None if item is None else json.loads(item.value)


async def save(table: TableStore, key: str, sort: str, document: Document, *, until: float | None = None) -> None:
    await table.put(key, sort, encode(document), until=until)


async def update(
    table: TableStore,
    key: str,
    sort: str,
    edit: Callable[[Document | None], Document],
    *,
    until: float | None = None,
    tries: int = 60,
) -> Document:
    """Read, `edit` and write the document; retry if it was written meanwhile. Raises Conflict after `tries`.

    `edit` receives None if the document does not exist. Returns the new document.
    """
    for attempt in range(tries):
        item = await table.get(key, sort)
        document = edit(None if item is None else json.loads(item.value))
        try:
            await table.put(key, sort, encode(document), until=until, expect=item.version if item else 0)
        except Conflict:
            import asyncio

            # Full jitter spreads out concurrent writers.
            await asyncio.sleep(random.uniform(0, min(0.2, 0.002 * 2**attempt)))
        else:
            return document
    raise Conflict(f"too many concurrent writes to {key}/{sort}")
