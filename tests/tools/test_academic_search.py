"""Searching scholarly works, by the path that every caller takes."""

import asyncio
import json
from urllib.parse import unquote_plus

import pytest
from tests.support.fake_scholarly_apis import addresses, paper, record, work

from assay.sessions import recording
from assay.settings import Settings

NOTICE = {
    "DOI": "10.1234/notice",
    "type": "retraction",
    "source": "publisher",
    "updated": {"date-parts": [[2024, 5, 1]]},
}


@pytest.fixture
def environ(environ, site):
    named = {"OPENALEX_EMAIL": "ada@river.example", "CIRCUIT_FAILURE_THRESHOLD": "50"}
    return environ | addresses(site.url) | named


@pytest.fixture
def search(ask, at_once):
    async def search(**asked):
        return await ask("academic_search", **({"query": "otters"} | asked))

    return search


async def test_the_answer_has_its_shape(search, scholarly_apis):
    scholarly_apis.openalex(work(1), count=812)
    scholarly_apis.crossref()
    reply = await search()
    assert reply.error is None
    assert set(reply.wire) == {"papers", "query", "totalResults", "resultCount", "source", "trust"}
    assert (reply.wire["source"], reply.wire["totalResults"], reply.wire["resultCount"]) == ("openalex", 812, 1)
    assert reply.wire["papers"] == [
        {
            "title": "Otters and their stones, part 1",
            "url": "https://doi.org/10.1234/otters.1",
            "source": "openalex",
            "doi": "10.1234/otters.1",
            "authors": ["Ada Brook", "Bo Reed"],
            "journal": "River Letters",
            "year": 2021,
            "publicationDate": "2021-03-01",
            "abstract": "Otters keep stones.",
            "citationCount": 10,
            "openAccess": True,
            "pdfUrl": "https://river.example/1.pdf",
            "isInDoaj": True,
            "pmid": "30001",
        }
    ]
    assert "1. Otters and their stones, part 1 (Ada Brook, Bo Reed; 2021; River Letters; cited 10 times)" in reply.text
    assert "PDF: https://river.example/1.pdf" in reply.text


async def test_the_index_is_told_who_asks_and_for_no_more_than_is_shown(search, scholarly_apis):
    scholarly_apis.openalex(work(1), work(2))
    await search(num_results=2, year_from=2020, year_to=2023, open_access=True, source="arxiv")
    [(path, request)] = scholarly_apis.list_requests("openalex")
    assert path == "/works"
    assert request["mailto"] == "ada@river.example"
    assert "abstract_inverted_index" in request["select"]
    assert request["filter"] == (
        "from_publication_date:2020-01-01,to_publication_date:2023-12-31,open_access.is_oa:true,indexed_in:arxiv"
    )
    assert "sort" not in request


async def test_by_date_is_asked_for_sorted_and_cached_apart(search, scholarly_apis, clock):
    scholarly_apis.openalex(work(1), work(3), work(2))
    first = await search(num_results=3)
    newest = await search(num_results=3, sort_by="date")
    assert [one["year"] for one in first.wire["papers"]] == [2021, 2023, 2022]
    assert [one["year"] for one in newest.wire["papers"]] == [2023, 2022, 2021]
    (_, plain), (_, dated) = scholarly_apis.list_requests("openalex")
    assert "sort" not in plain
    assert dated["sort"] == "publication_date:desc"
    assert "to_publication_date:20" in dated["filter"]  # what is dated tomorrow is no news


