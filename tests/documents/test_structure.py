"""The markdown of documents keeps their structure, as the benchmark of documents builds and scores them."""

import pytest
from infra.benchmarks.document_structure import build_docx, build_pdf
from infra.benchmarks.structure import CLASSES, MATCHERS, find_structure, match_equal
from infra.benchmarks.structure_pages.page import Page

UNREAD = {("docx", "inline")}  # emphasis in Word files


@pytest.mark.parametrize(("kind", "build"), [("docx", build_docx), ("pdf", build_pdf)])
async def test_documents_keep_their_structure(reads, kind, build):
    missed = []
    for number in (4, 3):  # of one and of two columns; in 2 the end of a table is on another page
        page = Page(number)
        found = find_structure((await reads(build(page), kind)).markdown, page)
        for name in CLASSES:
            hits = MATCHERS.get(name, match_equal(name))(page.truth[name], found)
            missed += [
                item for item, hit in zip(page.truth[name], hits, strict=True) if hit < 1 and (kind, name) not in UNREAD
            ]
    assert missed == []
