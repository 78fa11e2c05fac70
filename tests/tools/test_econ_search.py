"""Statistics found and read, by the path that every caller takes."""

import asyncio
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.settings import Settings

GDP = {"id": "GDP", "title": "Gross Domestic Product", "units": "Billions of Dollars", "frequency": "Quarterly",
       "last_updated": "2026-09-26 07:46:06-05", "notes": "BEA Account Code: A191RC", "popularity": 93}  # fmt: skip
INDICATORS = [
    {"id": "NY.GDP.MKTP.CD", "name": "GDP (current US$)", "unit": "", "sourceNote": "Value added."},
    {"id": "NY.GDP.MKTP.KD.ZG", "name": "GDP growth (annual %)", "unit": "", "sourceNote": ""},
    {"id": "SL.UEM.TOTL.ZS", "name": "Unemployment, total (% of total labor force)", "unit": "", "sourceNote": None},
    {"id": "FP.CPI.TOTL", "name": "Consumer price index (2010 = 100)", "unit": "", "sourceNote": ""},
    {"id": None, "name": None},
]
FLOWS = {
    "data": {
        "dataflows": [
            {"id": "DSD_STES@DF_CLI", "agencyID": "OECD.SDD.STES", "version": "4.1", "name": "Composite leading indicators",
             "names": {"en": "Composite leading indicators"}},
            {"id": "DSD_LFS@DF_IALFS", "agencyID": "OECD.SDD.TPS", "version": "1.0", "name": "Monthly unemployment rates"},
            {"id": 5, "agencyID": None, "name": None},
        ]
    }
}  # fmt: skip
CONTENTS = "\n".join(
    "\t".join(row)
    for row in [
        ('"title"', '"code"', '"type"', '"last update of data"', '"last table structure change"', '"data start"',
         '"data end"', '"values"'),
        ('"Database by themes"', '"data"', '"folder"', " ", " ", " ", " ", ""),
        ('"    Unemployment by sex and age - monthly data"', '"une_rt_m"', '"dataset"', '"31.10.2026"', '"01.10.2026"',
         '"1983-01"', '"2026-09"', "700000"),
        ('"    Unemployment by sex and age - annual data"', '"une_rt_a"', '"dataset"', '"12.09.2026"', '"12.09.2026"',
         '"2003"', '"2025"', "9000"),
        ('"    Unemployment by sex and age - monthly data"', '"une_rt_m"', '"dataset"', '"31.10.2026"', '"01.10.2026"',
         '"1983-01"', '"2026-09"', "700000"),
    ]
)  # fmt: skip


def cube(periods, values, *, geo=("DE",), sex=("F", "M"), status=None):
    """A cube of sex, unit, place and time; `values` by place in it."""
    names = {"sex": sex, "unit": ("PC_ACT",), "geo": geo, "time": periods}
    labels = {"F": "Females", "M": "Males", "PC_ACT": "Percentage of the labour force", "DE": "Germany", "FR": "France"}
    return {
        "version": "2.0", "class": "dataset", "label": "Unemployment by sex", "id": list(names),
        "size": [len(codes) for codes in names.values()],
        "dimension": {
            name: {"category": {"index": {code: place for place, code in enumerate(codes)},
                                "label": {code: labels.get(code, code) for code in codes}}}
            for name, codes in names.items()
        },
        "value": values, "status": status or {},
    }  # fmt: skip


def message(periods, series, *, areas=("DEU",)):
    """A message of area, measure and sex; `series` by key gives its figures by period."""
    return {
        "meta": {},
        "data": {
            "dataSets": [
                {"structure": 0, "dimensionGroupAttributes": {"~:0:~": [0]},
                 "series": {key: {"attributes": [1], "observations": output} for key, output in series.items()}}
            ],
            "structures": [
                {"name": "Unemployment rates",
                 "dimensions": {
                     "series": [
                         {"id": "REF_AREA", "values": [{"id": area, "name": area} for area in areas]},
                         {"id": "UNIT_MEASURE", "values": [{"id": "PT_LF", "name": "Percentage of labour force"}]},
                         {"id": "SEX", "values": [{"id": "F", "name": "Female"}, {"id": "M", "name": "Male"}]},
                     ],
                     "observation": [{"id": "TIME_PERIOD", "values": [{"id": period} for period in periods]}],
                 },
                 "attributes": {
                     "dimensionGroup": [{"id": "DECIMALS", "values": [{"id": "1", "name": "One"}]}],
                     "series": [{"id": "UNIT_MULT", "values": [{"id": "0", "name": "Units"}, {"id": "3", "name": "Thousands"}]}],
                     "observation": [{"id": "OBS_STATUS", "values": [{"id": "A", "name": "Normal value"}, {"id": "P", "name": "Provisional value"}]}],
                 }}
            ],
        },
    }  # fmt: skip


STRUCTURE = {
    "data": {
        "dataStructures": [
            {"dataStructureComponents": {"dimensionList": {"dimensions": [
                {"id": "SEX", "position": 2}, {"id": "UNIT_MEASURE", "position": 1}, {"id": "REF_AREA", "position": 0},
            ]}}}
        ]
    }
}  # fmt: skip
FLOW = "OECD.SDD.TPS,DSD_LFS@DF_IALFS,1.0"


