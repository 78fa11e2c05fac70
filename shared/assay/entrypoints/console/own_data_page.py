"""What is stored about a person: consents, export, erasure with a receipt, and the trail of their calls."""

import json
from typing import Any

from fastapi import Response

from assay.administration.person_data import ErasedData
from assay.entrypoints.console.page_visit import PageVisit
from assay.errors import InvalidInput

PATH = "/console/data"
WORD = "ERASE"  # to be typed by who erases their data


async def show_data(visit: PageVisit) -> Response:
    """The person's consents, and the ways to export and erase everything."""
    return visit.show("own_data.html", consents=await visit.run_own_endpoint("list-consents"))


async def ask_to_erase(visit: PageVisit) -> Response:
    """How much of each kind would be erased: a page of its own, since counting reads all of it."""
    counted = await visit.run_own_endpoint("erase-data", {"dry_run": True})
    return visit.show("erase.html", counted=counted, word=WORD)


async def show_export(visit: PageVisit) -> Response:
    """One part of the export: what is in it, its file, and the next part."""
    part: Any = await visit.run_own_endpoint("export-data", _read_place(visit))
    return visit.show("export.html", part=part, after=visit.query.get("after", ""))


async def send_export(visit: PageVisit) -> Response:
    """One part of the export as a file."""
    after = visit.form.get("after", "")
    part = await visit.run_own_endpoint("export-data", {"after": after} if after else {})
    text = json.dumps(part.wire(), ensure_ascii=False, indent=1)
    return visit.download("my-data.json", "application/json; charset=utf-8", text)


async def erase(visit: PageVisit) -> Response:
    """Erase everything that is stored about the person, and show the signed receipt: they are signed out then."""
    if visit.form.get("word") != WORD:
        raise InvalidInput(f"Nothing was erased. Type {WORD} to erase your data.", field="word")
    erased = await visit.run_own_endpoint("erase-data")
    assert isinstance(erased, ErasedData)
    receipt = json.dumps(erased.receipt, ensure_ascii=False, indent=1)
    return visit.show("erased.html", erased=erased, receipt=receipt)


async def show_activity(visit: PageVisit) -> Response:
    """The audit trail of the person's calls, and what failed lately."""
    return visit.show("activity.html", trail=await visit.run_own_endpoint("list-audit-events", _read_place(visit)))


def _read_place(visit: PageVisit) -> dict[str, str]:
    after = visit.query.get("after")
    return {"after": after} if after else {}