async def test_open_copies_and_retractions_are_looked_up_for_all_papers(search, scholarly_apis):
    stripped = {"open_access": {"is_oa": None}, "best_oa_location": None}
    scholarly_apis.openalex(*(work(number, **stripped) for number in (1, 2, 3)))
    scholarly_apis.copies("10.1234/otters.1", "https://repo.example/1.pdf")
    scholarly_apis.copies("10.1234/otters.2", None)
    scholarly_apis.crossref({"DOI": "10.1234/OTTERS.3", "updated-by": [NOTICE]})
    reply = await search(num_results=3)
    one, two, three = reply.wire["papers"]
    assert one["pdfUrl"] == "https://repo.example/1.pdf"
    assert one["factSources"] == {"pdfUrl": "unpaywall", "openAccess": "unpaywall"}
    assert "pdfUrl" not in two  # a page in front of a copy is no PDF
    assert three["retractionStatus"] == {
        "retracted": True, "kind": "retraction", "date": "2024-05-01", "noticeDoi": "10.1234/notice", "source": "publisher",
    }  # fmt: skip
    assert three["factSources"] == {"retractionStatus": "crossref"}
    assert "ON RECORD: retraction, 2024-05-01" in reply.text
    [(_, request)] = scholarly_apis.list_requests("crossref")  # all of them in one question
    assert request["select"] == "DOI,updated-by"
    assert request["filter"].split(",") == [f"doi:10.1234/otters.{number}" for number in (1, 2, 3)]
    assert {path for path, _ in scholarly_apis.list_requests("unpaywall")} == {
        f"/10.1234/otters.{number}" for number in (1, 2, 3)
    }
    assert "warnings" not in reply.wire  # an unknown DOI is an answer


async def test_what_the_index_said_is_not_replaced(search, scholarly_apis):
    scholarly_apis.openalex(work(1))
    scholarly_apis.copies("10.1234/otters.1", "https://repo.example/other.pdf")
    [one] = (await search()).wire["papers"]
    assert one["pdfUrl"] == "https://river.example/1.pdf"
    assert scholarly_apis.list_requests("unpaywall") == []


async def test_enrichment_that_fails_costs_a_warning_and_no_result(search, scholarly_apis):
    scholarly_apis.openalex(work(1, best_oa_location=None, open_access={}))
    scholarly_apis.says("crossref", "/works", "no", 500)
    scholarly_apis.says("unpaywall", "/10.1234%2Fotters.1", "<html>busy</html>", 503)
    reply = await search(num_results=1)
    assert reply.wire["resultCount"] == 1
    assert "retractionStatus" not in reply.wire["papers"][0]
    assert reply.wire["warnings"] == [
        "Open copies of 1 work(s) could not be looked up at unpaywall (upstream_unavailable).",
        "Retractions could not be looked up at crossref (upstream_unavailable); works shown without one may have one.",
    ]


async def test_names_with_signs_of_the_filters_are_looked_up_alone(search, scholarly_apis):
    sici = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"
    scholarly_apis.openalex(work(1, doi=f"https://doi.org/{sici}"), work(2))
    scholarly_apis.crossref()
    scholarly_apis.says(
        "crossref",
        "/works/10.1002%2F%28sici%291097-4571%28199806%2949%3A8%3C693%3A%3Aaid-asi4%3E3.0.co%3B2-o",
        {"message": {"DOI": sici, "updated-by": [NOTICE]}},
    )
    one, two = (await search()).wire["papers"]
    assert one["doi"] == sici
    assert one["url"].startswith("https://doi.org/10.1002/(sici)1097-4571(199806)49:8%3C693")
    assert one["retractionStatus"]["retracted"] is True
    assert "retractionStatus" not in two


@pytest.mark.parametrize(
    "query", ["10.1234/otters.1", "doi:10.1234/OTTERS.1", "https://doi.org/10.1234/otters.1", " 10.1234/otters.1 "]
)
async def test_a_bare_doi_is_looked_up_and_its_records_are_made_one(search, scholarly_apis, query):
    known = work(1, abstract_inverted_index=None, cited_by_count=None)
    scholarly_apis.says("openalex", "/works/doi:10.1234%2Fotters.1", known)
    scholarly_apis.says(
        "crossref", "/works/10.1234%2Fotters.1", {"message": record(1) | {"volume": "7", "updated-by": [NOTICE]}}
    )
    reply = await search(query=query)
    [one] = reply.wire["papers"]
    assert (one["source"], one["volume"], one["abstract"]) == ("openalex", "7", "Otters keep stones, 10^3 a day.")
    assert one["factSources"] == {
        "abstract": "crossref", "citationCount": "crossref", "volume": "crossref", "retractionStatus": "crossref",
    }  # fmt: skip
    assert len(scholarly_apis.list_requests("openalex")) == len(scholarly_apis.list_requests("crossref")) == 1


