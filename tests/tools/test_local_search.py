"""Searching for places, by the path that every caller takes."""

import json
import math

import pytest

from assay.sessions import recording

HERE = (47.37, 8.54)


def poi(number, east, **more):
    coordinates = None if east is None else [HERE[0], HERE[1] + east]
    output = {"id": f"loc{number}=", "title": f"Café {number}", "coordinates": coordinates}
    return output | {"url": f"https://cafe{number}.example/"} | more


POIS = [
    poi(0, 0.30),
    poi(1, None),
    poi(
        2,
        0.01,
        postal_address={"displayAddress": "Quai 1, Zürich"},
        contact={"telephone": "+41 44 000 00 00"},
        categories=["café", 5, "bar"],
        rating={"ratingValue": 4.5, "reviewCount": 12},
        opening_hours={
            "current_day": [{"full_name": "Friday", "opens": "08:00", "closes": "18:00"}],
            "days": [
                [{"full_name": "Friday", "opens": "08:00", "closes": "18:00"}],
                [{"full_name": "Saturday", "opens": "09:00", "closes": "12:00"}, None],
            ],
        },
    ),
    poi(3, 0.02),
]


@pytest.fixture
def environ(environ, site):
    return environ | {"BRAVE_API_KEY": "test-key", "BRAVE_BASE_URL": site.url + "/res/v1"}


@pytest.fixture
def serve_results(site):
    def says(pois=POIS, told=({"id": "loc2=", "description": "By the <b>lake</b>."},), status=200):
        ids = [{"id": row["id"]} for row in pois]
        kind = "application/json"
        site.says("/res/v1/web/search", json.dumps({"type": "search", "locations": {"results": ids}}), kind=kind)
        site.says("/res/v1/local/pois", json.dumps({"type": "local_pois", "results": pois}), kind=kind)
        site.says("/res/v1/local/descriptions", json.dumps({"results": list(told)}), status, kind)

    says()
    return says


async def test_a_place_has_all_that_is_known_of_it(ask, serve_results):
    reply = await ask("local_search", query="cafés", latitude=HERE[0], longitude=HERE[1], num_results=1)
    assert set(reply.wire) == {"places", "query", "resultCount", "provider", "trust"}
    assert reply.wire["provider"] == "brave"
    assert reply.wire["places"] == [
        {
            "id": "loc2=",
            "name": "Café 2",
            "address": "Quai 1, Zürich",
            "lat": HERE[0],
            "lon": HERE[1] + 0.01,
            "phone": "+41 44 000 00 00",
            "website": "https://cafe2.example/",
            "categories": ["café", "bar"],
            "rating": 4.5,
            "ratingCount": 12,
            "hours": ["Friday: 08:00-18:00", "Saturday: 09:00-12:00"],
            "description": "By the lake.",
            "source": "brave",
        }
    ]
    assert "1. Café 2 (4.5 of 12 ratings)" in reply.text


async def test_the_nearest_come_first_and_those_of_unknown_whereabouts_last(ask, serve_results):
    reply = await ask("local_search", query="cafés", latitude=HERE[0], longitude=HERE[1])
    assert [place["name"] for place in reply.wire["places"]] == ["Café 2", "Café 3", "Café 0", "Café 1"]


async def test_the_radius_leaves_out_what_is_farther_or_unknown(ask, serve_results):
    degree = 111_195 * math.cos(math.radians(HERE[0]))
    for metres, names in [(degree * 0.025, ["Café 2", "Café 3"]), (degree * 0.015, ["Café 2"])]:
        reply = await ask("local_search", query="cafés", latitude=HERE[0], longitude=HERE[1], radius=metres)
        assert [place["name"] for place in reply.wire["places"]] == names
        assert any(f"{4 - len(names)} place(s)" in warning for warning in reply.wire["warnings"])


async def test_brave_is_asked_three_times_and_told_the_place_once(ask, serve_results, site):
    await ask(
        "local_search", query="cafés", latitude=47.37, longitude=-8.54, near="Paris", country="fr", units="metric"
    )
    first, *others = sorted(site.requests, key=lambda one: "/web/" not in one.path)
    assert first.path == "/res/v1/web/search?q=caf%C3%A9s&count=20&country=FR&result_filter=locations&units=metric"
    assert (first.headers["x-loc-lat"], first.headers["x-loc-long"]) == ("47.370000", "-8.540000")
    assert "x-loc-city" not in first.headers
    ids = "ids=loc0%3D&ids=loc1%3D&ids=loc2%3D&ids=loc3%3D"
    assert {one.path for one in others} == {
        f"/res/v1/local/pois?{ids}&units=metric",
        f"/res/v1/local/descriptions?{ids}",
    }
    assert not any(name.startswith("x-loc") for one in others for name in one.headers)


