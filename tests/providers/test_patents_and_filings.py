"""What providers owe us that know patents or companies' filings, and how each is asked."""

import copy
import json
import logging
from urllib.parse import parse_qs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.upstream import CUT, SILENT, Upstream

from assay import providers
from assay.errors import (
    AuthRequired,
    Blocked,
    InvalidInput,
    Network,
    PaymentRequired,
    RateLimited,
    Refused,
    ToolError,
    UpstreamFailed,
)
from assay.filings import Sought
from assay.net.http import Http
from assay.patents import PatentQuery
from assay.settings import Settings

KEY = "sooo-secret-123"
MAIL = "ada@brook.example"
TOKEN = {"access_token": "lent-token-456", "expires_in": "1200", "token_type": "BearerToken"}
KEYS = {
    "EPO_OPS_CONSUMER_KEY": KEY,
    "EPO_OPS_CONSUMER_SECRET": KEY,
    "LENS_API_TOKEN": KEY,
    "USPTO_API_KEY": KEY,
    "SEARCHAPI_API_KEY": KEY,
    "EDGAR_CONTACT_EMAIL": MAIL,
}
DOCUMENT = """
<exchange-document system="ops.epo.org" family-id="1" country="{country}" doc-number="{number}" kind="{kind}">
 <bibliographic-data>
  <publication-reference>
   <document-id document-id-type="docdb"><country>{country}</country><doc-number>{number}</doc-number><kind>{kind}</kind>
    <date>{published}</date></document-id>
   <document-id document-id-type="epodoc"><doc-number>{country}{number}</doc-number><date>{published}</date></document-id>
  </publication-reference>
  <application-reference doc-id="7">
   <document-id document-id-type="docdb"><country>EP</country><doc-number>99203729</doc-number><kind>A</kind></document-id>
   <document-id document-id-type="epodoc"><doc-number>EP19990203729</doc-number><date>{filed}</date></document-id>
  </application-reference>
  <priority-claims><priority-claim><document-id><date>19981112</date></document-id></priority-claim></priority-claims>
  <parties>
   <applicants>
    <applicant sequence="1" data-format="epodoc"><applicant-name><name>BROOK LAB [NL]</name></applicant-name></applicant>
    <applicant sequence="1" data-format="original"><applicant-name><name>Brook Laboratories B.V.,</name></applicant-name></applicant>
   </applicants>
   <inventors>
    <inventor sequence="1" data-format="epodoc"><inventor-name><name>STREAM ADA [NL]</name></inventor-name></inventor>
   </inventors>
  </parties>
  <invention-title lang="de">Otterkamm</invention-title>
  <invention-title lang="en">{title}</invention-title>
 </bibliographic-data>
 <abstract lang="fr"><p>Un peigne.</p></abstract>
 <abstract lang="en"><p>A comb for <b>otters</b>.</p></abstract>
</exchange-document>"""


def document(
    title="Comb for otters", country="EP", number="1000000", kind="A1", published="20000517", filed="19991108"
):
    return DOCUMENT.format(**locals())


def epo(*documents):
    return (
        '<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet type="text/xsl" href="/3.2/style/exchange.xsl"?>'
        '<ops:world-patent-data xmlns="http://www.epo.org/exchange" '
        'xmlns:ops="http://ops.epo.org"><ops:biblio-search total-result-count="2"><ops:query syntax="CQL">x</ops:query>'
        '<ops:range begin="1" end="5"/><ops:search-result><exchange-documents>'
        f"{''.join(documents)}</exchange-documents></ops:search-result></ops:biblio-search></ops:world-patent-data>"
    )