@pytest.fixture
def upstreams(services, site):
    """Four providers on loopback, FRED with a key; `says(path, body)` sets what one answers."""
    more = {f"{name.upper()}_BASE_URL": f"{site.url}/{name}" for name in ("fred", "worldbank", "oecd", "eurostat")}
    services.settings = Settings.read(dict(services.settings.environ) | more | {"FRED_API_KEY": "k-secret"})

    def says(path, body, status=200, kind="application/json"):
        site.says(path, body if isinstance(body, str) else json.dumps(body), status, kind)

    says("/fred/fred/series/search", {"seriess": [GDP]})
    says("/worldbank/v2/indicator", [{"page": 1, "pages": 1, "total": 4}, INDICATORS])
    says("/oecd/dataflow/all/all/latest", FLOWS)
    says("/oecd/dataflow/OECD.SDD.TPS/DSD_LFS@DF_IALFS/1.0", STRUCTURE)
    says("/eurostat/catalogue/toc/txt", "\ufeff" + CONTENTS, kind="text/plain; charset=utf-8")
    return says


def sent_request(site, at=-1):
    """The path and the query of what was asked."""
    parts = urlsplit(site.requests[at].path)
    return parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}


def figures(reply):
    return [(row["date"], row.get("value")) for row in reply.wire["results"]]


# FRED


async def test_fred_is_searched_first_where_there_is_a_key(ask, upstreams, site):
    reply = await ask("econ_search", query="gross domestic product", num_results=2)
    assert reply.wire == {
        "mode": "series",
        "query": "gross domestic product",
        "results": [
            {
                "seriesId": "GDP",
                "title": "Gross Domestic Product",
                "units": "Billions of Dollars",
                "frequency": "Quarterly",
                "lastUpdated": "2026-09-26 07:46:06-05",
                "notes": "BEA Account Code: A191RC",
                "popularity": 93,
            }
        ],
        "resultCount": 1,
        "provider": "fred",
        "trust": "untrusted-external-content",
    }
    path, query = sent_request(site)
    assert path == "/fred/fred/series/search"
    assert query == {
        "search_text": "gross domestic product",
        "limit": "10",
        "order_by": "popularity",
        "sort_order": "desc",
        "api_key": "k-secret",
        "file_type": "json",
    }
    assert "`GDP`: Gross Domestic Product · Billions of Dollars" in reply.text


async def test_series_whose_titles_share_more_words_come_first(ask, upstreams):
    popular = GDP | {"id": "UNRATE", "title": "Unemployment Rate"}
    meant = GDP | {"id": "LRUN64TTUSQ156S", "title": "Unemployment Rate of Youth"}
    upstreams("/fred/fred/series/search", {"seriess": [popular, meant]})
    reply = await ask("econ_search", query="youth unemployment rate", num_results=1)
    assert [row["seriesId"] for row in reply.wire["results"]] == ["LRUN64TTUSQ156S"]


async def test_a_figure_keeps_its_digits_and_a_gap_has_none(ask, upstreams, site):
    rows = [{"date": "2026-07-01", "value": "30331.1170"}, {"date": "2026-04-01", "value": "."}]
    upstreams("/fred/fred/series/observations", {"observations": rows})
    reply = await ask("econ_search", series_id="GDP", frequency="q", units="pc1")
    assert reply.wire["results"] == [
        {"seriesId": "GDP", "date": "2026-07-01", "available": True, "value": "30331.1170"},
        {"seriesId": "GDP", "date": "2026-04-01", "available": False},
    ]
    assert (reply.wire["mode"], reply.wire["seriesId"], reply.wire["provider"]) == ("observations", "GDP", "fred")
    _, query = sent_request(site)
    assert query == {
        "series_id": "GDP",
        "limit": "10",
        "frequency": "q",
        "units": "pc1",
        "sort_order": "desc",
        "api_key": "k-secret",
        "file_type": "json",
    }
    assert "2026-04-01: no value" in reply.text


async def test_fred_is_asked_for_the_oldest_from_a_date_on(ask, upstreams, site):
    upstreams("/fred/fred/series/observations", {"observations": []})
    await ask("econ_search", series_id="GDP", date_from="2010", date_to="2012-02")
    _, query = sent_request(site)
    assert (query["observation_start"], query["observation_end"], query["sort_order"]) == (
        "2010-01-01",
        "2012-02-29",
        "asc",
    )


async def test_a_frequency_may_be_written_in_capitals(ask, upstreams, site):
    upstreams("/fred/fred/series/observations", {"observations": []})
    await ask("econ_search", series_id="GDP", frequency="Q", provider="fred")
    assert sent_request(site)[1]["frequency"] == "q"


