"""Searching patents, by the path that every caller takes."""

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.net.provider_client import ProviderClient
from assay.sessions import recording
from assay.settings import Settings

ROW = {
    "patent_id": "patent/US10165245B2/en",
    "title": "Comb for otters",
    "snippet": "A comb.",
    "filing_date": "2013-07-03",
    "publication_date": "2018-12-25",
    "grant_date": "2018-12-25",
    "inventor": "Ada Stream",
    "assignee": "Brook Laboratories, Inc.",
    "pdf": "https://patentimages.example/US10165245.pdf",
}
PATENT = {
    "title": "Comb for otters",
    "number": "US10165245B2",
    "url": "https://patents.google.com/patent/US10165245B2/en",
    "abstract": "A comb.",
    "assignee": "Brook Laboratories, Inc.",
    "inventor": "Ada Stream",
    "filed": "2013-07-03",
    "published": "2018-12-25",
    "granted": "2018-12-25",
    "pdf": "https://patentimages.example/US10165245.pdf",
}
PAGE = """<!doctype html><html><head><title>US10165245B2 - Comb</title>
<meta name="DC.title" content="Comb for otters
"><meta name="DC.description" content="A comb &amp; a brush.">
<meta name="citation_patent_number" content="US:10165245:B2">
<meta name="citation_pdf_url" content="https://patentimages.example/US10165245.pdf">
<meta name="DC.contributor" content="Ada Stream" scheme="inventor">
</head><body><article itemscope>
<dl><dt>Publication number</dt><dd itemprop="publicationNumber">US10165245B2</dd>
<dd itemprop="inventor" repeat>Ada Stream</dd><dd itemprop="inventor" repeat>Ben Lake</dd>
<dd itemprop="assigneeOriginal" repeat>Brook Laboratories Inc</dd>
<dd itemprop="assigneeCurrent" repeat>Brook Holding LLC</dd>
<dd><time itemprop="priorityDate" datetime="2012-07-03">2012-07-03</time></dd>
<dd><time itemprop="filingDate" datetime="2013-07-03">2013-07-03</time></dd>
<dd><time itemprop="publicationDate" datetime="2018-12-25">2018-12-25</time></dd>
<dd itemprop="legalStatusIfi" itemscope><span itemprop="status">Active</span></dd>
<dd itemprop="events" itemscope><time itemprop="date" datetime="2013-07-03">x</time><span itemprop="type">filed</span></dd>
<dd itemprop="events" itemscope><time itemprop="date" datetime="2018-12-25">x</time><span itemprop="type">granted</span></dd>
</dl><table><tr itemprop="similarDocuments"><td><dd itemprop="publicationNumber">EP1B1</dd>
<time itemprop="filingDate" datetime="1999-01-01">1999</time></td></tr></table></article></body></html>"""
READ = PATENT | {
    "abstract": "A comb & a brush.",
    "assignee": "Brook Holding LLC",
    "status": "Active",
}


def hit(number, title="A comb"):
    return {"title": title, "url": f"https://patents.google.com/patent/{number}/en", "content": "Found on the web."}


@pytest.fixture
def world(services, site):
    """What there is: `world(searchapi=rows, web=hits, …)` configures it and says what it answers."""

    def says(
        searchapi=None,
        web=(),
        pages=(),
        status=200,
        web_status=200,
        page=PAGE,
        page_status=200,
        epo=False,
        uspto=None,
        **environ,
    ):
        more = {
            "GOOGLE_PATENTS_BASE_URL": f"{site.url}/pages",
            "SEARCHAPI_BASE_URL": f"{site.url}/searchapi",
            "USPTO_BASE_URL": f"{site.url}/uspto",
        } | environ
        if searchapi is not None:
            more["SEARCHAPI_API_KEY"] = "k"
            more.setdefault("SEARCH_ROUTING", '{"web": "searxng"}')
            body = {"search_metadata": {}, "organic_results": searchapi}
            site.says("/searchapi/search", json.dumps(body), status, "application/json")
        if uspto is not None:
            more["USPTO_API_KEY"] = "k"
            body = {"count": len(uspto), "patentFileWrapperDataBag": uspto}
            site.says("/uspto/patent/applications/search", json.dumps(body), 200, "application/json")
        site.says("/searxng/search", json.dumps({"results": list(web)}), web_status, "application/json")
        for number in pages:
            site.says(f"/pages/patent/{number}/en", page.replace("US10165245B2", number), page_status)
        services.settings = Settings.read(dict(services.settings.environ) | more)
        services.http = ProviderClient(services.settings, pause=0)

    return says


