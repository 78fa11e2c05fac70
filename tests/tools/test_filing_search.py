"""Searching filings, by the path that every caller takes."""

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.net.provider_client import ProviderClient
from assay.sessions import recording
from assay.settings import Settings
from assay.state.json_documents import load

TICKERS = {
    "0": {"cik_str": 320193, "ticker": "OTTR", "title": "Otter Works Inc."},
    "1": {"cik_str": 1067983, "ticker": "BRK-B", "title": "BROOK HOLDINGS INC /DE/"},
    "2": {"cik_str": 51143, "ticker": "RIV", "title": "River Stone Group Corp"},
    "3": {"cik_str": 999, "ticker": "RIVL", "title": "River Stone Long Name of Another Sort Ltd"},
    "4": None,
    "5": {"cik_str": "x", "ticker": "BAD", "title": "Bad"},
    "6": {"cik_str": 7, "ticker": None, "title": "Bad"},
}


def block(*filings):
    """`(form, filed, number)` as EDGAR's lists; the newest first."""
    return {
        "accessionNumber": [f"0000320193-{filed[2:4]}-{number:06}" for _, filed, number in filings],
        "filingDate": [filed for _, filed, _ in filings],
        "reportDate": [filed if form == "10-K" else "" for form, filed, _ in filings],
        "form": [form for form, _, _ in filings],
        "items": ["2.02" if form == "8-K" else "" for form, _, _ in filings],
        "primaryDocument": [f"d{number}.htm" for _, _, number in filings],
        "primaryDocDescription": [form for form, _, _ in filings],
    }


RECENT = block(
    ("8-K", "2026-01-30", 1), ("10-K", "2025-10-31", 2), ("10-Q", "2025-08-01", 3), ("10-K", "2024-11-01", 4)
)
OLDER = block(("10-K", "2015-10-28", 5), ("S-1", "2014-01-02", 6))
OLDEST = block(("10-K", "2005-12-01", 7), ("10-K", "1999-12-22", 8))
FILES = [
    {"name": "CIK0000320193-submissions-002.json", "filingFrom": "1994-01-26", "filingTo": "2006-01-01"},
    {"name": "CIK0000320193-submissions-001.json", "filingFrom": "2006-01-02", "filingTo": "2016-01-01"},
    {"name": "../../evil.json", "filingFrom": "2006-01-02", "filingTo": "2016-01-01"},
    None,
]
HIT = {
    "_id": "0000950170-24-000001:doc1.htm",
    "_source": {
        "ciks": ["0000051143", "0000320193"],
        "display_names": [
            "River Stone Group Corp  (RIV)  (CIK 0000051143)",
            "Otter Works Inc.  (OTTR)  (CIK 0000320193)",
        ],
        "file_date": "2024-02-01",
        "period_ending": "2023-12-31",
        "form": "10-K",
        "root_forms": ["10-K"],
        "file_type": "EX-99",
        "file_description": "ANNUAL <b>REPORT</b>",
        "adsh": "0000950170-24-000001",
    },
}


def fact(end, value, *, start=None, form="10-K", filed=None, accn="0000320193-25-000079"):
    output = {"end": end, "val": value, "accn": accn, "fy": 2025, "fp": "FY", "form": form, "filed": filed or end}
    return output | ({"start": start} if start else {})


@pytest.fixture
def edgar(services, site):
    """EDGAR on loopback, at one address for its three hosts."""
    more = {"EDGAR_CONTACT_EMAIL": "ada@brook.example", "EDGAR_BASE_URL": f"{site.url}/sec"}
    services.settings = Settings.read(dict(services.settings.environ) | more)
    services.http = ProviderClient(services.settings, pause=0)

    def says(path, body, status=200, kind="application/json", **more):
        site.says(f"/sec{path}", body if isinstance(body, str) else json.dumps(body), status, kind, **more)

    says("/files/company_tickers.json", TICKERS)
    says(
        "/submissions/CIK0000320193.json",
        {"cik": "320193", "name": "Otter Works Inc.", "filings": {"recent": RECENT, "files": FILES}},
    )
    says("/submissions/CIK0000320193-submissions-001.json", OLDER)
    says("/submissions/CIK0000320193-submissions-002.json", OLDEST)
    says("/LATEST/search-index", {"hits": {"total": {"value": 1}, "hits": [HIT]}})
    return says


