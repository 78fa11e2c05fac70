"""How each is asked and read that knows patents or companies' filings."""

from urllib.parse import parse_qs

import pytest
from tests.providers.contract_case import KEY, TOKEN, build_provider
from tests.providers.samples.patents import LENS, SEARCHAPI, USPTO, WRAPPER, document, epo

from assay.errors import AuthRequired, RateLimited, UpstreamFailed
from assay.models.patents import PatentQuery


@pytest.fixture
def make(http, upstream, now):
    """A provider on loopback; the EPO's first answer is a token."""

    def make_provider(name):
        if name == "epo":
            upstream.then(TOKEN)
        return build_provider(name, http, upstream.url, clock=lambda: now)

    return make_provider


async def test_searchapi_reads_a_patent(make, upstream):
    upstream.says(SEARCHAPI)
    [patent] = await make("searchapi").ask("patents", PatentQuery(query="comb"))
    assert patent.wire() == {
        "title": "Comb for otters",
        "number": "US10165245B2",
        "url": "https://patents.google.com/patent/US10165245B2/en",
        "abstract": "A comb & more",
        "assignee": "Brook Laboratories, Inc.",
        "inventor": "Ada Stream",
        "filed": "2013-07-03",
        "published": "2018-12-25",
        "granted": "2018-12-25",
        "pdf": "https://patentimages.example/US10165245.pdf",
    }


async def test_searchapi_is_asked_for_everything_at_once_and_by_days_of_filing(make, upstream):
    upstream.says(SEARCHAPI)
    await make("searchapi").ask(
        "patents",
        PatentQuery(
            query="comb",
            num_results=7,
            patent_office="EP",
            assignee="Brook Laboratories, Inc.",
            inventor="Stream, Ada",
            cpc_code="a01k 13/00",
            year_from=2010,
            year_to=2015,
        ),
    )
    assert upstream.requests[0].query == {
        "engine": "google_patents",
        "q": "comb CPC=A01K13/00",
        "num": "10",
        "assignee": "Brook Laboratories",
        "inventor": "(Stream, Ada)",
        "countries": "EP",
        "after": "filing:20100101",
        "before": "filing:20151231",
    }


async def test_lens_reads_filed_published_and_granted_apart(make, upstream):
    upstream.says(LENS)
    [patent] = await make("lens").ask("patents", PatentQuery(query="comb"))
    assert patent.wire() == {
        "title": "Comb for otters",
        "number": "US20130227762A1",
        "url": "https://patents.google.com/patent/US20130227762A1/en",
        "abstract": "A comb.",
        "assignee": "BROOK LABORATORIES INC",
        "inventor": "STREAM ADA",
        "filed": "2013-04-03",
        "published": "2013-09-05",
        "granted": "2016-02-09",
        "status": "ACTIVE",
    }


async def test_lens_is_asked_in_clauses(make, upstream):
    upstream.says(LENS)
    await make("lens").ask(
        "patents",
        PatentQuery(
            query='comb AND "river otter" (wet)',
            num_results=3,
            patent_office="US",
            assignee="Brook Inc.",
            inventor="Ada Stream",
            cpc_code="A01K 13/00",
            year_from=2010,
        ),
    )
    sent = upstream.requests[0].json()
    assert upstream.requests[0].path == "/patent/search"
    assert (sent["size"], sent["from"]) == (3, 0)
    fields = ["title", "abstract", "claim"]
    assert sent["query"]["bool"] == {
        "must": [
            {
                "query_string": {
                    "query": 'comb and  "river otter"  \\(wet\\)',
                    "fields": fields,
                    "default_operator": "and",
                }
            },
            {"match_phrase": {"applicant.name": "Brook"}},
            {"query_string": {"query": "ada stream", "fields": ["inventor.name"], "default_operator": "and"}},
        ],
        "filter": [
            {"term": {"jurisdiction": "US"}},
            {"query_string": {"query": "class_cpc.symbol:A01K13\\/00*"}},
            {"range": {"application_reference.date": {"gte": "2010-01-01"}}},
        ],
    }


async def test_a_number_is_asked_of_lens_in_each_way_it_may_be_kept(make, upstream):
    upstream.says(LENS)
    await make("lens").ask("patents", PatentQuery(query="US 2013/0227762 A1"))
    assert upstream.requests[0].json()["query"]["bool"] == {
        "filter": [{"terms": {"doc_number": ["20130227762", "2013227762"]}}, {"term": {"jurisdiction": "US"}}]
    }


