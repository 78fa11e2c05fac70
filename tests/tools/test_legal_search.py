"""Court opinions found, by the path that every caller takes."""

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.settings import Settings

MIRANDA = {
    "absolute_url": "/opinion/107252/miranda-v-arizona/",
    "caseName": "Miranda v. Arizona",
    "citation": ["384 U.S. 436", "86 S. Ct. 1602"],
    "citeCount": 61234,
    "court": "Supreme Court of the United States",
    "court_id": "scotus",
    "dateFiled": "1966-06-13",
    "docketNumber": "759",
}


@pytest.fixture
def courts(services, site):
    more = {"COURTLISTENER_BASE_URL": site.url, "COURTLISTENER_API_TOKEN": "t0ken-secret"}
    services.settings = Settings.read(dict(services.settings.environ) | more)

    def says(*rows, status=200, **more):
        body = {"count": len(rows), "next": None, "previous": None, "results": list(rows)} | more
        site.says("/api/rest/v4/search/", json.dumps(body), status, "application/json")

    says(MIRANDA)
    return says


def sent_query(site):
    return {name: values[0] for name, values in parse_qs(urlsplit(site.requests[-1].path).query).items()}


async def test_the_answer_has_its_shape(ask, courts, site):
    reply = await ask("legal_search", query="self-incrimination")
    assert reply.wire == {
        "cases": [
            {
                "caseName": "Miranda v. Arizona",
                "citation": "384 U.S. 436; 86 S. Ct. 1602",
                "court": "Supreme Court of the United States",
                "courtId": "scotus",
                "dateFiled": "1966-06-13",
                "docketNumber": "759",
                "citationCount": 61234,
                "url": "https://www.courtlistener.com/opinion/107252/miranda-v-arizona/",
                "source": "courtlistener",
            }
        ],
        "query": "self-incrimination",
        "resultCount": 1,
        "provider": "courtlistener",
        "trust": "untrusted-external-content",
    }
    assert sent_query(site) == {"type": "o", "q": "self-incrimination"}
    assert site.requests[0].headers["authorization"] == "Token t0ken-secret"
    assert "1. Miranda v. Arizona, 384 U.S. 436; 86 S. Ct. 1602" in reply.text


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("Miranda v. Arizona", {"case_name": "Miranda v. Arizona", "order_by": "citeCount desc"}),
        ("Apple vs. Samsung", {"case_name": "Apple vs. Samsung", "order_by": "citeCount desc"}),
        ("Roe v Wade", {"case_name": "Roe v Wade", "order_by": "citeCount desc"}),
        ("Miranda v. Arizona, 384 U.S. 436 (1966)", {"case_name": "Miranda v. Arizona", "order_by": "citeCount desc"}),
        (
            "Doe v. Roe, 410 F. Supp. 2d 700, 705 (S.D.N.Y. 2006)",
            {"case_name": "Doe v. Roe", "order_by": "citeCount desc"},
        ),
        ("384 U.S. 436", {"q": 'citation:("384 U.S. 436")'}),
        ("384 U.S. 436 (1966)", {"q": 'citation:("384 U.S. 436")'}),
        ("93 S. Ct. 705", {"q": 'citation:("93 S. Ct. 705")'}),
        ("42 USC 1983 immunity", {"q": "42 USC 1983 immunity"}),
        ("in re Gault", {"q": "in re Gault"}),
        ("vs", {"q": "vs"}),
        ("video v", {"q": "video v"}),
    ],
)
async def test_a_name_and_a_citation_are_asked_for_as_such(ask, courts, site, query, meant):
    await ask("legal_search", query=query)
    assert sent_query(site) == {"type": "o"} | meant


async def test_courts_and_dates_are_filters(ask, courts, site):
    await ask("legal_search", query="privacy", jurisdiction="SCOTUS, ca9", date_from="1960-01-01", date_to="1970-12-31")
    assert sent_query(site) == {
        "type": "o",
        "q": "privacy",
        "court": "scotus ca9",
        "filed_after": "1960-01-01",
        "filed_before": "1970-12-31",
    }


async def test_no_more_are_given_than_were_asked_for(ask, courts):
    courts(*(MIRANDA | {"absolute_url": f"/opinion/{at}/"} for at in range(20)))
    reply = await ask("legal_search", query="privacy", num_results=3)
    assert reply.wire["resultCount"] == 3
    assert reply.meta["more_results_available"] is True


async def test_an_invented_case_is_not_found_with_what_was_searched(ask, courts, site):
    courts()
    for _ in range(2):
        reply = await ask("legal_search", query="Varghese v. China Southern Airlines", jurisdiction="ca11")
        assert (reply.error, reply.wire["cases"], reply.wire["resultCount"]) == (None, [], 0)
        hints = reply.wire["hints"]
        assert hints["providersAttempted"] == ["courtlistener"]
        assert hints["filtersApplied"] == {"jurisdiction": "ca11"}
        assert "does not mean" in hints["epistemicWarning"]
        assert reply.wire["warnings"] == ['Only case names were searched. To search the text of opinions, omit "v.".']
    assert len(site.requests) == 2  # and not kept