def paths(site):
    return [urlsplit(one.path).path.removeprefix("/sec") for one in site.requests]


def sent_query(site):
    return {name: value[0] for name, value in parse_qs(urlsplit(site.requests[-1].path).query).items()}


LIST, SUBMISSIONS, TEXT = "/files/company_tickers.json", "/submissions/CIK0000320193.json", "/LATEST/search-index"


async def test_the_answer_has_its_shape(ask, edgar, site):
    reply = await ask("filing_search", ticker="ottr", form_type="10k", num_results=1)
    assert reply.wire == {
        "filings": [
            {
                "company": "Otter Works Inc.",
                "cik": "0000320193",
                "formType": "10-K",
                "filingDate": "2025-10-31",
                "periodOfReport": "2025-10-31",
                "accession": "0000320193-25-000002",
                "url": "https://www.sec.gov/Archives/edgar/data/320193/000032019325000002/d2.htm",
                "source": "edgar",
            }
        ],
        "query": "OTTR",
        "resultCount": 1,
        "provider": "edgar",
        "trust": "untrusted-external-content",
    }
    assert "Otter Works Inc. (CIK 0000320193) 10-K, filed 2025-10-31" in reply.text
    assert paths(site) == [LIST, SUBMISSIONS]


async def test_every_request_says_who_asks(ask, edgar, site):
    await ask("filing_search", ticker="OTTR", num_results=4)
    assert len(site.requests) == 2
    assert all(one.headers["user-agent"].endswith("(ada@brook.example)") for one in site.requests)
    assert all(one.headers["user-agent"].startswith("Assay/") for one in site.requests)


@pytest.mark.parametrize("mail", ["", "nobody", "a b@c.example", "x@y", "a@b.example) (evil"])
async def test_nobody_is_asked_without_an_address(ask, services, site, mail):
    environ = dict(services.settings.environ) | {"EDGAR_CONTACT_EMAIL": mail, "EDGAR_BASE_URL": site.url}
    services.settings = Settings.read(environ)
    refused = (await ask("filing_search", ticker="OTTR")).error
    assert (refused.kind, refused.suggested_action) == ("config", "check_api_key")
    assert "EDGAR_CONTACT_EMAIL" in refused.message
    assert site.requests == []


@pytest.mark.parametrize(
    "query",
    ["320193", "0000320193", "CIK 320193", "cik0000320193", "OTTR", "ottr", "$OTTR", "Otter Works", "otter works, inc.",
     "Otter Works annual report", "Otter", "latest filings of Otter Works"],
)  # fmt: skip
async def test_a_company_is_known_by_each_of_its_names(ask, edgar, site, query):
    reply = await ask("filing_search", query=query, num_results=4)
    assert {filing["cik"] for filing in reply.wire["filings"]} == {"0000320193"}
    assert paths(site)[-1] == SUBMISSIONS


async def test_a_number_needs_no_list_of_companies(ask, edgar, site):
    await ask("filing_search", query="0000320193", num_results=1)
    assert paths(site) == [SUBMISSIONS]


@pytest.mark.parametrize(
    ("query", "cik", "is_plain"),
    [
        ("BRK.B", "0001067983", True),
        ("brk-b", "0001067983", False),
        ("brook holdings", "0001067983", True),
        ("River Stone Group", "0000051143", True),
        ("River Stone", "0000051143", False),
        ("river", "0000051143", False),
        ("RIVER", "0000051143", False),
    ],
)
async def test_of_several_names_the_shortest_is_meant_and_a_guess_is_reported(ask, edgar, site, query, cik, is_plain):
    edgar(f"/submissions/CIK{cik}.json", {"name": "X", "filings": {"recent": RECENT}})
    reply = await ask("filing_search", query=query)
    assert reply.wire["filings"][0]["cik"] == cik
    assert ('use "quotes"' in " ".join(reply.wire.get("warnings", []))) is not is_plain


