"""The HTML report of audit_document, opened in a browser: it reads well, and no text in it becomes markup."""

from assay.bibliography.work import CitedWork
from assay.document_audit.audit_job import AuditJob
from assay.document_audit.audit_models import CorrectionProposal, ReferenceAudit
from assay.document_audit.audit_report import AuditReport
from assay.document_audit.report_html import write_html
from assay.manuscripts.manuscript import ListedReference, Manuscript

ATTACK = "</title><script>document.title = 'taken'</script><img src=//evil.example/x onerror=alert(1)>"


async def test_the_report_is_a_page_without_scripts_that_shows_hostile_titles_as_text(fake_hosts, render):
    job = AuditJob(
        id="a", tenant="t", user="u", created=0, until=1, total=1, max_claims=0, max_quotations=0, status="completed"
    )
    listed = ListedReference(1, CitedWork(title=ATTACK))
    manuscript = Manuscript("markdown", title=ATTACK, references=(listed,), total_references=1, notes=(ATTACK,))
    audited = ReferenceAudit(
        index=1, title=ATTACK, url="javascript:alert(1)", retraction_check="unchecked", flags=["unchecked"], reason=ATTACK,
        correction=CorrectionProposal(bibtex="", diff=f"--- cited\n+++ proposed\n-{ATTACK}", changes=[ATTACK]),
    )  # fmt: skip
    page = write_html(AuditReport(job, manuscript, [audited], [], [], []))
    rendered = await render(fake_hosts.says("/report", page))
    assert rendered.title == f"Audit of {ATTACK}"
    assert "<script" not in rendered.html
    assert "<img" not in rendered.html
    assert rendered.links == ()
    assert {request for request in fake_hosts.requests if "evil" in request} == set()
    assert "What was sent to look things up" in rendered.html