async def test_a_doi_that_nobody_knows_is_nothing_found(search, scholarly_apis):
    reply = await search(query="10.9999/nothing")
    assert reply.error is None
    assert reply.wire["papers"] == []
    assert reply.wire["hints"]["reason"] == "no_match"
    assert "does not mean" in reply.wire["hints"]["epistemicWarning"]


async def test_a_doi_that_one_does_not_know_while_another_is_down_is_not_an_empty_answer(search, scholarly_apis):
    scholarly_apis.says("crossref", "/works/10.9999%2Fnothing", "no", 503)
    reply = await search(query="10.9999/nothing")
    assert reply.error.kind == "upstream_unavailable"
    assert reply.error.provider == "crossref"


async def test_the_next_index_is_asked_when_the_first_is_down(search, scholarly_apis):
    scholarly_apis.says("openalex", "/works", "no", 500)
    scholarly_apis.crossref(record(1), record(2))
    reply = await search()
    assert reply.wire["source"] == "crossref"
    assert reply.wire["papers"][0] == {
        "title": "Otters and their stones, part 1",
        "url": "https://doi.org/10.1234/otters.1",
        "source": "crossref",
        "doi": "10.1234/otters.1",
        "authors": ["Ada Brook", "River Group"],
        "journal": "River Letters",
        "year": 2021,
        "publicationDate": "2021-03",
        "abstract": "Otters keep stones, 10^3 a day.",
        "citationCount": 10,
    }
    assert reply.meta["routing"]["fallback_reason"] == "primary_unavailable"
    assert reply.wire["warnings"] == ["openalex failed (upstream_unavailable)."]


async def test_a_thin_list_is_filled_up_by_another_index_and_each_work_stands_once(search, scholarly_apis):
    scholarly_apis.openalex(work(1, abstract_inverted_index=None))
    scholarly_apis.crossref(record(1), record(2))
    reply = await search()
    one, two = reply.wire["papers"]
    assert (one["doi"], two["doi"]) == ("10.1234/otters.1", "10.1234/otters.2")
    assert (one["source"], two["source"]) == ("openalex", "crossref")
    assert one["factSources"]["abstract"] == "crossref"


async def test_what_an_index_cannot_be_asked_for_is_done_here_and_reported(search, scholarly_apis):
    scholarly_apis.crossref(record(1, DOI="10.1109/one"), record(2, DOI="10.1038/two"), record(3))
    scholarly_apis.copies("10.1038/two", "https://repo.example/2.pdf")
    reply = await search(provider="crossref", open_access=True)
    assert [one["doi"] for one in reply.wire["papers"]] == ["10.1038/two"]
    assert reply.wire["warnings"] == [
        "crossref cannot filter by open access; its 25 best results were filtered.",
        "2 work(s) without a known open copy were left out.",
    ]
    arxiv = await search(provider="crossref", source="arxiv")
    assert arxiv.wire["papers"] == []
    assert "crossref cannot filter by source arxiv" in arxiv.wire["warnings"][0]
    await search(provider="crossref", source="ieee")
    assert scholarly_apis.list_requests("crossref")[-1][1]["filter"] == "prefix:10.1109"


async def test_only_those_with_a_pdf_are_shown_once_unpaywall_was_asked(search, scholarly_apis):
    closed = {"open_access": {"is_oa": False}, "best_oa_location": None}
    scholarly_apis.openalex(work(1, **closed), work(2, **closed), work(3))
    scholarly_apis.copies("10.1234/otters.2", "https://repo.example/2.pdf")
    reply = await search(pdf_only=True)
    assert [one["pdfUrl"] for one in reply.wire["papers"]] == [
        "https://repo.example/2.pdf",
        "https://river.example/3.pdf",
    ]
    assert "1 work(s) without a known open PDF were left out." in reply.wire["warnings"]
    [(_, request)] = scholarly_apis.list_requests("openalex")
    assert request["per-page"] == "25"


async def test_examples_and_years_outside_are_left_out_whatever_the_index_says(search, scholarly_apis):
    scholarly_apis.openalex(work(1, doi="https://doi.org/10.5555/12345678"), work(2), work(3, publication_year=1999))
    reply = await search(year_from=2020)
    assert [one["doi"] for one in reply.wire["papers"]] == ["10.1234/otters.2"]


