"""Stores the consents of one person: every decision is kept, and the latest one of a purpose counts."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from assay.state.audit import Observer, emit_event
from assay.state.json_documents import encode
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import hash_names, query_all
from assay.text.timestamps import format_utc

type Purpose = Literal["memory", "analytics", "workspace", "monitoring"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose.__value__)
ATTEMPTS = 100  # to append a decision beside other writers


@dataclass(frozen=True)
class ConsentDecision:
    """One decision. `decided_at` is in epoch seconds; `decided_from` is where it was made, such as cli or setting."""

    purpose: Purpose
    granted: bool
    decided_at: float
    decided_from: str
    terms_version: str = ""

    def wire(self) -> dict[str, Any]:
        return {
            "purpose": self.purpose,
            "granted": self.granted,
            **({"termsVersion": self.terms_version} if self.terms_version else {}),
            "decidedAt": format_utc(self.decided_at),
            "decidedFrom": self.decided_from,
        }


class ConsentStore:
    """The consents of one user of one tenant. Decisions have no expiry time.

    `granted_by_setting` are the purposes that count as granted until the user decides.
    """

    def __init__(
        self,
        table: TableStore,
        tenant: str,
        user: str,
        *,
        clock: Callable[[], float] = time.time,
        granted_by_setting: frozenset[str] = frozenset(),
        observers: Sequence[Observer] = (),
    ) -> None:
        self.tenant, self.user = tenant, user
        self._table, self._clock, self._observers = table, clock, observers
        self.granted_by_setting = granted_by_setting
        self._key = "consent/" + hash_names(tenant, user)

    async def decide(
        self, purpose: Purpose, *, granted: bool, decided_from: str, terms_version: str = ""
    ) -> ConsentDecision:
        """Record the decision, unless it is the same as the latest one; return the one that counts."""
        for _ in range(ATTEMPTS):
            latest, place = await self._read_latest(purpose)
            if latest and (latest.granted, latest.terms_version) == (granted, terms_version):
                return latest
            decision = ConsentDecision(purpose, granted, self._clock(), decided_from, terms_version)
            try:
                await self._table.put(self._key, _build_sort(purpose, place + 1), encode(asdict(decision)), expect=0)
            except Conflict:
                continue  # another decision was recorded meanwhile, and may be the same
            self._emit(decision)
            return decision
        raise Conflict(f"too many concurrent decisions on {purpose}")

    async def is_granted(self, purpose: Purpose) -> bool:
        """Return whether the latest decision grants the purpose; the setting grants it only where there is none."""
        latest, _ = await self._read_latest(purpose)
        if latest is None and purpose in self.granted_by_setting:
            latest = await self.decide(purpose, granted=True, decided_from="setting")
        return latest is not None and latest.granted

    async def read_latest(self, purpose: Purpose) -> ConsentDecision | None:
        return (await self._read_latest(purpose))[0]

    async def read_history(self) -> list[ConsentDecision]:
        """Return every decision, by purpose and the oldest first."""
        return [_parse(item.value) for item in await query_all(self._table, self._key)]

    async def _read_latest(self, purpose: Purpose) -> tuple[ConsentDecision | None, int]:
        """Return the latest decision and its place in the history, which begins at 1."""
        items = (await self._table.query(self._key, f"{purpose}/", limit=1, descending=True)).items
        return (_parse(items[0].value), int(items[0].sort.removeprefix(f"{purpose}/"))) if items else (None, 0)

    def _emit(self, decision: ConsentDecision) -> None:
        emit_event(
            self._observers,
            "consent.grant" if decision.granted else "consent.withdraw",
            self.tenant,
            self.user,
            decision.decided_at,
            entrypoint=decision.decided_from,
            purpose=decision.purpose,
        )


def _build_sort(purpose: Purpose, place: int) -> str:
    return f"{purpose}/{place:08}"


def _parse(value: bytes) -> ConsentDecision:
    return ConsentDecision(**json.loads(value))
