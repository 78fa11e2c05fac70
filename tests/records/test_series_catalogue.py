"""Catalogues searched by words, kept in the store, renewed by age."""

import asyncio

import pytest

from assay.errors import Network, UpstreamFailed
from assay.models.public_records import Series
from assay.records.series_catalogue import SeriesCatalogue, fold_text

NAMES = {
    "A": "GDP growth (annual %)",
    "B": "Quarterly growth of real GDP",
    "C": "Consumer price index: all items",
    "D": "Corporate tax rates",
    "E": "Unemployment rate",
    "F": "Rates of unemployment, by sex",
    "G": "Économie: dépenses à l’étranger",
    "H": "Straße und Brücke",
    "I": "人口 総数",
    "J": "GDP",
}


@pytest.fixture
def catalogue():
    return SeriesCatalogue([{"seriesId": name, "title": title} for name, title in NAMES.items()], 0.0)


def find_ids(catalogue, query, most=9):
    return [one.series_id for one in catalogue.search(query, most).series]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("quarterly GDP growth", ["B"]),
        ("gdp", ["J", "A", "B"]),  # the shortest name is the closest
        ("growth gdp", ["A", "B"]),
        ("rate", ["E", "D", "F"]),  # a whole word before a part of one
        ("unemployment rate", ["E", "F"]),
        ("index price", ["C"]),
        ("CPI", ["C"]),
        ("cpi", []),  # in small letters it may be a part of any word
        ("economie depenses", ["G"]),
        ("STRASSE", ["H"]),
        ("人口", ["I"]),
        ("rate of the unemployment", ["E", "F"]),
        ("of", ["B", "F"]),
        ("F", ["F", "B"]),  # an id that is asked for stands first
        ("gdp zebra", []),
        ("()", []),
    ],
)
def test_every_word_must_stand_in_the_name(catalogue, query, ids):
    assert find_ids(catalogue, query, most=20) == ids


def test_no_more_are_given_than_are_wanted(catalogue):
    assert find_ids(catalogue, "gdp", most=1) == ["J"]


def test_an_acronym_that_no_name_holds_is_left_out_and_said_to_be(catalogue):
    listed = catalogue.search("OECD unemployment rate", 9)
    assert [one.series_id for one in listed.series] == ["E", "F"]
    assert listed.warnings == ["No title contains all words; OECD was ignored."]
    assert catalogue.search("OECD zebra", 9).warnings == []


@pytest.mark.parametrize(
    ("text", "words"), [("US$ (2015=100)", "us 2015 100"), ("A_b-c", "a b c"), ("  ", ""), ("Ñandú", "nandu")]
)
def test_words_are_distinguished_by_letters_and_digits_alone(text, words):
    assert fold_text(text) == words


# in the store


class CountingUpstream:
    def __init__(self):
        self.request_count = 0
        self.says = [Series(series_id="A", title="Cats")]

    async def __call__(self):
        self.request_count += 1
        await asyncio.sleep(0)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


@pytest.fixture
def upstream():
    return CountingUpstream()


async def ids(services, upstream, query="cats"):
    listed = await services.catalogues.search("cat", query, 5, upstream)
    return [one.series_id for one in listed.series], listed.warnings


async def test_it_is_fetched_once_for_all_who_ask_at_once(services, upstream):
    await asyncio.gather(*(ids(services, upstream, f"cats {at}") for at in range(50)))
    assert upstream.request_count == 1


async def test_another_process_finds_it_in_the_store(services, upstream):
    await ids(services, upstream)
    for name in ("catalogues", "cache"):
        del services.__dict__[name]
    assert await ids(services, upstream) == (["A"], [])
    assert upstream.request_count == 1


async def test_a_large_one_is_kept_too(services, upstream):
    upstream.says = [
        Series(series_id=f"S{at}", title=f"Cats and dogs number {at}", notes="x" * 300) for at in range(3_000)
    ]
    await ids(services, upstream)
    for name in ("catalogues", "cache"):
        del services.__dict__[name]
    assert (await ids(services, upstream, "number 2999"))[0] == ["S2999"]
    assert upstream.request_count == 1


async def test_it_is_renewed_after_a_day(services, upstream, clock):
    await ids(services, upstream)
    clock.forward(25 * 3_600)
    upstream.says = [Series(series_id="B", title="Cats")]
    assert await ids(services, upstream) == (["B"], [])


async def test_a_stale_one_serves_while_upstream_is_away_which_is_not_asked_each_time(services, upstream, clock):
    await ids(services, upstream)
    clock.forward(25 * 3_600)
    upstream.says = Network("away", provider="cat")
    for _ in range(3):
        output, warnings = await ids(services, upstream)
        assert output == ["A"]
        assert "The catalogue of cat could not be refreshed; this one is from 20" in warnings[0]
    assert upstream.request_count == 2
    clock.forward(400)
    upstream.says = [Series(series_id="B", title="Cats")]
    assert await ids(services, upstream) == (["B"], [])


async def test_one_that_never_came_is_asked_for_again_by_the_next(services, upstream):
    upstream.says = Network("away", provider="cat")
    with pytest.raises(Network):
        await ids(services, upstream)
    upstream.says = [Series(series_id="A", title="Cats")]
    assert await ids(services, upstream) == (["A"], [])


async def test_an_empty_one_is_an_outage(services, upstream):
    upstream.says = []
    with pytest.raises(UpstreamFailed):
        await ids(services, upstream)


async def test_after_two_weeks_without_upstream_nothing_is_served_from_the_store(services, upstream, clock):
    await ids(services, upstream)
    for name in ("catalogues", "cache"):
        del services.__dict__[name]
    clock.forward(15 * 24 * 3_600)
    upstream.says = Network("away", provider="cat")
    with pytest.raises(Network):
        await ids(services, upstream)