LENS = {
    "total": 1,
    "results": 1,
    "data": [
        {
            "lens_id": "186-488-232-022-055",
            "jurisdiction": "US",
            "doc_number": "20130227762",
            "kind": "A1",
            "date_published": "2013-09-05",
            "biblio": {
                "invention_title": [{"text": "Loutre", "lang": "fr"}, {"text": "Comb for otters", "lang": "en"}],
                "application_reference": {"jurisdiction": "US", "doc_number": "201313", "date": "2013-04-03"},
                "parties": {
                    "applicants": [{"sequence": 1, "extracted_name": {"value": "BROOK LABORATORIES INC"}}],
                    "inventors": [{"sequence": 1, "extracted_name": {"value": "STREAM ADA"}}],
                },
            },
            "abstract": [{"text": "A comb.", "lang": "en"}],
            "legal_status": {"granted": True, "grant_date": "2016-02-09", "patent_status": "ACTIVE"},
        }
    ],
}
WRAPPER = {
    "applicationNumberText": "14412875",
    "applicationMetaData": {
        "inventionTitle": "COMB FOR OTTERS",
        "patentNumber": "10000001",
        "filingDate": "2013-04-03",
        "grantDate": "2018-06-19",
        "earliestPublicationNumber": "US20150001234A1",
        "earliestPublicationDate": "2015-01-01",
        "applicationStatusDescriptionText": "Patented Case",
        "firstApplicantName": "Brook Laboratories Inc.",
        "firstInventorName": "Ada Stream",
        "cpcClassificationBag": ["A01K  13/00", "H04L   9/32"],
    },
    "assignmentBag": [{"assigneeBag": [{"assigneeNameText": "BROOK HOLDING"}]}],
}
USPTO = {"count": 1, "patentFileWrapperDataBag": [WRAPPER], "requestIdentifier": "x"}
SEARCHAPI = {
    "search_metadata": {"id": "x"},
    "organic_results": [
        {
            "position": 1,
            "patent_id": "patent/US10165245B2/en",
            "title": "<b>Comb</b> for otters",
            "snippet": "A <b>comb</b> &amp; more",
            "filing_date": "2013-07-03",
            "grant_date": "2018-12-25",
            "publication_date": "2018-12-25",
            "inventor": "Ada Stream",
            "assignee": "Brook Laboratories, Inc.",
            "publication_number": "US10165245B2",
            "pdf": "https://patentimages.example/US10165245.pdf",
        }
    ],
}
SUBMISSIONS = {
    "cik": "320193",
    "name": "Otter Works Inc.",
    "tickers": ["OTTR"],
    "filings": {
        "recent": {
            "accessionNumber": ["0000320193-25-000079", "0000320193-25-000010"],
            "filingDate": ["2025-10-31", "2025-01-30"],
            "reportDate": ["2025-09-27", ""],
            "form": ["10-K", "8-K"],
            "items": ["", "2.02,9.01"],
            "primaryDocument": ["ow-20250927.htm", "ow-8k.htm"],
            "primaryDocDescription": ["10-K", "Results"],
        },
        "files": [],
    },
}
SAMPLES = {
    ("epo", "patents"): epo(document()),
    ("lens", "patents"): LENS,
    ("uspto", "patents"): USPTO,
    ("searchapi", "patents"): SEARCHAPI,
    ("edgar", "filings"): SUBMISSIONS,
}
NOTHING = {
    ("epo", "patents"): epo(),
    ("lens", "patents"): {"total": 0, "data": []},
    ("uspto", "patents"): {"count": 0, "patentFileWrapperDataBag": []},
    ("searchapi", "patents"): {"search_metadata": {"id": "x"}},
    ("edgar", "filings"): {"name": "Otter Works Inc.", "filings": {"recent": {"accessionNumber": []}}},
}
QUESTIONS = {"patents": PatentQuery(query="comb otters"), "filings": Sought(cik="0000320193")}
OFFERS = [
    (name, operation)
    for name in providers.names()
    for operation in sorted(providers.find(name).honours)
    if operation in QUESTIONS
]


@pytest.fixture(params=OFFERS, ids="-".join)
def offer(request):
    return request.param


def built(name, http, url, **more):
    return providers.find(name)(http, Settings(environ=KEYS | {f"{name.upper()}_BASE_URL": url}), **more)


@pytest.fixture
def make(http, upstream, now):
    """A provider on loopback; the EPO's first answer is a token."""

    def made(name):
        if name == "epo":
            upstream.then(TOKEN)
        return built(name, http, upstream.url, clock=lambda: now)

    return made


@pytest.fixture
def source(offer, make):
    return make(offer[0])


async def asked(source, offer):
    return await source.ask(offer[1], QUESTIONS[offer[1]])


def test_every_offer_has_a_sample():
    assert set(SAMPLES) == set(NOTHING) == set(OFFERS)


async def test_an_ordinary_answer_is_read(source, offer, upstream):
    upstream.says(SAMPLES[offer])
    found = await asked(source, offer)
    assert found
    assert "otter" in found[0].model_dump_json().lower()
    assert len(upstream.asked) == (2 if offer[0] == "epo" else 1)
    assert found.warnings == []


