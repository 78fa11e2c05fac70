"""Daily report of a job for one user, stored as Markdown and JSON."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from assay.jobs import results_log
from assay.jobs.job_timing import JobTiming
from assay.jobs.results_log import Mark
from assay.models.common import TRUST
from assay.services import Services
from assay.sessions.session_report import LINK, UNSAFE, escape_line
from assay.state.json_documents import Document
from assay.state.ports import Bucket

TITLES = {"link_check": "Link check", "archive": "Archived copies", "query_watch": "Watches"}
NOTES = {
    "link_check": "Evidence, never a verdict: only dead speaks against a link, only live for it. What is blocked, "
    "leads to a front page, could not be reached or was not checked is neither clean nor broken.",
    "query_watch": "What is counted as new was not seen by an earlier check; it may be older. A failed check says "
    "nothing about what there is.",
    "archive": "Only archived and existing name a copy. Pending and unavailable do not say that there is none.",
}
INNER = {"endedAt", "was", "state"}


class ReportKeys(NamedTuple):
    """Keys of a report's two documents in the bucket."""

    markdown: str
    json: str


def report_keys(owner: str, job: str, day: str) -> ReportKeys:
    stem = f"report/{owner}/{job}/{day}"
    return ReportKeys(f"{stem}.md", f"{stem}.json")


async def write_report(services: Services, timing: JobTiming, mark: Mark) -> ReportKeys | None:
    """Write the marked page's report and clear its mark. The same lines give the same report; no lines, none."""
    keys = report_keys(mark.owner, mark.job, mark.day)
    lines = await results_log.load_lines(services, mark)
    if not lines:
        for name in keys:
            await services.bucket.delete(name)
        await results_log.clear_mark(services, mark)
        return None
    report = build_document(mark, lines)
    until = datetime.fromisoformat(f"{mark.day}T00:00:00+00:00").timestamp() + timing.retention
    as_json = json.dumps(report, ensure_ascii=False, indent=1).encode()
    await services.bucket.put(keys.json, as_json, content_type="application/json", until=until)
    as_text = render_markdown(report).encode()
    await services.bucket.put(keys.markdown, as_text, content_type="text/markdown; charset=utf-8", until=until)
    await results_log.clear_mark(services, mark)
    return keys


async def load_latest(bucket: Bucket, owner: str, job: str, days: Sequence[str]) -> str | None:
    """Return the Markdown of the first of these days that has a report."""
    for day in days:
        body = await bucket.get(report_keys(owner, job, day).markdown)
        if body is not None:
            return body.decode()
    return None


def build_document(mark: Mark, lines: Sequence[Document]) -> dict[str, Any]:
    """Return `{job, day, tenantId, note, counts by outcome, changed, parked, items, trust}`."""
    return {
        "job": mark.job,
        "day": mark.day,
        "tenantId": mark.tenant,
        "note": NOTES[mark.job],
        "counts": dict(sorted(Counter(line["outcome"] for line in lines).items())),
        "changed": sum(_has_changed(line) for line in lines),
        "parked": sum(line["state"] == "parked" for line in lines),
        "items": [_item(line) for line in lines],
        "trust": TRUST,
    }


def _item(line: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in line.items() if name not in INNER and value is not None}
    changed = {"changedFrom": line["was"]} if _has_changed(line) else {}
    return fields | changed | ({"parked": True} if line["state"] == "parked" else {})


def _has_changed(line: Mapping[str, Any]) -> bool:
    return line["was"] is not None and line["was"] != line["outcome"]


def render_markdown(report: Mapping[str, Any]) -> str:
    """Render the report as Markdown; URLs are escaped so that they cannot add markup."""
    counts = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in report["counts"].items())
    lines = [f"# {TITLES[report['job']]}, {report['day']}", "", f"{counts}.", "", report["note"]]
    changed = [item for item in report["items"] if "changedFrom" in item]
    parked = [item for item in report["items"] if item.get("parked")]
    rest = [item for item in report["items"] if "changedFrom" not in item and not item.get("parked")]
    for title, items in (("Changed", changed), ("No longer tried", parked), ("All others", rest)):
        if items:
            lines += ["", f"## {title}", "", *(_line(item) for item in items)]
    return "\n".join([*lines, "", "---", "", f"*Written by Assay for tenant {escape_line(report['tenantId'])}.*", ""])


def _line(item: Mapping[str, Any]) -> str:
    url = item.get("query", item["url"])
    parts = [f"[{escape_line(url)}]({url.translate(UNSAFE)})" if LINK.fullmatch(url) else escape_line(url)]
    was = f" (was {item['changedFrom'].replace('_', ' ')})" if "changedFrom" in item else ""
    parts.append(item["outcome"].replace("_", " ") + was)
    parts += [f"{item['kind']}, {item.get('newCount', 0)} new"] if "query" in item else []
    parts += [f"HTTP {item['httpStatus']}"] if item.get("httpStatus") else []
    parts += [item["linkFailure"].replace("_", " ")] if item.get("linkFailure") else []
    parts += [escape_line(item["reason"])] if item.get("reason") else []
    if copy := item.get("archivedUrl"):
        parts.append(f"[archived copy]({copy.translate(UNSAFE)})")
    return "- " + " · ".join(parts)
