"""Stores the members of workspaces and the findings that they share. Membership is read anew for every operation."""

import json
import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.errors import InvalidInput
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import encode, load
from assay.state.owned_data import build_owned_key, build_owned_sort, find_owned, record_owner
from assay.state.ports import TableStore, check_row
from assay.state.table_rows import AT_ONCE, hash_names, query_all, query_fitting

RETENTION_SECONDS = 30 * 86_400
MAX_CONTRIBUTIONS = 1_000  # of one member to one workspace
MAX_MEMBERS = 500  # of one workspace, which bounds its contributions too
CONTRIBUTION_ID = re.compile(r"[0-9a-f]{32}")
CONTRIBUTION, MEMBERSHIP = "contribution", "membership"  # in the index of what a person owns


class NotMember(Exception):
    """The person is not a member of the workspace, or there is no such workspace."""


class TooManyContributions(Exception):
    """The member has as many contributions in the workspace as are kept."""


@dataclass(frozen=True)
class Contribution:
    """A copy of a finding, with its contributor. Times are in epoch seconds."""

    id: str
    workspace: str
    tenant: str
    user: str
    note: str
    created: float
    url: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContributionPage:
    """A page of contributions, the newest first. `after` continues it, None at the end."""

    contributions: Sequence[Contribution]
    after: str | None


def build_members_key(digest: str) -> str:
    """Return the key of the members of the workspace with this digest."""
    return f"workspace-members/{digest}"


def build_contributions_key(digest: str) -> str:
    """Return the key of the contributions to the workspace with this digest."""
    return f"workspace/{digest}"


class WorkspaceMembers:
    """The members of one workspace. The operator manages them."""

    def __init__(self, table: TableStore, workspace: str, clock: Callable[[], float] = time.time) -> None:
        self._table, self._clock, self._workspace = table, clock, workspace
        self._digest = hash_names(workspace)
        self._key = build_members_key(self._digest)

    async def add(self, tenant: str, user: str) -> None:
        """Add the member. Raises InvalidInput; who adds at the same moment may exceed the limit by as many."""
        members = await query_all(self._table, self._key)
        if len(members) >= MAX_MEMBERS and hash_names(tenant, user) not in {row.sort for row in members}:
            count = f"{len(members):,} members of at most {MAX_MEMBERS:,}"
            raise InvalidInput(f"The workspace has {count}. Remove some, or use another one.", field="workspace_id")
        row = {"workspace": self._workspace, "tenant": tenant, "user": user, "added": self._clock()}
        await record_owner(self._table, tenant, user, MEMBERSHIP, self._digest)
        await self._table.put(self._key, hash_names(tenant, user), encode(row))

    async def remove(self, tenant: str, user: str) -> bool:
        """Remove the member, whose contributions stay; return whether they were one."""
        was_member = await self.is_member(tenant, user)
        await self._table.delete(self._key, hash_names(tenant, user))
        await self._table.delete(build_owned_key(tenant, user), build_owned_sort(MEMBERSHIP, self._digest))
        return was_member

    async def is_member(self, tenant: str, user: str) -> bool:
        return await self._table.get(self._key, hash_names(tenant, user)) is not None

    async def list_all(self) -> list[dict[str, Any]]:
        """Return the rows of all members, those added first at the top."""
        rows: list[dict[str, Any]] = [json.loads(row.value) for row in await query_all(self._table, self._key)]
        return sorted(rows, key=lambda row: (row["added"], row["tenant"], row["user"]))


async def list_memberships(table: TableStore, tenant: str, user: str, most: int) -> list[dict[str, Any]]:
    """Return the rows of the person's memberships, at most `most`: a query, and a read for each."""
    digests = await find_owned(table, tenant, user, MEMBERSHIP, "", most)

    async def read(digest: str) -> dict[str, Any] | None:
        return await load(table, build_members_key(digest), hash_names(tenant, user))

    rows = await map_concurrently(read, digests, limit=AT_ONCE)
    return [row for row in rows if row is not None]


class WorkspaceStore:
    """What one person can do in one workspace. `contribute` and `read` raise NotMember for others than members."""

    def __init__(
        self,
        table: TableStore,
        workspace: str,
        tenant: str,
        user: str,
        *,
        clock: Callable[[], float] = time.time,
        seconds: int = RETENTION_SECONDS,
        most: int = MAX_CONTRIBUTIONS,
    ) -> None:
        self._table, self._clock, self._seconds, self._most = table, clock, seconds, most
        self._workspace, self._tenant, self._user = workspace, tenant, user
        self._members = WorkspaceMembers(table, workspace, clock)
        self._digest = hash_names(workspace)
        self._key = build_contributions_key(self._digest)

    async def contribute(self, note: str, *, url: str = "", tags: Iterable[str] = ()) -> Contribution:
        """Store a copy of the finding, which nobody can change afterwards.

        Raises ValueTooLarge, and TooManyContributions; members who write at the same moment may exceed the limit by as
        many.
        """
        await self._check_member()
        owned = build_owned_sort(CONTRIBUTION, f"{self._digest}/")
        page = await self._table.query(build_owned_key(self._tenant, self._user), owned, limit=self._most)
        if len(page.items) >= self._most:
            raise TooManyContributions
        now = self._clock()
        identity = f"{int(now * 1000):012x}{secrets.token_hex(10)}"  # in the order of time
        distinct = tuple(dict.fromkeys(tags))
        contribution = Contribution(identity, self._workspace, self._tenant, self._user, note, now, url, distinct)
        name, until = f"{self._digest}/{identity}", now + self._seconds
        value = encode(asdict(contribution))
        check_row(self._key, identity, value)  # before it counts as the person's
        await record_owner(self._table, self._tenant, self._user, CONTRIBUTION, name, until=until)
        await self._table.put(self._key, identity, value, until=until, expect=0)
        return contribution

    async def read(
        self, *, after: str | None = None, limit: int = 20, fits: Callable[[Contribution], bool] = lambda _: True
    ) -> ContributionPage:
        """Return the contributions of all members, the newest first.

        The page ends before a contribution that does not fit; the first one has to.
        """
        await self._check_member()
        found, following = await query_fitting(
            self._table, self._key, parse=parse_contribution, fits=fits, after=after, limit=limit, descending=True
        )
        return ContributionPage(found, following)

    async def withdraw(self, identity: str) -> bool:
        """Delete the person's own contribution; return whether there was one. Former members can do it, too."""
        stored = await load(self._table, self._key, identity) if CONTRIBUTION_ID.fullmatch(identity) else None
        if stored is None or (stored["tenant"], stored["user"]) != (self._tenant, self._user):
            return False
        await self._table.delete(self._key, identity)
        owned = build_owned_sort(CONTRIBUTION, f"{self._digest}/{identity}")
        await self._table.delete(build_owned_key(self._tenant, self._user), owned)
        return True

    async def _check_member(self) -> None:
        if not await self._members.is_member(self._tenant, self._user):
            raise NotMember(self._workspace)


def parse_contribution(value: bytes) -> Contribution:
    contribution = Contribution(**json.loads(value))
    return replace(contribution, tags=tuple(contribution.tags))
