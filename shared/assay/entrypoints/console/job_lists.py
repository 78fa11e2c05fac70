"""The person's own jobs of one kind, the newest first."""

from typing import Any

from assay.entrypoints.console.page_visit import PageVisit
from assay.errors import Forbidden


async def list_own_jobs(visit: PageVisit, kind: str) -> dict[str, Any]:
    """One page of the person's jobs of this kind, from the place on that the address names, as `job_list` shows it.

    A key for some tools may start jobs where it may not list them: then the page says so instead.
    """
    after = visit.query.get("after")
    try:
        found: Any = await visit.run_own_endpoint(
            "list-user-jobs", {"kind": kind, **({"after": after} if after else {})}
        )
    except Forbidden as refused:
        return {"jobs": [], "next": None, "refusal": refused.sentence()}
    return {"jobs": found.jobs, "next": found.next, "refusal": ""}