@pytest.mark.parametrize("query", ["otters", "River Stone pollution", "Long Name", "stone", "8K screens", "10K run"])
async def test_words_that_name_no_company_are_sought_in_the_text(ask, edgar, site, query):
    await ask("filing_search", query=query)
    assert paths(site) == [LIST, TEXT]
    assert sent_query(site) == {"q": query}


@pytest.mark.parametrize("query", ["Otter Works 10-K", "10-K annual report of Otter Works", "Form 10-K Otter Works"])
async def test_a_form_among_the_words_is_a_filter(ask, edgar, site, query):
    reply = await ask("filing_search", query=query, num_results=2)
    assert [filing["formType"] for filing in reply.wire["filings"]] == ["10-K", "10-K"]


async def test_older_files_are_read_as_far_as_is_needed(ask, edgar, site):
    reply = await ask("filing_search", ticker="OTTR", form_type="10-K", num_results=5)
    assert [filing["filingDate"] for filing in reply.wire["filings"]] == [
        "2025-10-31",
        "2024-11-01",
        "2015-10-28",
        "2005-12-01",
        "1999-12-22",
    ]
    assert len(site.requests) == 4


async def test_older_files_are_left_alone_once_there_is_enough(ask, edgar, site):
    reply = await ask("filing_search", ticker="OTTR", form_type="10-K", num_results=3)
    assert reply.wire["filings"][2]["filingDate"] == "2015-10-28"
    assert paths(site)[2:] == ["/submissions/CIK0000320193-submissions-001.json"]


@pytest.mark.parametrize(
    ("days", "filed", "files"),
    [
        ({"date_from": "2025-01-01", "date_to": "2025-12-31"}, ["2025-10-31", "2025-08-01"], 0),
        ({"date_from": "2014-01-02", "date_to": "2015-12-31"}, ["2015-10-28", "2014-01-02"], 1),
        ({"date_to": "2000-01-01"}, ["1999-12-22"], 1),
        ({"date_from": "2027-01-01"}, [], 0),
    ],
)
async def test_only_files_of_the_days_are_read(ask, edgar, site, days, filed, files):
    reply = await ask("filing_search", ticker="OTTR", **days)
    assert [filing["filingDate"] for filing in reply.wire["filings"]] == filed
    assert len([path for path in paths(site) if "-submissions-" in path]) == files


async def test_the_recent_block_is_enough_where_it_holds_enough(ask, edgar, site):
    await ask("filing_search", ticker="OTTR", num_results=4)
    assert paths(site) == [LIST, SUBMISSIONS]


async def test_lists_of_unlike_lengths_and_odd_days_are_read_as_far_as_they_go(ask, edgar):
    recent = {
        "accessionNumber": ["0000320193-25-000001", "0000320193-25-000002", None, "evil/../x", "0000320193-25-000005"],
        "form": ["10-K", None, "8-K"],
        "filingDate": ["2025-13-45", "2025-01-30"],
        "primaryDocument": ["a b.htm", "", "x.htm", "y.htm", "../../../x"],
    }
    edgar("/submissions/CIK0000320193.json", {"name": None, "filings": {"recent": recent, "files": None}})
    filings = (await ask("filing_search", ticker="OTTR")).wire["filings"]
    folder = "https://www.sec.gov/Archives/edgar/data/320193/"
    assert [filing["url"] for filing in filings] == [
        folder + "000032019325000001/a%20b.htm",
        folder + "000032019325000002/0000320193-25-000002-index.htm",
        folder + "000032019325000005/0000320193-25-000005-index.htm",
    ]
    assert filings[0]["company"] == "CIK 0000320193"
    assert "filingDate" not in filings[0]
    assert filings[1]["formType"] == "unknown"