@pytest.mark.parametrize(("told", "wait"), [("17", 17), ("999999", 3600), ("soon", 60), ("-1", 60)])
async def test_lens_tells_in_a_header_of_its_own_how_long_to_wait(make, upstream, told, wait):
    upstream.says({}, 429, x_rate_limit_retry_after_seconds=told)
    with pytest.raises(RateLimited) as failure:
        await make("lens").ask("patents", PatentQuery(query="x"))
    assert failure.value.retry_after == wait


async def test_uspto_reads_a_file(make, upstream):
    upstream.says(USPTO)
    [patent] = await make("uspto").ask("patents", PatentQuery(query="comb"))
    assert patent.wire() == {
        "title": "COMB FOR OTTERS",
        "number": "US10000001",
        "url": "https://patents.google.com/patent/US10000001/en",
        "assignee": "Brook Laboratories Inc.",
        "inventor": "Ada Stream",
        "filed": "2013-04-03",
        "published": "2015-01-01",
        "granted": "2018-06-19",
        "status": "Patented Case",
    }


@pytest.mark.parametrize(
    ("meta", "number", "url"),
    [
        ({"patentNumber": None}, "US20150001234A1", "https://patents.google.com/patent/US20150001234A1/en"),
        ({"patentNumber": "RE45000"}, "USRE45000", "https://patents.google.com/patent/USRE45000/en"),
        ({"patentNumber": "D850000"}, "USD850000", "https://patents.google.com/patent/USD850000/en"),
        (
            {"patentNumber": "", "earliestPublicationNumber": None},
            "US 14/412875",
            "https://patentcenter.uspto.gov/applications/14412875",
        ),
    ],
)
async def test_a_file_goes_by_the_best_number_it_has(make, upstream, meta, number, url):
    row = WRAPPER | {"applicationMetaData": WRAPPER["applicationMetaData"] | meta}
    upstream.says({"count": 1, "patentFileWrapperDataBag": [row]})
    [patent] = await make("uspto").ask("patents", PatentQuery(query="comb"))
    assert (patent.number, patent.url) == (number, url)


async def test_uspto_is_asked_with_quotes_around_every_word(make, upstream):
    upstream.says(USPTO)
    question = PatentQuery(
        query='comb OR "river otter"',
        assignee='Brook "X" LLC',
        inventor="Ada Stream",
        cpc_code="H04L 9/32",
        year_to=2015,
    )
    await make("uspto").ask("patents", question)
    sent = upstream.requests[0].query
    assert upstream.requests[0].path == "/patent/applications/search"
    assert upstream.requests[0].headers["x-api-key"] == KEY
    bag = "applicationMetaData.cpcClassificationBag"
    assert sent["q"] == (
        '"comb" AND "river otter"'
        ' AND (applicationMetaData.firstApplicantName:"Brook X" OR '
        'assignmentBag.assigneeBag.assigneeNameText:"Brook X")'
        ' AND (applicationMetaData.firstInventorName:"Ada Stream" OR '
        'applicationMetaData.inventorBag.inventorNameText:"Ada Stream")'
        rf" AND ({bag}:H04L9\/32* OR {bag}:H04L?9\/32* OR {bag}:H04L??9\/32* OR {bag}:H04L???9\/32*)"
        " AND applicationMetaData.filingDate:[1790-01-01 TO 2015-12-31]"
    )
    assert sent["limit"] == "100"


async def test_uspto_gives_no_more_than_asked_and_only_of_the_class(make, upstream):
    meta = WRAPPER["applicationMetaData"]
    other = WRAPPER | {
        "applicationMetaData": meta | {"cpcClassificationBag": ["H04L2009/32"], "patentNumber": "11111111"}
    }
    upstream.says({"count": 9, "patentFileWrapperDataBag": [other, *[WRAPPER] * 5]})
    results = await make("uspto").ask("patents", PatentQuery(query="x", cpc_code="H04L9/32", num_results=2))
    assert [patent.number for patent in results] == ["US10000001"] * 2
    upstream.says({"count": 9, "patentFileWrapperDataBag": [WRAPPER] * 5})
    assert len(await make("uspto").ask("patents", PatentQuery(query="x", num_results=2))) == 2