async def test_a_series_that_fred_does_not_have_is_nothing_found(ask, upstreams, site):
    response = {"error_code": 400, "error_message": "Bad Request.  The series does not exist."}
    upstreams("/fred/fred/series/observations", response, 400)
    for _ in range(2):
        reply = await ask("econ_search", series_id="GDPX")
        assert (reply.error, reply.wire["results"], reply.wire["resultCount"]) == (None, [], 0)
        assert "search with query" in reply.wire["warnings"][0]
        assert reply.wire["hints"]["providersAttempted"] == ["fred"]
        assert "does not mean" in reply.text
    assert len(site.requests) == 2  # and not kept


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Bad Request.  The value for variable api_key is not registered.", "auth_required"),
        ("Bad Request.  Value of frequency is not one of: 'm', 'q'.", "upstream_unavailable"),
    ],
)
async def test_what_fred_refuses_is_reported_without_the_key(ask, upstreams, said, kind):
    upstreams("/fred/fred/series/observations", {"error_code": 400, "error_message": said}, 400)
    refused = (await ask("econ_search", series_id="GDP", frequency="d")).error
    assert (refused.kind, refused.provider, refused.retryable) == (kind, "fred", False)
    assert "k-secret" not in refused.text()
    assert kind == "auth_required" or "'m', 'q'" in refused.message


async def test_wrong_questions_do_not_close_fred_to_others(ask, upstreams):
    upstreams("/fred/fred/series/observations", {"error_message": "Bad Request. The series does not exist."}, 400)
    for number in range(8):
        await ask("econ_search", series_id=f"NONE{number}")
    upstreams("/fred/fred/series/observations", {"observations": [{"date": "2026-07-01", "value": "1"}]})
    assert (await ask("econ_search", series_id="GDP")).wire["resultCount"] == 1


async def test_fred_without_its_key_says_what_to_set(services, ask, upstreams):
    services.settings = Settings.read({**services.settings.environ, "FRED_API_KEY": ""})
    refused = (await ask("econ_search", query="gdp", provider="fred")).error
    assert (refused.kind, refused.suggested_action, refused.provider) == ("config", "check_api_key", "fred")
    assert "FRED_API_KEY" in refused.message
    assert refused.alternatives == ("eurostat", "oecd", "worldbank")


# World Bank


async def test_without_a_key_the_world_bank_is_asked(services, ask, upstreams):
    services.settings = Settings.read({**services.settings.environ, "FRED_API_KEY": ""})
    reply = await ask("econ_search", query="gdp growth")
    assert reply.wire["provider"] == "worldbank"
    assert [row["seriesId"] for row in reply.wire["results"]] == ["NY.GDP.MKTP.KD.ZG"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("gdp", ["NY.GDP.MKTP.CD", "NY.GDP.MKTP.KD.ZG"]),
        ("Growth GDP", ["NY.GDP.MKTP.KD.ZG"]),
        ("total unemployment", ["SL.UEM.TOTL.ZS"]),
        ("rate of unemployment", []),
        ("CPI", ["FP.CPI.TOTL"]),
        ("UNEMPLOYMENT labor", ["SL.UEM.TOTL.ZS"]),
        ("OECD unemployment", ["SL.UEM.TOTL.ZS"]),
        ("sl.uem.totl.zs", ["SL.UEM.TOTL.ZS"]),
        ("US$", ["NY.GDP.MKTP.CD"]),
        ("zebra", []),
        ("%", []),
    ],
)
async def test_every_word_must_stand_in_the_name(ask, upstreams, query, found):
    reply = await ask("econ_search", query=query, provider="worldbank")
    assert [row["seriesId"] for row in reply.wire["results"]] == found
    assert ("hints" in reply.wire) == (not found)


async def test_a_catalogue_is_fetched_once_for_all_words(ask, upstreams, site):
    for query in ("gdp", "growth", "total", "nothing"):
        await ask("econ_search", query=query, provider="worldbank")
    assert [sent_request(site, at) for at in range(len(site.requests))] == [
        ("/worldbank/v2/indicator", {"format": "json", "source": "2", "per_page": "2000"})
    ]


async def test_a_catalogue_of_several_pages_is_read_whole(ask, upstreams, site):
    upstreams("/worldbank/v2/indicator", [{"page": 1, "pages": 3, "total": 9}, INDICATORS[:1]])
    upstreams(
        "/worldbank/v2/indicator?format=json&source=2&per_page=2000&page=3",
        [{"page": 3, "pages": 3, "total": 9}, INDICATORS[3:]],
    )
    reply = await ask("econ_search", query="consumer price", provider="worldbank")
    assert [row["seriesId"] for row in reply.wire["results"]] == ["FP.CPI.TOTL"]
    assert len(site.requests) == 3


async def test_a_catalogue_outlives_the_process_and_is_renewed_by_age(ask, upstreams, site, services, clock):
    await ask("econ_search", query="gdp", provider="worldbank")
    del services.catalogues
    clock.forward(3_600)
    await ask("econ_search", query="growth", provider="worldbank")
    assert len(site.requests) == 1
    clock.forward(24 * 3_600)
    upstreams("/worldbank/v2/indicator", [{"total": 1}, [{"id": "A.B", "name": "GDP of tomorrow"}]])
    reply = await ask("econ_search", query="gdp", provider="worldbank")
    assert [row["seriesId"] for row in reply.wire["results"]] == ["A.B"]


