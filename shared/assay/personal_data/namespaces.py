"""The registry: every kind of data that is stored about a person, and what is stored that is about nobody.

Whoever stores rows or objects under a new prefix adds it here: to a namespace that lists a person's items, or to the
data that is retained, expires by itself, or is about nobody.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple

from assay.services import Services
from assay.state.concurrent_map import map_concurrently
from assay.state.table_rows import AT_ONCE

PARTS_AT_ONCE = 8  # few, so that an erasure that is often interrupted completes some


class Person(NamedTuple):
    """One user of one tenant."""

    tenant: str
    user: str


class ItemPart(NamedTuple):
    """One of many rows of an item, and the object that this row names, if it names one."""

    row: tuple[str, str]
    object: str = ""


@dataclass(frozen=True)
class PersonalItem:
    """One item of a person, such as a memory or a job.

    `document` is exported as a line of JSON, `objects` as files. An erasure first deletes `parts`, the rows of which
    there may be thousands, in any order; then the objects; then `rows` one after the other. The last row is the one
    that the item is found by, so that an interrupted erasure finds it again.
    """

    name: str
    document: dict[str, Any]
    rows: tuple[tuple[str, str], ...] = ()
    objects: tuple[str, ...] = ()
    parts: tuple[ItemPart, ...] = ()

    def list_objects(self) -> list[str]:
        """Return the names of all objects of the item and its parts."""
        return list(dict.fromkeys([*(part.object for part in self.parts if part.object), *self.objects]))


async def delete_item(services: Services, item: PersonalItem) -> None:
    """Delete the parts, the objects and the rows of the item."""

    async def delete_part(part: ItemPart) -> None:
        if part.object:
            await services.bucket.delete(part.object)
        await services.table.delete(*part.row)  # with its object, so that an interrupted erasure does not repeat both

    await map_concurrently(delete_part, item.parts, limit=PARTS_AT_ONCE)
    await map_concurrently(services.bucket.delete, item.objects, limit=AT_ONCE)
    for row in item.rows:
        await services.table.delete(*row)


type ListItems = Callable[[Services, Person], Awaitable[list[PersonalItem]]]
type IterItems = Callable[[Services, Person, str], AsyncGenerator[PersonalItem]]
type DeleteItem = Callable[[Services, PersonalItem], Awaitable[None]]


@dataclass(frozen=True)
class Namespace:
    """A kind of personal data. `prefixes` begin its table keys and object names.

    `source` names the function that lists a person's items. One named `iter_…` yields them in the order of their names
    instead, from a name on, for kinds of which there may be much. `retained` says why an erasure leaves them.
    """

    name: str
    prefixes: tuple[str, ...]
    source: str
    delete: DeleteItem = field(default=delete_item)
    retained: str = ""

    async def list_items(self, services: Services, person: Person) -> list[PersonalItem]:
        return [item async for item in self.iter_items(services, person)]

    async def iter_items(self, services: Services, person: Person, first: str = "") -> AsyncGenerator[PersonalItem]:
        """Yield the items in the order of their names, from that name on."""
        module, _, function = self.source.partition(":")
        found = getattr(import_module(f"assay.personal_data.{module}"), function)
        if function.startswith("iter_"):
            iter_items: IterItems = found
            async with aclosing(iter_items(services, person, first)) as items:
                async for item in items:
                    yield item
            return
        list_items: ListItems = found
        for item in sorted(await list_items(services, person), key=attrgetter("name")):
            if item.name >= first:
                yield item


async def revoke_grant(services: Services, item: PersonalItem) -> None:
    """Delete the tokens, then the grant that names them, then the row that names the grant."""
    from assay.oauth import grants

    *tokens, index = item.rows
    for token in tokens:
        await services.table.delete(*token)
    await grants.revoke_grant(services.table, item.name)
    await services.table.delete(*index)


async def end_job(services: Services, item: PersonalItem) -> None:
    """End the job before its data is deleted, so that a worker stops writing, and delete what it still wrote."""
    from assay.work_queue.job_kinds import find_kind
    from assay.work_queue.job_removal import delete_leftovers

    kind, _, identity = item.name.partition("/")
    jobs = find_kind(kind).jobs
    if (job := await jobs.load(services.table, identity)) is not None and not job.is_ended:
        await jobs.end(services.table, job, "cancelled", services.clock(), units=0)
    *rows, index = item.rows
    await delete_item(services, replace(item, rows=tuple(rows)))
    await delete_leftovers(services, jobs.key_of(identity))
    await services.table.delete(*index)


async def delete_session(services: Services, item: PersonalItem) -> None:
    """Delete the head of a session before its other rows, so that whoever writes meanwhile finds that it is gone."""
    from assay.sessions.session_index import delete_content

    if item.parts:
        await delete_content(services.table, item.parts[0].row[0])
    await delete_item(services, item)


async def delete_watch(services: Services, item: PersonalItem) -> None:
    """Delete the secret address that the watch has now, which may be a later one than was listed, and the rows."""
    from assay.monitoring.watch_store import WATCH, delete_definition

    *rows, (key, sort) = item.rows
    await delete_item(services, replace(item, rows=tuple(rows)))
    if sort.startswith(WATCH):
        await delete_definition(services.table, key, sort.removeprefix(WATCH))
    await services.table.delete(key, sort)


async def release_artifact(services: Services, item: PersonalItem) -> None:
    """Delete the person's share of the artifact, and the artifact itself if nobody else of the tenant has it."""
    owner, index = item.rows
    await services.table.delete(*owner)
    if not (await services.table.query(owner[0], limit=1)).items:
        await map_concurrently(services.bucket.delete, item.objects, limit=AT_ONCE)
    await services.table.delete(*index)


