"""Pages of audits: the list of the person's audits, a form to start one, and the progress and references of each."""

import json
from functools import partial
from typing import Any

from fastapi import Response

from assay.document_audit.audit_models import QuotationCheck
from assay.document_audit.report_pages import load_whole_report
from assay.document_audit.report_rows import CAVEAT, describe_quotation
from assay.entrypoints.console.item_addresses import build_item_path, open_by_id
from assay.entrypoints.console.job_lists import list_own_jobs
from assay.entrypoints.console.page_visit import PageVisit
from assay.entrypoints.console.reference_rows import build_table
from assay.errors import InvalidInput

PATH = "/console/audits"
SHOWN = 100  # references at once
REPORT_FILES = {
    "html": ("html", "text/html; charset=utf-8"),
    "markdown": ("md", "text/markdown; charset=utf-8"),
    "bibtex": ("bib", "application/x-bibtex; charset=utf-8"),
    "json": ("json", "application/json; charset=utf-8"),
}
RUNNING = frozenset({"queued", "running"})


async def show_audits(visit: PageVisit) -> Response:
    """The person's audits and the form of a new one; or the audit whose id was filled in."""
    if opened := open_by_id(visit):
        return opened
    return visit.show("audits.html", found=await list_own_jobs(visit, "audit"))


async def start_audit(visit: PageVisit) -> Response:
    """Start the audit of a manuscript, and show it."""
    fields = ("url", "text", "bibliography")
    filled = {name: value for name in fields if (value := visit.form.get(name, "").strip())}
    audit = await visit.read_tool("audit_document", {**filled, "wait_seconds": 0, "page_size": 1})
    return visit.redirect(build_item_path(PATH, audit["auditId"]))


async def show_audit(visit: PageVisit) -> Response:
    """How far an audit is, and some of its references."""
    asked = {"audit_id": visit.parameters["id"], "page": visit.query.get("page") or "1"}
    audit = await visit.read_tool("audit_document", {**asked, "page_size": SHOWN, "wait_seconds": 0})
    return visit.show(
        "audit.html",
        audit=audit,
        is_running=audit["status"] in RUNNING,
        caveat=CAVEAT,
        counts=_list_counts(audit["summary"]),
        table=build_table(audit.get("references", ()), visit.query.get("flag", "")),
        sections=_list_sections(audit),
    )


async def cancel_audit(visit: PageVisit) -> Response:
    """End an audit; what it has found stays, and one that has ended stays as it is."""
    asked = {"audit_id": visit.parameters["id"], "cancel": True, "wait_seconds": 0, "page_size": 1}
    audit = await visit.read_tool("audit_document", asked)
    return visit.redirect(build_item_path(PATH, audit["auditId"]))


async def download_report(visit: PageVisit) -> Response:
    """The report so far as a file, in the form that was asked for."""
    form = visit.form.get("format", "")
    if form not in REPORT_FILES:
        raise InvalidInput(f"A report has one of these forms: {', '.join(REPORT_FILES)}.", field="format")
    audit = await load_whole_report(partial(visit.read_tool, "audit_document"), visit.parameters["id"], form)
    ending, media_type = REPORT_FILES[form]
    text = json.dumps(audit, ensure_ascii=False, indent=2) if form == "json" else str(audit["report"])
    return visit.download(f"audit-{audit['auditId'][:12]}.{ending}", media_type, text)


def _list_counts(s: dict[str, Any]) -> dict[str, str]:
    return {
        "references": f"{s['references']}, {s['audited']} audited",
        "flagged": _join_counts(s["flags"]),
        "proposed corrections": str(s["corrections"]),
        "citations in the text": f"{s['citations']}, {s['unlisted']} of works that are not listed",
        "listed but not cited": ", ".join(map(str, s["uncited"])) or "none",
        "claims": f"{_join_counts(s['claims'])}; {s['claimsLeft']} not checked",
        "quotations": f"{_join_counts(s['quotations'])}; {s['quotationsLeft']} not looked up",
        "links in the text": _join_counts(s["links"]),
        "retracted works one step away": f"{s['retractedNeighbours']} of {s['neighbours']} looked at",
    }


def _join_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items())) or "none"


def _list_sections(audit: dict[str, Any]) -> dict[str, list[str]]:
    """What concerns the whole manuscript, which the first page of an audit has."""
    return {
        "Cited but not listed": [
            f"{', '.join(one['labels'])} (paragraph {one['paragraph']}): {one['sentence']}"
            for one in audit.get("unlisted", ())
        ],
        "Duplicates": [
            f"References {', '.join(map(str, one['references']))}: {one['kind'].replace('_', ' ')}"
            for one in audit.get("duplicates", ())
        ],
        "Quotations": [describe_quotation(QuotationCheck.model_validate(one)) for one in audit.get("quotations", ())],
        "What was sent to look things up": [
            f"{one['service']} ({one['count']}): {'; '.join(one['texts'])}" for one in audit.get("sent", ())
        ],
    }
