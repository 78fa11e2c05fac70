"""A person's keys, sign-ins, grants, consents and audit events."""

import asyncio
import json
from pathlib import Path
from typing import Any

from assay.consent.consent_records import ConsentStore
from assay.oauth.browser_sessions import SIGN_IN_KIND, session_key
from assay.oauth.consents import consent_key
from assay.oauth.grants import grant_key, owner_key, read_authorization
from assay.oauth.token_store import token_key
from assay.personal_data.audit_events import list_audit_files, parse_event
from assay.personal_data.namespaces import Person, PersonalItem
from assay.services import Services
from assay.state.json_documents import load
from assay.state.key_store import ID_LENGTH, PARTITION, list_keys
from assay.state.owned_data import build_owned_key, build_owned_sort, list_owned
from assay.state.table_rows import query_all


async def list_api_keys(services: Services, person: Person) -> list[PersonalItem]:
    """List the person's keys of the table, without their digests."""
    keys = [key for key in await list_keys(services.table) if (key.tenant, key.user) == person]
    return [
        PersonalItem(
            key.id,
            {"id": key.id, **key.to_document()} | ({"parent": key.parent[:ID_LENGTH]} if key.parent else {}),
            ((PARTITION, key.digest),),
        )
        for key in keys
    ]


async def list_sign_ins(services: Services, person: Person) -> list[PersonalItem]:
    names = await list_owned(services.table, *person, SIGN_IN_KIND)
    owned = build_owned_key(*person)
    return [
        PersonalItem(
            name,
            {"browser": name[:16]},
            ((session_key(name), "-"), (owned, build_owned_sort(SIGN_IN_KIND, name))),
        )
        for name in names
    ]


async def list_oauth_grants(services: Services, person: Person) -> list[PersonalItem]:
    """List the grants of the person, also of those that have ended and left only a row of the index."""
    owner, items = owner_key(*person), []
    for row in await query_all(services.table, owner):
        stored = await load(services.table, grant_key(row.sort))
        document: dict[str, Any] = {"ended": True, **json.loads(row.value)}
        tokens: list[tuple[str, str]] = []
        if stored is not None:
            tokens = [(token_key(hashed), "-") for hashed, _ in stored["access"]]
            allowed = read_authorization(stored["authorization"])
            document = {
                "client": allowed.client_name or allowed.client,
                "host": allowed.host,
                "scopes": sorted(allowed.scopes),
                "created": stored["created"],
            }
        items.append(PersonalItem(row.sort, document, (*tokens, (owner, row.sort))))
    return items


async def list_client_consents(services: Services, person: Person) -> list[PersonalItem]:
    key = consent_key(*person)
    rows = await query_all(services.table, key)
    return [PersonalItem(row.sort, json.loads(row.value), ((key, row.sort),)) for row in rows]


async def list_consents(services: Services, person: Person) -> list[PersonalItem]:
    history = await ConsentStore(services.table, *person, clock=services.clock).read_history()
    return [PersonalItem(f"{number:06}", decision.wire()) for number, decision in enumerate(history, 1)]


async def list_audit_events(services: Services, person: Person) -> list[PersonalItem]:
    """List the person's events in the audit files of this machine; a deployment has them in its log."""
    return await asyncio.to_thread(_read_events, services.settings.home, person)


def _read_events(home: Path, person: Person) -> list[PersonalItem]:
    items: list[PersonalItem] = []
    for path in list_audit_files(home):
        with path.open("rb") as lines:
            for line in lines:
                if (event := parse_event(line, person)) is not None:
                    items.append(PersonalItem(f"{len(items) + 1:06}", event))
    return items