async def test_a_preprint_and_its_publication_are_one_work(search, scholarly_apis):
    title = {"display_name": "Otters hold hands while they sleep"}
    preprint = work(1, doi="https://doi.org/10.48550/arXiv.2101.00001", ids={}, **title)
    scholarly_apis.openalex(preprint, work(2, publication_year=2022, **title), work(3))
    scholarly_apis.crossref()
    reply = await search()
    assert [one["doi"] for one in reply.wire["papers"]] == ["10.1234/otters.2", "10.1234/otters.3"]
    assert reply.wire["papers"][0]["arxivId"] == "2101.00001"


async def test_without_any_index_the_web_is_searched_among_scholarly_hosts(ask, at_once, scholarly_apis, site):
    for name in ("openalex", "crossref", "semanticscholar", "core", "pubmed"):
        for path in ("/works", "/paper/search", "/search/works", "/esearch.fcgi"):
            scholarly_apis.says(name, path, "no", 500)
    match = [
        {"title": "Otters at arXiv", "url": "https://arxiv.org/abs/2101.00001v2", "content": "a"},
        {"title": "Otters elsewhere", "url": "https://blog.example/otters", "content": "b"},
        {"title": "Otters in a journal", "url": "https://www.nature.com/articles/10.1038/otters", "content": "c"},
    ]
    site.says("/searxng/search", json.dumps({"results": match}), kind="application/json")
    reply = await ask("academic_search", query="otters", pdf_only=True)
    assert reply.wire["source"] == "web_search"
    [one] = reply.wire["papers"]
    assert (one["arxivId"], one["pdfUrl"]) == ("2101.00001", "https://arxiv.org/pdf/2101.00001")
    assert reply.wire["warnings"][0].startswith("No scholarly index is available (")


async def test_the_web_is_asked_for_pdfs_of_those_years(ask, at_once, scholarly_apis, site):
    for path in ("/works", "/paper/search", "/search/works", "/esearch.fcgi"):
        for name in ("openalex", "crossref", "semanticscholar", "core", "pubmed"):
            scholarly_apis.says(name, path, "no", 500)
    site.says("/searxng/search", json.dumps({"results": []}), kind="application/json")
    await ask("academic_search", query="otters", pdf_only=True, year_from=2020, year_to=2022, source="arxiv")
    [request] = [unquote_plus(one.path) for one in site.requests if "/searxng/" in one.path]
    assert "q=otters site:arxiv.org after:2019-12-31 before:2023-01-01 filetype:pdf&" in request


async def test_when_everybody_is_down_the_outage_is_reported(search, scholarly_apis):
    for path in ("/works", "/paper/search", "/search/works", "/esearch.fcgi"):
        for name in ("openalex", "crossref", "semanticscholar", "core", "pubmed"):
            scholarly_apis.says(name, path, "no", 500)
    reply = await search()
    assert reply.error.kind == "upstream_unavailable"
    assert reply.wire == {}


async def test_nothing_found_says_how_to_go_on(search, scholarly_apis, site):
    scholarly_apis.openalex()
    scholarly_apis.crossref()
    scholarly_apis.says("pubmed", "/esearch.fcgi", {"esearchresult": {"idlist": []}})
    scholarly_apis.says("semanticscholar", "/paper/search", {"total": 0, "data": []})
    scholarly_apis.says("core", "/search/works", {"results": []})
    site.says("/searxng/search", json.dumps({"results": []}), kind="application/json")
    reply = await search(year_from=2024, source="ieee")
    hints = reply.wire["hints"]
    assert hints["reason"] == "filters_too_restrictive"
    assert hints["filtersApplied"] == {"year_from": "2024", "source": "ieee"}
    assert [one["parameter"] for one in hints["suggestedActions"][:2]] == ["year_from", "source"]
    assert hints["providersAttempted"][:2] == ["openalex", "crossref"]


async def test_an_empty_answer_asks_one_more_index_and_one_free_engine_of_the_web(ask, at_once, scholarly_apis, site):
    scholarly_apis.openalex()
    scholarly_apis.crossref()
    site.says("/searxng/search", json.dumps({"results": []}), kind="application/json")
    await ask("academic_search", query="the otters of the river")
    requests = [one.path.partition("?")[0] for one in site.requests]
    assert sorted(requests) == ["/crossref/works", "/openalex/works", *["/searxng/search"] * 2]  # 17 hosts in two parts


