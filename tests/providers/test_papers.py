"""What those owe us who are asked for one work, its copies, its notices or its neighbours."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scholars import paper, record, work
from tests.upstream import CUT, SILENT, Upstream

from assay import providers
from assay.errors import AuthRequired, Blocked, Network, NotFound, RateLimited, Refused, ToolError, UpstreamFailed
from assay.net.http import Http
from assay.papers import PaperQuery
from assay.providers.unpaywall import Copy
from assay.settings import Settings
from assay.text.identifiers import Identifier

DOI = Identifier("doi", "10.1234/otters.1")
NOTICE = {"DOI": "10.1234/N", "type": "retraction", "source": "publisher", "updated": {"date-parts": [[2024, 5, 1]]}}
COPY = {
    "url": "https://repo.example/1.pdf",
    "url_for_pdf": "https://repo.example/1.pdf",
    "url_for_landing_page": "https://repo.example/1",
    "host_type": "repository",
    "version": "acceptedVersion",
    "license": "cc-by",
}
ENTRY = {"uid": "31", "title": "Otters.", "sortpubdate": "2023/04/05 00:00", "source": "River med"}
ASKED = {
    ("openalex", "work"): (lambda one: one.work(DOI), work(1)),
    ("openalex", "titled"): (lambda one: one.titled("Otters"), {"results": [work(1)]}),
    ("openalex", "numbered"): (lambda one: one.numbered(DOI), work(1)),
    ("openalex", "citing"): (lambda one: one.citing("W1", count=5), {"results": [work(1)]}),
    ("crossref", "work"): (lambda one: one.work(DOI.value), {"message": record(1)}),
    ("crossref", "bibliographic"): (
        lambda one: one.bibliographic("Brook, Otters"),
        {"message": {"items": [record(1)]}},
    ),
    ("crossref", "integrity"): (lambda one: one.integrity(DOI.value), {"message": {"updated-by": [NOTICE]}}),
    ("crossref", "integrity_of"): (
        lambda one: one.integrity_of([DOI.value]),
        {"message": {"items": [{"DOI": DOI.value, "updated-by": [NOTICE]}]}},
    ),
    ("unpaywall", "copies"): (
        lambda one: one.copies(DOI.value),
        {"is_oa": True, "best_oa_location": COPY, "oa_locations": [COPY]},
    ),
    ("semanticscholar", "work"): (lambda one: one.work(DOI), paper(1)),
    ("semanticscholar", "titled"): (lambda one: one.titled("Otters"), {"data": [paper(1)]}),
    ("semanticscholar", "edges"): (
        lambda one: one.edges(DOI, "citations", count=5),
        {"data": [{"intents": ["background"], "isInfluential": True, "citingPaper": paper(1)}]},
    ),
    ("pubmed", "work"): (lambda one: one.work(Identifier("pmid", "31")), {"result": {"uids": ["31"], "31": ENTRY}}),
}


@pytest.fixture(params=sorted(ASKED), ids="-".join)
def asked(request):
    return request.param


def built(name, http, url, **environ):
    told = {f"{name.upper()}_BASE_URL": url, "OPENALEX_EMAIL": "ada@river.example", "SEMANTIC_SCHOLAR_API_KEY": "k"}
    return providers.find(name)(http, Settings(environ=told | environ))


@pytest.fixture
def source(asked, upstream, http):
    return built(asked[0], http, upstream.url)


async def answer(source, asked):
    return await source.readable(ASKED[asked][0](source))


async def test_an_ordinary_answer_is_read_in_one_request(source, asked, upstream):
    upstream.says(ASKED[asked][1])
    assert await answer(source, asked)
    assert len(upstream.asked) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, Refused), (401, AuthRequired), (403, Blocked), (404, NotFound), (429, RateLimited), (503, UpstreamFailed)],
)
async def test_a_refusal_is_told_in_our_words(source, asked, upstream, status, error):
    if (asked, status) == (("crossref", "integrity_of"), 404):
        pytest.skip("a list of nothing known is an answer")
    upstream.says("<html>no</html>", status=status, retry_after="1")
    with pytest.raises(error) as failure:
        await answer(source, asked)
    assert failure.value.provider == asked[0]


@pytest.mark.parametrize("trouble", [CUT, SILENT])
async def test_no_answer_is_network_trouble(source, asked, upstream, trouble):
    source.seconds = 0.15
    upstream.says(trouble)
    with pytest.raises(Network):
        await answer(source, asked)


@pytest.mark.parametrize("body", ["<html>Just a moment</html>", "", "null", "[]", "5", '"x"', "Service unavailable"])
async def test_what_is_no_answer_of_theirs_is_an_upstream_failure(source, asked, upstream, body):
    upstream.says(body)
    with pytest.raises(UpstreamFailed):
        await answer(source, asked)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=10),
    st.lists(st.integers(), max_size=3),
    st.sampled_from(["<b>", "\ud800", "https://[::1", -1, 2**70, {"a": {"a": []}}, [[None]], [{}]]),
)


def _places(node, path=()):
    yield path
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in inner:
        yield from _places(value, (*path, name))


@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.parametrize("asked", sorted(ASKED), ids="-".join)
async def test_no_answer_however_broken_raises_anything_but_a_tool_error(asked, data):
    body = copy.deepcopy(ASKED[asked][1])
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([path for path in _places(body) if path]))
        node = body
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = copy.deepcopy(data.draw(JUNK))
    upstream, http = await Upstream().start(), Http(pause=0)
    upstream.says(json.dumps(body).encode())
    try:
        await answer(built(asked[0], http, upstream.url), asked)
    except ToolError as failure:
        assert failure.message
    finally:
        await http.close()
        await upstream.close()


async def test_openalex_is_asked_by_every_name_it_knows(upstream, http):
    source = built("openalex", http, upstream.url)
    upstream.says(work(1))
    names = [DOI, Identifier("arxiv", "2101.00001"), Identifier("pmid", "31"), Identifier("openalex", "W2000001")]
    for name in names:
        assert (await source.work(name)).doi == "10.1234/otters.1"
    assert [one.path for one in upstream.asked] == [
        "/works/doi:10.1234%2Fotters.1",
        "/works/doi:10.48550%2Farxiv.2101.00001",
        "/works/pmid:31",
        "/works/W2000001",
    ]
    assert all("abstract_inverted_index" in one.query["select"] for one in upstream.asked)
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
    await built("openalex", http, upstream.url).academic(PaperQuery(query=query))
    assert upstream.asked[0].query["search"] == asked


async def test_openalex_puts_an_abstract_back_in_order_and_cuts_it(upstream, http):
    index = {"otters": [1, 3], "keep": [2], "The": [0], "x": "junk", "y": [None, "4"], "far": [10**12]}
    upstream.says(work(1, abstract_inverted_index=index))
    found = await built("openalex", http, upstream.url).work(DOI)
    assert found.abstract == "The otters keep otters far"
    upstream.says(work(1, abstract_inverted_index={"stone": list(range(5_000))}))
    assert len((await built("openalex", http, upstream.url).work(DOI)).abstract) <= 500


async def test_crossref_asks_for_many_notices_at_once_and_no_more_than_it_takes(upstream, http):
    source = built("crossref", http, upstream.url)
    upstream.says(
        {"message": {"items": [{"DOI": "10.1234/OTTERS.7", "updated-by": [NOTICE]}, {"DOI": "10.1234/otters.8"}]}}
    )
    told = await source.integrity_of([f"10.1234/otters.{number}" for number in range(30)])
    assert told["10.1234/otters.7"].notice_doi == "10.1234/n"
    assert told["10.1234/otters.8"] is None  # known, and nothing on record
    assert "10.1234/otters.9" not in told  # not known, so nothing is said
    assert [len(one.query["filter"].split(",")) for one in upstream.asked] == [25, 5]


@pytest.mark.parametrize(
    ("limit", "interval", "seconds"),
    [("3", "1s", 1 / 3), ("50", "1s", 0.02), ("1", "60s", 5.0), ("0", "1s", 0), ("x", "1s", 0), ("3", "soon", 0)],
)
async def test_crossref_is_asked_as_often_as_it_says(upstream, http, limit, interval, seconds):
    source = built("crossref", http, upstream.url)
    upstream.says({"message": {"items": []}}, x_rate_limit_limit=limit, x_rate_limit_interval=interval)
    await source.integrity_of([DOI.value])
    assert source.min_interval == pytest.approx(seconds)


async def test_crossref_reads_every_shape_of_a_date_and_of_a_name(upstream, http):
    source = built("crossref", http, upstream.url)
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
        found = await source.work(DOI.value)
        assert (found.year, found.publication_date) == (year, day)
    upstream.says(
        {"message": record(1) | {"author": [{"family": "Brook"}, {"name": "WHO"}, {}, None, {"given": "Ada"}]}}
    )
    assert (await source.work(DOI.value)).authors == ["Brook", "WHO", "Ada"]


async def test_crossref_says_who_asks(upstream, http):
    upstream.says({"message": {"items": []}})
    await built("crossref", http, upstream.url).academic(PaperQuery(query="otters"))
    [one] = upstream.asked
    assert one.query["mailto"] == "ada@river.example"
    assert "mailto:ada@river.example" in one.headers["user-agent"]
    assert "updated-by" in one.query["select"]


async def test_crossref_shows_no_pdf_that_a_contract_guards(upstream, http):
    links = [
        {"URL": "https://x.example/tdm.pdf", "content-type": "application/pdf", "intended-application": "text-mining"},
        {"URL": "https://x.example/page", "content-type": "text/html"},
        None,
        {"URL": "https://x.example/open.pdf", "content-type": "application/pdf", "intended-application": "unspecified"},
    ]
    upstream.says({"message": record(1) | {"link": links}})
    assert (await built("crossref", http, upstream.url).work(DOI.value)).pdf_url == "https://x.example/open.pdf"


async def test_unpaywall_tells_all_copies_the_best_first(upstream, http):
    page = {"url": "https://journal.example/1", "url_for_pdf": None, "host_type": "publisher"}
    bad = {"url": "ftp://old.example/1.pdf"}
    upstream.says({"is_oa": True, "best_oa_location": page, "oa_locations": [page, None, bad, COPY]})
    told = await built("unpaywall", http, upstream.url).copies("10.1002/(sici)1:2<3::aid>4")
    assert told.is_open is True
    assert told.copies == [
        Copy("https://journal.example/1", None, "publisher", "", ""),
        Copy("https://repo.example/1.pdf", "https://repo.example/1.pdf", "repository", "acceptedVersion", "cc-by"),
    ]
    assert told.pdf_url == "https://repo.example/1.pdf"
    [one] = upstream.asked
    assert one.path == "/10.1002%2F%28sici%291%3A2%3C3%3A%3Aaid%3E4"
    assert one.query == {"email": "ada@river.example"}


async def test_unpaywall_refuses_an_address_that_nobody_reads(upstream, http):
    upstream.says({"error": True, "HTTP_status_code": 422, "message": "Please use your own email address"}, status=422)
    with pytest.raises(AuthRequired) as failure:
        await built("unpaywall", http, upstream.url).copies(DOI.value)
    assert "UNPAYWALL_EMAIL" in failure.value.message


async def test_pubmed_finds_a_doi_by_its_field(upstream, http):
    upstream.then({"esearchresult": {"idlist": ["31"]}})
    upstream.then({"result": {"uids": ["31"], "31": ENTRY}})
    assert (await built("pubmed", http, upstream.url).work(DOI)).pmid == "31"
    assert upstream.asked[0].query["term"] == '"10.1234/otters.1"[aid]'


async def test_pubmed_tells_an_error_of_its_search_from_an_empty_one(upstream, http):
    upstream.says({"esearchresult": {"ERROR": "Invalid db name"}})
    with pytest.raises(UpstreamFailed):
        await built("pubmed", http, upstream.url).academic(PaperQuery(query="otters"))
    upstream.says({"result": {"uids": ["31"], "31": {"uid": "31", "error": "cannot get document summary"}}})
    with pytest.raises(NotFound):
        await built("pubmed", http, upstream.url).work(Identifier("pmid", "31"))


@pytest.mark.parametrize(
    ("name", "key", "least"),
    [("pubmed", "", 0.6), ("pubmed", "k", 0.2), ("semanticscholar", "", 1.0), ("semanticscholar", "k", 0)],
)
async def test_a_key_raises_the_pace(http, name, key, least):
    environ = {providers.find(name).key_name: key}
    source = providers.find(name)(http, Settings(environ=environ))
    assert source.min_interval >= least
    assert source.min_interval <= least + 0.4
