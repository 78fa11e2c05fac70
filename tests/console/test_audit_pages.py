"""Audits at a browser: of a manuscript, followed and cancelled, and of a bibliography, with evidence to open."""

import json
import re

from tests.console.conftest import EVE, HOSTILE
from tests.console.page_checks import check_html
from tests.console.test_operations import read_rows
from tests.support.sample_calls import PAGE

from assay.entrypoints.console.audit_pages import REPORT_FILES
from assay.entrypoints.console.reference_rows import build_table
from assay.entrypoints.console.special_views import render_special_view
from assay.work_queue.work_timing import WorkTiming
from assay.work_queue.worker import Worker

QUICK = WorkTiming(idle=0.05, lease=2.0, beat=0.2, sweep=0.2)
AUDITS = "/console/audits"
MANUSCRIPT = f"# Weirs\n\nSalmon {HOSTILE} return [1].\n\n# References\n\n[1] Brook A. {HOSTILE} Salmon. 2015."


async def test_a_manuscript_is_audited_followed_and_cancelled(server, browse):
    browser, eve = await browse(), await browse(EVE)
    page = await browser.open(AUDITS)
    started = await browser.submit(AUDITS, page, text=MANUSCRIPT, url="", bibliography="")
    assert started.status_code == 303, started.text
    place = started.headers["location"]
    shown = await browser.open(place)
    tree = check_html(shown.text)
    assert tree.xpath("//section[@id='audit']/@data-poll")
    assert "zander" in read_rows(shown, "References")["1"][0]
    assert (await browser.open(AUDITS, id=place.rpartition("/")[2])).headers["location"] == place
    [row] = check_html((await browser.open(AUDITS)).text).xpath("//section[h2='Your audits']//tbody/tr")
    assert (row.xpath("string(th/a)"), row.xpath("string(th/a/@href)")) == ("Weirs", place)
    assert "None yet" in (await eve.open(AUDITS)).text
    assert (await eve.submit(place, await eve.open(AUDITS))).status_code == 404
    assert (await browser.submit(place, shown)).headers["location"] == place
    ended = await browser.open(place, flag="retracted")
    assert not check_html(ended.text).xpath("//@data-poll")
    assert "cancelled" in ended.text
    assert "0 of 1 references" in ended.text
    assert (await browser.open(place, page="x")).status_code == 400
    empty = await browser.submit(AUDITS, page, text="", url="", bibliography="")
    assert empty.status_code == 400


async def test_a_finished_audit_shows_what_concerns_the_whole_manuscript(server, browse):
    twice = "\n".join(f"[{n}] Brook A. Salmon and weirs. River Letters. 2015. doi:10.71234/w.0" for n in (1, 2))
    text = f"# Weirs\n\nSalmon {HOSTILE} return [1, 2] to the river [7].\n\n# References\n\n{twice}\n"
    browser = await browse()
    started = await browser.submit(AUDITS, await browser.open(AUDITS), text=text)
    await Worker(server, server.queue, QUICK).run()
    page = await browser.open(started.headers["location"])
    tree = check_html(page.text)
    assert tree.xpath("string(//dt[text()='state']/following-sibling::dd)") == "completed"
    assert not tree.xpath("//progress")
    found = {each.findtext("h2"): each.text_content() for each in tree.xpath("//section/section")}
    assert "References 1, 2" in found["Duplicates"]
    assert "to the river [7]" in found["Cited but not listed"]
    assert "10.71234/w.0" in found["What was sent to look things up"]
    assert "Paragraph 1: Salmon zander" in tree.xpath("string(//tbody/tr[1]//details)")


async def test_the_report_of_an_audit_is_saved_in_each_form(server, browse):
    references = "\n".join(f"[{n}] Brook A. {HOSTILE} Weir number {n}. 2015." for n in range(1, 206))
    browser = await browse()
    started = await browser.submit(AUDITS, await browser.open(AUDITS), text=f"# Weirs\n\n# References\n\n{references}")
    place = started.headers["location"]
    page, files = await browser.open(place), {}
    for form in REPORT_FILES:
        saved = await browser.submit(f"{place}/report", page, format=form)
        assert saved.status_code == 200, saved.text
        assert saved.headers["x-content-type-options"] == "nosniff"
        named = re.fullmatch(r'attachment; filename="audit-[0-9a-f]{12}\.(\w+)"', saved.headers["content-disposition"])
        files[named[1]] = saved
    assert {ending: file.headers["content-type"].partition(";")[0] for ending, file in files.items()} == {
        "html": "text/html", "md": "text/markdown", "bib": "application/x-bibtex", "json": "application/json"
    }  # fmt: skip
    assert len(json.loads(files["json"].text)["references"]) == 205  # more than the tool returns at once
    assert files["bib"].text.count("annote = ") == 205
    assert files["md"].text.startswith("# Audit of Weirs")
    assert "<script>taken" not in files["html"].text
    wrong = await browser.submit(f"{place}/report", page, format="exe")
    assert (wrong.status_code, "bibtex" in wrong.text) == (400, True)
    eve = await browse(EVE)
    assert (await eve.submit(f"{place}/report", await eve.open(AUDITS), format="html")).status_code == 404


