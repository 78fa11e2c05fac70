"""Research sessions: what they have seen, noted for every tool that names one, from the cache or not."""

import asyncio
import hashlib
import json
from collections.abc import Iterable
from typing import Any

from assay.kept import save
from assay.ports import Table

IDLE_SECONDS = 4 * 3600


def key_of(tenant: str, user: str, session: str) -> str:
    """A session belongs to one person of one tenant; digests keep odd names apart without a separator to forge."""
    return "session/" + hashlib.sha256(repr((tenant, user, session)).encode()).hexdigest()


async def note(
    table: Table, tenant: str, user: str, session: str, sources: Iterable[dict[str, Any]], now: float
) -> None:
    """Remember the sources under the session, one row a URL."""
    key = key_of(tenant, user, session)
    await asyncio.gather(
        *(
            save(
                table,
                key,
                "source/" + hashlib.sha256(source["url"].encode()).hexdigest(),
                source,
                until=now + IDLE_SECONDS,
            )
            for source in sources
        )
    )


async def sources(table: Table, tenant: str, user: str, session: str) -> list[dict[str, Any]]:
    """Every source noted under the session, in no particular order."""
    key, found, after = key_of(tenant, user, session), [], None
    while True:
        page = await table.query(key, "source/", after=after)
        found += [json.loads(item.value) for item in page.items]
        if page.after is None:
            return found
        after = page.after