async def test_an_empty_answer_pays_nobody(ask, at_once, scholarly_apis, site, services):
    paid = {"BRAVE_API_KEY": "k", "BRAVE_BASE_URL": site.url + "/brave", "SEARCH_PROVIDER": "brave", "EXA_API_KEY": "k"}
    services.settings = Settings.read({**services.settings.environ, **paid})
    scholarly_apis.openalex()
    scholarly_apis.crossref()
    reply = await ask("academic_search", query="otters")
    assert (reply.wire["resultCount"], reply.meta.get("costUsd")) == (0, None)
    assert [one.path.partition("?")[0] for one in site.requests] == ["/openalex/works", "/crossref/works"]


async def test_fifty_equal_calls_are_one_request_and_each_session_sees_it(
    ask, at_once, scholarly_apis, services, new_session
):
    scholarly_apis.openalex(work(1), work(2))
    scholarly_apis.crossref()
    sessions = [await new_session() for _ in range(50)]
    replies = await asyncio.gather(*(ask("academic_search", query="otters", sessionId=each) for each in sessions))
    assert all(reply.error is None for reply in replies)
    assert len(scholarly_apis.list_requests("openalex")) == len(scholarly_apis.list_requests("crossref")) == 1
    noted = await recording.list_sources(services.table, "local", "local", sessions[-1])
    assert {source["doi"] for source in noted} == {"10.1234/otters.1", "10.1234/otters.2"}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": "x" * 501}, "query"),
        ({"num_results": 11}, "num_results"),
        ({"num_results": 0}, "num_results"),
        ({"year_from": 1899}, "year_from"),
        ({"year_to": 2101}, "year_to"),
        ({"year_from": 2022, "year_to": 2021}, "year_to"),
        ({"source": "elsewhere"}, "source"),
        ({"sort_by": "fame"}, "sort_by"),
        ({"provider": "nobody"}, "provider"),
        ({"yearfrom": 2020}, "yearfrom"),
    ],
)
async def test_what_is_wrong_is_named(search, wrong, field):
    failure = (await search(**wrong)).error
    assert failure.kind in ("validation", "config")
    assert failure.field == field


async def test_who_is_unknown_is_refused_with_those_who_know_works(search):
    failure = (await search(provider="nobody")).error
    assert set(failure.alternatives) == {"core", "crossref", "exa", "openalex", "pubmed", "semanticscholar"}


async def test_numbers_and_truths_may_come_as_text(search, scholarly_apis):
    scholarly_apis.openalex(work(1))
    reply = await search(num_results="1", year_from="2020", open_access="false", source="", provider="", year_to="")
    assert reply.error is None


async def test_a_copy_that_is_there_outweighs_one_that_was_not_known(search, scholarly_apis):
    scholarly_apis.openalex(work(1, open_access={"is_oa": False}, best_oa_location=None))
    scholarly_apis.copies("10.1234/otters.1", "https://repo.example/1.pdf")
    [one] = (await search(num_results=1, open_access=True)).wire["papers"]
    assert (one["openAccess"], one["factSources"]["openAccess"]) == (True, "unpaywall")


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("https://doi.org/10.1234/otters.1", None),
        ("http://arxiv.org/abs/2101.00001v2", "https://arxiv.org/pdf/2101.00001"),
        (
            "https://www.river.example/articles/10.1234/otters.1/pdf",
            "https://www.river.example/articles/10.1234/otters.1/pdf",
        ),
        ("javascript:alert(1)", None),
        ("", None),
        (7, None),
    ],
)
async def test_a_pdf_is_a_pdf_and_no_page_in_front_of_one(search, scholarly_apis, told, shown):
    result = paper(1, openAccessPdf={"url": told})
    scholarly_apis.says("semanticscholar", "/paper/search", {"total": 1, "data": [result]})
    [one] = (await search(provider="semanticscholar")).wire["papers"]
    assert one.get("pdfUrl") == shown
    assert one["tldr"] == "Otters keep stones."


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("arXiv:2101.00001v3", "/works/doi:10.48550%2Farxiv.2101.00001"),
        ("PMID: 31", "/works/pmid:31"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC77/", "/works/pmcid:PMC77"),
        ("https://openalex.org/W2000001", "/works/W2000001"),
    ],
)
async def test_other_names_are_looked_up_too(search, scholarly_apis, query, path):
    scholarly_apis.says("openalex", path, work(1))
    scholarly_apis.crossref()
    reply = await search(query=query)
    assert [one["doi"] for one in reply.wire["papers"]] == ["10.1234/otters.1"]
    assert reply.wire["source"] == "openalex"


