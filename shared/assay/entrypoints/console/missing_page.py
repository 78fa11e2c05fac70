"""The page of an address that has none."""

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit
from assay.errors import NotFound


async def show_missing(_: PageVisit) -> Response:
    raise NotFound("The console has no page at this address.")