async def test_free_text_is_searched_in_all_filings(ask, edgar, site):
    reply = await ask("filing_search", query="river pollution liability", form_type="10-K", date_from="2020-01-01")
    assert reply.wire["filings"] == [
        {
            "company": "River Stone Group Corp",
            "cik": "0000051143",
            "formType": "10-K",
            "filingDate": "2024-02-01",
            "periodOfReport": "2023-12-31",
            "accession": "0000950170-24-000001",
            "url": "https://www.sec.gov/Archives/edgar/data/51143/000095017024000001/doc1.htm",
            "description": "ANNUAL REPORT",
            "source": "edgar",
        }
    ]
    sent = sent_query(site)
    assert sent.pop("enddt")[:2] == "20"
    assert sent == {
        "q": "river pollution liability",
        "forms": "10-K",
        "dateRange": "custom",
        "startdt": "2020-01-01",
    }


@pytest.mark.parametrize("query", ['"otter works"', '"river" 10-K'])
async def test_text_in_quotes_is_not_a_company(ask, edgar, site, query):
    await ask("filing_search", query=query)
    assert paths(site) == [TEXT]
    assert sent_query(site) == {"q": query}


async def test_a_ticker_and_other_words_search_the_filings_of_one_company(ask, edgar, site):
    reply = await ask("filing_search", ticker="OTTR", query="supply chain risk 10-K")
    assert paths(site)[-1] == TEXT
    assert sent_query(site) == {"q": "supply chain risk", "ciks": "0000320193", "forms": "10-K"}
    assert reply.wire["filings"][0]["company"] == "Otter Works Inc."


@pytest.mark.parametrize("query", ["River Stone", "Otter Works annual report", "10-K"])
async def test_a_ticker_takes_precedence_over_a_company_in_the_query(ask, edgar, site, query):
    reply = await ask("filing_search", ticker="OTTR", query=query, num_results=2)
    assert {filing["cik"] for filing in reply.wire["filings"]} == {"0000320193"}
    assert paths(site)[-1] == SUBMISSIONS


async def test_a_name_in_brackets_is_part_of_the_company_s(ask, edgar):
    source = HIT["_source"] | {"display_names": ["Lake (UK) Ltd  (LAK, LAKW)  (CIK 0000051143)"]}
    edgar("/LATEST/search-index", {"hits": {"hits": [HIT | {"_source": source}]}})
    assert (await ask("filing_search", query='"x"')).wire["filings"][0]["company"] == "Lake (UK) Ltd"


async def test_documents_of_one_filing_are_one_result(ask, edgar):
    other = HIT | {"_id": "0000950170-24-000001:ex99.htm"}
    amended = HIT | {"_id": "0000950170-24-000009:a.htm", "_source": HIT["_source"] | {"form": "10-K/A"}}
    broken = [None, {}, {"_id": "x"}, {"_id": HIT["_id"], "_source": {"ciks": [None]}}]
    edgar("/LATEST/search-index", {"hits": {"hits": [HIT, other, amended, *broken]}})
    reply = await ask("filing_search", query='"liability"', form_type="10-K")
    assert [filing["url"].rpartition("/")[2] for filing in reply.wire["filings"]] == ["doc1.htm"]
    assert "3 result(s)" in reply.wire["warnings"][0]


async def test_figures_are_exactly_as_filed(ask, edgar):
    facts = {
        "us-gaap": {
            "Assets": {"label": "Assets", "units": {"USD": [fact("2025-09-27", 364980000001, filed="2025-10-31")]}},
            "EarningsPerShareBasic": {
                "units": {"USD/shares": [fact("2025-09-27", 0, start="2024-09-29", filed="2025-10-31")]}
            },
        }
    }
    body = json.dumps({"cik": 320193, "entityName": "Otter Works Inc.", "facts": facts})
    edgar("/api/xbrl/companyfacts/CIK0000320193.json", body.replace('"val": 0', '"val": 6.130000000000000000017'))
    reply = await ask("filing_search", ticker="OTTR", facts=True)
    assets = {
        "company": "Otter Works Inc.",
        "cik": "0000320193",
        "formType": "10-K",
        "filingDate": "2025-10-31",
        "periodOfReport": "2025-09-27",
        "accession": "0000320193-25-000079",
        "url": "https://www.sec.gov/Archives/edgar/data/320193/000032019325000079/0000320193-25-000079-index.htm",
        "description": "Assets",
        "source": "edgar",
        "concept": "Assets",
        "unit": "USD",
        "value": "364980000001",
    }
    by_name = {one["concept"]: one for one in reply.wire["filings"]}
    assert by_name["Assets"] == assets
    assert by_name["EarningsPerShareBasic"]["value"] == "6.130000000000000000017"
    assert by_name["EarningsPerShareBasic"]["periodStart"] == "2024-09-29"
    assert "EarningsPerShareBasic = 6.130000000000000000017 USD/shares (2024-09-29 to 2025-09-27" in reply.text


