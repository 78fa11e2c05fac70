"""Stores the watches of one person, and finds the watch of a secret address."""

import asyncio
import json
import random
import time
from collections.abc import Callable
from typing import NamedTuple

from assay.monitoring.watch_records import Watch, WatchState, parse_state, parse_watch
from assay.oauth.secret_values import create_secret, digest
from assay.state.json_documents import Document, encode
from assay.state.json_documents import load as load_document
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import hash_names, query_all

MAX_WATCHES = 100
RESERVED_SECONDS = 300  # after which a place without a watch is free: whoever took it has died
ATTEMPTS = 100  # to write beside other writers
INDEX, WATCH, STATE = "index", "watch/", "found/"
FEED_PREFIX = "assaywf_"  # of the token of a secret address


class WatchLimit(Exception):
    """The person has as many watches as are allowed."""


class WatchMissing(Exception):
    """The person has no such watch; it may have been deleted or have expired."""


class FeedOwner(NamedTuple):
    """Whose watch a secret address belongs to."""

    tenant: str
    user: str
    id: str


def build_watches_key(tenant: str, user: str) -> str:
    """Return the key of the rows of a person's watches."""
    return "watches/" + hash_names(tenant, user)


def build_feed_key(token_digest: str) -> str:
    return "watch-feed/" + token_digest


async def find_feed_owner(table: TableStore, token: str) -> FeedOwner | None:
    """Return whose watch this secret address belongs to."""
    row = await load_document(table, build_feed_key(digest(token)))
    return None if row is None else FeedOwner(**row)


async def delete_definition(table: TableStore, key: str, identity: str) -> bool:
    """Delete the definition of the watch and its secret address, also beside calls that renew them.

    Return whether there was one.
    """
    row = await table.get(key, WATCH + identity)
    while row is not None:
        feed = parse_watch(row.value).feed
        if feed:
            await table.delete(build_feed_key(feed))
        try:
            await table.delete(key, WATCH + identity, expect=row.version)
        except Conflict:
            row = await table.get(key, WATCH + identity)
            continue
        if feed:
            await table.delete(build_feed_key(feed))  # it may have been renewed before the definition was gone
        return True
    return False