@pytest.mark.parametrize(
    ("near", "sent"), [("Zürich", "Zürich"), ("東京", "東京"), ("Bern\r\nX-Evil: 1", "Bern X-Evil: 1")]
)
async def test_a_city_is_reported_in_a_header_and_never_makes_one(ask, serve_results, site, near, sent):
    await ask("local_search", query="cafés", near=near, country="CH")
    headers = next(one.headers for one in site.requests if "/web/" in one.path)
    assert headers["x-loc-city"].encode("latin-1").decode() == sent
    assert headers["x-loc-country"] == "CH"
    assert "x-evil" not in headers


async def test_without_coordinates_only_as_many_are_looked_up_as_asked_for(ask, serve_results, site):
    reply = await ask("local_search", query="cafés", near="Zürich", num_results=2, radius=500)
    assert any(one.path.endswith("/local/descriptions?ids=loc0%3D&ids=loc1%3D") for one in site.requests)
    assert reply.wire["warnings"] == ["radius needs latitude and longitude; it was ignored."]


async def test_descriptions_are_not_a_condition(ask, serve_results):
    serve_results(status=500)
    reply = await ask("local_search", query="cafés", near="Zürich")
    assert reply.wire["resultCount"] == 4
    assert not any("description" in place for place in reply.wire["places"])
    assert any("descriptions" in warning for warning in reply.wire["warnings"])


async def test_without_a_location_nothing_found_says_what_is_missing(ask, serve_results):
    serve_results([])
    reply = await ask("local_search", query="cafés")
    assert reply.wire["places"] == []
    assert reply.wire["hints"]["reason"] == "missing_location_anchor"
    assert any("near" in warning for warning in reply.wire["warnings"])
    reply = await ask("local_search", query="cafés", near="Zürich")
    assert reply.wire["hints"]["reason"] == "no_match"


async def test_the_second_asker_is_answered_from_what_is_kept(ask, serve_results, site, services, new_session):
    for session in (await new_session(), await new_session()):
        reply = await ask("local_search", query="cafés", near="Zürich", sessionId=session)
        seen = await recording.list_sources(services.table, "local", "local", session)
        assert {source["url"] for source in seen} == {f"https://cafe{n}.example/" for n in range(4)}
    assert (reply.meta["cached"], reply.meta["maxAgeSeconds"], len(site.requests)) == (True, 6 * 3600, 3)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"latitude": 1}, "longitude"),
        ({"longitude": 1}, "longitude"),
        ({"latitude": 91, "longitude": 1}, "latitude"),
        ({"latitude": 1, "longitude": -181}, "longitude"),
        ({"latitude": "nan", "longitude": 1}, "latitude"),
        ({"latitude": 1, "longitude": 1, "radius": -1}, "radius"),
        ({"latitude": 1, "longitude": 1, "radius": "inf"}, "radius"),
        ({"num_results": 21}, "num_results"),
        ({"units": "feet"}, "units"),
        ({"country": "Switzerland"}, "country"),
    ],
)
async def test_a_wrong_argument_is_named(ask, serve_results, site, wrong, field):
    reply = await ask("local_search", query="cafés", **wrong)
    assert (reply.error.kind, reply.error.field) == ("validation", field)
    assert site.requests == []


async def test_what_is_blank_is_unset(ask, serve_results):
    blank = dict.fromkeys(["near", "latitude", "longitude", "radius", "country", "units", "provider"], "")
    assert (await ask("local_search", query="cafés", **blank)).error is None
    assert (await ask("local_search", query="cafés", **dict.fromkeys(blank))).error is None


async def test_the_poles_and_the_date_line_are_places(ask, serve_results):
    serve_results([poi(0, None, coordinates=[-90, 180]), poi(1, None, coordinates=[-89.999, -180])])
    reply = await ask("local_search", query="huts", latitude=-90, longitude=-180, radius=1000)
    assert [place["name"] for place in reply.wire["places"]] == ["Café 0", "Café 1"]


async def test_another_provider_is_refused_by_name(ask, serve_results, site):
    reply = await ask("local_search", query="cafés", provider="searxng")
    assert (reply.error.kind, reply.error.alternatives) == ("config", ("brave",))
    assert site.requests == []


class TestWithoutKey:
    @pytest.fixture
    def environ(self, environ):
        return {name: value for name, value in environ.items() if name != "BRAVE_API_KEY"} | {
            "SEARCH_PROVIDER": "searxng"
        }

    @pytest.mark.parametrize("given", [{}, {"provider": "brave"}])
    async def test_the_variable_is_named(self, ask, site, given):
        reply = await ask("local_search", query="cafés", **given)
        assert (reply.error.kind, reply.error.suggested_action) == ("config", "check_api_key")
        assert reply.error.provider == "brave"
        assert "BRAVE_API_KEY" in reply.error.sentence()
        assert site.requests == []
