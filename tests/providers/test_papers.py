"""How the indexes of works are asked and read: for one work, its copies, its notices or its neighbours."""

import pytest
from tests.providers.contract_case import build_provider
from tests.providers.samples.works import COPY, DOI, ENTRY, NOTICE
from tests.support.fake_scholarly_apis import record, work

from assay.bibliography.identifiers import Identifier
from assay.errors import AuthRequired, NotFound, UpstreamFailed
from assay.models.papers import PaperQuery
from assay.provider_base import provider_lookup
from assay.providers.unpaywall import OpenCopy
from assay.settings import Settings


async def test_openalex_is_asked_by_every_name_it_knows(upstream, http):
    source = build_provider("openalex", http, upstream.url)
    upstream.says(work(1))
    names = [DOI, Identifier("arxiv", "2101.00001"), Identifier("pmid", "31"), Identifier("openalex", "W2000001")]
    for name in names:
        assert (await source.work(name)).doi == "10.1234/otters.1"
    assert [one.path for one in upstream.requests] == [
        "/works/doi:10.1234%2Fotters.1",
        "/works/doi:10.48550%2Farxiv.2101.00001",
        "/works/pmid:31",
        "/works/W2000001",
    ]
    assert all("abstract_inverted_index" in one.query["select"] for one in upstream.requests)
    with pytest.raises(NotFound):
        await source.work(Identifier("s2", "a" * 40))


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ('"sea otters" AND (river OR lake)', '"sea otters" AND (river OR lake)'),
        ("why do otters hold hands?", "why do otters hold hands"),
        ('otters "of the north', "otters of the north"),
        ("otters) of (the north", "otters of the north"),
        ("otter* ~2", "otter 2"),
    ],
)
async def test_openalex_is_asked_in_its_own_language(upstream, http, query, asked):
    upstream.says({"results": []})
    await build_provider("openalex", http, upstream.url).academic(PaperQuery(query=query))
    assert upstream.requests[0].query["search"] == asked


async def test_openalex_puts_an_abstract_back_in_order_and_cuts_it(upstream, http):
    index = {"otters": [1, 3], "keep": [2], "The": [0], "x": "junk", "y": [None, "4"], "far": [10**12]}
    upstream.says(work(1, abstract_inverted_index=index))
    result = await build_provider("openalex", http, upstream.url).work(DOI)
    assert result.abstract == "The otters keep otters far"
    upstream.says(work(1, abstract_inverted_index={"stone": list(range(5_000))}))
    assert len((await build_provider("openalex", http, upstream.url).work(DOI)).abstract) <= 500


async def test_crossref_asks_for_many_notices_at_once_and_no_more_than_it_takes(upstream, http):
    source = build_provider("crossref", http, upstream.url)
    upstream.says(
        {"message": {"items": [{"DOI": "10.1234/OTTERS.7", "updated-by": [NOTICE]}, {"DOI": "10.1234/otters.8"}]}}
    )
    output = await source.integrity_of([f"10.1234/otters.{number}" for number in range(30)])
    assert output["10.1234/otters.7"].notice_doi == "10.1234/n"
    assert output["10.1234/otters.8"] is None  # known, and nothing on record
    assert "10.1234/otters.9" not in output  # not known, so nothing is said
    sizes = [len(one.query["filter"].split(",")) for one in upstream.requests]
    assert sorted(sizes) == [5, 25]  # the two requests are sent side by side


@pytest.mark.parametrize(
    ("limit", "interval", "seconds"),
    [("3", "1s", 1 / 3), ("50", "1s", 0.02), ("1", "60s", 5.0), ("0", "1s", 0), ("x", "1s", 0), ("3", "soon", 0)],
)
async def test_crossref_is_asked_as_often_as_it_says(upstream, http, limit, interval, seconds):
    source = build_provider("crossref", http, upstream.url)
    upstream.says({"message": {"items": []}}, x_rate_limit_limit=limit, x_rate_limit_interval=interval)
    await source.integrity_of([DOI.value])
    assert source.min_interval == pytest.approx(seconds)


async def test_crossref_reads_every_shape_of_a_date_and_of_a_name(upstream, http):
    source = build_provider("crossref", http, upstream.url)
    shapes = [
        ({"published": {"date-parts": [[2020, 3, 4]]}}, 2020, "2020-03-04"),
        ({"published": {"date-parts": [[2020]]}}, 2020, None),
        ({"published": None, "issued": {"date-parts": [[1999, 12]]}}, 1999, "1999-12"),
        ({"published": {"date-parts": [[None]]}}, None, None),
        ({"published": {"date-parts": []}}, None, None),
        ({"published": {"date-parts": [["2020", 1]]}}, None, None),
    ]
    for more, year, day in shapes:
        upstream.says({"message": record(1) | more})
        result = await source.work(DOI.value)
        assert (result.year, result.publication_date) == (year, day)
    upstream.says(
        {"message": record(1) | {"author": [{"family": "Brook"}, {"name": "WHO"}, {}, None, {"given": "Ada"}]}}
    )
    assert (await source.work(DOI.value)).authors == ["Brook", "WHO", "Ada"]


