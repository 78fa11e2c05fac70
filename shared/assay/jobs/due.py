"""What is due, by time: one row an errand under the job's key, so that nobody reads what is not due yet."""

import json
import secrets
from collections.abc import AsyncIterator
from typing import NamedTuple

from assay.jobs.errand import Errand
from assay.kept import packed
from assay.ports import Conflict, Table

PAGE = 100


class Row(NamedTuple):
    """A row among the due. It speaks for its errand only where the errand names it as its place."""

    sort: str
    owner: str
    id: str

    @property
    def time(self) -> float:
        return float(self.sort.partition("/")[0])


def key_of(job: str) -> str:
    return f"due/{job}"


async def until(table: Table, job: str, moment: float) -> AsyncIterator[Row]:
    """The rows due by then, the longest due first."""
    after: str | None = None
    while True:
        page = await table.query(key_of(job), after=after, limit=PAGE)
        for item in page.items:
            row = Row(item.sort, **json.loads(item.value))
            if row.time > moment:
                return
            yield row
        if page.after is None:
            return
        after = page.after


async def move(
    table: Table, errand: Errand, version: int, moment: float | None, *, keep: float | None = None
) -> tuple[Errand, int]:
    """Write `errand` over `version` (0 is none), to be seen to at `moment`, None is never; the errand and its version.

    Its new row stands before it is named, and its old one stays: whoever dies in between leaves an errand that is found
    at its old time or at its new one. Raises Conflict where another wrote since; then nothing has changed.
    """
    place = "" if moment is None else f"{moment:014.3f}/{secrets.token_hex(4)}"
    moved = errand.model_copy(update={"place": place})
    if place:
        await table.put(key_of(errand.job), place, packed({"owner": errand.owner, "id": errand.id}))
    try:
        return moved, await rewrite(table, moved, version, keep=keep)
    except Conflict:
        if place:
            await remove(table, errand.job, place)
        raise


async def rewrite(table: Table, errand: Errand, version: int, *, keep: float | None = None) -> int:
    """Write it where it is, over `version`; its new version. Raises Conflict where another wrote since."""
    value = packed(errand.model_dump(exclude_defaults=True))
    return await table.put(errand.key, errand.id, value, until=keep, expect=version)


async def remove(table: Table, job: str, place: str) -> None:
    await table.delete(key_of(job), place)
