"""A person's contributions to workspaces and memberships."""

from collections.abc import AsyncGenerator
from itertools import batched

from assay.personal_data.namespaces import Person, PersonalItem
from assay.services import Services
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import load
from assay.state.owned_data import build_owned_key, build_owned_sort, list_owned
from assay.state.table_rows import AT_ONCE, STEP, hash_names
from assay.workspaces.workspace_store import CONTRIBUTION, MEMBERSHIP, build_contributions_key, build_members_key


async def iter_workspace_items(services: Services, person: Person, first: str) -> AsyncGenerator[PersonalItem]:
    async def read(name: str) -> PersonalItem:
        kind, _, place = name.partition("/")
        digest, _, identity = place.partition("/")
        if kind == CONTRIBUTION:
            row = (build_contributions_key(digest), identity)
        else:
            row = (build_members_key(digest), hash_names(*person))
        document = await load(services.table, *row) or {}
        return PersonalItem(name, document, (row, (build_owned_key(*person), build_owned_sort(kind, place))))

    owned = [
        f"{kind}/{name}"
        for kind in (CONTRIBUTION, MEMBERSHIP)
        for name in await list_owned(services.table, *person, kind)
    ]
    for batch in batched(sorted(name for name in owned if name >= first), STEP, strict=False):
        for item in await map_concurrently(read, batch, limit=AT_ONCE):
            yield item