@pytest.mark.parametrize(
    "hole", [{"citation": None}, {"citation": "384 U.S. 436"}, {"citation": [None, 5]}, {"citeCount": "many"},
             {"court": None}, {"dateFiled": None}, {"docketNumber": 759}, {"caseName": "", "caseNameFull": "Miranda v. Arizona"}]
)  # fmt: skip
async def test_what_a_case_does_not_say_is_left_out(ask, courts, hole):
    courts(MIRANDA | hole)
    [case] = (await ask("legal_search", query="privacy")).wire["cases"]
    assert case["caseName"] == "Miranda v. Arizona"
    assert all(value not in (None, "") for value in case.values())


@pytest.mark.parametrize(
    "path", [None, "https://evil.example/", "//evil.example/", "/opinion/1/?x=<script>", "opinion"]
)
async def test_a_case_that_leads_elsewhere_is_left_out_and_counted(ask, courts, path):
    courts(MIRANDA, MIRANDA | {"absolute_url": path})
    reply = await ask("legal_search", query="privacy")
    assert reply.wire["resultCount"] == 1
    assert "1 result(s)" in reply.wire["warnings"][0]


@pytest.mark.parametrize(
    ("filed", "told"),
    [
        ("1966-06-13T00:00:00-08:00", "1966-06-13"),
        ("1966-06", "1966-06"),
        ("1966-02-30", None),
        ("June 13, 1966", None),
        (19660613, None),
    ],
)
async def test_a_date_is_one_of_the_calendar(ask, courts, filed, told):
    courts(MIRANDA | {"dateFiled": filed})
    [case] = (await ask("legal_search", query="privacy")).wire["cases"]
    assert case.get("dateFiled") == told


async def test_a_session_remembers_what_was_found(ask, courts, services, new_session):
    from assay.sessions import recording

    session = await new_session()
    await ask("legal_search", query="privacy", sessionId=session)
    [source] = await recording.list_sources(services.table, "local", "local", session)
    assert source["url"].endswith("/opinion/107252/miranda-v-arizona/")
    assert source["date"] == "1966-06-13"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "x", "jurisdiction": "sco/tus"}, "jurisdiction"),
        ({"query": "x", "date_from": "1966"}, "date_from"),
        ({"query": "x", "date_from": "1966-06-31"}, "date_from"),
        ({"query": "x", "date_from": "1970-01-01", "date_to": "1960-01-01"}, "date_to"),
        ({"query": "x", "num_results": 21}, "num_results"),
        ({"query": "x", "provider": "westlaw"}, "provider"),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_anybody_is(ask, courts, site, arguments, field):
    refused = (await ask("legal_search", **arguments)).error
    assert refused.kind == ("config" if field == "provider" else "validation")
    assert refused.field == field
    assert site.requests == []


async def test_without_a_token_it_is_asked_all_the_same(ask, courts, site, services):
    services.settings = Settings.read({**services.settings.environ, "COURTLISTENER_API_TOKEN": ""})
    assert (await ask("legal_search", query="privacy")).wire["resultCount"] == 1
    assert "authorization" not in site.requests[0].headers


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refusal_of_who_has_no_token_says_what_to_set(ask, courts, services, status):
    services.settings = Settings.read({**services.settings.environ, "COURTLISTENER_API_TOKEN": ""})
    courts(status=status)
    refused = (await ask("legal_search", query="privacy")).error
    assert (refused.kind, refused.suggested_action) == ("auth_required", "check_api_key")
    assert refused.message == "courtlistener requires a key. Set COURTLISTENER_API_TOKEN."


async def test_a_used_up_allowance_says_when_to_come_again(ask, courts, site):
    site.says("/api/rest/v4/search/", '{"detail": "Request was throttled."}', 429, headers={"retry-after": "3600"})
    refused = (await ask("legal_search", query="privacy")).error
    assert (refused.kind, refused.retry_after) == ("rate_limited", 3600)
    assert "t0ken-secret" not in refused.text()


async def test_fifty_who_ask_alike_at_once_ask_upstream_once(ask, courts, site):
    await asyncio.gather(*(ask("legal_search", query="privacy") for _ in range(50)))
    assert len(site.requests) == 1


async def test_an_outage_is_an_error(ask, courts, at_once):
    courts(status=503)
    failure = (await ask("legal_search", query="privacy")).error
    assert (failure.kind, failure.provider) == ("upstream_unavailable", "courtlistener")
