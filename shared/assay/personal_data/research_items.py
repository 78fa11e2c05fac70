"""A person's research sessions, memories, and stored answers."""

import json
from collections.abc import AsyncGenerator
from dataclasses import asdict

from assay.memory.memory_store import INDEX_ROWS, ROW, build_memory_key
from assay.personal_data.namespaces import ItemPart, Person, PersonalItem
from assay.services import Services
from assay.sessions.session_index import list_session_keys
from assay.sessions.session_keys import build_index_key
from assay.sessions.watchlist import KEY as WATCHED
from assay.sessions.watchlist import build_row, list_watched
from assay.state import artifacts, idempotent_answers, uploads
from assay.state.owned_data import build_owned_key, build_owned_sort, list_owned
from assay.state.ports import TableItem
from assay.state.table_rows import hash_names, iterate_rows, query_all
from assay.statistics.recent_errors import build_errors_key
from assay.usage.usage_store import build_usage_key


async def iter_sessions(services: Services, person: Person, first: str) -> AsyncGenerator[PersonalItem]:
    """Yield the research sessions, and the requests to watch sessions."""
    index = build_index_key(person.tenant)
    names = [key.removeprefix("session/") for key in await list_session_keys(services.table, *person)]
    for name in sorted(name for name in names if name >= first):  # digests, which come before `watched/`
        key = f"session/{name}"
        rows = await query_all(services.table, key)
        document = {row.sort: json.loads(row.value) for row in rows}
        yield PersonalItem(name, document, ((index, name),), parts=tuple(ItemPart((key, row.sort)) for row in rows))
    for watched, _ in sorted(await list_watched(services.table), key=lambda pair: pair[0].session):
        name = f"watched/{watched.session}"
        if (watched.tenant, watched.user) == person and name >= first:
            document = {"watched": watched.session, "archive": watched.archive, "next": watched.next}
            yield PersonalItem(name, document, ((WATCHED, build_row(watched)),))


async def iter_memories(services: Services, person: Person, first: str) -> AsyncGenerator[PersonalItem]:
    key, after = build_memory_key(*person), f"{ROW}{first}" if first else None
    if after and (row := await services.table.get(key, after)):
        yield _build_memory_item(key, row)
    async for rows in iterate_rows(services.table, key, ROW, after=after):
        for row in rows:
            yield _build_memory_item(key, row)


def _build_memory_item(key: str, row: TableItem) -> PersonalItem:
    return PersonalItem(row.sort.removeprefix(ROW), json.loads(row.value), ((key, row.sort),))


async def list_memory_index(services: Services, person: Person) -> list[PersonalItem]:
    """List the rows of the search index of memories."""
    key = build_memory_key(*person)
    rows = [row for prefix in INDEX_ROWS for row in await query_all(services.table, key, prefix)]
    return [PersonalItem(row.sort, {"row": row.sort}, ((key, row.sort),)) for row in rows]


async def list_usage(services: Services, person: Person) -> list[PersonalItem]:
    """List the tools that the person called, with the rows that count the calls."""
    key = build_usage_key(*person)
    by_tool: dict[str, list[TableItem]] = {}
    for row in await query_all(services.table, key):
        by_tool.setdefault(row.sort.partition("/")[0], []).append(row)
    return [
        PersonalItem(
            tool,
            {"counts": [json.loads(row.value) for row in rows]},
            ((key, rows[-1].sort),),
            parts=tuple(ItemPart((key, row.sort)) for row in rows[:-1]),
        )
        for tool, rows in by_tool.items()
    ]


async def list_recent_errors(services: Services, person: Person) -> list[PersonalItem]:
    """List the person's errors of the last day."""
    key = build_errors_key(person.tenant)
    errors = [(row.sort, json.loads(row.value)) for row in await query_all(services.table, key)]
    own = [(sort, error) for sort, error in errors if error.get("user") == person.user]
    return [PersonalItem(sort, error, ((key, sort),)) for sort, error in own]


async def list_artifacts(services: Services, person: Person) -> list[PersonalItem]:
    return [
        PersonalItem(
            name,
            {"id": name},
            (
                (artifacts.build_owners_key(person.tenant, name), hash_names(*person)),
                (build_owned_key(*person), build_owned_sort(artifacts.KIND, name)),
            ),
            (artifacts.build_name(person.tenant, name),),
        )
        for name in await list_owned(services.table, *person, artifacts.KIND)
    ]


async def list_idempotent_calls(services: Services, person: Person) -> list[PersonalItem]:
    """List the answers that are stored for repeated requests."""
    items = []
    for name in await list_owned(services.table, *person, idempotent_answers.KIND):
        key = idempotent_answers.build_row_key(person.tenant, name)
        rows = await query_all(services.table, key)
        items.append(
            PersonalItem(
                name,
                json.loads(rows[0].value) if rows else {},
                ((key, "-"), (build_owned_key(*person), build_owned_sort(idempotent_answers.KIND, name))),
                (idempotent_answers.build_object_name(name),),
            )
        )
    return items


async def list_uploads(services: Services, person: Person) -> list[PersonalItem]:
    key = uploads.build_uploads_key(*person)
    return [
        PersonalItem(upload.id, asdict(upload), ((key, upload.id),), tuple(uploads.list_object_names(*person, upload)))
        for upload in await uploads.list_uploads(services.table, *person)
    ]