class WatchStore:
    """The watches of one user of one tenant; other people's watches are not visible."""

    def __init__(
        self,
        table: TableStore,
        tenant: str,
        user: str,
        *,
        clock: Callable[[], float] = time.time,
        most: int = MAX_WATCHES,
    ) -> None:
        self.tenant, self.user = tenant, user
        self._table, self._clock, self._most = table, clock, most
        self._key = build_watches_key(tenant, user)

    async def load(self, identity: str) -> Watch | None:
        return (await self.load_version(identity))[0]

    async def load_version(self, identity: str) -> tuple[Watch | None, int]:
        """Return the watch, and the version of its row, which is 0 if there is none."""
        row = await self._table.get(self._key, WATCH + identity)
        return (None, 0) if row is None else (parse_watch(row.value), row.version)

    async def load_state(self, identity: str) -> WatchState | None:
        row = await self._table.get(self._key, STATE + identity)
        return None if row is None else parse_state(row.value)

    async def list_all(self) -> list[Watch]:
        """Return every watch, the oldest first."""
        rows = await query_all(self._table, self._key, WATCH)
        return sorted((parse_watch(row.value) for row in rows), key=lambda watch: (watch.created, watch.id))

    async def reserve(self, identity: str, until: float) -> None:
        """Take a place among the person's watches, or keep the one that it has. Raises WatchLimit."""

        def take(index: Document) -> Document:
            now = self._clock()
            live = {name: entry for name, entry in index.items() if entry["until"] > now}
            if identity not in live and len(live) >= self._most:
                raise WatchLimit
            return {**live, identity: {"until": until, "reserved": now}}

        try:
            await self._update_index(take)
        except WatchLimit:
            await self._free_abandoned_places()
            await self._update_index(take)

    async def put_state(self, watch: Watch, state: WatchState) -> None:
        """Store the first state of a watch. Raises Conflict if it has one."""
        await self._table.put(self._key, STATE + watch.id, state.encode(), until=watch.until, expect=0)

    async def put(self, watch: Watch, version: int) -> None:
        """Store the watch over this version. Raises Conflict if another call stored it meanwhile."""
        await self._table.put(self._key, WATCH + watch.id, watch.encode(), until=watch.until, expect=version)

    async def update_state(
        self, identity: str, edit: Callable[[WatchState], WatchState], until: float
    ) -> tuple[WatchState, WatchState]:
        """Change the state beside other writers; return it before and after. Raises WatchMissing."""
        for attempt in range(ATTEMPTS):
            row = await self._table.get(self._key, STATE + identity)
            if row is None:
                raise WatchMissing(identity)
            before = parse_state(row.value)
            after = edit(before).drop_oldest()
            try:
                await self._table.put(self._key, STATE + identity, after.encode(), until=until, expect=row.version)
            except Conflict:
                await pause(attempt)
            else:
                return before, after
        raise Conflict(f"too many concurrent writes to the watch {identity}")

    async def delete(self, identity: str) -> bool:
        """Delete the watch and its secret address; return whether there was one."""
        was_there = await delete_definition(self._table, self._key, identity)
        await self._table.delete(self._key, STATE + identity)
        await self.release(identity)
        return was_there

    async def release(self, identity: str) -> None:
        """Give up the place of a watch."""
        await self._update_index(lambda index: {name: entry for name, entry in index.items() if name != identity})

    async def create_feed(self, watch: Watch) -> tuple[Watch, str]:
        """Return the watch with a new secret address, and its token; the former address ends."""
        token = create_secret(FEED_PREFIX)
        changed = watch.model_copy(update={"feed": digest(token)})
        owner = FeedOwner(self.tenant, self.user, watch.id)
        await self._table.put(build_feed_key(changed.feed), "-", encode(owner._asdict()), until=watch.until)
        return changed, token

    async def revoke_feed(self, token_digest: str) -> None:
        if token_digest:
            await self._table.delete(build_feed_key(token_digest))

    async def renew_feed(self, watch: Watch) -> None:
        """Let the secret address live as long as the watch."""
        if watch.feed:
            owner = FeedOwner(self.tenant, self.user, watch.id)
            await self._table.put(build_feed_key(watch.feed), "-", encode(owner._asdict()), until=watch.until)
            if await self.load(watch.id) is None:  # it was deleted meanwhile
                await self.revoke_feed(watch.feed)

    async def _free_abandoned_places(self) -> None:
        """Free the places that were taken a while ago and have no watch."""
        held = {row.sort.removeprefix(WATCH) for row in await query_all(self._table, self._key, WATCH)}
        since = self._clock() - RESERVED_SECONDS
        await self._update_index(
            lambda index: {name: entry for name, entry in index.items() if name in held or entry["reserved"] > since}
        )

    async def _update_index(self, edit: Callable[[Document], Document]) -> None:
        for attempt in range(ATTEMPTS):
            row = await self._table.get(self._key, INDEX)
            index: Document = json.loads(row.value) if row else {}
            changed = edit(index)
            if changed == index:
                return
            version = row.version if row else 0
            try:
                if changed:
                    until = max(entry["until"] for entry in changed.values())
                    await self._table.put(self._key, INDEX, encode(changed), until=until, expect=version)
                else:
                    await self._table.delete(self._key, INDEX, expect=version)
            except Conflict:
                await pause(attempt)
            else:
                return
        raise Conflict("too many concurrent writes to the index of watches")


async def pause(attempt: int) -> None:
    await asyncio.sleep(random.uniform(0, min(0.2, 0.002 * 2**attempt)))  # spreads out concurrent writers
