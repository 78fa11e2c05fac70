"""verify_recommendation, through `invoke`, like every entry point."""

import json

import pytest
from tests.support.pages import html, prose


@pytest.fixture
def fake_hosts(fake_hosts, at_once):
    return fake_hosts


@pytest.fixture
def verify(ask):
    async def verify(*recommendations, **more):
        reply = await ask("verify_recommendation", recommendations=list(recommendations), **more)
        assert reply.error is None, reply.error
        return reply.wire

    return verify


@pytest.fixture
def engine(site):
    """What the search engine finds, whatever it is asked."""

    def finds(*rows, status=200):
        results = [{"title": title, "url": url, "content": text, "engine": "x"} for title, url, text in rows]
        body = json.dumps({"query": "x", "results": results})
        site.says("/searxng/search", body, status, kind="application/json")

    finds()
    return finds


async def test_no_password_of_an_address_is_repeated(verify, fake_hosts):
    [item] = (await verify({"title": "Linear", "url": "https://ada:secret@linear.example/"}))["recommendations"]
    assert item["url"] == "https://linear.example/"


@pytest.mark.parametrize(
    ("bio", "title", "kind"),
    [
        ("Senior engineer at Shopify, writes about commerce.", "Shopify", "employment"),
        ("Ada works for Basecamp in Chicago", "Basecamp for small teams", "employment"),
        ("CEO, Linear", "Linear", "employment"),
        ("Marketing manager @HubSpot", "HubSpot CRM", "employment"),
        ("Co-founder and CTO of Plausible", "Plausible Analytics", "founding"),
        ("Gründer von Personio", "Personio", "founding"),
        ("I hold shares in Garmin.", "Garmin Fenix", "equity"),
        ("Angel investor in Notion", "Notion", "funding"),
        ("This review was sponsored by NordVPN.", "NordVPN", "funding"),
        ("Advisor to Figma", "Figma", "advisory"),
    ],
)
async def test_a_stake_in_the_authors_own_words_is_a_conflict(verify, bio, title, kind):
    [item] = (await verify({"title": title, "author": "Ada", "authorBio": bio}))["recommendations"]
    assert (item["flags"], item["conflictOfInterest"]["kind"]) == (["conflict_of_interest"], kind)
    assert item["conflictOfInterest"]["entity"] in bio
    assert item["reasons"]


@pytest.mark.parametrize(
    ("bio", "title"),
    [
        ("Former engineer at Shopify", "Shopify"),
        ("Studied at Notion University", "Notion"),
        ("She spoke at Figma Config", "Figma"),
        ("Engineer at Adobe", "Figma"),
        ("Independent journalist who loves Shopify stores", "Shopify"),
        ("Works for the best software company", "Best software for companies"),
        ("", "Shopify"),
    ],
)
async def test_who_has_no_present_stake_is_not_accused(verify, bio, title):
    [item] = (await verify({"title": title, "authorBio": bio}))["recommendations"]
    assert item["flags"] == []
    assert "conflictOfInterest" not in item


async def test_the_brand_is_known_by_its_address_too(verify, fake_hosts):
    fake_hosts.says("www.shopify.example", "/", "x")
    entry = {
        "title": "The e-commerce platform",
        "url": "http://www.shopify.example/",
        "authorBio": "Engineer at Shopify",
    }
    [item] = (await verify(entry))["recommendations"]
    assert "conflict_of_interest" in item["flags"]


RANKING = "<h2>{0}</h2>" + prose("It has the lowest fees of all and the kindest support. ", times=3)


