"""Reading a scholarly work, by the path that every caller takes."""

import io

import pytest
from tests.support.fake_scholarly_apis import addresses, paper, record, work
from tests.support.pages import html

TITLE = "Otters and their stones, part 1"
BODY = "".join(
    f"<p>In the river's year {year} Ada counted {year % 97} otters at the weir, and each of them had brought the stone "
    f"with which it opens shells back to the same bank, which nobody at the station had expected of it.</p>"
    for year in range(1900, 1940)
)
WHOLE = html(f"<article><h1>{TITLE}</h1>{BODY}</article>", f"<title>{TITLE}</title>")
ABSTRACT = html(
    f"<article><h1>{TITLE}</h1><p>{'Otters keep the stones that they like best under the arm. ' * 6}</p></article>",
    f"<title>{TITLE}</title>",
)
NOTICE = {"DOI": "10.1234/notice", "type": "retraction", "updated": {"date-parts": [[2024, 5, 1]]}}


@pytest.fixture
def environ(environ, site):
    own = {"OPENALEX_EMAIL": "ada@river.example", "EUROPE_PMC_BASE_URL": site.url + "/europepmc"}
    return environ | addresses(site.url) | own


@pytest.fixture
def read(ask, at_once, fake_hosts):
    async def read(identifier="10.1234/otters.1", **asked):
        return await ask("paper_fulltext", identifier=identifier, **asked)

    return read


@pytest.fixture
def registered_work(scholarly_apis):
    """Both registries know the work; no index knows a copy of it."""
    stripped = work(1, best_oa_location=None, open_access={"is_oa": None})
    scholarly_apis.says("openalex", "/works/doi:10.1234%2Fotters.1", stripped)
    scholarly_apis.says("crossref", "/works/10.1234%2Fotters.1", {"message": record(1) | {"updated-by": [NOTICE]}})


