"""The first page of the console."""

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit


async def show_overview(visit: PageVisit) -> Response:
    """Who one is here, and where one can go."""
    return visit.show("overview.html")
