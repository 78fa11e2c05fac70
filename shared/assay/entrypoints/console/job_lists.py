"""The person's own jobs of one kind, the newest first."""

from typing import Any

from assay.entrypoints.console.page_visit import PageVisit


async def list_own_jobs(visit: PageVisit, kind: str) -> Any:
    """One page of the person's jobs of this kind, from the place on that the address names."""
    after = visit.query.get("after")
    return await visit.run_own_endpoint("list-user-jobs", {"kind": kind, **({"after": after} if after else {})})