def a_pdf(*lines):
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for start in range(0, len(lines), 40):
        for number, line in enumerate(lines[start : start + 40]):
            canvas.drawString(40, 780 - 18 * number, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


async def test_the_open_copy_is_read_with_the_record_and_a_citation(read, registered_work, scholarly_apis, fake_hosts):
    scholarly_apis.copies("10.1234/otters.1", "http://repo.example/1.html")
    fake_hosts.says("repo.example", "/1.html", WHOLE)
    reply = await read()
    assert reply.error is None, reply.error
    output = reply.wire
    assert "In the river's year 1900 Ada counted 57 otters" in output["content"]
    assert "In the river's year 1939" in output["content"]
    assert {
        "identifier": "10.1234/otters.1",
        "resolvedUrl": "http://repo.example/1.html",
        "title": TITLE,
        "source": "unpaywall",
        "truncated": False,
        "authors": ["Ada Brook", "Bo Reed"],
        "year": 2021,
        "doi": "10.1234/otters.1",
        "journal": "River Letters",
        "citationCount": 10,
        "openAccess": True,
        "pdfUrl": "http://repo.example/1.html",
        "extractionQuality": "complete",
        "trust": "untrusted-external-content",
    }.items() <= output.items()
    assert output["retractionStatus"]["kind"] == "retraction"
    assert output["citation"]["metadata"] == {
        "title": TITLE, "author": "Ada Brook; Bo Reed", "site": "River Letters", "date": "2021-03-01",
    }  # fmt: skip
    assert output["citation"]["formatted"]["bibtex"].startswith("@article{brook2021otters")
    assert "metadataIncomplete" not in output
    assert "warnings" not in output
    assert "ON RECORD: retraction, 2024-05-01" in reply.text
    assert fake_hosts.list_requests() == ["repo.example/1.html"]
    assert (
        len(scholarly_apis.list_requests("unpaywall"))
        == len(scholarly_apis.list_requests("openalex"))
        == len(scholarly_apis.list_requests("crossref"))
        == 1
    )


@pytest.mark.parametrize("identifier", ["10.1234/otters.1", "PMID: 30001"])
async def test_a_page_that_states_its_doi_is_not_looked_up_again(
    read, registered_work, scholarly_apis, fake_hosts, identifier
):
    scholarly_apis.says("openalex", "/works/pmid:30001", work(1, best_oa_location=None, open_access={"is_oa": None}))
    notices = {"items": [{"DOI": "10.1234/otters.1", "updated-by": [NOTICE]}]}
    scholarly_apis.says("crossref", "/works", {"message": notices})
    scholarly_apis.copies("10.1234/otters.1", "http://repo.example/1.html")
    state = '<meta name="citation_doi" content="10.1234/otters.1"><meta name="citation_title" content="x">'
    fake_hosts.says("repo.example", "/1.html", WHOLE.replace("<title>", f"{state}<title>"))
    reply = await read(identifier)
    assert reply.error is None, reply.error
    assert reply.wire["retractionStatus"]["kind"] == "retraction"
    assert len(scholarly_apis.list_requests("crossref")) == 1


async def test_a_pdf_is_read_as_text(read, registered_work, scholarly_apis, fake_hosts):
    lines = [f"In the year {year} Ada counted the otters at the old weir by the river." for year in range(1900, 1980)]
    scholarly_apis.copies("10.1234/otters.1", "http://repo.example/1.pdf")
    fake_hosts.says("repo.example", "/1.pdf", a_pdf(TITLE, *lines), content_type="application/pdf")
    output = (await read()).wire
    assert "In the year 1979" in output["content"]
    assert output["extractionQuality"] == "complete"


async def test_an_open_article_of_pubmed_central_is_read_from_its_file(ask, site):
    front = (
        f"<front><article-meta><title-group><article-title>{TITLE}</article-title></title-group></article-meta></front>"
    )
    body = f"<article>{front}<body>{BODY}</body></article>"
    site.says("/europepmc/PMC7000001/fullTextXML", body, kind="application/xml")
    output = (await ask("paper_fulltext", identifier="PMC7000001")).wire
    assert "In the river's year 1939" in output["content"]
    assert (output["resolvedUrl"], output["source"]) == ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7000001/", "pubmed")
    assert output["extractionQuality"] == "complete"


async def test_a_page_with_the_abstract_alone_is_not_taken_for_the_text(
    read, registered_work, scholarly_apis, fake_hosts
):
    landing = {"url": "http://repo.example/about", "url_for_pdf": None, "host_type": "repository"}
    other = {"url": "http://other.example/text", "url_for_pdf": None, "host_type": "repository"}
    scholarly_apis.says(
        "unpaywall",
        "/10.1234%2Fotters.1",
        {"is_oa": True, "best_oa_location": landing, "oa_locations": [landing, other]},
    )
    fake_hosts.says("repo.example", "/about", ABSTRACT)
    fake_hosts.says("other.example", "/text", WHOLE)
    output = (await read()).wire
    assert output["resolvedUrl"] == "http://other.example/text"
    assert fake_hosts.list_requests() == ["repo.example/about", "other.example/text"]


async def test_the_abstract_is_better_than_nothing_and_marked_as_an_abstract(
    read, registered_work, scholarly_apis, fake_hosts
):
    scholarly_apis.copies("10.1234/otters.1", "http://repo.example/1.html")
    fake_hosts.says("repo.example", "/1.html", ABSTRACT)
    reply = await read()
    assert reply.wire["extractionQuality"] == "partial"
    assert any("No open copy has the full text" in warning for warning in reply.wire["warnings"])
    again = await read()
    assert "cached" not in again.meta  # there may be more another time


async def test_a_copy_that_cannot_be_read_is_passed_over_and_reported(
    read, registered_work, scholarly_apis, fake_hosts
):
    gone = {"url": "http://repo.example/gone.pdf", "url_for_pdf": "http://repo.example/gone.pdf"}
    good = {"url": "http://repo.example/1.html", "url_for_pdf": "http://repo.example/1.html"}
    scholarly_apis.says(
        "unpaywall", "/10.1234%2Fotters.1", {"is_oa": True, "best_oa_location": gone, "oa_locations": [gone, good]}
    )
    fake_hosts.says("repo.example", "/1.html", WHOLE)
    output = (await read()).wire
    assert output["resolvedUrl"] == "http://repo.example/1.html"
    assert output["warnings"] == ["http://repo.example/gone.pdf could not be read (not_found)."]


async def test_another_text_under_the_address_is_reported(read, registered_work, scholarly_apis, fake_hosts):
    scholarly_apis.copies("10.1234/otters.1", "http://repo.example/1.html")
    fake_hosts.says("repo.example", "/1.html", WHOLE.replace(TITLE, "Weasels of the hills"))
    assert (await read()).wire["warnings"] == ["The text does not contain the work's title; it may be another work."]


async def test_arxiv_is_read_at_arxiv_first(read, scholarly_apis, fake_hosts):
    scholarly_apis.says("openalex", "/works/doi:10.48550%2Farxiv.2101.00001", work(1))
    scholarly_apis.says("semanticscholar", "/paper/ARXIV:2101.00001", paper(1))
    scholarly_apis.crossref()
    fake_hosts.says("arxiv.org", "/", "")  # there, but it speaks no TLS here
    reply = await read("arXiv:2101.00001v2")
    assert reply.error.kind == "network"
    assert "arxiv.org" in reply.error.message


async def test_what_is_not_open_is_said_to_be_unread_and_not_missing(read, registered_work, scholarly_apis, fake_hosts):
    scholarly_apis.copies("10.1234/otters.1", None, is_oa=False)
    fake_hosts.says("doi.org", "/", "")
    fake_hosts.says("river.example", "/1", "no", 403)
    scholarly_apis.says(
        "openalex",
        "/works/doi:10.1234%2Fotters.1",
        work(1, doi=None, best_oa_location={"pdf_url": "http://river.example/1"}),
    )
    reply = await read()
    assert reply.error.kind == "content_empty"
    assert "It may not be open access" in reply.error.message
    assert reply.error.suggested_action == "inform_user"


async def test_without_any_record_the_text_is_read_all_the_same(read, fake_hosts, scholarly_apis):
    fake_hosts.says("river.example", "/otters.html", WHOLE)
    output = (await read("http://river.example/otters.html")).wire
    assert (output["source"], output["metadataIncomplete"]) == ("direct-url", True)
    assert output["title"] == TITLE
    assert scholarly_apis.list_requests("openalex") == []


async def test_indexes_that_are_down_do_not_keep_the_text_back(read, scholarly_apis, fake_hosts):
    scholarly_apis.says("openalex", "/works/doi:10.1234%2Fotters.1", "no", 500)
    scholarly_apis.says("crossref", "/works/10.1234%2Fotters.1", "no", 500)
    scholarly_apis.copies("10.1234/otters.1", "http://repo.example/1.html")
    fake_hosts.says("repo.example", "/1.html", WHOLE)
    output = (await read()).wire
    assert output["metadataIncomplete"] is True
    assert output["warnings"] == ["The record could not be fetched from openalex (upstream_unavailable)."]


async def test_the_text_is_cut_to_the_room_there_is(read, registered_work, scholarly_apis, fake_hosts):
    scholarly_apis.copies("10.1234/otters.1", "http://repo.example/1.html")
    fake_hosts.says("repo.example", "/1.html", WHOLE)
    output = (await read(max_length=1_000)).wire
    assert output["truncated"] is True
    assert output["contentLength"] <= 1_000 + len("\n\n[content truncated]")
    assert output["extractionQuality"] == "complete"


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:9/x", "http://169.254.169.254/latest/meta-data/", "http://localhost/", "file:///etc/passwd"],
)
async def test_no_copy_leads_inside(ask, at_once, services, scholarly_apis, registered_work, address):
    services.settings = services.settings.__class__.read(
        dict(services.settings.environ) | {"ALLOW_PRIVATE_IPS": "false"}
    )
    scholarly_apis.copies("10.1234/otters.1", address)

    async def resolve(host, _):
        from assay.net.exceptions import Unreachable

        raise Unreachable(f"No address was found for {host}.", "dns")

    reached = []
    services.web_overrides |= {"resolve": resolve, "connect": lambda *place: reached.append(place) or ("127.0.0.1", 9)}
    reply = await ask("paper_fulltext", identifier="10.1234/otters.1")
    assert reply.error is not None
    assert reached == []


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"identifier": ""}, "identifier"),
        ({"identifier": "x" * 2_049}, "identifier"),
        ({"identifier": "Otters and their stones"}, "identifier"),
        ({"identifier": "http://169.254.169.254/latest/meta-data/"}, "identifier"),
        ({"identifier": "http://ada:secret@river.example/otters.pdf"}, "identifier"),
        ({"max_length": 999}, "max_length"),
        ({"max_length": 200_001}, "max_length"),
    ],
)
async def test_what_is_wrong_is_named(read, asked, field):
    failure = (await read(**asked)).error
    assert (failure.kind, failure.field) == ("validation", field)