async def test_of_each_figure_the_latest_is_given(ask, edgar):
    revenues = [
        fact("2024-09-28", 1),
        fact("2025-09-27", 2, start="2025-06-29", filed="2025-10-31"),
        fact("2025-09-27", 3, start="2024-09-29", filed="2025-10-31"),
        fact("2025-09-27", 4, start="2024-09-29", form="10-Q", filed="2026-01-31"),
        fact("2025-13-40", 5),
        fact("2026-01-01", None),
        None,
        "x",
    ]
    old = [fact("2018-09-29", 9)]
    facts = {
        "us-gaap": {"Revenues": {"units": {"USD": old}}, "NetIncomeLoss": {"units": {"USD": revenues, "EUR": None}}}
    }
    edgar("/api/xbrl/companyfacts/CIK0000320193.json", {"entityName": "Otter", "facts": facts})
    reply = await ask("filing_search", ticker="OTTR", facts=True)
    assert [(one["concept"], one["value"]) for one in reply.wire["filings"]] == [
        ("NetIncomeLoss", "3"),
        ("Revenues", "9"),
    ]
    reply = await ask("filing_search", ticker="OTTR", facts=True, form_type="10-Q")
    assert [(one["concept"], one["value"]) for one in reply.wire["filings"]] == [("NetIncomeLoss", "4")]
    reply = await ask("filing_search", ticker="OTTR", facts=True, date_to="2024-12-31", num_results=1)
    assert [(one["concept"], one["value"]) for one in reply.wire["filings"]] == [("NetIncomeLoss", "1")]


async def test_foreign_filers_figures_are_known_too(ask, edgar):
    facts = {"ifrs-full": {"Revenue": {"units": {"EUR": [fact("2025-12-31", 77, form="20-F")]}}}}
    edgar("/api/xbrl/companyfacts/CIK0000320193.json", {"entityName": "Otter", "facts": facts})
    [one] = (await ask("filing_search", query="320193", facts=True)).wire["filings"]
    assert (one["concept"], one["unit"], one["value"], one["formType"]) == ("Revenue", "EUR", "77", "20-F")


async def test_figures_are_of_one_company(ask, edgar, site):
    refused = (await ask("filing_search", query="river pollution", facts=True)).error
    assert (refused.kind, refused.field) == ("validation", "query")
    assert paths(site) == [LIST]


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ({"query": "4711"}, "no filer under CIK 0000004711"),
        ({"query": "4711", "facts": True}, "no XBRL figures under CIK 0000004711"),
        ({"ticker": "NOPE"}, "no company with the ticker NOPE"),
        ({"ticker": "NOPE", "facts": True}, "no company with the ticker NOPE"),
    ],
)
async def test_nothing_found_is_reported_with_what_to_try_and_is_not_kept(ask, edgar, site, question, missing):
    for _ in range(2):
        reply = await ask("filing_search", form_type="10-K", **question)
    assert (reply.error, reply.wire["resultCount"]) == (None, 0)
    assert missing in " ".join(reply.wire["warnings"])
    assert reply.wire["hints"]["reason"] == "filters_too_restrictive"
    assert reply.wire["hints"]["filtersApplied"] == {"form_type": "10-K"}
    assert "does not mean" in reply.wire["hints"]["epistemicWarning"]
    assert reply.meta.get("cached") is not True