@pytest.mark.parametrize(
    ("first", "second", "signal"),
    [
        ("1. Shopify", "2. Wix", True),
        ("#1 – Shopify: best overall", "#2 – Wix", True),
        ("1. Wix", "2. Shopify", False),
        ("1. Why Wix beats all", "2. Price", False),
    ],
)
async def test_a_list_that_puts_its_publisher_first_is_shown(verify, fake_hosts, first, second, signal):
    page = html(f"<article><h1>Platforms</h1>{RANKING.format(first)}{RANKING.format(second)}</article>")
    fake_hosts.says("www.shopify.example", "/blog/best", page)
    [item] = (await verify({"title": "Platforms", "url": "http://www.shopify.example/blog/best"}))["recommendations"]
    assert ("selfPromotionSignal" in item) is signal
    if signal:
        assert item["selfPromotionSignal"]["brand"] == "shopify"
        assert "Shopify" in item["selfPromotionSignal"]["evidence"]


async def test_a_recommendation_that_ranks_the_site_it_links_to_is_shown(verify, fake_hosts):
    fake_hosts.says("www.shopify.example", "/", "x")
    [item] = (await verify({"title": "#1 Shopify", "url": "http://www.shopify.example/"}))["recommendations"]
    assert item["selfPromotionSignal"]["brand"] == "shopify"
    assert [visit.method for visit in fake_hosts.visits] == ["HEAD"]  # a front page holds no list


async def test_links_and_reputation_are_reported(verify, fake_hosts):
    fake_hosts.says("arxiv.org", "/", "x")
    fake_hosts.says("gone.example", "/x", "", 404)
    fake_hosts.says("shy.example", "/", "", 403)
    urls = ["http://arxiv.org/", "http://gone.example/x", "http://shy.example/", "http://nobody.example/"]
    items = (await verify(*({"title": "X", "url": url} for url in urls)))["recommendations"]
    assert [item["flags"] for item in items] == [
        [], ["dead_link", "unknown_reputation"], ["unknown_reputation"], ["dead_link", "unknown_reputation"]
    ]  # fmt: skip
    assert [item.get("linkLive") for item in items] == [True, False, None, False]
    assert [item["httpStatus"] for item in items] == [200, 404, 403, 0]
    assert items[0]["domainReputation"]["tier"] == "high"
    assert "unknown, not bad" in items[2]["reasons"][0]


async def test_a_link_is_asked_once_an_hour(verify, fake_hosts, clock):
    fake_hosts.says("a.example", "/", "x")
    for _ in range(2):
        await verify({"title": "A", "url": "http://a.example/"}, {"title": "B", "url": "http://a.example/"})
    assert len(fake_hosts.visits) == 1
    clock.forward(3_700)
    await verify({"title": "A", "url": "http://a.example/"})
    assert len(fake_hosts.visits) == 2


async def test_that_a_link_could_not_be_checked_is_not_kept(verify, fake_hosts):
    fake_hosts.says("a.example", "/", "", 500)
    await verify({"title": "A", "url": "http://a.example/"})
    fake_hosts.says("a.example", "/", "x")
    assert (await verify({"title": "A", "url": "http://a.example/"}))["recommendations"][0]["linkLive"] is True


CLAIM = "cheapest web shop software for small bakeries"


async def test_the_press_is_asked_once_a_lens_and_its_words_are_counted(verify, engine, site):
    engine(
        ("Acme tested", "https://www.wired.com/a", "Acme is the cheapest web shop software for small bakeries."),
        ("Acme fails", "https://www.theverge.com/b", "Acme is not the cheapest web shop software for small bakeries."),
        ("Ovens", "https://arstechnica.com/c", "How ovens are built."),
        ("Acme says", "https://acme.example/d", "Acme is the cheapest web shop software for small bakeries."),
    )
    wire = await verify({"title": "Acme", "url": "http://acme.example/"}, claim=CLAIM)
    searches = {search["lens"]: search for search in wire["recommendations"][0]["corroborationSearches"]}
    assert set(searches) == {"news", "tech"}
    tech = searches["tech"]
    assert (tech["agreeCount"], tech["disagreeCount"], tech["silentCount"], tech["resultCount"]) == (1, 1, 1, 3)
    assert tech["query"] == f"Acme {CLAIM}"
    assert [result["stance"] for result in tech["topResults"]] == ["agree", "disagree", "silent"]
    assert searches["news"]["resultCount"] == 0  # what lies outside a lens is left out
    assert wire["aggregateFlags"] == []