async def test_an_old_catalogue_serves_while_no_new_one_can_be_had(ask, upstreams, site, clock):
    await ask("econ_search", query="gdp", provider="worldbank")
    clock.forward(30 * 3_600)
    upstreams("/worldbank/v2/indicator", "no", 404)
    for query in ("growth", "total"):
        reply = await ask("econ_search", query=query, provider="worldbank")
        assert reply.wire["resultCount"] == 1
        assert "could not be refreshed" in reply.wire["warnings"][0]
    assert len(site.requests) == 2


@pytest.mark.parametrize("body", [[{"total": 0}, []], [{"total": 1}, [{"id": None}]], "<html>no</html>", [], {}])
async def test_a_list_without_series_is_an_outage_and_not_kept(ask, upstreams, body):
    upstreams("/worldbank/v2/indicator", body)
    assert (await ask("econ_search", query="gdp", provider="worldbank")).error.kind == "upstream_unavailable"
    upstreams("/worldbank/v2/indicator", [{"total": 4}, INDICATORS])
    assert (await ask("econ_search", query="gdp", provider="worldbank")).wire["resultCount"] == 2


def world_bank(*years, value=None):
    """The text of an answer whose figures are digits of our own choosing."""
    row = '{{"indicator":{{"id":"X"}},"countryiso3code":"DEU","date":"{0}","value":{1},"unit":"","decimal":0}}'
    return f'[{{"page":1,"pages":1,"total":9}},[{",".join(row.format(year, value or year) for year in years)}]]'


async def test_a_number_is_not_rounded_on_its_way(ask, upstreams, site):
    exact = "4525703903627.5300001234567890"
    upstreams("/worldbank/v2/country/DEU/indicator/NY.GDP.MKTP.CD", world_bank(2025, value=exact))
    reply = await ask("econ_search", series_id="NY.GDP.MKTP.CD", country="DEU", provider="worldbank")
    assert figures(reply) == [("2025", exact)]
    assert reply.wire["country"] == "DEU"
    assert sent_request(site)[1] == {"format": "json", "per_page": "10"}


@pytest.mark.parametrize("gap", ["null", "NaN", '""', '".."', "true", "[]"])
async def test_what_is_not_a_number_is_a_gap(ask, upstreams, gap):
    upstreams("/worldbank/v2/country/WLD/indicator/A.B", world_bank(2025, value=gap))
    [row] = (await ask("econ_search", series_id="A.B")).wire["results"]
    assert (row["date"], row["available"], "value" in row) == ("2025", False, False)


async def test_an_id_that_only_one_provider_can_have_goes_to_it(ask, upstreams):
    upstreams("/worldbank/v2/country/WLD/indicator/NY.GDP.MKTP.CD", world_bank(2025))
    reply = await ask("econ_search", series_id="NY.GDP.MKTP.CD")
    assert (reply.wire["provider"], reply.wire["country"]) == ("worldbank", "WLD")


async def test_from_a_date_on_the_oldest_come_first_though_the_world_bank_lists_the_newest(ask, upstreams, site):
    upstreams("/worldbank/v2/country/WLD/indicator/A.B", world_bank(2014, 2013, 2012, 2011, 2010))
    reply = await ask("econ_search", series_id="A.B", date_from="2010-06-01", date_to="2014", num_results=3)
    assert figures(reply) == [("2010", "2010"), ("2011", "2011"), ("2012", "2012")]
    assert sent_request(site)[1] == {"format": "json", "per_page": "1000", "date": "2010:2014"}


async def test_until_a_date_the_newest_before_it_are_kept(ask, upstreams, site):
    upstreams("/worldbank/v2/country/WLD/indicator/A.B", world_bank(2014, 2013, 2012))
    reply = await ask("econ_search", series_id="A.B", date_to="2013-03", num_results=1)
    assert figures(reply) == [("2013", "2013")]
    assert sent_request(site)[1]["date"] == "1900:2013"


@pytest.mark.parametrize(
    ("number", "kind"), [("120", None), ("175", None), ("105", "upstream_unavailable"), ("150", "upstream_unavailable")]
)
async def test_a_message_under_status_200_is_a_refusal_or_nothing_found(ask, upstreams, number, kind):
    message = {"id": number, "key": "Invalid value", "value": "The provided parameter value is not valid"}
    upstreams("/worldbank/v2/country/WLD/indicator/A.B", [{"message": [message]}])
    reply = await ask("econ_search", series_id="A.B")
    if kind is None:
        assert (reply.error, reply.wire["resultCount"]) == (None, 0)
        assert "worldbank has no series 'A.B' for WLD" in reply.wire["warnings"][0]
    else:
        assert (reply.error.kind, reply.error.provider) == (kind, "worldbank")