async def test_crossref_says_who_asks(upstream, http):
    upstream.says({"message": {"items": []}})
    await build_provider("crossref", http, upstream.url).academic(PaperQuery(query="otters"))
    [one] = upstream.requests
    assert one.query["mailto"] == "ada@brook.example"
    assert "mailto:ada@brook.example" in one.headers["user-agent"]
    assert "updated-by" in one.query["select"]


async def test_crossref_shows_no_pdf_that_a_contract_guards(upstream, http):
    links = [
        {"URL": "https://x.example/tdm.pdf", "content-type": "application/pdf", "intended-application": "text-mining"},
        {"URL": "https://x.example/page", "content-type": "text/html"},
        None,
        {"URL": "https://x.example/open.pdf", "content-type": "application/pdf", "intended-application": "unspecified"},
    ]
    upstream.says({"message": record(1) | {"link": links}})
    assert (
        await build_provider("crossref", http, upstream.url).work(DOI.value)
    ).pdf_url == "https://x.example/open.pdf"


async def test_unpaywall_tells_all_copies_the_best_first(upstream, http):
    page = {"url": "https://journal.example/1", "url_for_pdf": None, "host_type": "publisher"}
    bad = {"url": "ftp://old.example/1.pdf"}
    upstream.says({"is_oa": True, "best_oa_location": page, "oa_locations": [page, None, bad, COPY]})
    output = await build_provider("unpaywall", http, upstream.url).copies("10.1002/(sici)1:2<3::aid>4")
    assert output.is_open is True
    assert output.copies == [
        OpenCopy("https://journal.example/1", None, "publisher", "", ""),
        OpenCopy("https://repo.example/1.pdf", "https://repo.example/1.pdf", "repository", "acceptedVersion", "cc-by"),
    ]
    assert output.pdf_url == "https://repo.example/1.pdf"
    [one] = upstream.requests
    assert one.path == "/10.1002%2F%28sici%291%3A2%3C3%3A%3Aaid%3E4"
    assert one.query == {"email": "ada@brook.example"}


async def test_unpaywall_refuses_an_address_that_nobody_reads(upstream, http):
    upstream.says({"error": True, "HTTP_status_code": 422, "message": "Please use your own email address"}, status=422)
    with pytest.raises(AuthRequired) as failure:
        await build_provider("unpaywall", http, upstream.url).copies(DOI.value)
    assert "UNPAYWALL_EMAIL" in failure.value.message


async def test_pubmed_finds_a_doi_by_its_field(upstream, http):
    upstream.then({"esearchresult": {"idlist": ["31"]}})
    upstream.then({"result": {"uids": ["31"], "31": ENTRY}})
    assert (await build_provider("pubmed", http, upstream.url).work(DOI)).pmid == "31"
    assert upstream.requests[0].query["term"] == '"10.1234/otters.1"[aid]'


@pytest.mark.parametrize(("years", "low", "high"), [((2030, None), "2030", "2030"), ((None, 1950), "1000", "1950")])
async def test_pubmed_is_asked_for_years_in_order(upstream, http, years, low, high):
    upstream.says({"esearchresult": {"idlist": []}})
    pubmed = build_provider("pubmed", http, upstream.url, clock=lambda: 1_785_000_000.0)
    await pubmed.ask("academic", PaperQuery(query="otters", year_from=years[0], year_to=years[1]))
    request = upstream.requests[0].query
    assert (request["mindate"], request["maxdate"]) == (low, high)


async def test_pubmed_tells_an_error_of_its_search_from_an_empty_one(upstream, http):
    upstream.says({"esearchresult": {"ERROR": "Invalid db name"}})
    with pytest.raises(UpstreamFailed):
        await build_provider("pubmed", http, upstream.url).academic(PaperQuery(query="otters"))
    upstream.says({"result": {"uids": ["31"], "31": {"uid": "31", "error": "cannot get document summary"}}})
    with pytest.raises(NotFound):
        await build_provider("pubmed", http, upstream.url).work(Identifier("pmid", "31"))


@pytest.mark.parametrize(
    ("name", "key", "least"),
    [("pubmed", "", 0.6), ("pubmed", "k", 0.2), ("semanticscholar", "", 1.0), ("semanticscholar", "k", 0)],
)
async def test_a_key_raises_the_pace(http, name, key, least):
    environ = {provider_lookup.find_provider(name).key_name: key}
    source = provider_lookup.find_provider(name)(http, Settings(environ=environ))
    assert source.min_interval >= least
    assert source.min_interval <= least + 0.4