def paths(site):
    return [urlsplit(one.path).path for one in site.requests]


def queries(site, path):
    split = [urlsplit(one.path) for one in site.requests]
    return [{k: v[0] for k, v in parse_qs(at.query, keep_blank_values=True).items()} for at in split if at.path == path]


async def test_the_answer_has_its_shape(ask, world, site):
    world(searchapi=[ROW])
    reply = await ask("patent_search", query="otter comb", cpc_code="A01K 13/00", year_from=2010, year_to=2015)
    assert reply.wire == {
        "patents": [PATENT],
        "query": "otter comb",
        "searchType": "prior_art",
        "resultCount": 1,
        "source": "searchapi",
        "searchUrl": "https://patents.google.com/?q=(otter+comb+cpc:A01K13%2F00)&oq=otter+comb"
        "&after=priority:20100101&before=priority:20151231&num=5",
        "trust": "untrusted-external-content",
    }
    assert "1. US10165245B2: Comb for otters" in reply.text
    assert "Brook Laboratories, Inc. · Ada Stream · filed 2013-07-03 · published 2018-12-25 · granted" in reply.text
    assert len(site.requests) == 1


@pytest.mark.parametrize("name", ["assignee", "inventor"])
async def test_a_name_alone_is_a_question_and_the_asterisk_stays_one(ask, world, site, name):
    world(searchapi=[ROW])
    assert (await ask("patent_search", **{name: "Brook"})).wire["query"] == ""
    assert "q=*&" in site.requests[0].path
    assert queries(site, "/searchapi/search")[0][name] == "Brook"


@pytest.mark.parametrize(
    "change",
    [
        {"query": "b"},
        {"num_results": 6},
        {"search_type": "landscape"},
        {"patent_office": "US"},
        {"assignee": "x"},
        {"inventor": "x"},
        {"cpc_code": "G06F"},
        {"year_from": 2001},
        {"year_to": 2020},
        {"provider": "searchapi"},
    ],
)
async def test_another_question_is_another_answer(ask, world, site, change):
    world(searchapi=[ROW])
    for _ in range(2):
        await ask("patent_search", query="a")
    await ask("patent_search", **{"query": "a"} | change)
    assert len(site.requests) == 2


async def test_only_patents_of_the_office_and_of_the_years_each_once_and_no_more_than_asked(ask, world):
    rows = [ROW | {"patent_id": f"patent/{number}/en"} for number in ("EP1000000A1", "US1111111B2", "US1111111B2")]
    rows += [ROW | {"patent_id": f"patent/US20{n}0123456A1/en", "filing_date": f"20{n}-01-02"} for n in range(10, 22)]
    world(searchapi=rows)
    reply = await ask("patent_search", query="a", patent_office="US", year_from=2013, num_results=4)
    assert [one["number"] for one in reply.wire["patents"]] == [
        "US1111111B2",
        "US20130123456A1",
        "US20140123456A1",
        "US20150123456A1",
    ]


async def test_a_landscape_looks_at_more_and_counts_owners(ask, world, site):
    names = ["Brook, Inc.", "Brook Inc", "BROOK INC", "Brook Inc", "Lake GmbH", None]
    rows = [ROW | {"patent_id": f"patent/US111111{n}B2/en", "assignee": name} for n, name in enumerate(names)]
    world(searchapi=rows)
    reply = await ask("patent_search", query="a", search_type="landscape", num_results=2)
    assert queries(site, "/searchapi/search")[0]["num"] == "25"
    assert reply.wire["resultCount"] == 2
    assert reply.wire["assigneeClusters"] == [
        {"assignee": "Brook Inc", "count": 4},
        {"assignee": "Lake GmbH", "count": 1},
    ]
    assert "Holder: Brook Inc (4)" in reply.text