async def test_years_without_data_are_nothing_found(ask, upstreams):
    upstreams("/worldbank/v2/country/ATA/indicator/A.B", [{"page": 0, "pages": 0, "total": 0}, None])
    reply = await ask("econ_search", series_id="A.B", country="ATA")
    assert reply.wire["results"] == []
    assert reply.wire["hints"]["filtersApplied"] == {"country": "ATA"}


async def test_what_a_provider_cannot_honour_is_reported(ask, upstreams):
    upstreams("/worldbank/v2/country/WLD/indicator/A.B", world_bank(2014))
    reply = await ask("econ_search", series_id="A.B", units="pch", frequency="m")
    assert reply.wire["warnings"] == ["worldbank does not support frequency, units; ignored."]


# OECD


async def test_flows_are_found_by_their_names(ask, upstreams, site):
    reply = await ask("econ_search", query="unemployment monthly", provider="oecd")
    assert reply.wire["results"] == [{"seriesId": FLOW, "title": "Monthly unemployment rates"}]
    assert sent_request(site) == ("/oecd/dataflow/all/all/latest", {"detail": "allstubs"})
    assert site.requests[-1].headers["accept"] == "application/vnd.sdmx.structure+json"


async def test_the_country_stands_where_the_structure_puts_it_and_the_newest_are_kept(ask, upstreams, site):
    text = '{"0":[3.10,0],"1":[3.20,0],"2":[3.30,1]}'
    body = json.dumps(message(["2025-11", "2025-12", "2026-01"], {"0:0:0": "A", "0:0:1": "B"}))
    body = body.replace('"A"}', f"{text}}}").replace('"B"}', '{"0":[4.0,0],"2":[null,0]}}')
    upstreams(f"/oecd/data/{FLOW}/DEU..", body)
    reply = await ask("econ_search", series_id=FLOW, country="DE", num_results=3)
    assert reply.wire["results"] == [
        {"seriesId": FLOW, "date": "2026-01", "available": True, "value": "3.30", "notes": "Provisional value",
         "title": "Unemployment rates — Female", "units": "Percentage of labour force, Thousands"},
        {"seriesId": FLOW, "date": "2026-01", "available": False,
         "title": "Unemployment rates — Male", "units": "Percentage of labour force, Thousands"},
        {"seriesId": FLOW, "date": "2025-12", "available": True, "value": "3.20",
         "title": "Unemployment rates — Female", "units": "Percentage of labour force, Thousands"},
    ]  # fmt: skip
    assert reply.wire["provider"] == "oecd"
    assert sent_request(site) == (
        f"/oecd/data/{FLOW}/DEU..",
        {"dimensionAtObservation": "TIME_PERIOD", "lastNObservations": "3"},
    )
    assert site.requests[-1].headers["accept"] == "application/vnd.sdmx.data+json;version=2.0.0"


async def test_bounds_are_whole_years_for_the_oecd_and_finer_here(ask, upstreams, site):
    periods = ["2024-05", "2024-06", "2024-07", "2024-08"]
    upstreams(f"/oecd/data/{FLOW}/all", message(periods, {"0:0:0": {str(at): [f"{at}.0"] for at in range(4)}}))
    reply = await ask("econ_search", series_id=FLOW, date_from="2024-06-15", date_to="2024-07", num_results=5)
    assert figures(reply) == [("2024-06", "1.0"), ("2024-07", "2.0")]
    query = sent_request(site)[1]
    assert (query["startPeriod"], query["endPeriod"], query["firstNObservations"]) == ("2024", "2024", "58")


async def test_a_structure_is_asked_for_once_a_day(ask, upstreams, site, clock):
    upstreams(f"/oecd/data/{FLOW}/DEU..", message(["2024"], {"0:0:0": {"0": [1]}}))
    for expected in (1, 2, 3):
        await ask("econ_search", series_id=FLOW, country="DEU", num_results=expected)
    structures = [one for one in site.requests if "references=datastructure" in one.path]
    assert (len(structures), len(site.requests)) == (1, 4)
    clock.forward(25 * 3_600)
    await ask("econ_search", series_id=FLOW, country="DEU", num_results=4)
    assert len(site.requests) == 6


async def test_days_before_a_bound_do_not_hide_those_after_it(ask, upstreams, site):
    days = [f"2024-{month:02}-{day:02}" for month in (1, 2, 3) for day in range(1, 29)]
    path = f"/oecd/data/{FLOW}/all?dimensionAtObservation=TIME_PERIOD&startPeriod=2024"
    first = {"0:0:0": {str(at): [at] for at in range(55)}}
    upstreams(f"{path}&firstNObservations=55", message(days, first))
    upstreams(path, message(days, {"0:0:0": {str(at): [at] for at in range(84)}}))
    reply = await ask("econ_search", series_id=FLOW, date_from="2024-03-20", num_results=2)
    assert figures(reply) == [("2024-03-20", "75"), ("2024-03-21", "76")]


async def test_a_version_may_be_left_out(ask, upstreams, site):
    upstreams("/oecd/data/OECD.SDD.TPS,DSD_LFS@DF_IALFS,/all", message(["2024"], {"0:0:0": {"0": [1]}}))
    reply = await ask("econ_search", series_id="OECD.SDD.TPS,DSD_LFS@DF_IALFS")
    assert figures(reply) == [("2024", "1")]


