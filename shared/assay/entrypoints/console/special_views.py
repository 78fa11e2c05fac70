"""Answers that have a view of their own in place of the general one, or a page that follows their job."""

import logging
from typing import Any

from markupsafe import Markup
from pydantic import ValidationError

from assay.document_audit.report_rows import CAVEAT
from assay.entrypoints.console.page_templates import render_template
from assay.entrypoints.console.reference_rows import build_table

log = logging.getLogger("assay")
COUNTS = {
    "total": "checked",
    "ok": "without flags",
    "retracted": "retracted",
    "deadLink": "dead links",
    "notFound": "not found",
    "mischaracterized": "mischaracterized",
    "titleMismatch": "other title",
    "fieldMismatch": "a field differs",
    "unchecked": "unchecked",
    "retractionUnchecked": "not checked for retraction",
    "claimCheckSkippedCount": "claims not compared",
}
JOB_PAGES = {"audit_document": "/console/audits", "cinder_crawl": "/console/crawls"}


def find_job_page(tool: str, followed: str) -> str:
    """The address of the page of the job that a call of the tool has started; "" where there is none."""
    return f"{JOB_PAGES[tool]}/{followed}" if followed and tool in JOB_PAGES else ""


def render_special_view(tool: str, wire: dict[str, Any], flag: str, *, can_filter: bool) -> Markup | None:
    """The answer in the view of its tool; None where it has none."""
    if tool != "audit_bibliography" or not wire.get("entries"):
        return None
    try:
        table = build_table(wire["entries"], flag)
    except ValidationError:  # an answer that another release stored
        log.warning("an answer of %s has another form than this release gives it", tool, exc_info=True)
        return None
    notes = [wire.get("skippedNote"), wire.get("warning"), *wire.get("unread", ())]
    values = {
        "caveat": CAVEAT,
        "counts": {label: wire["summary"].get(name, 0) for name, label in COUNTS.items()},
        "notes": [note for note in notes if note],
        "table": table,
        "can_filter": can_filter,
    }
    return Markup(render_template("bibliography_answer.html", values))  # noqa: S704  # the template escapes