@pytest.mark.parametrize("question", [{"query": "comb", "patent_office": "EP"}, {"query": "EP1000000A1"}])
async def test_uspto_is_not_asked_for_other_offices(make, upstream, question):
    result = await make("uspto").ask("patents", PatentQuery(**question))
    assert (result, upstream.requests) == ([], [])
    assert "US patents only" in result.warnings[0]


async def test_nothing_at_uspto_is_a_404(make, upstream):
    upstream.says({"code": 404, "error": "Not Found", "errorDetails": "No matching records found"}, 404)
    assert await make("uspto").ask("patents", PatentQuery(query="x")) == []


async def test_a_page_that_is_not_there_is_not_nothing_at_uspto(make, upstream):
    upstream.says("<html>404 no such service</html>", 404)
    with pytest.raises(UpstreamFailed):
        await make("uspto").ask("patents", PatentQuery(query="x"))


async def test_epo_keeps_the_kind_and_tells_publication_from_grant(make, upstream):
    upstream.says(epo(document(), document(kind="B1", published="20030101")))
    first, second = await make("epo").ask("patents", PatentQuery(query="comb"))
    assert first.wire() == {
        "title": "Comb for otters",
        "number": "EP1000000A1",
        "url": "https://patents.google.com/patent/EP1000000A1/en",
        "abstract": "A comb for otters.",
        "assignee": "Brook Laboratories B.V.",
        "inventor": "STREAM ADA",
        "filed": "1999-11-08",
        "published": "2000-05-17",
    }
    assert (second.number, second.granted) == ("EP1000000B1", "2003-01-01")


async def test_epo_s_us_applications_get_their_zero_back(make, upstream):
    upstream.says(epo(document(country="US", number="2013227762", kind="A1")))
    [patent] = await make("epo").ask("patents", PatentQuery(query="comb"))
    assert patent.number == "US20130227762A1"


async def test_epo_is_asked_in_words_that_cannot_be_operators(make, upstream):
    upstream.says(epo())
    question = PatentQuery(
        query='a comb for "river otters" and/or* (x) or pd>2000',
        num_results=7,
        assignee="Brook Laboratories, Inc.",
        inventor='Ada "Q" Stream',
        patent_office="EP",
        cpc_code="G06F 16/00",
    )
    await make("epo").ask("patents", question)
    token, search = upstream.requests
    assert (token.method, token.path) == ("POST", "/auth/accesstoken")
    assert parse_qs(token.body.decode()) == {"grant_type": ["client_credentials"]}
    assert token.headers["authorization"].startswith("Basic ")
    assert search.path == "/rest-services/published-data/search/biblio"
    assert search.query["q"] == (
        'ta="comb" and ta="river otters" and ta="and/or" and ta="x" and ta="pd>2000" and pa="Brook Laboratories" '
        'and in="Ada Q Stream" and pn=EP and cpc="G06F16/00"'
    )
    assert search.headers["x-ops-range"] == "1-7"
    assert search.headers["authorization"] == f"Bearer {TOKEN['access_token']}"


async def test_epo_takes_ten_words_and_says_so(make, upstream):
    upstream.says(epo())
    result = await make("epo").ask("patents", PatentQuery(query=" ".join(f"word{n}" for n in range(12))))
    assert upstream.requests[1].query["q"].count("ta=") == 10
    assert "10 words" in result.warnings[0]


async def test_epo_is_asked_for_years_of_publication_and_those_filed_outside_are_left_out(make, upstream):
    upstream.says(epo(document(), document(filed="20110203", number="2000000"), document(filed="", number="3000000")))
    results = await make("epo").ask("patents", PatentQuery(query="comb", year_from=2010, year_to=2012))
    assert 'pd within "20100101 20151231"' in upstream.requests[1].query["q"]
    assert upstream.requests[1].headers["x-ops-range"] == "1-100"
    assert [patent.number for patent in results] == ["EP2000000A1", "EP3000000A1"]


async def test_a_number_is_asked_of_epo_as_docdb_has_it(make, upstream):
    upstream.says(epo())
    await make("epo").ask("patents", PatentQuery(query="US 2013/0227762 A1", patent_office="US"))
    assert upstream.requests[1].query["q"] == "pn=US2013227762"


async def test_nothing_at_epo_is_a_404(make, upstream):
    fault = "<fault xmlns='http://ops.epo.org'><code>SERVER.EntityNotFound</code><message>No results</message></fault>"
    upstream.says(fault, 404)
    assert await make("epo").ask("patents", PatentQuery(query="x")) == []