async def test_a_country_is_refused_where_a_flow_knows_none(ask, upstreams):
    order = [{"id": "FREQ", "position": 0}]
    structure = {"data": {"dataStructures": [{"dataStructureComponents": {"dimensionList": {"dimensions": order}}}]}}
    upstreams("/oecd/dataflow/OECD.SDD.TPS/DSD_LFS@DF_IALFS/1.0", structure)
    refused = (await ask("econ_search", series_id=FLOW, country="DEU")).error
    assert (refused.kind, refused.field) == ("validation", "country")


async def test_a_flow_without_data_is_nothing_found(ask, upstreams):
    upstreams(f"/oecd/data/{FLOW}/DEU..", "NoRecordsFound", 404, "text/plain")
    reply = await ask("econ_search", series_id=FLOW, country="DEU")
    assert (reply.error, reply.wire["resultCount"]) == (None, 0)
    assert f"oecd has no data under {FLOW!r} for DEU" in reply.wire["warnings"][0]


async def test_many_series_side_by_side_are_reported_as_such(ask, upstreams):
    areas = [f"A{at}" for at in range(40)]
    series = {f"{at}:0:0": {"0": [at]} for at in range(40)}
    upstreams(f"/oecd/data/{FLOW}/all", message(["2024"], series, areas=areas))
    reply = await ask("econ_search", series_id=FLOW, num_results=2)
    assert reply.wire["results"][1]["title"] == "Unemployment rates — A1, Female"
    assert "40 different series" in reply.wire["warnings"][0]


# Eurostat


async def test_datasets_are_found_in_the_table_of_contents(ask, upstreams, site):
    reply = await ask("econ_search", query="unemployment monthly", provider="eurostat")
    assert reply.wire["results"] == [
        {
            "seriesId": "une_rt_m",
            "title": "Unemployment by sex and age - monthly data",
            "frequency": "monthly",
            "lastUpdated": "2026-10-31",
            "notes": "1983-01 to 2026-09",
        }
    ]
    assert sent_request(site) == ("/eurostat/catalogue/toc/txt", {"lang": "EN"})


async def test_a_cube_is_read_by_its_strides(ask, upstreams, site):
    body = json.dumps(cube(["2026-08", "2026-09"], {"0": 1, "1": "X", "2": 3, "3": 4}, status={"1": "p", "2": "bp"}))
    upstreams("/eurostat/statistics/1.0/data/une_rt_m", body.replace('"X"', "3.90"))
    reply = await ask("econ_search", series_id="une_rt_m", country="DEU", num_results=3)
    labour = "Percentage of the labour force"
    assert reply.wire["results"] == [
        {"seriesId": "une_rt_m", "date": "2026-09", "available": True, "value": "3.90", "units": labour,
         "title": "Unemployment by sex — Females", "notes": "provisional"},
        {"seriesId": "une_rt_m", "date": "2026-09", "available": True, "value": "4", "units": labour,
         "title": "Unemployment by sex — Males"},
        {"seriesId": "une_rt_m", "date": "2026-08", "available": True, "value": "1", "units": labour,
         "title": "Unemployment by sex — Females"},
    ]  # fmt: skip
    assert sent_request(site)[1] == {"format": "JSON", "lang": "EN", "geo": "DE", "lastTimePeriod": "3"}


async def test_a_flag_without_a_figure_is_a_gap(ask, upstreams):
    upstreams("/eurostat/statistics/1.0/data/une_rt_m", cube(["2026"], {}, sex=("F",), status={"0": "c"}))
    reply = await ask("econ_search", series_id="une_rt_m")
    [row] = reply.wire["results"]
    assert (row["available"], row["notes"], "value" in row) == (False, "confidential", False)


@pytest.mark.parametrize(
    ("periods", "since", "until"),
    [
        (["2024", "2025"], "2024", "2025"),
        (["2024-S2", "2025-S1"], "2024-S1", "2025-S2"),
        (["2024-Q3", "2025-Q1"], "2024-Q2", "2025-Q3"),
        (["2024-07", "2025-01"], "2024-06", "2025-08"),
        (["2024-W30", "2025-W02"], "2024-W24", "2025-W35"),
        (["2024-07-01", "2025-01-01"], "2024-06-15", "2025-08-31"),
    ],
)
async def test_bounds_are_periods_of_the_sets_own_rhythm(ask, upstreams, site, periods, since, until):
    upstreams("/eurostat/statistics/1.0/data/une_rt_x", cube(periods, {"0": 1, "1": 2}, sex=("F",)))
    reply = await ask("econ_search", series_id="une_rt_x", date_from="2024-06-15", date_to="2025-08")
    assert figures(reply) == [(periods[0], "1"), (periods[1], "2")]
    query = sent_request(site)[1]
    assert (query["sinceTimePeriod"], query["untilTimePeriod"]) == (since, until)


