"""Stores the research sessions of one user; concurrent writers lose nothing, and idle sessions expire."""

import asyncio
import json
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from assay.errors import SessionNotFound
from assay.sessions import call_outcomes, session_index, session_sources
from assay.sessions.research import Research
from assay.sessions.session_keys import IDLE_SECONDS, STAY, build_key, build_step_sort, renew
from assay.sessions.watchlist import Watched, watch
from assay.state.json_documents import Document, encode, update
from assay.state.ports import Conflict, TableItem, TableStore
from assay.state.table_rows import query_all

MAX_STEPS = 200


class SessionFull(Exception):
    """The session has reached its step limit."""


class SessionStore:
    """The sessions of one user of one tenant; other users' sessions are not visible.

    `watch`: "links" schedules link checks for each new session, "archive" also archives its sources. Every write is a
    conditional write of one row.
    """

    def __init__(
        self,
        table: TableStore,
        tenant: str,
        user: str,
        *,
        clock: Callable[[], float] = time.time,
        seconds: int = IDLE_SECONDS,
        steps: int = MAX_STEPS,
        sources: int = session_sources.MAX_SOURCES,
        most: int = session_index.MAX_SESSIONS,
        watch: str = "",
    ) -> None:
        self.table, self.tenant, self.user, self.clock = table, tenant, user, clock
        self.seconds, self.steps, self.sources, self.most = seconds, steps, sources, most
        self._watch = watch

    async def begin(self, goal: str, step: Document, *, completed: bool, head: Mapping[str, Any]) -> Research:
        """Create a session with its first step; the least recently used sessions beyond the limit are deleted."""
        session, now = str(uuid.uuid4()), self.clock()
        key, stay = self._build_key(session), self._compute_expiry(now)
        first = {
            "goal": goal,
            "begun": now,
            "used": now,
            "stay": stay,
            "last": step["stepNumber"],
            **_build_changes(head, now if completed else None),
        }
        await asyncio.gather(
            self.table.put(key, "head", encode(first), until=now + self.seconds),
            self.table.put(key, build_step_sort(1), encode(step), until=stay),
            *([self.watch(session, archive=self._watch == "archive")] if self._watch else []),
        )
        await self._add_to_index(session, now, now)  # last, so that what is listed can be deleted whole
        await session_index.make_room(self.table, self.tenant, self.most)
        return _build_research(session, first, [step], [])

    async def read(self, session: str) -> Research:
        """Return the session and restart its idle time. Raises SessionNotFound."""
        key = self._build_key(session)
        head, steps, sources = await asyncio.gather(
            self.table.get(key, "head"), self._read_steps(key), session_sources.read(self.table, key)
        )
        if head is None:
            raise self.missing()
        await self._mark_used(session, head)
        return _build_research(session, json.loads(head.value), steps, sources)

    async def add(self, session: str, step: Document, *, completed: bool, head: Mapping[str, Any]) -> Research:
        """Return the session with another step. Raises SessionNotFound, and SessionFull at the step limit."""
        now = self.clock()
        changes = {"last": step["stepNumber"], **_build_changes(head, now if completed else None)}
        return await self._update(session, lambda known: {**known, "used": now, **changes}, step)

    async def finish(self, session: str) -> Research:
        """Close the session without another step."""
        now = self.clock()
        return await self._update(
            session, lambda known: {**known, "used": now, "completed": known.get("completed") or now}
        )

    async def note(self, session: str, sources: Iterable[Mapping[str, Any]], went: Sequence[Document] = ()) -> bool:
        """Record a call's sources and outcomes; return whether the session exists, without which nothing is stored."""
        key, now = self._build_key(session), self.clock()
        head = await self.table.get(key, "head")
        if head is None:
            return False
        until = self._compute_expiry(now)
        last = json.loads(head.value).get("last")
        met = {"metAfterStep": last} if last else {}
        sources = [source if source.get("foundInStep") else {**source, **met} for source in sources]
        await asyncio.gather(
            session_sources.put(self.table, key, sources, now=now, until=until, most=self.sources),
            call_outcomes.put(self.table, key, went, until=until),
        )
        return await self._mark_used(session, head)

    async def outcomes(self, session: str) -> list[Document]:
        """Return the outcomes of the session's calls, the oldest first."""
        return await call_outcomes.read(self.table, self._build_key(session))

    async def watch(self, session: str, *, archive: bool = False) -> None:
        """Schedule link checks, and with `archive` captures, of the session's sources while it exists."""
        watched = Watched(self.tenant, self.user, session, archive)
        await watch(self.table, watched, now=self.clock())

    def missing(self, last_step: int | None = None) -> SessionNotFound:
        """Return the error for a missing session: the same text for an unknown, expired or foreign one."""
        hours = self.seconds / 3600
        span = f"{hours:g} hour{'s' if hours != 1 else ''}" if hours >= 1 else f"{self.seconds // 60} minutes"
        message = f"Session not found or expired. Sessions last {span} from last activity."
        return SessionNotFound(
            f"{message} Start a new session with stepNumber 1." if last_step else message, last_step=last_step
        )

    async def _update(
        self, session: str, edit: Callable[[Document], Document], step: Document | None = None
    ) -> Research:
        """Add the step, change the session's head, which counts as use, and return the session."""
        key, now = self._build_key(session), self.clock()
        found = await self.table.get(key, "head")
        if found is None:
            raise self.missing()

        def edit_known(known: Document | None) -> Document:
            if known is None:
                raise self.missing()
            return edit(known)

        await asyncio.gather(
            self._add_to_index(session, json.loads(found.value)["begun"], now),
            *([self._append(key, step, now)] if step else []),
        )
        try:  # last, so that whoever deletes the session later finds what this call wrote
            head = await update(self.table, key, "head", edit_known, until=now + self.seconds)
        except SessionNotFound:  # it was deleted meanwhile
            await session_index.delete_session(self.table, self.tenant, key)
            raise
        steps, sources = await asyncio.gather(self._read_steps(key), session_sources.read(self.table, key))
        if self._has_aged(head, now):
            await self.read(session)
        return _build_research(session, head, steps, sources)

    async def _append(self, key: str, step: Document, now: float) -> None:
        """Append the step, also with concurrent writers. Raises SessionFull."""
        last = (await self.table.query(key, "step/", limit=1, descending=True)).items
        place = int(last[0].sort.removeprefix("step/")) + 1 if last else 1
        while place <= self.steps:
            try:
                await self.table.put(
                    key, build_step_sort(place), encode(step), until=self._compute_expiry(now), expect=0
                )
            except Conflict:
                place += 1
            else:
                return
        raise SessionFull

    async def _read_steps(self, key: str) -> list[Document]:
        return [json.loads(item.value) for item in await query_all(self.table, key, "step/")]

    async def _mark_used(self, session: str, head: TableItem) -> bool:
        """Restart the idle time; renew the rows well before they expire. Return whether the session is still there."""
        key = self._build_key(session)
        known, now = json.loads(head.value), self.clock()
        if self._has_aged(known, now):
            await renew(self.table, key, self._compute_expiry(now))
            known["stay"] = self._compute_expiry(now)
        known["used"] = now
        await self._add_to_index(session, known["begun"], now)
        try:  # last, so that whoever deletes the session later finds what this call wrote
            await self.table.put(key, "head", encode(known), until=now + self.seconds, expect=head.version)
        except Conflict:  # it was used or deleted concurrently
            if await self.table.get(key, "head") is None:
                await session_index.delete_session(self.table, self.tenant, key)
                return False
        return True

    async def _add_to_index(self, session: str, started: float, now: float) -> None:
        until = now + self.seconds
        await session_index.use(self.table, self.tenant, self.user, session, started=started, now=now, until=until)

    def _has_aged(self, head: Document, now: float) -> bool:
        """Return whether the rows must be renewed, so that they do not expire before the session."""
        return bool(head["stay"] < now + self.seconds * STAY / 2)

    def _build_key(self, session: str) -> str:
        return build_key(self.tenant, self.user, session)

    def _compute_expiry(self, now: float) -> float:
        return now + self.seconds * STAY


def _build_changes(head: Mapping[str, Any], completed: float | None) -> Document:
    """Return the session fields that a step sets; the others stay."""
    return {name: value for name, value in head.items() if value is not None} | {"completed": completed}


def _build_research(session: str, head: Document, steps: list[Document], sources: list[Document]) -> Research:
    return Research(
        session,
        head["goal"],
        head["begun"],
        steps,
        sources,
        summary=head.get("summary"),
        estimate=head.get("estimate") or 0,
        completed=head.get("completed"),
    )