async def test_only_the_one_that_was_named_looks_a_work_up(search, scholarly_apis):
    scholarly_apis.says("crossref", "/works/10.1234%2Fotters.1", {"message": record(1)})
    reply = await search(query="10.1234/otters.1", provider="crossref")
    assert reply.wire["source"] == "crossref"
    assert scholarly_apis.list_requests("openalex") == []
    refused = await search(query="PMID: 31", provider="crossref")
    assert (refused.error.kind, refused.error.field) == ("config", "provider")
    assert "pubmed" in refused.error.alternatives


async def test_core_is_asked_for_a_name_in_its_field(search, scholarly_apis, site):
    scholarly_apis.says("core", "/search/works", {"totalHits": 0, "results": []})
    await search(query="10.1234/otters.1", provider="core")
    [one] = [one for one in site.requests if one.path.startswith("/core")]
    assert json.loads(one.body)["q"] == 'doi:"10.1234/otters.1"'


async def test_an_engine_of_the_web_may_be_named(search, scholarly_apis, site):
    match = [{"title": "Otters", "url": "https://www.nature.com/articles/otters", "content": "a"}]
    site.says("/searxng/search", json.dumps({"results": match}), kind="application/json")
    reply = await search(provider="searxng", source="nature")
    assert reply.wire["source"] == "web_search"
    assert [one["url"] for one in reply.wire["papers"]] == ["https://www.nature.com/articles/otters"]
    assert scholarly_apis.list_requests("openalex") == []


async def test_the_operator_says_whom_to_ask(search, scholarly_apis, services):
    routing = json.dumps({"academic": "crossref,openalex", "default": "searxng,exa"})
    services.settings = Settings.read(dict(services.settings.environ) | {"SEARCH_ROUTING": routing})
    scholarly_apis.crossref(record(1), record(2))
    reply = await search()
    assert reply.wire["source"] == "crossref"
    assert scholarly_apis.list_requests("openalex") == []


async def test_an_order_for_the_web_says_nothing_of_works(search, scholarly_apis, services):
    environ = dict(services.settings.environ) | {"SEARCH_ROUTING": "exa,searxng", "EXA_API_KEY": "k"}
    services.settings = Settings.read(environ)
    scholarly_apis.openalex(work(1), work(2))
    scholarly_apis.crossref()
    assert (await search()).wire["source"] == "openalex"


async def test_long_lists_of_authors_are_cut_and_counted(search, scholarly_apis):
    crowd = [{"author": {"display_name": f"Author {number}"}} for number in range(300)]
    scholarly_apis.openalex(work(1, authorships=crowd))
    [one] = (await search()).wire["papers"]
    assert (len(one["authors"]), one["authorCount"]) == (20, 300)


async def test_pubmed_is_asked_in_its_own_language(search, scholarly_apis):
    scholarly_apis.says("pubmed", "/esearch.fcgi", {"esearchresult": {"count": "7", "idlist": ["31"]}})
    entry = {
        "uid": "31",
        "title": "Otters, <i>again</i>.",
        "sortpubdate": "2023/04/05 00:00",
        "fulljournalname": "River medicine",
        "authors": [{"name": "Brook A", "authtype": "Author"}, {"name": "Otter Group", "authtype": "CollectiveName"}],
        "articleids": [{"idtype": "doi", "value": "10.1234/m"}, {"idtype": "pmc", "value": "PMC77"}],
    }
    scholarly_apis.says("pubmed", "/esummary.fcgi", {"result": {"uids": ["31"], "31": entry}})
    reply = await search(
        provider="pubmed", query="otters OR weasels", year_from=2020, open_access=True, sort_by="date", source="nature"
    )
    (_, request), (_, summary) = scholarly_apis.list_requests("pubmed")
    assert request["term"] == '(otters OR weasels) AND "Nature"[journal] AND free full text[sb]'
    assert (request["sort"], request["datetype"], request["mindate"]) == ("pub_date", "pdat", "2020")
    assert request["email"] == "ada@river.example"
    assert summary["id"] == "31"
    assert [paper["openAccess"] for paper in reply.wire["papers"]] == [True]  # it was asked for such alone
    again = await search(provider="pubmed", query="otters OR weasels")
    [one] = again.wire["papers"]
    assert one == {
        "title": "Otters, again",
        "url": "https://pubmed.ncbi.nlm.nih.gov/31/",
        "source": "pubmed",
        "doi": "10.1234/m",
        "authors": ["Brook A"],
        "journal": "River medicine",
        "year": 2023,
        "publicationDate": "2023-04-05",
        "pmid": "31",
        "pmcid": "PMC77",
    }