NAMESPACES = (  # in the order of erasure: what could write more data comes before what it wrote
    Namespace("api_keys", ("api-keys",), "access_items:list_api_keys"),
    Namespace("sign_ins", ("oauth/session",), "access_items:list_sign_ins"),
    Namespace("grants", ("oauth/grant", "oauth/owner", "oauth/token"), "access_items:list_oauth_grants", revoke_grant),
    Namespace("client_consents", ("oauth/consent",), "access_items:list_client_consents"),
    Namespace(
        "jobs",
        (
            *("crawl", "crawls/active", "crawls/parked"),
            *("audit", "audits/active", "audits/parked"),
            *("tool-call", "tool-calls/active", "tool-calls/parked"),
        ),
        "work_items:iter_jobs",
        end_job,
    ),
    Namespace(
        "webhook_messages",
        ("webhook", "webhooks/active", "webhooks/parked", "webhooks/undelivered"),
        "work_items:iter_webhook_messages",
        end_job,
    ),
    Namespace("webhook_endpoints", ("webhook-endpoint",), "work_items:list_webhook_endpoints"),
    Namespace("sessions", ("session", "sessions", "sessions/watched"), "research_items:iter_sessions", delete_session),
    Namespace("watches", ("watches", "watch-feed"), "watch_items:list_watches", delete_watch),
    Namespace("watched_urls", ("errands", "due"), "work_items:list_watched_urls"),
    Namespace("watch_reports", ("journal", "reports/stale", "report"), "work_items:list_reports"),
    Namespace("memories", ("memory",), "research_items:iter_memories"),
    Namespace("memory_index", (), "research_items:list_memory_index"),
    Namespace("workspaces", ("workspace", "workspace-members"), "workspace_items:iter_workspace_items"),
    Namespace("usage", ("usage",), "research_items:list_usage"),
    Namespace("recent_errors", ("errors",), "research_items:list_recent_errors"),
    Namespace("artifacts", ("artifact", "artifact-owners", "owned"), "research_items:list_artifacts", release_artifact),
    Namespace("uploads", ("upload",), "research_items:list_uploads"),
    Namespace("idempotent_calls", ("idempotency",), "research_items:list_idempotent_calls"),
    Namespace(
        "consents",
        ("consent",),
        "access_items:list_consents",
        retained="Every consent is withdrawn. The decisions stay as evidence of what was allowed and when.",
    ),
    Namespace(
        "audit_events",
        (),
        "access_items:list_audit_events",
        retained="The audit log stays for its retention time. It has the times and names of calls, never their text.",
    ),
)

EXPIRING = {  # about a person, found by a secret alone, and gone within two days
    "oauth/code": "authorization codes, for ten minutes",
    "oauth/device": "sign-ins of devices, for ten minutes",
    "oauth/request": "open sign-in pages, for ten minutes",
    "oauth/sso": "sign-ins at the identity provider, for ten minutes",
    "polls-of-user": "the number of polls a minute, for two minutes; deleting it would lift the limit",
    "upload-address": "digests of the addresses that take uploads, for 15 minutes",
    "uploads-of-user": "the number of uploads a day, for two days; deleting it would lift the limit",
    "calls-of-user": "the number of calls a day, for two days; deleting it would lift the limit",
}

OWN_RECORDS = {  # of exports and erasures themselves
    "erasure": "progress of an erasure under a digest of the person, deleted at its end",
    "audit-outbox": "audit events that wait for their delivery, for 30 days at most",
    "audit-streams": "the last event of each stream of audit events",
    "audit-checkpoint": "the last event of the audit trail that was verified",
    "receipt-key": "the key that signs receipts",
}

IMPERSONAL = {
    "admin-calls": "calls of administrators a minute",
    "admin-failures": "wrong keys of administration by digest of the address",
    "archive": "captures of public pages by digest of their address",
    "audit-key": "the key that seals audit events",
    "audit-delivery": "the last event of the audit trail that was delivered to the operator's webhook",
    "breaker": "state of providers",
    "cache": "answers by digest of their inputs, shared by a tenant or by all",
    "cache-flush": "when the cache was flushed",
    "call-history": "calls of a tenant and of all by hour and day, tool and provider",
    "calls": "calls of a tenant",
    "calls-of-all": "calls of all tenants",
    "crawl-host": "request slots of hosts",
    "doctor": "the check of the stores",
    "elicitation": "random identifiers of questions that clients answered, for ten minutes",
    "request-state-key": "the key that signs the state of open questions",
    "health": "the check of the stores",
    "job": "request slots of hosts",
    "oauth/assertion": "identifiers of assertions that clients used",
    "oauth/attempts": "attempts to sign in by digest of the address",
    "oauth/client": "registered applications",
    "oauth/identity-assertion": "identifiers of assertions that were used",
    "oauth/revoked": "identifiers of revoked tokens",
    "oauth/user-code": "digests of codes that devices show",
    "pace": "requests to providers",
    "render": "rendered public pages, for minutes",
    "requests": "requests by digest of the address",
    "spent": "costs of a tenant by day",
    "statistics": "calls of a tenant by tool",
    "statistics-tenants": "tenants with counted calls",
}