async def test_a_page_that_is_not_there_is_not_nothing_at_epo(make, upstream):
    upstream.says("<html>404 no such service</html>", 404)
    with pytest.raises(UpstreamFailed):
        await make("epo").ask("patents", PatentQuery(query="x"))


@pytest.mark.parametrize(
    ("reason", "wait"), [("IndividualQuotaPerHour", 3600), ("RegisteredQuotaPerWeek", 3600), ("Other", 60)]
)
async def test_epo_s_quota_is_a_limit(make, upstream, reason, wait):
    upstream.says("", 403, x_rejection_reason=reason)
    with pytest.raises(RateLimited) as failure:
        await make("epo").ask("patents", PatentQuery(query="x"))
    assert failure.value.retry_after == wait


@pytest.mark.parametrize(
    ("control", "interval"),
    [
        ("idle (images=green:200, inpadoc=green:60, other=green:1000, retrieval=green:200, search=green:30)", 0),
        ("busy (images=green:100, retrieval=green:100, search=yellow:15)", 4),
        ("overloaded (retrieval=red:50, search=red:5)", 12),
        ("search=yellow:0", 0),
        ("nonsense", 0),
        ("", 0),
    ],
)
async def test_epo_is_given_the_distance_it_asks_for(make, upstream, control, interval):
    source = make("epo")
    upstream.says(epo(), 200, x_throttling_control=control)
    await source.ask("patents", PatentQuery(query="x"))
    assert source.min_interval == interval
    upstream.says(epo(), 200, x_throttling_control="idle (search=green:30)")
    await source.ask("patents", PatentQuery(query="x"))
    assert source.min_interval == 0


async def test_many_share_one_token_and_it_is_renewed_before_it_ends(http, upstream, now):
    import asyncio

    moment = [now]
    source = build_provider("epo", http, upstream.url, clock=lambda: moment[0])
    upstream.then(TOKEN)
    upstream.says(epo())
    await asyncio.gather(*(source.ask("patents", PatentQuery(query=f"q{n}")) for n in range(20)))
    assert [one.path for one in upstream.requests].count("/auth/accesstoken") == 1
    moment[0] += 1200 - 59
    upstream.then(TOKEN | {"access_token": "second"})
    await source.ask("patents", PatentQuery(query="x"))
    assert [one.path for one in upstream.requests].count("/auth/accesstoken") == 2
    assert upstream.requests[-1].headers["authorization"] == "Bearer second"


@pytest.mark.parametrize(
    ("body", "status"),
    [("", 401), ("<error><code>400</code><message>invalid_access_token</message></error>", 400),
     ("<error><description>Access token has expired</description></error>", 400)],
)  # fmt: skip
async def test_a_token_taken_back_is_replaced_once(make, upstream, body, status):
    source = make("epo")
    upstream.then(body, status)
    upstream.then(TOKEN | {"access_token": "second"})
    upstream.says(epo(document()))
    assert len(await source.ask("patents", PatentQuery(query="x"))) == 1
    assert [one.headers["authorization"] for one in upstream.requests[1::2]] == [
        f"Bearer {TOKEN['access_token']}",
        "Bearer second",
    ]


@pytest.mark.parametrize("token", [{}, {"access_token": None}, {"access_token": "a\r\nb"}, {"access_token": ""}, [], 5])
async def test_what_is_not_a_token_is_an_upstream_failure(http, upstream, token):
    upstream.says(token)
    with pytest.raises(UpstreamFailed):
        await build_provider("epo", http, upstream.url).ask("patents", PatentQuery(query="x"))
    assert len(upstream.requests) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(400, AuthRequired), (401, AuthRequired), (404, UpstreamFailed), (500, UpstreamFailed)]
)
async def test_that_no_token_can_be_had_is_never_nothing_found(http, upstream, status, error):
    upstream.says("", status)
    with pytest.raises(error):
        await build_provider("epo", http, upstream.url).ask("patents", PatentQuery(query="x"))
    assert {one.path for one in upstream.requests} == {"/auth/accesstoken"}


async def test_the_token_shows_in_no_representation(make, upstream):
    source = make("epo")
    upstream.says(epo())
    await source.ask("patents", PatentQuery(query="x"))
    assert TOKEN["access_token"] not in repr(source.token) + repr(vars(source))
