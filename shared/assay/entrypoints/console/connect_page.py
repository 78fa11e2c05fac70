"""How to connect each client to this server, with lines to copy."""

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit
from assay.entrypoints.http.client_setup import list_client_setups


async def show_setups(visit: PageVisit) -> Response:
    """The lines, with the address of this server. They are no secret, so that nobody has to sign in."""
    return visit.show(
        "connect.html",
        setups=list_client_setups(visit.base),
        is_hosted=visit.base.startswith("https://"),
    )
