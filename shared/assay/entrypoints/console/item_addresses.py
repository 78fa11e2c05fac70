"""The addresses of the items of a list: the address of its page, then the id of the item."""

from urllib.parse import quote

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit


def build_item_path(page: str, identity: str) -> str:
    """The path of the item with this id, below that of the page."""
    return f"{page}/{quote(identity, safe='')}"


def open_by_id(visit: PageVisit) -> Response | None:
    """The way to the item whose id was filled in on its page, by the form `open_by_id`; None without an id."""
    identity = visit.query.get("id", "").strip()
    return visit.redirect(build_item_path(visit.page.path, identity)) if identity else None