async def test_a_set_that_refuses_bounds_is_read_whole_and_bounded_here(ask, upstreams, site):
    error = {"error": [{"status": 400, "id": 150, "label": "Invalid time period"}]}
    path = "/eurostat/statistics/1.0/data/mixed_q?format=JSON&lang=EN"
    upstreams(f"{path}&lastTimePeriod=1", cube(["2025"], {"0": 1}, sex=("F",)))
    upstreams(f"{path}&sinceTimePeriod=2024", error, 400)
    upstreams(path, cube(["2023-Q4", "2024-Q1", "2025"], {"0": 1, "1": 2, "2": 3}, sex=("F",)))
    reply = await ask("econ_search", series_id="mixed_q", date_from="2024")
    assert figures(reply) == [("2024-Q1", "2"), ("2025", "3")]


async def test_a_country_that_reports_no_more_shows_its_last_figures(ask, upstreams, site):
    path = "/eurostat/statistics/1.0/data/une_rt_a?format=JSON&lang=EN&geo=UK"
    upstreams(f"{path}&lastTimePeriod=10", cube(["2025"], {}, geo=("UK",), sex=("F",)))
    upstreams(path, cube(["2018", "2019"], {"0": 4.1, "1": 3.9}, geo=("UK",), sex=("F",)))
    reply = await ask("econ_search", series_id="une_rt_a", country="GB")
    assert figures(reply) == [("2019", "3.9"), ("2018", "4.1")]


async def test_nothing_inside_the_bounds_is_not_told_as_more_than_is_shown(ask, upstreams):
    upstreams("/eurostat/statistics/1.0/data/une_rt_a", cube(["2001", "2002"], {"0": 1, "1": 2, "2": 3, "3": 4}))
    reply = await ask("econ_search", series_id="une_rt_a", date_from="2020", num_results=1)
    assert (reply.wire["resultCount"], reply.meta["more_results_available"]) == (0, False)
    assert "warnings" not in reply.wire
    reply = await ask("econ_search", series_id="une_rt_a", date_from="2002", num_results=1)
    assert (reply.wire["resultCount"], reply.meta["more_results_available"]) == (1, True)


async def test_an_unknown_dataset_is_nothing_found(ask, upstreams):
    error = {"error": [{"status": 404, "id": 100, "label": "ERR_NOT_FOUND_4: no such dataset"}]}
    upstreams("/eurostat/statistics/1.0/data/une_xx", error, 404)
    reply = await ask("econ_search", series_id="une_xx")
    assert (reply.error, reply.wire["resultCount"]) == (None, 0)
    assert "eurostat has no dataset 'une_xx'" in reply.wire["warnings"][0]


@pytest.mark.parametrize("status", [200, 413])
async def test_what_is_too_much_at_once_says_how_to_ask_for_less(ask, upstreams, status):
    warning = {"warning": {"status": 413, "label": "ASYNCHRONOUS_RESPONSE. Your request will be treated later."}}
    upstreams("/eurostat/statistics/1.0/data/une_rt_m", warning, status)
    refused = (await ask("econ_search", series_id="une_rt_m")).error
    assert (refused.kind, refused.provider) == ("upstream_unavailable", "eurostat")
    assert "name a country" in refused.message


@pytest.mark.parametrize("period", [{}, {"date_from": "2024"}, {"date_from": "1901", "date_to": "1902"}])
async def test_an_empty_result_of_eurostat_comes_as_an_error_and_is_nothing_found(ask, upstreams, period):
    empty = {"error": [{"status": 400, "id": 100, "label": "No results found"}]}
    upstreams("/eurostat/statistics/1.0/data/une_rt_m", empty, 400)
    reply = await ask("econ_search", series_id="une_rt_m", country="DE", provider="eurostat", **period)
    assert reply.error is None, reply.error
    assert (reply.wire["results"], reply.wire["hints"]["reason"]) == ([], "filters_too_restrictive")
    assert "warnings" not in reply.wire


async def test_the_older_values_are_read_where_eurostat_has_none_in_the_newest_periods(ask, upstreams):
    path = "/eurostat/statistics/1.0/data/une_rt_a?format=JSON&lang=EN&geo=UK"
    upstreams(f"{path}&lastTimePeriod=10", {"error": [{"status": 400, "id": 100, "label": "No results found"}]}, 400)
    upstreams(path, cube(["2018", "2019"], {"0": 4, "1": 3}, sex=("F",)))
    reply = await ask("econ_search", series_id="une_rt_a", country="GB", provider="eurostat")
    assert figures(reply) == [("2019", "3"), ("2018", "4")]


@pytest.mark.parametrize("name", ["oecd", "eurostat"])
async def test_an_answer_larger_than_is_read_closes_nobody_and_says_how_to_ask_for_less(ask, upstreams, name):
    series_id, path = ASKED[name]
    upstreams(path, "[" + " " * 9 * 1024 * 1024 + "]")
    for expected in range(1, 8):
        refused = (await ask("econ_search", series_id=series_id, num_results=expected)).error
        assert (refused.kind, refused.retryable) == ("upstream_unavailable", False)
        assert "name a country" in refused.message