async def test_core_is_asked_for_no_full_texts_and_reads_no_marks_as_its_language(search, scholarly_apis, site):
    results = {
        "title": "Otters",
        "id": 9,
        "authors": [{"name": "Brook, Ada"}],
        "yearPublished": 2021,
        "arxivId": "2101.00001",
    }
    scholarly_apis.says("core", "/search/works", {"totalHits": 3, "results": [results]})
    reply = await search(
        provider="core", query='otters: a "river" (study)?', year_from=2020, source="arxiv", sort_by="date"
    )
    [one] = [one for one in site.requests if one.path.startswith("/core")]
    request = json.loads(one.body)
    assert request["q"] == '("river" otters a study) AND yearPublished>=2020 AND _exists_:arxivId'
    assert (request["exclude"], request["sort"]) == (["fullText"], "recency")
    assert reply.wire["papers"][0]["url"] == "https://core.ac.uk/works/9"
    assert reply.wire["papers"][0]["openAccess"] is True


async def test_semantic_scholar_finds_words_with_hyphens(search, scholarly_apis):
    scholarly_apis.says("semanticscholar", "/paper/search", {"total": 0, "data": []})
    await search(provider="semanticscholar", query="sea-otter behaviour", year_to=2020, open_access=True)
    [(_, request)] = scholarly_apis.list_requests("semanticscholar")
    assert request["query"] == "sea otter behaviour"
    assert request["year"] == "-2020"
    assert "openAccessPdf" in request


async def test_exa_is_asked_by_hosts_and_dates(search, scholarly_apis, site, services):
    services.settings = Settings.read(dict(services.settings.environ) | {"EXA_API_KEY": "k"})
    results = {
        "title": "Otters",
        "url": "https://arxiv.org/abs/2101.00001",
        "highlights": ["Stones."],
        "author": "Ada Brook, Bo Reed",
    }
    scholarly_apis.says("exa", "/search", {"results": [results], "costDollars": {"total": 0.007}})
    reply = await search(provider="exa", source="arxiv", year_from=2020)
    [one] = [one for one in site.requests if one.path.startswith("/exa")]
    request = json.loads(one.body)
    assert (request["category"], request["includeDomains"]) == ("research paper", ["arxiv.org"])
    assert request["startPublishedDate"] == "2020-01-01T00:00:00.000Z"
    [paper] = reply.wire["papers"]
    assert (paper["authors"], paper["arxivId"]) == (["Ada Brook", "Bo Reed"], "2101.00001")
    assert paper["factSources"] == {"pdfUrl": "arxiv", "openAccess": "arxiv"}
    assert reply.meta["costUsd"] == 0.007


async def test_what_an_index_says_is_text_and_no_markup(search, scholarly_apis):
    scholarly_apis.openalex(work(1, display_name="Otters <script>alert(1)</script>\u200b\u202e<b>now</b>"))
    [one] = (await search()).wire["papers"]
    assert one["title"] == "Otters now"


async def test_a_doi_with_letters_that_only_look_latin_is_named(search, scholarly_apis):
    reply = await search(query="10.1234/\u043etters.1")
    assert reply.wire["resultCount"] == 0
    assert any("homoglyphs" in warning and "10.1234/otters.1" in warning for warning in reply.wire["warnings"])
    assert "10.1234/otters.1" not in [
        path for name in ("crossref", "openalex") for path, _ in scholarly_apis.list_requests(name)
    ]