async def test_the_call_of_a_bibliography_ends_with_the_table_and_its_filter(server, browse):
    browser, form = await browse(), "/console/tools/audit_bibliography"
    entries = json.dumps([{"url": PAGE, "title": f"Otters {HOSTILE}"}, {"doi": "10.71234/nobodys"}])
    called = await browser.submit(form, await browser.open(form), **{"in-entries": entries})
    assert called.status_code == 303, called.text
    await Worker(server, server.queue, QUICK).run()
    page = await browser.open(called.headers["location"])
    rows = read_rows(page, "References")
    assert list(rows) == ["1", "2"]
    assert HOSTILE[:10] in rows["1"][0]
    [flag, *_] = check_html(page.text).xpath("//select[@name='flag']/option[position() > 3]/@value")
    filtered = read_rows(await browser.open(called.headers["location"], flag=flag), "References")
    assert filtered
    assert all(flag.replace("_", " ") in row[-1] for row in filtered.values())


async def test_the_call_that_started_a_job_leads_to_the_page_of_the_job(server, browse):
    browser, form = await browse(), "/console/tools/cinder_crawl"
    called = await browser.submit(form, await browser.open(form), **{"in-url": PAGE})
    page = await browser.open(called.headers["location"])
    [row] = check_html((await browser.open("/console/calls")).text).xpath("//tbody/tr")
    assert (row.xpath("string(th/a)"), row.xpath("string(th/a/@href)")) == ("cinder_crawl", called.headers["location"])
    assert row.xpath("normalize-space(td[1])") == "queued"
    [place] = check_html(page.text).xpath("//main//a[starts-with(@href, '/console/crawls/')]/@href")
    assert (await browser.open(place)).status_code == 200


def build_entry(index, **more):
    return {"index": index, "title": HOSTILE, "retractionCheck": "clear", "flags": [], **more}


ENTRIES = [
    build_entry(1, doi="10.1/x", exists=True, notes=[f"It has no year {HOSTILE}"]),
    build_entry(2, flags=["retracted"], retractionCheck="retracted", reason=f"It was retracted {HOSTILE}"),
    build_entry(
        3,
        url="javascript:taken()",
        flags=["title_mismatch"],
        fields=[
            {"field": "title", "outcome": "mismatch", "cited": HOSTILE, "recorded": "Otters", "source": "crossref"}
        ],
        claim="Otters hold hands.",
        claimSupport="partially_addressed",
        claimEvidence=[f"They sleep {HOSTILE}"],
    ),
]
SUMMARY = {"total": 3, "ok": 1}


def render(flag=""):
    view = render_special_view("audit_bibliography", {"entries": ENTRIES, "summary": SUMMARY}, flag, can_filter=True)
    page = f"<!doctype html><html lang=en><title>x</title><a class=skip href='#main'></a><main><h1>x</h1>{view}</main></html>"
    return check_html(page)


def test_a_bibliography_is_a_table_with_its_evidence_whatever_it_says():
    tree = render()
    rows = [[" ".join(cell.text_content().split()) for cell in row] for row in tree.xpath("//tbody/tr")]
    assert [row[2] for row in rows] == ["on record", "not known", "not known"]
    assert [row[-1] for row in rows] == ["no flags", "retracted", "title mismatch"]
    assert tree.xpath("//tbody/tr[1]//a/@href") == ["https://doi.org/10.1/x"]
    assert not tree.xpath("//tbody/tr[3]//a")
    evidence = tree.xpath("string(//tbody/tr[3]//details)")
    assert "on record “Otters” (crossref)" in evidence
    assert "They sleep zander<svg" in tree.xpath("string(//tbody/tr[3]//blockquote)")
    assert "partially addressed" in rows[2][6]
    assert "proven correct" in tree.text_content()


def test_references_are_filtered_by_flag_and_by_remark():
    chosen = {
        flag: [row.entry.index for row in build_table(ENTRIES, flag).rows] for flag in ("", "flagged", "remarked")
    }
    assert chosen == {"": [1, 2, 3], "flagged": [2, 3], "remarked": [1]}
    assert render("title_mismatch").xpath("//tbody/tr/th/text()") == ["3"]
    assert render("title_mismatch").xpath("//option[@selected]/@value") == ["title_mismatch"]


def test_an_answer_of_another_release_has_the_general_view():
    wire = {"entries": [{"index": "first"}], "summary": {}}
    assert render_special_view("audit_bibliography", wire, "", can_filter=True) is None
