"""Clinical studies found, by the path that every caller takes."""

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.settings import Settings

STUDY = {
    "protocolSection": {
        "identificationModule": {"nctId": "NCT04280705", "briefTitle": "Adaptive COVID-19 Treatment Trial"},
        "statusModule": {"overallStatus": "COMPLETED", "startDateStruct": {"date": "2020-02-21"}},
        "sponsorCollaboratorsModule": {"leadSponsor": {"name": "NIAID"}},
        "conditionsModule": {"conditions": ["COVID-19"]},
        "designModule": {"phases": ["PHASE3"]},
        "armsInterventionsModule": {"interventions": [{"name": "Remdesivir"}, {"name": "Placebo"}, {"name": None}]},
    },
    "hasResults": True,
}
FIELDS = "NCTId|BriefTitle|OverallStatus|Phase|Condition|InterventionName|LeadSponsorName|StartDate|HasResults"


@pytest.fixture
def register(services, site):
    more = {"CLINICALTRIALS_BASE_URL": site.url}
    services.settings = Settings.read(dict(services.settings.environ) | more)

    def says(*studies, **more):
        site.says("/api/v2/studies", json.dumps({"studies": list(studies)} | more), kind="application/json")

    says(STUDY)
    return says


def sent_query(site):
    return {name: values[0] for name, values in parse_qs(urlsplit(site.requests[-1].path).query).items()}


async def test_the_answer_has_its_shape(ask, register, site):
    reply = await ask("clinical_search", query="covid", num_results=3)
    assert reply.wire == {
        "trials": [
            {
                "nctId": "NCT04280705",
                "title": "Adaptive COVID-19 Treatment Trial",
                "status": "COMPLETED",
                "phases": ["PHASE3"],
                "conditions": ["COVID-19"],
                "interventions": ["Remdesivir", "Placebo"],
                "sponsor": "NIAID",
                "startDate": "2020-02-21",
                "hasResults": True,
                "url": "https://clinicaltrials.gov/study/NCT04280705",
                "source": "clinicaltrials",
            }
        ],
        "query": "covid",
        "resultCount": 1,
        "provider": "clinicaltrials",
        "trust": "untrusted-external-content",
    }
    assert sent_query(site) == {"format": "json", "pageSize": "3", "fields": FIELDS, "query.term": "covid"}
    assert "Adaptive COVID-19 Treatment Trial (NCT04280705)" in reply.text
    assert "results posted" in reply.text


async def test_every_facet_is_asked_for(ask, register, site):
    arguments = {
        "condition": "covid-19",
        "intervention": "remdesivir",
        "sponsor": "NIAID",
        "status": "Active, not recruiting",
    }
    await ask("clinical_search", **arguments, phase="Phase III")
    assert sent_query(site) == {
        "format": "json",
        "pageSize": "10",
        "fields": FIELDS,
        "query.cond": "covid-19",
        "query.intr": "remdesivir",
        "query.spons": "NIAID",
        "filter.overallStatus": "ACTIVE_NOT_RECRUITING",
        "aggFilters": "phase:3",
    }


@pytest.mark.parametrize(
    ("query", "term", "phases"),
    [
        ("phase 3 breast cancer", "breast cancer", "phase:3"),
        ("breast cancer, Phase III", "breast cancer", "phase:3"),
        ("melanoma phase 2/3 trials", "melanoma trials", "phase:2 3"),
        ("melanoma Phase II/Phase III", "melanoma", "phase:2 3"),
        ("early phase 1 glioma", "glioma", "phase:0"),
        ("phase 1b glioma", "glioma", "phase:1"),
        ("phase IV", None, "phase:4"),
        ("phases of sleep", "phases of sleep", None),
        ("phase 5", "phase 5", None),
        ("phase 2.5", "phase 2.5", None),
        ("two-phase design", "two-phase design", None),
        ("NCT04280705", None, None),
    ],
)
async def test_a_phase_among_the_words_is_a_filter(ask, register, site, query, term, phases):
    reply = await ask("clinical_search", query=query)
    assert (sent_query(site).get("query.term"), sent_query(site).get("aggFilters")) == (term, phases)
    assert reply.wire["query"] == query


async def test_a_phase_that_is_given_leaves_the_words_alone(ask, register, site):
    await ask("clinical_search", query="phase 3 glioma", phase=2)
    assert (sent_query(site)["query.term"], sent_query(site)["aggFilters"]) == ("phase 3 glioma", "phase:2")