@pytest.mark.parametrize("query", ["US10165245B2", "US 10,165,245 B2", "U.S. Pat. No. 10,165,245 B2"])
async def test_a_number_is_looked_up_where_it_is_shown(ask, world, site, query):
    world(searchapi=[ROW], pages=["US10165245B2"])
    reply = await ask("patent_search", query=query, search_type="specific")
    assert reply.wire["patents"] == [READ]
    assert reply.wire["source"] == "google_patents"
    assert paths(site) == ["/pages/patent/US10165245B2/en"]


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("EP 1 000 000 B1", "EP1000000B1"),
        ("WO 2011/051540 A1", "WO2011051540A1"),
        ("WO 98/12345", "WO9812345"),
        ("JP 2008-123456 A", "JP2008123456A"),
        ("JPH08-123456A", "JPH08123456A"),
        ("CN 101318498 B", "CN101318498B"),
        ("KR 10-2020-0012345 A", "KR20200012345A"),
        ("KR 10-1234567 B1", "KR101234567B1"),
        ("US RE45,000 E", "USRE45000E"),
        ("US D850,000 S", "USD850000S"),
        ("US 2013/0227762 A1", "US20130227762A1"),
        ("US2013227762A1", "US20130227762A1"),
    ],
)
async def test_numbers_of_six_offices_are_understood_with_their_kinds(ask, world, site, query, number):
    world(pages=[number])
    reply = await ask("patent_search", query=query, search_type="specific")
    assert [one["number"] for one in reply.wire["patents"]] == [number]


async def test_a_page_tells_grant_from_publication(ask, world):
    page = PAGE.replace('<span itemprop="type">granted</span>', '<span itemprop="type">published</span>')
    world(pages=["US20130227762A1"], page=page)
    [one] = (await ask("patent_search", query="US20130227762A1", search_type="specific")).wire["patents"]
    assert one["published"] == "2018-12-25"
    assert "granted" not in one


async def test_a_page_s_tables_of_other_patents_say_nothing_of_this_one(ask, world, site):
    page = PAGE.replace('<dd><time itemprop="filingDate" datetime="2013-07-03">2013-07-03</time></dd>', "")
    world(pages=["US10165245B2"], page=page)
    [one] = (await ask("patent_search", query="US10165245B2", search_type="specific")).wire["patents"]
    assert one["filed"] == "2013-07-03"  # by the event
    page = page.replace('<span itemprop="type">filed</span>', "")
    site.says("/pages/patent/US10000001B2/en", page.replace("US10165245B2", "US10000001B2"))
    [one] = (await ask("patent_search", query="US10000001B2", search_type="specific")).wire["patents"]
    assert "filed" not in one


@pytest.mark.parametrize(("page", "status"), [("", 404), ("", 503), ("<title>Sorry</title>", 200), (PAGE, 429)])
async def test_where_a_page_cannot_be_read_the_registers_are_asked_for_the_number(ask, world, site, page, status):
    world(searchapi=[ROW], pages=["US10165245B2"], page=page, page_status=status)
    reply = await ask("patent_search", query="US 10,165,245 B2", search_type="specific")
    assert reply.wire["patents"] == [PATENT]
    assert queries(site, "/searchapi/search")[0]["q"] == "US10165245B2"
    assert ("warnings" in reply.wire) is (status != 404)


async def test_a_riddle_is_a_limit_and_reported(ask, world, site):
    world(searchapi=[])
    to = {"location": "https://www.google.com/sorry/index?continue=x"}
    site.says("/pages/patent/US10165245B2/en", "", 302, headers=to)
    reply = await ask("patent_search", query="US10165245B2", search_type="specific")
    assert "google_patents failed (rate_limited)." in reply.wire["warnings"]


async def test_without_a_register_the_web_is_asked_and_pages_are_read(ask, world, site):
    web = [hit("US10165245B2"), hit("US10165245B2"), hit("EP1000000A1"), {"title": "x", "url": "https://x.example/"}]
    world(web=web, pages=["US10165245B2", "EP1000000A1"])
    reply = await ask(
        "patent_search",
        query="comb",
        assignee="Brook",
        inventor='Ada "Q" Stream',
        cpc_code="A01K",
        patent_office="US",
        year_from=2010,
        year_to=2020,
    )
    assert reply.wire["patents"] == [READ]
    assert reply.wire["source"] == "web_discovery"
    [sent] = queries(site, "/searxng/search")
    assert sent["q"] == 'comb "Brook" inventor:"Ada Q Stream" CPC=A01K US 2010 2020 site:patents.google.com'
    assert len(site.requests) == 2  # of another office nothing needs to be read


async def test_no_more_pages_are_read_than_are_needed(ask, world, site):
    numbers = [f"US1000000{n}B2" for n in range(7)]
    world(web=[hit(number) for number in numbers], pages=numbers)
    old = PAGE.replace("2013-07-03", "1999-07-03").replace("US10165245B2", numbers[1])
    site.says(f"/pages/patent/{numbers[1]}/en", old)
    reply = await ask("patent_search", query="comb", num_results=3, year_from=2010)
    assert [one["number"] for one in reply.wire["patents"]] == [numbers[0], numbers[2], numbers[3]]
    assert len([path for path in paths(site) if path.startswith("/pages/")]) == 4