@pytest.mark.parametrize(
    ("body", "status", "kind", "error"),
    [
        ("<html>Service unavailable</html>", 503, "text/html", "upstream_unavailable"),
        ("<html>Just a moment</html>", 200, "text/html", "upstream_unavailable"),
        ("[]", 200, "application/json", "upstream_unavailable"),
        ("{}", 200, "application/json", "upstream_unavailable"),
        ('{"filings": {"recent": []}}', 200, "application/json", "upstream_unavailable"),
        ('{"filings": {"recent": {}}}', 200, "application/json", "upstream_unavailable"),
        ("<html><title>SEC.gov | Request Rate Threshold Exceeded</title></html>", 403, "text/html", "rate_limited"),
        ("<html>Your Request Originates from an Undeclared Automated Tool</html>", 403, "text/html", "blocked"),
        ("", 429, "text/plain", "rate_limited"),
    ],
)
async def test_an_outage_is_not_an_empty_list(ask, edgar, body, status, kind, error):
    edgar("/submissions/CIK0000320193.json", body, status, kind)
    reply = await ask("filing_search", ticker="OTTR")
    assert (reply.error.kind, reply.error.provider) == (error, "edgar")


async def test_a_list_of_companies_that_failed_is_loaded_by_the_next_question(ask, edgar, site):
    edgar(LIST, "", 503)
    assert (await ask("filing_search", ticker="OTTR")).error.kind == "upstream_unavailable"
    edgar(LIST, TICKERS)
    assert (await ask("filing_search", ticker="OTTR")).wire["resultCount"] == 5


@pytest.mark.parametrize(
    "body", ["[]", "{}", '{"0": 5}', "<html>", '{"0": {"cik_str": 1, "ticker": "A", "title": ""}}']
)
async def test_a_list_without_companies_is_an_outage_and_not_kept(ask, edgar, body):
    edgar(LIST, body)
    assert (await ask("filing_search", ticker="OTTR")).error.kind == "upstream_unavailable"
    edgar(LIST, TICKERS)
    assert (await ask("filing_search", ticker="OTTR")).error is None


async def test_without_the_list_words_are_searched_and_that_is_reported(ask, edgar, site):
    edgar(LIST, "", 503)
    reply = await ask("filing_search", query="Otter Works")
    assert paths(site)[-1] == TEXT
    assert "list of companies could not be had" in reply.wire["warnings"][0]
    assert (await ask("filing_search", query="Otter Works")).meta.get("cached") is not True
    assert (await ask("filing_search", query="Otter Works", facts=True)).error.kind == "upstream_unavailable"


async def test_the_list_is_kept_a_day_and_an_old_one_serves_while_no_new_one_can_be_had(ask, edgar, site, clock):
    def loads():
        return paths(site).count(LIST)

    await ask("filing_search", ticker="OTTR", num_results=1)
    clock.forward(23 * 3600)
    await ask("filing_search", ticker="OTTR", num_results=2)
    assert loads() == 1
    clock.forward(2 * 3600)
    await ask("filing_search", ticker="OTTR", num_results=3)
    assert loads() == 2
    clock.forward(25 * 3600)
    edgar(LIST, "", 503)
    reply = await ask("filing_search", ticker="OTTR", num_results=4)
    assert reply.wire["resultCount"] == 4
    assert "could not be refreshed" in reply.wire["warnings"][0]
    before = loads()
    await ask("filing_search", ticker="OTTR", num_results=5)  # and nobody is bothered again at once
    assert loads() == before
    clock.forward(301)
    edgar(LIST, TICKERS)
    reply = await ask("filing_search", ticker="OTTR", num_results=6)
    assert "warnings" not in reply.wire


