"""A person's data and consents: export, erasure, decisions."""

import json
from contextlib import aclosing
from typing import Annotated, Any

from pydantic import Field

from assay.administration.admin_call import AdminCall, PersonChoice
from assay.caller import Caller
from assay.consent.consent_records import PURPOSES, ConsentDecision, ConsentStore, Purpose
from assay.errors import InvalidInput, NotFound
from assay.models.common import Output
from assay.own_stores import OwnStores
from assay.personal_data import erasure
from assay.personal_data.namespaces import EXPIRING, NAMESPACES, Person, PersonalItem
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

PAGE_BYTES = 3_000_000  # of items; a Lambda response has 6 MB at most


class DataExportChoice(PersonChoice):
    limit: Annotated[int, Field(ge=1, le=10_000, description="Maximum number of items.")] = 2_000
    after: Annotated[str | None, Field(max_length=1_000, description="`next` of the previous page.")] = None


class ExportedData(Output):
    tenant_id: str
    user_id: str
    exported_at: str
    namespaces: Annotated[dict[str, list[dict[str, Any]]], Field(description="Items by kind.")]
    not_exported: Annotated[dict[str, str], Field(description="What expires by itself and is found by a secret alone.")]
    next: Annotated[str | None, Field(description="Continues the export; absent at the end.")] = None


@tool()
async def export_data(ask: DataExportChoice, call: AdminCall) -> ExportedData:
    """Export everything that is stored about a person, page by page. `assay me export` writes it as one archive."""
    person = Person(ask.tenant, ask.user_id)
    first, place = _parse_place(ask.after)
    found: dict[str, list[dict[str, Any]]] = {}
    left, room, following = ask.limit, PAGE_BYTES, None
    for namespace in NAMESPACES[first:]:
        rows = found[namespace.name] = []
        async with aclosing(namespace.iter_items(call.services, person, place)) as items:
            async for item in items:
                row = build_row(item)
                size = len(json.dumps(row, ensure_ascii=False).encode())
                if left == 0 or (size > room and left < ask.limit):
                    following = f"{namespace.name}/{item.name}"
                    break
                rows.append(row)
                left, room = left - 1, room - size
        if following:
            break
        place = ""
    call.record("data.export", *person)  # for every page, since an export may begin at any place
    return ExportedData(
        tenant_id=person.tenant,
        user_id=person.user,
        exported_at=format_utc(call.services.clock()),
        namespaces=found,
        not_exported=EXPIRING,
        next=following,
    )


def build_row(item: PersonalItem) -> dict[str, Any]:
    """An item as it is exported."""
    return {"item": item.name, **item.document, **({"files": files} if (files := item.list_objects()) else {})}


def _parse_place(after: str | None) -> tuple[int, str]:
    """The index of the namespace and the name of the item to go on with, which may be gone. Raises InvalidInput."""
    if after is None:
        return 0, ""
    namespace, _, item = after.partition("/")
    names = [namespace.name for namespace in NAMESPACES]
    if namespace not in names:
        raise InvalidInput("`after` is not the `next` of an export. Leave it out to begin again.", field="after")
    return names.index(namespace), item


class ErasureChoice(PersonChoice):
    dry_run: Annotated[bool, Field(description="Only count what would be erased.")] = False


class ErasedData(Output):
    tenant_id: str
    user_id: str
    dry_run: bool
    deleted: Annotated[dict[str, int], Field(description="Items by kind.")]
    receipt: Annotated[dict[str, Any] | None, Field(description="Signed; `assay me verify` checks it.")] = None


@tool(read_only=False, destructive=True)
async def erase_data(ask: ErasureChoice, call: AdminCall) -> ErasedData:
    """Withdraw a person's consents and erase their data for good. An interrupted erasure continues when repeated."""
    services, person = call.services, Person(ask.tenant, ask.user_id)
    if ask.dry_run:
        counts = await erasure.count_items(services, person)
        return ErasedData(tenant_id=person.tenant, user_id=person.user, dry_run=True, deleted=counts)
    receipt = await erasure.erase_person(services, person, _find_consents(ask, call))
    await erasure.finish_erasure(services, person)
    return ErasedData(
        tenant_id=person.tenant, user_id=person.user, dry_run=False, deleted=receipt["deleted"], receipt=receipt
    )


class ConsentDecisionInput(PersonChoice):
    purpose: Annotated[Purpose, Field(description="What the person allows or refuses.")]
    granted: Annotated[bool, Field(description="Whether it is allowed.")]
    terms_version: Annotated[str, Field(max_length=100, description="Version of the terms they accepted.")] = ""


class ConsentRecord(Output):
    tenant_id: str
    user_id: str
    purpose: str
    granted: bool
    terms_version: str | None = None
    decided_at: str
    decided_from: Annotated[str, Field(description="Where it was decided, such as cli or admin_api.")]


class ConsentNotFound(NotFound):
    """The person has not decided about the purpose."""

    def wire(self) -> dict[str, Any]:
        return {"found": False} | super().wire()


@tool(read_only=False)
async def decide_consent(ask: ConsentDecisionInput, call: AdminCall) -> ConsentRecord:
    """Record that a person grants or withdraws consent to the storage of their data."""
    decision = await _find_consents(ask, call).decide(
        ask.purpose,
        granted=ask.granted,
        decided_from="admin_api" if call.administrator.own is None else "web",
        terms_version=ask.terms_version,
    )
    return _to_record(ask, decision)


class ConsentChoice(PersonChoice):
    purpose: Annotated[Purpose, Field(description="What was decided about.")]


@tool()
async def read_consent(ask: ConsentChoice, call: AdminCall) -> ConsentRecord:
    """Show a person's latest decision about a purpose."""
    latest = await _find_consents(ask, call).read_latest(ask.purpose)
    if latest is None:
        raise ConsentNotFound(f"The person has not decided about {ask.purpose}.", field="purpose")
    return _to_record(ask, latest)


class ConsentHistory(Output):
    consents: Annotated[list[ConsentRecord], Field(description="The latest decision about each purpose.")]
    history: Annotated[list[ConsentRecord], Field(description="Every decision, the oldest of a purpose first.")]


@tool()
async def list_consents(ask: PersonChoice, call: AdminCall) -> ConsentHistory:
    """List all decisions of a person on the storage of their data."""
    history = [_to_record(ask, decision) for decision in await _find_consents(ask, call).read_history()]
    latest = {record.purpose: record for record in history}
    return ConsentHistory(consents=[latest[each] for each in PURPOSES if each in latest], history=history)


def _find_consents(ask: PersonChoice, call: AdminCall) -> ConsentStore:
    return OwnStores(call.services, Caller(ask.tenant, ask.user_id)).consents


def _to_record(ask: PersonChoice, decision: ConsentDecision) -> ConsentRecord:
    return ConsentRecord(
        tenant_id=ask.tenant,
        user_id=ask.user_id,
        purpose=decision.purpose,
        granted=decision.granted,
        terms_version=decision.terms_version or None,
        decided_at=format_utc(decision.decided_at),
        decided_from=decision.decided_from,
    )
