"""Erases a person's data. An erasure that was interrupted is continued by the next one, and both are in its receipt.

Before items are deleted, the digests of their names are stored, so that the receipt counts each item once however
often the erasure was interrupted.
"""

import hashlib
import json
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from assay.consent.consent_records import PURPOSES, ConsentStore
from assay.personal_data.namespaces import EXPIRING, NAMESPACES, Namespace, Person, PersonalItem
from assay.personal_data.receipts import sign_receipt
from assay.services import Services
from assay.state.audit import emit_event
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document, encode, load
from assay.state.ports import Conflict
from assay.state.table_rows import delete_rows, hash_names, query_all
from assay.text.timestamps import format_utc

BATCH, AT_ONCE = 1_000, 8
PROGRESS_SECONDS = 30 * 86_400  # after which the progress of an abandoned erasure expires


async def count_items(services: Services, person: Person) -> dict[str, int]:
    """Return how many items of each namespace an erasure would delete."""
    return {
        namespace.name: sum([1 async for _ in namespace.iter_items(services, person)])
        for namespace in NAMESPACES
        if not namespace.retained
    }


async def erase_person(services: Services, person: Person, consents: ConsentStore) -> dict[str, Any]:
    """Withdraw the person's consents, delete their data and return the signed receipt.

    `finish_erasure` deletes the progress, once the receipt was handed over.
    """
    begun = await _begin(services, person)
    for purpose in PURPOSES:
        if await consents.is_granted(purpose):
            await consents.decide(purpose, granted=False, decided_from="erasure")
            await _record(services, person, begun, "withdrawn", [purpose])
    for namespace in NAMESPACES:
        if not namespace.retained:
            await _erase_namespace(services, person, begun, namespace)
    done = await _read_progress(services, person, begun)
    receipt = {
        "type": "assay-erasure-receipt",
        "version": 1,
        "id": begun["id"],
        "tenantId": person.tenant,
        "userId": person.user,
        "begunAt": format_utc(begun["begun"]),
        "completedAt": format_utc(services.clock()),
        "deleted": {each.name: len(done.get(each.name, ())) for each in NAMESPACES if not each.retained},
        "consentsWithdrawn": len(done.get("withdrawn", ())),
        "retained": {each.name: each.retained for each in NAMESPACES if each.retained} | EXPIRING,
    }
    emit_event(services.observers, "data.erasure", *person, services.clock())
    return await sign_receipt(services.table, receipt)


async def finish_erasure(services: Services, person: Person) -> None:
    """Delete the progress of the erasure, its beginning first, so that the next erasure starts a receipt of its own."""
    key = _build_key(person)
    await services.table.delete(key, "begun")
    await delete_rows(services.table, key, [row.sort for row in await query_all(services.table, key)])


async def _begin(services: Services, person: Person) -> Document:
    """Return the id and the time of the erasure; those of the interrupted one, if there is one."""
    key, now = _build_key(person), services.clock()
    begun = {"id": str(uuid.uuid4()), "begun": now}
    try:
        await services.table.put(key, "begun", encode(begun), until=now + PROGRESS_SECONDS, expect=0)
    except Conflict:
        return await load(services.table, key, "begun") or begun
    return begun


async def _erase_namespace(services: Services, person: Person, begun: Document, namespace: Namespace) -> None:
    """Delete the person's items; repeat until there are none, because other processes may have written meanwhile."""
    is_found = True
    while is_found:
        is_found = False
        async with aclosing(_iterate_batches(namespace.iter_items(services, person))) as batches:
            async for batch in batches:  # those that are listed go before the next, as there may be much to read
                is_found = True
                await _record(services, person, begun, namespace.name, [item.name for item in batch])
                await _delete_items(services, namespace, batch)


async def _iterate_batches(items: AsyncGenerator[PersonalItem]) -> AsyncGenerator[list[PersonalItem]]:
    """Yield the items in batches, without their documents, which an erasure does not need."""
    batch: list[PersonalItem] = []
    async with aclosing(items):
        async for item in items:
            batch.append(replace(item, document={}))
            if len(batch) == BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


async def _delete_items(services: Services, namespace: Namespace, items: Sequence[PersonalItem]) -> None:
    async def delete(item: PersonalItem) -> None:
        await namespace.delete(services, item)

    await map_concurrently(delete, [item for item in items if not item.parts], limit=AT_ONCE)
    for item in items:  # one after the other, so that an erasure that is often interrupted completes some
        if item.parts:
            await delete(item)


async def _record(services: Services, person: Person, begun: Document, name: str, items: Sequence[str]) -> None:
    digests = sorted(hashlib.sha256(item.encode()).hexdigest()[:24] for item in items)
    sort, until = f"{begun['id']}/{name}/{hash_names(*digests)[:32]}", begun["begun"] + PROGRESS_SECONDS
    await services.table.put(_build_key(person), sort, encode({"items": digests}), until=until)


async def _read_progress(services: Services, person: Person, begun: Document) -> dict[str, set[str]]:
    """Return the digests of the items that this erasure deleted, by namespace."""
    done: dict[str, set[str]] = {}
    for row in await query_all(services.table, _build_key(person), f"{begun['id']}/"):
        _, name, _ = row.sort.split("/")
        done.setdefault(name, set()).update(json.loads(row.value)["items"])
    return done


def _build_key(person: Person) -> str:
    return "erasure/" + hash_names(*person)
