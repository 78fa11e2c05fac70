"""The stored record of an audit, its manuscript, and the results of its units of work."""

import json

from pydantic import TypeAdapter

from assay.manuscripts.manuscript import Manuscript
from assay.services import Services
from assay.state import json_documents
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document
from assay.state.table_rows import query_all
from assay.verification.tier_answer import Tier
from assay.work_queue.job_record import Job, JobStore

READS_AT_ONCE = 8
TITLE_CHARS = 300
MANUSCRIPTS = TypeAdapter(Manuscript)


class AuditJob(Job):
    """An audit of a manuscript. `total` is the number of its units of work, `title` the manuscript's."""

    title: str = ""
    total: int
    max_claims: int
    max_quotations: int
    claim_tier: Tier | None = None  # highest tier for claims

    @property
    def subject(self) -> str:
        return self.title

    @property
    def planned_units(self) -> int:
        return self.total


AUDITS = JobStore("audit", AuditJob, parks_failed=True)


async def save_manuscript(services: Services, job: AuditJob, manuscript: Manuscript) -> None:
    body = MANUSCRIPTS.dump_json(manuscript)
    await services.bucket.put(_name(job, "manuscript"), body, content_type="application/json", until=job.until)


async def load_manuscript(services: Services, job: AuditJob) -> Manuscript | None:
    body = await services.bucket.get(_name(job, "manuscript"))
    return None if body is None else MANUSCRIPTS.validate_json(body)


async def save_result(services: Services, job: AuditJob, unit: int, result: Document) -> None:
    """Store the result of a unit, then count it as done. A repeated unit replaces its result."""
    body = json_documents.encode(result)
    await services.bucket.put(_name(job, f"{unit:05}"), body, content_type="application/json", until=job.until)
    await json_documents.save(services.table, AUDITS.key_of(job.id), _row(unit), {}, until=job.until)


async def list_done_units(services: Services, job: AuditJob) -> set[int]:
    rows = await query_all(services.table, AUDITS.key_of(job.id), "unit/")
    return {int(row.sort.removeprefix("unit/")) for row in rows}


async def load_results(services: Services, job: AuditJob, units: list[int]) -> list[Document | None]:
    """Return the results of these units; None for one that is not done."""

    async def load(unit: int) -> bytes | None:
        return await services.bucket.get(_name(job, f"{unit:05}"))

    bodies = await map_concurrently(load, units, limit=READS_AT_ONCE)
    return [None if body is None else json.loads(body) for body in bodies]


async def count_attempt(services: Services, job: AuditJob, unit: int) -> int:
    """Record an attempt at a unit and return how many there were."""
    return await services.table.add(AUDITS.key_of(job.id), f"attempt/{unit:05}", until=job.until)


async def count_units(services: Services, job: AuditJob) -> int:
    return len(await list_done_units(services, job))


def _row(unit: int) -> str:
    return f"unit/{unit:05}"


def list_object_names(job: AuditJob) -> list[str]:
    """Return the names of every object that an audit can have."""
    return [_name(job, "manuscript"), *(_name(job, f"{unit:05}") for unit in range(job.total))]


def _name(job: AuditJob, part: str) -> str:
    return f"audit/{job.id}/{part}"