async def test_a_search_that_finds_nothing_is_made_once_a_part_of_its_lens(verify, engine, site, services):
    await verify({"title": "Acme"}, claim=CLAIM)
    requests = [one.path for one in site.requests if "/search" in one.path]
    lenses = services.search.lenses
    parts = sum(-(-len(lenses.find(name).domains) // 10) for name in ("news", "tech"))
    assert len(requests) == len(set(requests)) == parts


async def test_that_nobody_agrees_is_a_flag_of_the_list(verify, engine):
    engine(("Ovens", "https://arstechnica.com/c", "How ovens are built."))
    wire = await verify({"title": "Acme"}, {"title": "Zeta"}, claim=CLAIM)
    assert wire["aggregateFlags"] == ["no_independent_corroboration"]


async def test_that_nobody_could_be_asked_is_not_that_nobody_agrees(verify, engine):
    engine(status=503)
    wire = await verify({"title": "Acme"}, claim=CLAIM)
    assert wire["aggregateFlags"] == ["corroboration_unavailable"]
    assert "corroborationSearches" not in wire["recommendations"][0]
    assert len(wire["recommendations"][0]["corroborationNotes"]) == 2


async def test_companies_and_courts_are_looked_up_in_records_too(verify, engine):
    wire = await verify({"title": "Acme"}, claim="the only company without a federal lawsuit")
    assert {each["lens"] for each in wire["recommendations"][0]["corroborationSearches"]} == {
        "news", "tech", "investigative_records"
    }  # fmt: skip


async def test_without_a_claim_nobody_is_searched(verify, engine, site):
    wire = await verify({"title": "Acme"})
    assert "aggregateFlags" not in wire
    assert [request for request in site.requests if "/search" in request.path] == []


async def test_the_number_of_results_is_the_callers(verify, engine):
    rows = [(f"Acme {n}", f"https://www.wired.com/{n}", "Acme") for n in range(9)]
    engine(*rows)
    wire = await verify({"title": "Acme"}, claim=CLAIM, numCorroborationResults=2)
    tech = next(each for each in wire["recommendations"][0]["corroborationSearches"] if each["lens"] == "tech")
    assert tech["resultCount"] == 2


async def test_the_order_is_the_callers_and_the_marker_is_there(verify):
    wire = await verify(*({"title": f"Item {number}"} for number in range(30)))
    assert [item["title"] for item in wire["recommendations"]] == [f"Item {number}" for number in range(30)]
    assert (wire["itemCount"], wire["trust"]) == (30, "untrusted-external-content")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "recommendations"),
        ({"recommendations": []}, "recommendations"),
        ({"recommendations": [{"title": ""}]}, "recommendations.0.title"),
        ({"recommendations": [{"title": "x"}] * 101}, "recommendations"),
        ({"recommendations": [{"title": "x", "bio": "y"}]}, "recommendations.0.bio"),
        ({"recommendations": [{"title": "x", "authorBio": "y" * 5_000}]}, "recommendations.0.authorBio"),
        ({"recommendations": [{"title": "x"}], "numCorroborationResults": 11}, "numCorroborationResults"),
    ],
)
async def test_what_cannot_be_looked_into_is_reported(ask, arguments, field):
    error = (await ask("verify_recommendation", **arguments)).error
    assert (error.kind, error.field) == ("validation", field)


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest/", "javascript:alert(1)", "http://[::1", "nonsense"])
async def test_odd_addresses_reach_nothing(verify, fake_hosts, url):
    [item] = (await verify({"title": "X", "url": url}))["recommendations"]
    assert item["linkOutcome"] == "unreachable"
    assert "dead_link" not in item["flags"]
    assert fake_hosts.visits == []


async def test_words_of_a_bio_are_read_in_no_time_however_they_are_made(verify):
    bio = ("Head of " * 300 + "A" * 1_000)[:4_000]
    await verify({"title": "Acme", "authorBio": bio}, {"title": "A B " * 100, "authorBio": "at A of " * 400})