@pytest.mark.parametrize("asked_for", ["SC 13G", "schedule 13g", "sc13g"])
async def test_a_form_that_was_renamed_is_found_under_both_names(ask, edgar, site, asked_for):
    block_of_both = block(("SCHEDULE 13G", "2025-02-01", 1), ("SC 13G", "2024-02-01", 2), ("SC 13G/A", "2023-02-01", 3))
    edgar("/submissions/CIK0000320193.json", {"name": "O", "filings": {"recent": block_of_both}})
    reply = await ask("filing_search", ticker="OTTR", form_type=asked_for)
    assert [filing["formType"] for filing in reply.wire["filings"]] == ["SCHEDULE 13G", "SC 13G"]
    await ask("filing_search", query='"x"', form_type=asked_for)
    assert set(sent_query(site)["forms"].split(",")) == {"SC 13G", "SCHEDULE 13G"}


@pytest.mark.parametrize("path", [LIST, TEXT, "/submissions/CIK0000320193-submissions-001.json"])
async def test_what_edgar_always_has_is_not_simply_missing(ask, edgar, path):
    edgar(path, "<html>404</html>", 404, "text/html")
    question = {"query": '"x"'} if path == TEXT else {"ticker": "OTTR"}
    assert (await ask("filing_search", **question)).error.kind == "upstream_unavailable"


async def test_the_list_serves_another_process(ask, edgar, site, services):
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke

    await ask("filing_search", ticker="OTTR", num_results=1)
    other = local_services(services.settings)
    reply = await invoke("filing_search", {"ticker": "OTTR", "num_results": 2}, Context(other, Caller(tenant="other")))
    await other.close()
    assert reply.wire["resultCount"] == 2
    assert paths(site).count(LIST) == 1


async def test_fifty_equal_questions_are_one(ask, edgar, site):
    replies = await asyncio.gather(*(ask("filing_search", query="320193") for _ in range(50)))
    assert {reply.wire["resultCount"] for reply in replies} == {5}
    assert paths(site).count(SUBMISSIONS) == 1
    assert (await ask("filing_search", query="320193")).meta["cached"] is True


async def test_each_request_takes_a_slot_of_a_tenth_of_a_second_that_all_processes_share(ask, edgar, services):
    began = services.clock()
    await asyncio.gather(*(ask("filing_search", query="320193", num_results=n) for n in range(1, 5)))
    assert services.search.source("edgar").min_interval == 0.1
    assert (await load(services.table, "pace", "edgar"))["next"] - began >= 0.4


async def test_the_session_sees_the_filings(ask, edgar, services, new_session):
    session = await new_session()
    await ask("filing_search", ticker="OTTR", num_results=2, sessionId=session)
    seen = await recording.list_sources(services.table, "local", "local", session)
    assert {(one["relevance"], one["date"]) for one in seen} == {("filing", "2026-01-30"), ("filing", "2025-10-31")}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({}, "arguments"),
        ({"query": ""}, "arguments"),
        ({"query": "x", "num_results": 11}, "num_results"),
        ({"query": "x", "num_results": 0}, "num_results"),
        ({"query": "x", "date_from": "2020"}, "date_from"),
        ({"query": "x", "date_from": "2020-W01-1"}, "date_from"),
        ({"query": "x", "date_to": "2023-02-29"}, "date_to"),
        ({"query": "x", "date_from": "2024-01-02", "date_to": "2024-01-01"}, "date_to"),
        ({"query": "x", "form_type": "10-K&q=evil"}, "form_type"),
        ({"ticker": "../../x\n"}, "ticker"),
        ({"query": "x" * 501}, "query"),
        ({"query": "x", "company": "y"}, "company"),
    ],
)
async def test_what_is_not_a_question_is_refused_before_anybody_is_asked(ask, edgar, site, wrong, field):
    refused = (await ask("filing_search", **wrong)).error
    assert (refused.kind, refused.field) == ("validation", field)
    assert site.requests == []


@pytest.mark.parametrize(("provider", "kind"), [("nobody", "config"), ("brave", "config")])
async def test_who_knows_no_filings_is_not_asked(ask, edgar, site, provider, kind):
    refused = (await ask("filing_search", query="x", provider=provider)).error
    assert (refused.kind, refused.alternatives) == (kind, ("edgar",))
    assert site.requests == []


async def test_edgar_may_be_named(ask, edgar):
    assert (await ask("filing_search", ticker="OTTR", provider="edgar")).wire["provider"] == "edgar"