async def test_a_page_that_cannot_be_read_leaves_what_the_web_says(ask, world):
    world(web=[hit("US10165245B2"), hit("US10000001B2", "<b>Brush</b>")], pages=["US10165245B2"])
    reply = await ask("patent_search", query="comb")
    assert reply.wire["patents"][1] == {
        "title": "Brush",
        "number": "US10000001B2",
        "url": "https://patents.google.com/patent/US10000001B2/en",
        "abstract": "Found on the web.",
    }
    assert "1 patent page(s) could not be read; their owners and dates are unknown." in reply.wire["warnings"]
    assert (await ask("patent_search", query="comb")).meta.get("cached") is not True


async def test_who_wants_fewer_requests_gets_no_more_of_them(ask, world, site):
    numbers = [f"US100000{n:02}B2" for n in range(10)]
    world(web=[hit(number) for number in numbers], pages=numbers, page_status=429)
    reply = await ask("patent_search", query="comb", num_results=10)
    assert reply.wire["resultCount"] == 10
    assert len([path for path in paths(site) if path.startswith("/pages/")]) <= 3


async def test_the_patent_whose_number_was_asked_for_comes_first(ask, world):
    rows = [ROW | {"patent_id": f"patent/{number}/en"} for number in ("US9999999B2", "US10165245B2")]
    world(searchapi=rows)
    reply = await ask("patent_search", query="US 10,165,245")
    assert [one["number"] for one in reply.wire["patents"]] == ["US10165245B2", "US9999999B2"]


async def test_where_the_registers_have_none_the_web_is_asked(ask, world, site):
    world(searchapi=[], web=[hit("US10165245B2")], pages=["US10165245B2"])
    reply = await ask("patent_search", query="comb")
    assert (reply.wire["source"], reply.wire["resultCount"]) == ("web_discovery", 1)


async def test_where_the_registers_are_out_of_order_the_web_is_asked_and_that_is_reported(ask, world):
    world(searchapi=[], status=503, web=[hit("US10165245B2")], pages=["US10165245B2"])
    reply = await ask("patent_search", query="comb")
    assert reply.wire["source"] == "web_discovery"
    assert "searchapi failed (upstream_unavailable)." in reply.wire["warnings"]
    again = await ask("patent_search", query="comb")
    assert again.meta.get("cached") is not True  # the registers may be well again


@pytest.mark.parametrize(("status", "web_status"), [(503, 200), (503, 503)])
async def test_an_outage_is_not_an_empty_list(ask, world, status, web_status):
    world(searchapi=[], status=status, web_status=web_status)
    reply = await ask("patent_search", query="comb")
    assert (reply.error.kind, reply.error.provider) == ("upstream_unavailable", "searchapi")


async def test_where_the_web_is_out_of_order_an_empty_register_is_an_answer(ask, world):
    world(searchapi=[], web_status=503)
    reply = await ask("patent_search", query="comb")
    assert (reply.wire["resultCount"], reply.wire["source"]) == (0, "searchapi")
    assert "The web failed (upstream_unavailable)." in reply.wire["warnings"]


async def test_without_register_and_web_there_is_no_answer(ask, world):
    world(web_status=503)
    assert (await ask("patent_search", query="comb")).error.kind == "upstream_unavailable"


async def test_nothing_found_is_reported_with_what_to_try_and_is_not_kept(ask, world, site):
    world(searchapi=[])
    for _ in range(2):
        reply = await ask("patent_search", query="comb", patent_office="KR", year_from=2020)
    hints = reply.wire["hints"]
    assert hints["reason"] == "filters_too_restrictive"
    assert hints["filtersApplied"] == {"patent_office": "KR", "year_from": "2020"}
    assert hints["providersAttempted"] == ["searchapi", "searxng"]
    assert hints["suggestedActions"][0] == {"action": "remove_filter", "parameter": "patent_office", "value": "all"}
    assert "does not mean" in hints["epistemicWarning"]
    assert paths(site).count("/searchapi/search") == 2


async def test_a_named_register_is_asked_alone(ask, world, site):
    world(searchapi=[], web=[hit("US10165245B2")], pages=["US10165245B2"])
    reply = await ask("patent_search", query="US10165245B2", search_type="specific", provider="SearchAPI")
    assert (reply.wire["resultCount"], reply.wire["source"]) == (0, "searchapi")
    assert paths(site) == ["/searchapi/search"]