async def test_nothing_found_is_no_failure(source, offer, upstream):
    upstream.says(NOTHING[offer])
    assert await asked(source, offer) == []


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": "invalid key"}, AuthRequired),
        ({"error": {"code": 429, "message": "Rate limit exceeded"}}, RateLimited),
        ({"errors": [{"message": "internal"}]}, UpstreamFailed),
        ({"error": True}, UpstreamFailed),
    ],
)
async def test_an_error_under_status_200_is_an_error(source, offer, upstream, body, error):
    upstream.says(body)
    with pytest.raises(UpstreamFailed if offer[0] == "epo" else error) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize(
    "body",
    [
        "<html><title>Just a moment</title></html>",
        "",
        "null",
        "[]",
        "5",
        '"x"',
        "{}",
        '{"data": 5, "count": 5, "patentFileWrapperDataBag": 5, "organic_results": 5, "filings": 5}',
        "<a><b></a>",
        '<!DOCTYPE a [<!ENTITY x "y">]><world-patent-data>&x;</world-patent-data>',
    ],
)
async def test_what_is_no_answer_of_theirs_is_an_upstream_failure(source, offer, upstream, body):
    upstream.says(body)
    with pytest.raises(UpstreamFailed) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, Refused),
        (401, AuthRequired),
        (402, PaymentRequired),
        (403, Blocked),
        (429, RateLimited),
        (500, UpstreamFailed),
        (502, UpstreamFailed),
    ],
)
@pytest.mark.parametrize("body", [{}, {"detail": "no"}, "<html>no</html>", {"error": None}])
async def test_a_refusal_is_told_in_our_words(source, offer, upstream, status, error, body):
    upstream.says(body, status=status, retry_after="7")
    with pytest.raises((error, AuthRequired) if offer[0] == "epo" else error) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]
    if status == 429:
        assert failure.value.retry_after == 7


@pytest.mark.parametrize("trouble", [CUT, SILENT])
async def test_no_answer_is_network_trouble(source, offer, upstream, trouble):
    source.seconds = 0.15
    upstream.says(trouble)
    with pytest.raises(Network) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize("told", [(b"", 401), (b"", 500), ({"error": f"bad key {KEY}"}, 200), (CUT, 0), ("x", 200)])
async def test_no_key_and_no_token_is_ever_told(source, offer, upstream, told, caplog):
    caplog.set_level(logging.DEBUG)
    upstream.says(*told)
    with pytest.raises(ToolError) as failure:
        await asked(source, offer)
    said = f"{failure.value!r}{failure.value.text()}{failure.value.__cause__!r}{caplog.text}"
    assert KEY not in said
    assert TOKEN["access_token"] not in said


JUNK = st.sampled_from([None, True, 5, -1, 2**70, 1.5, "", "<b>", "\ud800", "https://[::1", [], {}, [1], {"a": {}}])


def _places(node, path=()):
    yield path
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in inner:
        yield from _places(value, (*path, name))


def _mutated(body, data):
    body = copy.deepcopy(body)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(_places(body))))
        junk = copy.deepcopy(data.draw(JUNK))
        if not path:
            return junk
        node = body
        for step in path[:-1]:
            node = node[step]
        if isinstance(node, dict) and data.draw(st.booleans()):
            del node[path[-1]]
        else:
            node[path[-1]] = junk
    return body


