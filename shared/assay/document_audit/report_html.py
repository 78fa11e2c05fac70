"""Writes the report on a manuscript as an HTML page of its own: no script, no external asset, made for print too."""

from collections.abc import Iterable
from html import escape

from assay.bibliography.identifiers import build_doi_url
from assay.document_audit.audit_models import CitingSentence, ReferenceAudit
from assay.document_audit.audit_report import AuditReport
from assay.document_audit.report_rows import (
    CAVEAT,
    count_rows,
    describe_findings,
    describe_quotation,
    describe_state,
    list_duplicates,
    list_links,
    list_neighbours,
    name_reference,
)
from assay.text.url_text import parse_http_url

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid; }
h3 { font-size: 1rem; margin-bottom: .2rem; } table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; }
.flags { font-weight: 600; } pre { overflow-x: auto; padding: .5rem; border: 1px solid; white-space: pre-wrap; }
h1, h3, li, td, pre { overflow-wrap: anywhere; } article { break-inside: avoid; }
@media print { body { max-width: none; margin: 0; font-size: 10pt; } }
"""


def write_html(report: AuditReport) -> str:
    """Return the whole report. All text from outside is escaped; only http(s) addresses become links."""
    title = f"Audit of {report.manuscript.title or 'a manuscript'}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(describe_state(report))}</p>",
        f"<p>{escape(CAVEAT)}</p>",
        "<table>",
        *(
            f"<tr><th scope=row>{escape(label)}</th><td>{escape(value)}</td></tr>"
            for label, value in count_rows(report)
        ),
        "</table>",
        *_section("Notes", report.notes),
        "<h2>References</h2>",
        *(_format_reference(each) for each in report.references),
        *_section(
            "Cited but not listed",
            [f"{', '.join(each.labels)} ({each.marker}): {each.sentence}" for each in report.unlisted],
        ),
        *_section("Listed but not cited", [f"Reference {index}" for index in report.uncited]),
        *_section("Duplicates", list_duplicates(report)),
        *_section("Quotations", [describe_quotation(each) for each in report.quotations]),
        *_section("Links that are not live", list_links(report)),
        *_section("Retracted works that cited works cite", list_neighbours(report)),
        "<h2>What was sent to look things up</h2>",
        "<p>This was sent, and nothing else of the manuscript.</p>",
        *(_format_sent(each.service, each.count, each.texts) for each in report.sent),
    ]
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
    )
    return head + "\n".join(body) + "</body></html>\n"


def _section(title: str, items: Iterable[str]) -> list[str]:
    listed = [f"<li>{escape(item)}</li>" for item in items]
    return [f"<h2>{escape(title)}</h2>", "<ul>", *listed, "</ul>"] if listed else []


def _format_reference(each: ReferenceAudit) -> str:
    url = build_doi_url(each.doi) if each.doi else each.url or ""
    flags = f' <span class="flags">[{escape(", ".join(each.flags))}]</span>' if each.flags else ""
    lines = [f"<li>{escape(line)}</li>" for line in describe_findings(each)]
    lines += [_format_sentence(sentence) for sentence in each.cited_in or ()]
    diff = f"<pre>{escape(each.correction.diff)}</pre>" if each.correction else ""
    items = f"<ul>{''.join(lines)}</ul>" if lines else ""
    heading = f"<h3>{each.index}. {escape(name_reference(each))}{flags}</h3>"
    return f'<article id="reference-{each.index}">{heading}{_format_link(url)}{items}{diff}</article>'


def _format_link(url: str) -> str:
    if not url or parse_http_url(url) is None:
        return ""
    return f'<p><a href="{escape(url)}" rel="noreferrer nofollow">{escape(url)}</a></p>'


def _format_sentence(sentence: CitingSentence) -> str:
    outcome = sentence.describe_outcome()
    support = f" <em>[{escape(outcome)}]</em>" if outcome else ""
    evidence = "".join(f"<li><q>{escape(text)}</q></li>" for text in sentence.claim_evidence or ())
    quoted = f"<ul>{evidence}</ul>" if evidence else ""
    return f"<li>Paragraph {sentence.paragraph}{support}: {escape(sentence.sentence)}{quoted}</li>"


def _format_sent(service: str, count: int, texts: list[str]) -> str:
    shown = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<details><summary>{escape(service)}: {count} requests</summary><ul>{shown}</ul></details>"
