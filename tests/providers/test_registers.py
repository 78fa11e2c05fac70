"""What providers owe us that keep registers: statistics, clinical studies, court opinions."""

import copy
import json
import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.upstream import CUT, HALF, SILENT, Upstream

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
from assay.net.http import Http
from assay.registers import CaseQuery, CatalogueQuery, ObservationQuery, SeriesQuery, TrialQuery
from assay.settings import Settings

KEY = "sooo-secret-123"
CONTENTS = (
    "title\tcode\ttype\tlast update of data\tdata start\tdata end\nCats\tcat_a\tdataset\t01.10.2026\t2003\t2025\n"
)
SAMPLES = {
    ("fred", "series"): {"seriess": [{"id": "CATS", "title": "Cats", "units": "Heads", "popularity": 5}]},
    ("fred", "observations"): {"observations": [{"date": "2026-01-01", "value": "1.50"}]},
    ("worldbank", "catalogue"): [{"page": 1, "pages": 1, "total": 1}, [{"id": "CAT.S", "name": "Cats"}]],
    ("worldbank", "observations"): [{"page": 1, "total": 1}, [{"date": "2025", "value": 1.5, "obs_status": ""}]],
    ("oecd", "catalogue"): {
        "data": {"dataflows": [{"id": "DF_CATS", "agencyID": "OECD", "version": "1.0", "name": "Cats"}]}
    },
    ("oecd", "observations"): {
        "data": {
            "dataSets": [{"series": {"0": {"attributes": [0], "observations": {"0": [1.5, 0]}}}}],
            "structures": [
                {
                    "name": "Cats",
                    "dimensions": {
                        "series": [{"id": "REF_AREA", "values": [{"id": "DEU", "name": "Germany"}]}],
                        "observation": [{"id": "TIME_PERIOD", "values": [{"id": "2025"}]}],
                    },
                    "attributes": {
                        "series": [{"id": "UNIT_MULT", "values": [{"id": "0", "name": "Units"}]}],
                        "observation": [{"id": "OBS_STATUS", "values": [{"id": "P", "name": "Provisional"}]}],
                    },
                }
            ],
        }
    },
    ("eurostat", "catalogue"): CONTENTS,
    ("eurostat", "observations"): {
        "label": "Cats",
        "id": ["geo", "time"],
        "size": [1, 1],
        "dimension": {
            "geo": {"category": {"index": {"DE": 0}, "label": {"DE": "Germany"}}},
            "time": {"category": {"index": ["2025"], "label": {"2025": "2025"}}},
        },
        "value": {"0": 1.5},
        "status": {"0": "p"},
    },
    ("clinicaltrials", "trials"): {
        "studies": [
            {
                "protocolSection": {
                    "identificationModule": {"nctId": "NCT00000001", "briefTitle": "Cats"},
                    "conditionsModule": {"conditions": ["Purring"]},
                    "armsInterventionsModule": {"interventions": [{"name": "Milk"}]},
                },
                "hasResults": False,
            }
        ]
    },
    ("courtlistener", "cases"): {
        "count": 1,
        "next": None,
        "results": [{"caseName": "Cat v. Dog", "absolute_url": "/opinion/1/cat-v-dog/", "citation": ["1 U.S. 1"]}],
    },
}
QUESTIONS = {
    "series": SeriesQuery(query="cats"),
    "catalogue": CatalogueQuery(),
    "trials": TrialQuery(query="cats"),
    "cases": CaseQuery(query="cats"),
}
IDS = {"fred": "CATS", "worldbank": "CAT.S", "oecd": "OECD,DF_CATS,1.0", "eurostat": "cat_a"}
READS_TEXT = {("eurostat", "catalogue")}
OPERATIONS = {*QUESTIONS, "observations"}
OFFERS = [
    (name, operation)
    for name in providers.names()
    for operation in sorted(providers.find(name).honours)
    if operation in OPERATIONS
]


def question(offer):
    name, operation = offer
    return QUESTIONS[operation] if operation in QUESTIONS else ObservationQuery(series_id=IDS[name])


@pytest.fixture(params=OFFERS, ids="-".join)
def offer(request):
    return request.param


def built(name, http, url, **more):
    keys = {"FRED_API_KEY": KEY, "COURTLISTENER_API_TOKEN": KEY}
    return providers.find(name)(http, Settings(environ=keys | {f"{name.upper()}_BASE_URL": url}), **more)


@pytest.fixture
def source(offer, upstream, http, now):
    return built(offer[0], http, upstream.url, clock=lambda: now)


