"""A person's jobs, watched URLs and their reports."""

import json
from collections.abc import AsyncGenerator
from typing import Any

from assay.jobs import due_index, results_log
from assay.jobs.job_registry import NAMES
from assay.jobs.job_report import report_keys
from assay.jobs.task import load_tasks_by_owner
from assay.personal_data.namespaces import ItemPart, Person, PersonalItem
from assay.services import Services
from assay.sessions.session_keys import build_owner
from assay.state.owned_data import build_owned_key, build_owned_sort, list_owned
from assay.state.table_rows import query_all
from assay.webhooks.webhook_endpoints import build_endpoints_key, list_endpoints
from assay.webhooks.webhook_outbox import DELIVERIES, UNDELIVERED, Delivery
from assay.work_queue.job_kinds import MODULES, find_kind
from assay.work_queue.job_record import list_sort
from assay.work_queue.job_removal import find_object


async def iter_jobs(services: Services, person: Person, first: str) -> AsyncGenerator[PersonalItem]:
    """Yield the crawls and audits of the person with their results."""
    for kind in sorted(kind for kind in MODULES if kind != DELIVERIES.kind):
        async for item in _iter_of_kind(services, person, kind, first):
            yield item


async def iter_webhook_messages(services: Services, person: Person, first: str) -> AsyncGenerator[PersonalItem]:
    async for item in _iter_of_kind(services, person, DELIVERIES.kind, first):
        yield item


async def _iter_of_kind(services: Services, person: Person, kind: str, first: str) -> AsyncGenerator[PersonalItem]:
    for identity in await list_owned(services.table, *person, kind):
        if f"{kind}/{identity}" >= first:
            yield await _read_job(services, person, kind, identity)


async def _read_job(services: Services, person: Person, kind: str, identity: str) -> PersonalItem:
    jobs = find_kind(kind).jobs
    key = jobs.key_of(identity)
    rows = await query_all(services.table, key)
    record = next((json.loads(row.value) for row in rows if row.sort == "-"), {"id": identity})
    pages = [json.loads(row.value) for row in rows if row.sort.startswith("page/")]
    objects = find_kind(kind).list_objects(jobs.model.model_validate(record)) if len(record) > 1 else []
    others = [(jobs.active_key, list_sort(person.tenant, identity))]
    if kind == DELIVERIES.kind and "message" in record:
        others.append((UNDELIVERED, Delivery.model_validate(record).sort))
    return PersonalItem(
        f"{kind}/{identity}",
        {**record, **({"pages": pages} if pages else {})},
        (
            (jobs.parked_key, list_sort(person.tenant, identity)),
            *others,
            (key, "-"),  # after the rows and objects that are found by it
            (build_owned_key(*person), build_owned_sort(kind, identity)),
        ),
        tuple(objects),
        tuple(ItemPart((key, row.sort), find_object(key, row)) for row in rows if row.sort != "-"),
    )


async def list_webhook_endpoints(services: Services, person: Person) -> list[PersonalItem]:
    """List the person's webhook addresses, without their secrets."""
    key = build_endpoints_key(*person)
    return [
        PersonalItem(each.id, each.wire(), ((key, each.id),)) for each in await list_endpoints(services.table, *person)
    ]


async def list_watched_urls(services: Services, person: Person) -> list[PersonalItem]:
    items = []
    for job in NAMES:
        for task, _ in (await load_tasks_by_owner(services.table, job, build_owner(*person))).values():
            due = ((due_index.key_of(job), task.due_key),) if task.due_key else ()
            document = task.model_dump(mode="json", exclude={"due_key"})
            items.append(PersonalItem(f"{job}/{task.id}", document, (*due, (task.key, task.id))))
    return items


async def list_reports(services: Services, person: Person) -> list[PersonalItem]:
    """List the results of watched URLs by job and day, with the reports of these days."""
    owner, items = build_owner(*person), []
    for job in NAMES:
        page = results_log.page_of(job, owner)
        days: dict[str, list[Any]] = {}
        for row in await query_all(services.table, page):
            days.setdefault(row.sort.partition("/")[0], []).append(row)
        for day, rows in days.items():
            lines = [json.loads(row.value) for row in rows]
            stale = (results_log.STALE, f"{owner}/{job}/{day}")
            items.append(
                PersonalItem(
                    f"{job}/{day}",
                    {"job": job, "day": day, "results": lines},
                    (stale, (page, rows[-1].sort)),
                    tuple(report_keys(owner, job, day)),
                    tuple(ItemPart((page, row.sort)) for row in rows[:-1]),
                )
            )
    return items
