"""Scholarly pages: detected DOI and retraction status."""

import asyncio
import json
import threading

import pytest
from tests.support.pages import article

from assay.settings import Settings

METAS = {
    "citation_doi": "10.1234/weir.7",
    "citation_title": "On weirs",
    "citation_author": "Lind, Mara",
    "citation_publication_date": "2020/05/06",
}
PAPER = article(head="".join(f'<meta name="{name}" content="{value}">' for name, value in METAS.items()))
WORK = "/crossref/works/10.1234%2Fweir.7"


def notices(*known):
    """What Crossref says of a work: one notice for each (kind, source, date)."""
    updated = [
        {"DOI": f"10.1234/{kind}", "type": kind, "source": source, "updated": {"date-time": f"{day}T00:00:00Z"}}
        for kind, source, day in known
    ]
    return json.dumps({"status": "ok", "message": {"DOI": "10.1234/weir.7", "updated-by": updated}})


async def test_a_retraction_on_record_is_reported_once_and_kept_with_the_page(ask, site):
    known = [("correction", "publisher", "2020-07-01"), ("retraction", "retraction-watch", "2021-03-04")]
    site.says(WORK, notices(*known), kind="application/json")
    url = site.says("/paper", PAPER)
    for _ in range(2):
        reply = await ask("scrape_page", url=url)
        assert reply.wire["detectedDoi"] == "10.1234/weir.7"
        assert reply.wire["retractionStatus"] == {
            "retracted": True,
            "kind": "retraction",
            "date": "2021-03-04",
            "noticeDoi": "10.1234/retraction",
            "source": "retraction-watch",
        }
    assert reply.wire["sourceType"] == "peer_reviewed"
    assert "Retraction on record" in reply.text
    assert len(site.requests) == 2


@pytest.mark.parametrize("answer", [(notices(), 200), ("{}", 404), ("nonsense", 200), ("[]", 200), ("", 500)])
async def test_without_a_word_of_crossref_nothing_is_claimed(ask, site, answer):
    site.says(WORK, *answer, kind="application/json")
    page = (await ask("scrape_page", url=site.says("/paper", PAPER))).wire
    assert page["detectedDoi"] == "10.1234/weir.7"
    assert "retractionStatus" not in page


async def test_a_page_that_only_quotes_a_doi_has_none(read, site):
    page = await read(article("<p>See doi.org/10.1234/weir.7</p>"))
    assert "detectedDoi" not in page
    assert len(site.requests) == 1


async def test_an_expression_of_concern_is_not_a_retraction(ask, site):
    site.says(WORK, notices(("expression_of_concern", "publisher", "2021-03-04")),
              kind="application/json")  # fmt: skip
    status = (await ask("scrape_page", url=site.says("/paper", PAPER))).wire["retractionStatus"]
    assert (status["retracted"], status["kind"], status["source"]) == (False, "expression_of_concern", "publisher")


async def test_whoever_asks_says_so_and_a_slow_answer_is_not_waited_for(environ, site, clock, tmp_path):
    from assay.bootstrap import local_services

    release = threading.Event()
    site.says(WORK, notices(("retraction", "publisher", "2021-03-04")), before=lambda: release.wait(120))
    services = local_services(Settings.read(environ | {"CROSSREF_EMAIL": "mara@valley.example"}), clock)
    began = asyncio.get_running_loop().time()
    page = await services.scrape.read(site.says("/paper", PAPER))
    assert asyncio.get_running_loop().time() - began < 90
    release.set()
    await services.close()
    assert page.detected_doi == "10.1234/weir.7"
    assert page.retraction is None
    assert "mailto=mara%40valley.example" in site.requests[-1].path