async def asked(source, offer):
    return await source.ask(offer[1], question(offer))


def test_every_offer_has_a_sample():
    assert set(SAMPLES) == set(OFFERS)


def test_every_offer_is_a_method_and_honours_known_fields():
    for name, operation in OFFERS:
        source = providers.find(name)
        assert callable(getattr(source, operation))
        kind = type(question((name, operation)))
        assert source.honours[operation] <= set(kind.model_fields)


async def test_an_ordinary_answer_is_read(source, offer, upstream):
    upstream.says(SAMPLES[offer])
    [found] = await asked(source, offer)
    said = json.dumps(found.wire())
    assert "Cat" in said or '"1.5' in said
    assert len(upstream.asked) == 1


async def test_upstream_is_asked_politely(source, offer, upstream):
    upstream.says(SAMPLES[offer])
    await asked(source, offer)
    [one] = upstream.asked
    assert one.method == "GET"
    assert one.headers["user-agent"].startswith("Assay/")


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
    with pytest.raises(UpstreamFailed if offer in READS_TEXT else error) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


NONE_OF_THEIRS = [
    "<html>Just a moment</html>", "", "null", "5", '"x"', "[]", "[null]", "{}",
    '{"results": 5, "data": 5, "studies": 5, "seriess": 5, "observations": 5, "value": 5, "id": 5}', "[" * 100_000,
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><x>&b;&b;&b;</x>',
]  # fmt: skip


@pytest.mark.parametrize("body", NONE_OF_THEIRS, ids=range(len(NONE_OF_THEIRS)))
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
        (422, Refused),
        (429, RateLimited),
        (500, UpstreamFailed),
        (503, UpstreamFailed),
    ],
)
@pytest.mark.parametrize("body", [{}, {"detail": "no"}, "<html>no</html>", {"error": None}, ""])
async def test_a_refusal_is_told_in_our_words(source, offer, upstream, status, error, body):
    upstream.says(body, status=status, retry_after="7")
    with pytest.raises(error) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]
    assert "<html" not in failure.value.text()
    if status == 429:
        assert failure.value.retry_after == 7


@pytest.mark.parametrize("trouble", [CUT, HALF, SILENT])
async def test_no_answer_is_network_trouble(source, offer, upstream, trouble):
    source.seconds = 0.15
    upstream.says(trouble)
    with pytest.raises(Network) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize("told", [(b"", 401), (b"", 500), ({"error": f"bad key {KEY}"}, 200), (CUT, 0), ("x", 200)])
async def test_the_key_is_never_told(source, offer, upstream, told, caplog):
    caplog.set_level(logging.DEBUG)
    upstream.says(*told)
    with pytest.raises(ToolError) as failure:
        await asked(source, offer)
    assert KEY not in f"{failure.value!r}{failure.value.text()}{failure.value.__cause__!r}{caplog.text}"


@pytest.mark.parametrize("said", [f"api_key={KEY} is wrong", f"Bad Request. {KEY}"])
async def test_a_key_that_an_upstream_repeats_is_not_passed_on(http, upstream, said):
    upstream.says({"error_message": said}, status=400)
    with pytest.raises(ToolError) as failure:
        await built("fred", http, upstream.url).ask("observations", question(("fred", "observations")))
    assert KEY not in failure.value.text()


JUNK = st.sampled_from(
    [None, True, 5, -1, 2**70, 1.5, "", "<b>", "\ud800", "0:0:0:0", "2025", [], {}, [1], {"a": {}}, [[]], {"0": []}]
)


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
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.parametrize("offer", OFFERS, ids="-".join)
async def test_no_answer_however_broken_raises_anything_but_a_tool_error(offer, data):
    sample = SAMPLES[offer]
    if isinstance(sample, str):
        start = data.draw(st.integers(0, len(sample)))
        end = data.draw(st.integers(start, len(sample)))
        body = (sample[:start] + data.draw(st.text(max_size=30)) + sample[end:]).encode(errors="replace")
    else:
        body = json.dumps(_mutated(sample, data)).encode()
    upstream, http = await Upstream().start(), Http(pause=0)
    upstream.says(body)
    try:
        for found in await built(offer[0], http, upstream.url).ask(offer[1], question(offer)):
            json.dumps(found.wire(), allow_nan=False).encode()
    except ToolError as failure:
        assert not isinstance(failure, InvalidInput)  # either way is right, but not this one
    finally:
        await http.close()
        await upstream.close()