async def test_a_register_of_one_office_covers_no_other(ask, world, site):
    world(uspto=[])
    reply = await ask("patent_search", query="comb", patent_office="EP", provider="uspto")
    assert reply.wire["hints"]["reason"] == "coverage_miss"
    assert site.requests == []


async def test_offices_that_a_register_does_not_know_are_asked_elsewhere(ask, world, site):
    world(uspto=[{"applicationNumberText": "1"}], web=[hit("EP1000000B1")], pages=["EP1000000B1"])
    reply = await ask("patent_search", query="comb", patent_office="EP")
    assert [one["number"] for one in reply.wire["patents"]] == ["EP1000000B1"]
    assert paths(site)[0] == "/searxng/search"


async def test_a_named_search_engine_is_asked_alone(ask, world, site):
    world(searchapi=[ROW], web=[hit("US10165245B2")], pages=["US10165245B2"])
    reply = await ask("patent_search", query="comb", provider="searxng")
    assert (reply.wire["source"], reply.wire["patents"]) == ("searxng", [READ])
    assert "/searchapi/search" not in paths(site)


@pytest.mark.parametrize("provider", ["nobody", "crossref", "edgar", "hackernews", "epo\n"])
async def test_who_cannot_be_asked_is_answered_with_all_who_can(ask, world, site, provider):
    world(searchapi=[ROW])
    refused = (await ask("patent_search", query="comb", provider=provider)).error
    assert refused.kind == "config"
    if provider != "epo\n":
        assert refused.alternatives[:4] == ("searchapi", "epo", "lens", "uspto")
        assert len(set(refused.alternatives)) == len(refused.alternatives)
        assert {"brave", "duckduckgo"} <= set(refused.alternatives)
    assert site.requests == []


async def test_a_register_without_a_key_says_which(ask, world):
    world(EPO_OPS_CONSUMER_KEY="k")
    refused = (await ask("patent_search", query="comb", provider="epo")).error
    assert (refused.kind, refused.suggested_action, refused.provider) == ("config", "check_api_key", "epo")
    assert "EPO_OPS_CONSUMER_SECRET" in refused.message


async def test_the_next_register_is_asked_where_one_is_out_of_order(ask, world, site):
    file = {
        "applicationNumberText": "14412875",
        "applicationMetaData": {"inventionTitle": "Comb", "patentNumber": "10000001"},
    }
    world(searchapi=[], status=503, uspto=[file])
    reply = await ask("patent_search", query="comb")
    assert (reply.wire["source"], reply.wire["patents"][0]["number"]) == ("uspto", "US10000001")
    assert reply.meta["routing"]["providers_attempted"] == ["searchapi", "uspto"]


async def test_fifty_equal_questions_are_one(ask, world, site):
    world(searchapi=[ROW])
    replies = await asyncio.gather(*(ask("patent_search", query="comb") for _ in range(50)))
    assert {reply.wire["resultCount"] for reply in replies} == {1}
    assert len(site.requests) == 1
    assert (await ask("patent_search", query="comb")).meta["cached"] is True


async def test_the_session_sees_the_patents(ask, world, services, new_session):
    world(searchapi=[ROW])
    session = await new_session()
    await ask("patent_search", query="comb", sessionId=session)
    [seen] = await recording.list_sources(services.table, "local", "local", session)
    assert (seen["url"], seen["relevance"], seen["author"], seen["date"]) == (
        PATENT["url"],
        "patent",
        "Ada Stream",
        "2018-12-25",
    )


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({}, "arguments"),
        ({"query": " "}, "arguments"),
        ({"cpc_code": "G06F"}, "arguments"),
        ({"query": "x", "num_results": 11}, "num_results"),
        ({"query": "x", "num_results": 0}, "num_results"),
        ({"query": "x", "patent_office": "DE"}, "patent_office"),
        ({"query": "x", "search_type": "novelty"}, "search_type"),
        ({"query": "x", "cpc_code": "lithium"}, "cpc_code"),
        ({"query": "x", "cpc_code": 'G06F" or pa="x'}, "cpc_code"),
        ({"query": "x", "year_from": 1492}, "year_from"),
        ({"query": "x", "year_from": 2020, "year_to": 2019}, "year_to"),
        ({"query": "x" * 501}, "query"),
        ({"query": "x", "office": "US"}, "office"),
    ],
)
async def test_what_is_not_a_question_is_refused_before_anybody_is_asked(ask, world, site, wrong, field):
    world(searchapi=[ROW])
    refused = (await ask("patent_search", **wrong)).error
    assert (refused.kind, refused.field) == ("validation", field)
    assert site.requests == []
