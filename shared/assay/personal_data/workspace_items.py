"""A person's contributions to workspaces and memberships."""

from assay.personal_data.namespaces import Person, PersonalItem
from assay.services import Services
from assay.state.json_documents import load
from assay.state.owned_data import build_owned_key, build_owned_sort, list_owned
from assay.state.table_rows import hash_names
from assay.workspaces.workspace_store import CONTRIBUTION, MEMBERSHIP, build_contributions_key, build_members_key


async def list_workspace_items(services: Services, person: Person) -> list[PersonalItem]:
    owned = build_owned_key(*person)
    places = []
    for name in await list_owned(services.table, *person, CONTRIBUTION):
        digest, _, identity = name.partition("/")
        places.append((CONTRIBUTION, name, (build_contributions_key(digest), identity)))
    memberships = await list_owned(services.table, *person, MEMBERSHIP)
    places += [(MEMBERSHIP, name, (build_members_key(name), hash_names(*person))) for name in memberships]
    return [
        PersonalItem(
            f"{kind}/{name}",
            await load(services.table, *row) or {},
            (row, (owned, build_owned_sort(kind, name))),
        )
        for kind, name, row in places
    ]