@pytest.mark.parametrize(
    "broken",
    [
        {"size": [2, 1, 1, 9]},
        {"size": [2]},
        {"id": ["sex"]},
        {"id": None},
        {"value": None},
        {"value": 5},
        {"dimension": {}},
        {"size": [10**9, 10**9, 1, 1]},
    ],
)
async def test_a_cube_that_does_not_hold_together_is_an_outage(ask, upstreams, broken):
    upstreams("/eurostat/statistics/1.0/data/une_rt_m", cube(["2025"], {"0": 1}) | broken)
    failure = (await ask("econ_search", series_id="une_rt_m")).error
    assert (failure.kind, failure.provider) == ("upstream_unavailable", "eurostat")


# all of them


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, None),
        ({"query": "  "}, None),
        ({"query": "x" * 501}, "query"),
        ({"series_id": "GDP", "num_results": 0}, "num_results"),
        ({"series_id": "GDP", "num_results": 201}, "num_results"),
        ({"series_id": "GDP", "num_results": 101}, "num_results"),
        ({"query": "gdp", "num_results": 26}, "num_results"),
        ({"series_id": "GDP", "date_from": "2024-13-01"}, "date_from"),
        ({"series_id": "GDP", "date_from": "last year"}, "date_from"),
        ({"series_id": "GDP", "date_to": "2024-02-30"}, "date_to"),
        ({"series_id": "GDP", "date_from": "2025", "date_to": "2024-12-31"}, "date_to"),
        ({"series_id": "GDP", "frequency": "x"}, "frequency"),
        ({"series_id": "GDP", "units": "percent"}, "units"),
        ({"series_id": "GDP", "country": "../x"}, "country"),
        ({"series_id": "GDP/../x", "provider": "worldbank"}, "series_id"),
        ({"series_id": "A.B", "country": "all"}, "country"),
        ({"series_id": "GDP", "provider": "oecd"}, "series_id"),
        ({"series_id": "a b", "provider": "eurostat"}, "series_id"),
        ({"series_id": "GDP", "provider": "imf"}, "provider"),
        ({"serie_id": "GDP"}, "serie_id"),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_anybody_is(ask, upstreams, site, arguments, field):
    refused = (await ask("econ_search", **arguments)).error
    assert refused.kind == ("config" if field == "provider" else "validation")
    assert field in (None, refused.field)
    assert site.requests == []


async def test_a_year_in_which_both_bounds_lie_is_in_order(ask, upstreams):
    upstreams("/fred/fred/series/observations", {"observations": [{"date": "2024-07-01", "value": "1"}]})
    reply = await ask("econ_search", series_id="GDP", date_from="2024-06", date_to="2024")
    assert reply.error is None


async def test_filters_of_values_do_not_narrow_a_search_for_series(ask, upstreams):
    reply = await ask("econ_search", query="gdp", country="DEU", date_from="2020")
    assert reply.wire["warnings"] == ["country, date_from: for values alone, not for finding series; ignored."]


async def test_fifty_who_ask_alike_at_once_ask_upstream_once(ask, upstreams, site):
    upstreams("/worldbank/v2/country/WLD/indicator/A.B", world_bank(2014))
    replies = await asyncio.gather(*(ask("econ_search", series_id="A.B") for _ in range(50)))
    assert {json.dumps(reply.wire) for reply in replies} == {json.dumps(replies[0].wire)}
    assert len(site.requests) == 1


async def test_fifty_searches_for_different_words_fetch_one_catalogue(ask, upstreams, site):
    await asyncio.gather(*(ask("econ_search", query=f"gdp {at}", provider="oecd") for at in range(50)))
    assert len(site.requests) == 1


ASKED = {
    "fred": ("GDP", "/fred/fred/series/observations"),
    "worldbank": ("A.B", "/worldbank/v2/country/WLD/indicator/A.B"),
    "oecd": (FLOW, f"/oecd/data/{FLOW}/all"),
    "eurostat": ("une_rt_m", "/eurostat/statistics/1.0/data/une_rt_m"),
}


@pytest.mark.parametrize("name", ASKED)
async def test_an_outage_is_an_error_and_no_other_provider_answers_for_it(ask, upstreams, at_once, site, name):
    series_id, path = ASKED[name]
    upstreams(path, "down", 503)
    failure = (await ask("econ_search", series_id=series_id, provider=name)).error
    assert (failure.kind, failure.provider, failure.retryable) == ("upstream_unavailable", name, True)
    assert {urlsplit(one.path).path for one in site.requests} == {path}


async def test_words_of_an_upstream_are_data(ask, upstreams):
    evil = GDP | {"title": "GDP <script>alert(1)</script>\u200b\u202e", "notes": "a<b>b</b>" + "x" * 1_000}
    upstreams("/fred/fred/series/search", {"seriess": [evil]})
    [row] = (await ask("econ_search", query="gdp")).wire["results"]
    assert row["title"] == "GDP"
    assert len(row["notes"]) <= 300