@given(data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.parametrize("offer", OFFERS, ids="-".join)
async def test_no_answer_however_broken_raises_anything_but_a_tool_error(offer, data):
    sample = SAMPLES[offer]
    if isinstance(sample, str):
        start = data.draw(st.integers(0, len(sample)))
        end = data.draw(st.integers(start, min(len(sample), start + 40)))
        body = (sample[:start] + data.draw(st.text(max_size=30)) + sample[end:]).encode(errors="replace")
    else:
        body = json.dumps(_mutated(sample, data)).encode()
    upstream, http = await Upstream().start(), Http(pause=0)
    if offer[0] == "epo":
        upstream.then(TOKEN)
    upstream.says(body)
    try:
        for found in await built(offer[0], http, upstream.url).ask(offer[1], QUESTIONS[offer[1]]):
            json.dumps(found.wire(), allow_nan=False).encode()
            assert found.url.startswith("https://")
    except ToolError as failure:
        assert not isinstance(failure, InvalidInput)  # either way is right, but not this one
    finally:
        await http.close()
        await upstream.close()


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
    assert upstream.asked[0].query == {
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
    sent = upstream.asked[0].json()
    assert upstream.asked[0].path == "/patent/search"
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
    assert upstream.asked[0].json()["query"]["bool"] == {
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
    sent = upstream.asked[0].query
    assert upstream.asked[0].path == "/patent/applications/search"
    assert upstream.asked[0].headers["x-api-key"] == KEY
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
    found = await make("uspto").ask("patents", PatentQuery(query="x", cpc_code="H04L9/32", num_results=2))
    assert [patent.number for patent in found] == ["US10000001"] * 2
    upstream.says({"count": 9, "patentFileWrapperDataBag": [WRAPPER] * 5})
    assert len(await make("uspto").ask("patents", PatentQuery(query="x", num_results=2))) == 2


@pytest.mark.parametrize("question", [{"query": "comb", "patent_office": "EP"}, {"query": "EP1000000A1"}])
async def test_uspto_is_not_asked_for_other_offices(make, upstream, question):
    found = await make("uspto").ask("patents", PatentQuery(**question))
    assert (found, upstream.asked) == ([], [])
    assert "US patents only" in found.warnings[0]


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
    token, search = upstream.asked
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
    found = await make("epo").ask("patents", PatentQuery(query=" ".join(f"word{n}" for n in range(12))))
    assert upstream.asked[1].query["q"].count("ta=") == 10
    assert "10 words" in found.warnings[0]


async def test_epo_is_asked_for_years_of_publication_and_those_filed_outside_are_left_out(make, upstream):
    upstream.says(epo(document(), document(filed="20110203", number="2000000"), document(filed="", number="3000000")))
    found = await make("epo").ask("patents", PatentQuery(query="comb", year_from=2010, year_to=2012))
    assert 'pd within "20100101 20151231"' in upstream.asked[1].query["q"]
    assert upstream.asked[1].headers["x-ops-range"] == "1-100"
    assert [patent.number for patent in found] == ["EP2000000A1", "EP3000000A1"]


async def test_a_number_is_asked_of_epo_as_docdb_has_it(make, upstream):
    upstream.says(epo())
    await make("epo").ask("patents", PatentQuery(query="US 2013/0227762 A1", patent_office="US"))
    assert upstream.asked[1].query["q"] == "pn=US2013227762"


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
    source = built("epo", http, upstream.url, clock=lambda: moment[0])
    upstream.then(TOKEN)
    upstream.says(epo())
    await asyncio.gather(*(source.ask("patents", PatentQuery(query=f"q{n}")) for n in range(20)))
    assert [one.path for one in upstream.asked].count("/auth/accesstoken") == 1
    moment[0] += 1200 - 59
    upstream.then(TOKEN | {"access_token": "second"})
    await source.ask("patents", PatentQuery(query="x"))
    assert [one.path for one in upstream.asked].count("/auth/accesstoken") == 2
    assert upstream.asked[-1].headers["authorization"] == "Bearer second"


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
    assert [one.headers["authorization"] for one in upstream.asked[1::2]] == [
        f"Bearer {TOKEN['access_token']}",
        "Bearer second",
    ]


@pytest.mark.parametrize("token", [{}, {"access_token": None}, {"access_token": "a\r\nb"}, {"access_token": ""}, [], 5])
async def test_what_is_no_token_is_an_upstream_failure(http, upstream, token):
    upstream.says(token)
    with pytest.raises(UpstreamFailed):
        await built("epo", http, upstream.url).ask("patents", PatentQuery(query="x"))
    assert len(upstream.asked) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(400, AuthRequired), (401, AuthRequired), (404, UpstreamFailed), (500, UpstreamFailed)]
)
async def test_that_no_token_can_be_had_is_never_nothing_found(http, upstream, status, error):
    upstream.says("", status)
    with pytest.raises(error):
        await built("epo", http, upstream.url).ask("patents", PatentQuery(query="x"))
    assert {one.path for one in upstream.asked} == {"/auth/accesstoken"}


async def test_the_token_shows_in_no_representation(make, upstream):
    source = make("epo")
    upstream.says(epo())
    await source.ask("patents", PatentQuery(query="x"))
    assert TOKEN["access_token"] not in repr(source.token) + repr(vars(source))