async def test_a_number_is_looked_up(ask, register, site):
    await ask("clinical_search", query="nct04280705")
    assert sent_query(site)["filter.ids"] == "NCT04280705"


@pytest.mark.parametrize("answer", [("{}", 404), ('{"studies": []}', 200)])
async def test_nothing_found_is_not_an_error_and_not_kept(ask, register, site, answer):
    site.says("/api/v2/studies", answer[0], answer[1], "application/json")
    for _ in range(2):
        reply = await ask("clinical_search", query="glioma", status="RECRUITING", condition="x")
        assert (reply.error, reply.wire["trials"]) == (None, [])
        assert reply.wire["hints"]["reason"] == "filters_too_restrictive"
        assert reply.wire["hints"]["filtersApplied"] == {"status": "RECRUITING", "condition": "x"}
        assert "does not mean" in reply.text
    assert len(site.requests) == 2


async def test_the_only_thing_asked_for_is_never_suggested_for_removal(ask, register):
    register()
    reply = await ask("clinical_search", condition="glioma")
    assert reply.wire["hints"]["reason"] == "no_match"
    assert reply.wire["hints"]["suggestedActions"] == []


async def test_a_refusal_in_plain_text_is_reported(ask, register, site):
    site.says("/api/v2/studies", "Essie expression error: `(` is not closed <b>x</b>", 400, "text/plain")
    refused = (await ask("clinical_search", query="(glioma")).error
    assert (refused.kind, refused.provider, refused.retryable) == ("upstream_unavailable", "clinicaltrials", False)
    assert "`(` is not closed x" in refused.message


@pytest.mark.parametrize(
    "hole",
    [
        ("designModule", None),
        ("designModule", {"phases": None}),
        ("conditionsModule", {"conditions": "COVID-19"}),
        ("armsInterventionsModule", {"interventions": [None, 5]}),
        ("sponsorCollaboratorsModule", {"leadSponsor": []}),
        ("statusModule", {"startDateStruct": None, "overallStatus": 7}),
        ("statusModule", {"startDateStruct": {"date": "soon"}}),
    ],
)
async def test_what_a_study_does_not_say_is_left_out(ask, register, hole):
    register(STUDY | {"protocolSection": STUDY["protocolSection"] | dict([hole]), "hasResults": None})
    [trial] = (await ask("clinical_search", query="covid")).wire["trials"]
    assert trial["nctId"] == "NCT04280705"
    assert trial["hasResults"] is False
    assert hole[0] != "statusModule" or "startDate" not in trial


async def test_a_study_without_its_number_is_left_out_and_counted(ask, register):
    nameless = {"protocolSection": {"identificationModule": {"nctId": "../x", "briefTitle": "x"}}}
    register(STUDY, nameless, None)
    reply = await ask("clinical_search", query="covid")
    assert reply.wire["resultCount"] == 1
    assert "1 result(s)" in reply.wire["warnings"][0]


async def test_a_session_remembers_what_was_found(ask, register, services, new_session):
    from assay.sessions import recording

    session = await new_session()
    await ask("clinical_search", query="covid", sessionId=session)
    [source] = await recording.list_sources(services.table, "local", "local", session)
    assert source["url"] == "https://clinicaltrials.gov/study/NCT04280705"
    assert source["date"] == "2020-02-21"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, None),
        ({"status": "RECRUITING"}, None),
        ({"query": ""}, None),
        ({"query": "x", "status": "open"}, "status"),
        ({"query": "x", "phase": "5"}, "phase"),
        ({"query": "x", "num_results": 101}, "num_results"),
        ({"query": "x" * 501}, "query"),
        ({"query": "x", "provider": "ctgov"}, "provider"),
        ({"query": "x", "provider": "fred"}, "provider"),
        ({"query": "x", "phases": ["PHASE1"]}, "phases"),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_anybody_is(ask, register, site, arguments, field):
    refused = (await ask("clinical_search", **arguments)).error
    assert refused.kind == ("config" if field == "provider" else "validation")
    assert field in (None, refused.field)
    assert site.requests == []


async def test_fifty_who_ask_alike_at_once_ask_upstream_once(ask, register, site):
    await asyncio.gather(*(ask("clinical_search", query="covid") for _ in range(50)))
    assert len(site.requests) == 1


async def test_an_outage_is_an_error(ask, register, site, at_once):
    site.says("/api/v2/studies", "down", 503)
    failure = (await ask("clinical_search", query="covid")).error
    assert (failure.kind, failure.provider) == ("upstream_unavailable", "clinicaltrials")
