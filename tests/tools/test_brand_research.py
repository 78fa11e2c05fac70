"""A company's brand, by the path that every caller takes, from hosts that stand side by side on loopback."""

import json

import pytest

from assay.scraping.brand_page_links import PATHS, SUBDOMAINS
from assay.sessions import recording
from assay.settings import Settings

WWW = "www.acme.example"
HOME = """<html><head><title>Acme</title><meta property="og:site_name" content="Acme">
<meta name="theme-color" content="#e4002b"><meta name="description" content="Anvils since 1949.">
<link rel="icon" href="/favicon.ico"></head><body><h1>Welcome to Acme</h1><p>We make anvils for every purpose.</p>
<p>They fall where they should.</p><footer><a href="/press">Press kit</a> <a href="/brand">Brand guidelines</a></footer>
</body></html>"""
PORTAL = (
    "<html><head><title>Acme brand guidelines</title></head><body><main><h1>Brand guidelines</h1>"
    "<h2>Primary colors</h2><p>Rocket Red #E4002B</p><p>Desert Sand #EDC9AF</p><p>Sky #87CEEB</p>"
    "<h2>Typography</h2><p>Headline font: Acme Display</p><p>Body: Inter</p>"
    "<h2>Tone of voice</h2><p>We speak plainly, as a neighbour would.</p>"
    f"<h2>Logo usage</h2>{'<p>Leave as much room around the logo as the letter A is high, on every side.</p>' * 12}"
    "</main></body></html>"
)
THIN = "<html><head><title>Brand guidelines</title></head><body><h1>Brand</h1><p>Loading our logo.</p></body></html>"


@pytest.fixture
def fake_hosts(fake_hosts):
    fake_hosts.says(WWW, "/", HOME)
    return fake_hosts


@pytest.fixture
def research(ask, fake_hosts):
    async def research(url=f"http://{WWW}/", **more):
        reply = await ask("brand_research", url=url, **more)
        assert reply.error is None, reply.error
        return reply

    return research


async def test_quick_reads_the_homepage_once_and_nothing_else(research, fake_hosts):
    reply = await research(depth="quick")
    assert [tuple(visit) for visit in fake_hosts.visits] == [("GET", WWW, "/")]
    wire = reply.wire
    assert wire["identity"] == {"name": "Acme", "domain": "acme.example", "description": "Anvils since 1949."}
    assert wire["colors"]["primary"] == "#e4002b"
    assert wire["logos"] == {"favicon": f"http://{WWW}/favicon.ico"}
    assert wire["coverage"] == {"colors": "partial", "logos": "partial", "typography": "none", "tone_of_voice": "none"}
    assert wire["trust"] == "untrusted-external-content"
    assert wire["cache_age"] == 0
    [tier] = wire["sources"]
    assert (tier["name"], tier["url"]) == ("homepage_meta", f"http://{WWW}/")
    assert "identity.name" in tier["fields"]
    assert "scrape_page" in wire["suggestion"]
    assert "design_tokens" not in wire
    assert "guidelines_url" not in wire


async def test_full_asks_twenty_six_places_at_most_eight_at_a_time(research, fake_hosts, site):
    results(site)
    for name in SUBDOMAINS:
        fake_hosts.says(f"{name}.acme.example", "/nothing", "")
    fake_hosts.seconds = 0.02
    await research(depth="full")
    others = {f"{name}.acme.example/" for name in SUBDOMAINS}
    linked = {f"{WWW}/press", f"{WWW}/brand"}
    assert set(fake_hosts.list_requests("HEAD")) == (others | {WWW + path for path in PATHS}) - linked
    assert set(fake_hosts.list_requests("GET")) == linked | {f"{WWW}/"}
    assert len(fake_hosts.visits) == 1 + 26
    assert 1 < fake_hosts.most_at_once <= 8


@pytest.mark.parametrize("answers", [[], SUBDOMAINS], ids=["no hosts beside it", "five hosts beside it"])
@pytest.mark.parametrize("page", ["", HOME, "<h1>Anvils</h1><p>They are heavy.</p>", PORTAL], ids=range(4))
async def test_standard_makes_at_most_twelve_requests(research, fake_hosts, answers, page):
    """Whatever stands at the places where a portal may be, and however many pages lie inside it."""
    links = "".join(f'<a href="/brand/colors-{n}">Colors {n}</a>' for n in range(9))
    for host, path in [*((f"{name}.acme.example", "/") for name in answers), *((WWW, path) for path in PATHS)]:
        fake_hosts.says(host, path, page.replace("<h1>Brand", f"{links}<h1>Brand"), 200 if page else 404)
    for n in range(9):
        fake_hosts.says(WWW, f"/brand/colors-{n}", PORTAL)
    await research()
    assert len(fake_hosts.visits) <= 12


async def test_a_company_without_a_portal_takes_six_requests(research, fake_hosts):
    fake_hosts.says(WWW, "/", HOME.partition("<footer>")[0])
    await research()
    assert len(fake_hosts.visits) == 6


async def test_a_linked_portal_takes_no_search(research, fake_hosts):
    fake_hosts.says(WWW, "/", HOME.partition("<footer>")[0] + '<a href="/company/press-kit">Press kit</a>')
    fake_hosts.says(WWW, "/company/press-kit", PORTAL)
    assert (await research()).wire["guidelines_url"] == f"http://{WWW}/company/press-kit"
    assert [tuple(visit)[1:] for visit in fake_hosts.visits] == [(WWW, "/"), (WWW, "/company/press-kit")]


async def test_a_portal_that_a_service_keeps_is_found_by_its_link(research, fake_hosts):
    link = '<a href="http://acme.frontify.com/d/x">Our brand</a><a href="http://other.example/brand">Partner brand</a>'
    fake_hosts.says(WWW, "/", HOME.replace("</body>", f"{link}</body>"))
    fake_hosts.says("acme.frontify.com", "/d/x", PORTAL)
    fake_hosts.says("other.example", "/brand", PORTAL)
    assert (await research()).wire["guidelines_url"] == "http://acme.frontify.com/d/x"
    assert "other.example" not in {visit.host for visit in fake_hosts.visits}


async def test_a_portal_is_read_and_its_text_kept_aside(research, fake_hosts, ask, services, new_session):
    fake_hosts.says(WWW, "/brand-guidelines", PORTAL)
    session = await new_session()
    reply = await research(include_design_tokens=True, sessionId=session)
    wire = reply.wire
    assert wire["guidelines_url"] == f"http://{WWW}/brand-guidelines"
    assert [swatch["hex"] for swatch in wire["colors"]["palette"]] == ["#e4002b", "#edc9af", "#87ceeb"]
    assert wire["typography"]["heading"]["family"] == "Acme Display"
    assert wire["tone_of_voice"]["summary"] == "We speak plainly, as a neighbour would."
    assert wire["coverage"] == {"colors": "full", "logos": "partial", "typography": "full", "tone_of_voice": "found"}
    assert wire["design_tokens"]["color"]["brand"] == {"$value": "#e4002b", "$type": "color"}
    assert [tier["name"] for tier in wire["sources"]] == ["homepage_meta", "brand_page"]
    assert "suggestion" not in wire
    assert wire["brand_portal_resource"].startswith("research://artifact/")
    text = await ask("read_artifact", id=wire["brand_portal_resource"])
    assert "Rocket Red #E4002B" in text.wire["content"]
    assert fake_hosts.list_requests("GET").count(f"{WWW}/brand-guidelines") == 1
    seen = await recording.list_sources(services.table, "local", "local", session)
    assert {source["url"] for source in seen} == {f"http://{WWW}/", f"http://{WWW}/brand-guidelines"}


async def test_a_host_of_its_own_beats_a_path(research, fake_hosts):
    fake_hosts.says(WWW, "/brand", PORTAL)
    fake_hosts.says("design.acme.example", "/", PORTAL)
    assert (await research()).wire["guidelines_url"] == "http://design.acme.example/"


async def test_what_is_kept_is_reported_with_its_age_and_its_text_outlives_the_artifact(
    research, fake_hosts, clock, ask
):
    fake_hosts.says(WWW, "/brand", PORTAL)
    await research()
    visits = len(fake_hosts.visits)
    clock.forward(3600)
    reply = await research(include_design_tokens=True)
    assert len(fake_hosts.visits) == visits
    assert reply.meta["cached"] is True
    assert 3600 <= reply.wire["cache_age"] < 3700
    assert "design_tokens" in reply.wire
    assert (await ask("read_artifact", id=reply.wire["brand_portal_resource"])).error is None
    clock.forward(86_400)
    assert (await research()).wire["cache_age"] == 0
    assert len(fake_hosts.visits) > visits


@pytest.mark.parametrize(
    ("path", "status", "headers", "body"),
    [
        ("/brand", 302, {"location": "/"}, ""),
        ("/brand", 302, {"location": f"http://{WWW}/?from=brand"}, ""),
        ("/brand", 302, {"location": "http://elsewhere.example/brand"}, ""),
        ("/brand", 200, {}, HOME),
        ("/brand", 200, {}, "<title>Page not found</title><h1>404</h1><p>Try our press kit.</p>"),
        ("/brand", 200, {}, "<title>Sign in</title><h1>Log in</h1><p>Brand kit, logo, colors.</p>"),
        ("/brand", 404, {}, PORTAL),
        ("/brand", 403, {}, PORTAL),
        ("/brand", 500, {}, PORTAL),
        ("/brand", 200, {}, "<title>Acme</title><h1>Brand new anvils</h1><p>They are heavy.</p>"),
        ("/brand", 200, {"content_type": "image/png"}, b"\x89PNG\r\n\x1a\n brand kit"),
    ],
)
async def test_what_leads_home_or_elsewhere_or_says_no_is_not_a_portal(
    research, fake_hosts, path, status, headers, body
):
    fake_hosts.says("elsewhere.example", "/brand", PORTAL)
    fake_hosts.says(WWW, "/?from=brand", HOME)
    fake_hosts.says(WWW, path, body, status, **headers)
    wire = (await research()).wire
    assert "guidelines_url" not in wire
    assert "brand_portal_resource" not in wire
    assert wire["coverage"]["tone_of_voice"] == "none"


async def test_a_host_that_answers_everything_with_the_homepage_has_no_portal(research, fake_hosts):
    for path in PATHS:
        fake_hosts.says(WWW, path, HOME)
    fake_hosts.says("brand.acme.example", "/", HOME)
    assert "guidelines_url" not in (await research()).wire


async def test_a_server_without_head_is_asked_by_get(research, fake_hosts):
    fake_hosts.says(WWW, "/brand", PORTAL)
    fake_hosts.refuse_head = True
    assert (await research()).wire["guidelines_url"] == f"http://{WWW}/brand"


async def test_the_pages_inside_a_portal_are_read_too(research, fake_hosts):
    links = (
        '<a href="/brand/colors">Colors</a><a href="http://elsewhere.example/colors">Colors</a><a href="/shop">Shop</a>'
    )
    fake_hosts.says(WWW, "/brand", PORTAL.replace("<h1>", links + "<h1>"))
    inner = "<h1>Secondary colors</h1><p>Canyon #B5651D</p>" + "<p>Use it with care, for it is a strong one.</p>" * 5
    fake_hosts.says(WWW, "/brand/colors", inner)
    wire = (await research()).wire
    assert "#b5651d" in [swatch["hex"] for swatch in wire["colors"]["palette"]]
    assert not [visit for visit in fake_hosts.visits if visit.host == "elsewhere.example" or visit.path == "/shop"]


async def test_a_portal_that_shows_little_says_so(research, fake_hosts):
    fake_hosts.says("brand.acme.example", "/", THIN)
    wire = (await research()).wire
    assert wire["guidelines_url"] == "http://brand.acme.example/"
    assert wire["coverage"]["extraction_blocked"] is True
    assert "scrape_page on http://brand.acme.example/" in wire["suggestion"]


async def test_a_host_that_leads_into_private_networks_is_not_a_candidate(services, ask, fake_hosts):
    async def resolve(host, port):
        return ["10.0.0.1"] if host.startswith("brand.") else await fake_hosts.seams["resolve"](host, port)

    fake_hosts.says("brand.acme.example", "/", PORTAL)
    services.settings = Settings.read({"ASSAY_HOME": str(services.settings.home)})
    services.web_overrides["resolve"] = resolve
    reply = await ask("brand_research", url=f"http://{WWW}/")
    assert "guidelines_url" not in reply.wire
    assert not [visit for visit in fake_hosts.visits if visit.host == "brand.acme.example"]


async def test_a_domain_alone_is_enough_and_https_is_not_needed(research, fake_hosts):
    fake_hosts.says("acme.example", "/", HOME)
    assert (await research("acme.example", depth="quick")).wire["identity"]["name"] == "Acme"


@pytest.mark.parametrize(("status", "kind"), [(404, "not_found"), (403, "blocked"), (500, "upstream_unavailable")])
async def test_an_outage_is_not_an_empty_brand(ask, fake_hosts, status, kind):
    fake_hosts.says(WWW, "/", "<h1>no</h1>", status)
    assert (await ask("brand_research", url=f"http://{WWW}/")).error.kind in (kind, "network")


async def test_a_name_that_does_not_resolve_is_network_trouble(ask, fake_hosts):
    assert (await ask("brand_research", url="nobody.example")).error.kind == "network"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "url or company_name"),
        ({"url": "", "company_name": ""}, "url or company_name"),
        ({"url": "ftp://acme.example/"}, "http"),
        ({"url": "acme.example", "depth": "deep"}, "depth"),
        ({"url": "http://user:pass@acme.example/"}, "password"),
        ({"url": "http://169.254.169.254/"}, "metadata"),
        ({"url": "a b"}, "url"),
    ],
)
async def test_a_wrong_argument_is_the_callers_fault(ask, fake_hosts, wrong, said):
    reply = await ask("brand_research", **wrong)
    assert reply.error.kind == "validation"
    assert said in reply.error.sentence().lower()
    assert fake_hosts.visits == []


def results(site, *pairs):
    rows = [{"title": title, "url": url, "content": ""} for title, url in pairs]
    site.says("/searxng/search", json.dumps({"results": rows}), kind="application/json")


async def test_a_company_is_found_by_its_name(ask, fake_hosts, site):
    results(
        site,
        ("Acme - Wikipedia", "https://en.wikipedia.org/wiki/Acme"),
        ("Acme | LinkedIn", "https://www.linkedin.com/company/acme"),
        ("Not them", "https://acme-fans.example/"),
        ("Acme", "https://www.acme.example/about"),
    )
    reply = await ask("brand_research", company_name="Acme Inc.", depth="quick")
    assert reply.wire["identity"]["domain"] == "acme.example"
    assert "%22Acme+Inc.%22+official+website" in site.requests[0].path


async def test_no_site_is_guessed_for_a_name(ask, fake_hosts, site):
    results(site, ("Acme - Wikipedia", "https://en.wikipedia.org/wiki/Acme"), ("Anvils", "https://other.example/acme"))
    reply = await ask("brand_research", company_name="Acme")
    assert reply.error.kind == "not_found"
    assert "domain in url" in reply.error.sentence()


async def test_full_searches_for_a_portal_that_no_probe_finds(research, fake_hosts, site):
    results(
        site,
        ("Acme fans", "https://fans.example/acme-brand"),
        ("Acme brand", "http://identity.acme.example/guide"),
    )
    fake_hosts.says("identity.acme.example", "/guide", PORTAL)
    wire = (await research(depth="full")).wire
    assert wire["guidelines_url"] == "http://identity.acme.example/guide"
    assert wire["sources"][-1]["name"] == "web_search"
    assert "fans.example" not in {visit.host for visit in fake_hosts.visits}


async def test_full_without_a_search_says_so_and_is_not_kept(research, fake_hosts, site):
    site.says("/searxng/search", "no", 500)
    wire = (await research(depth="full")).wire
    assert "could not be searched" in wire["warnings"][0]
    assert (await research(depth="full")).meta.get("cached") is not True


async def test_brandfetch_comes_first_where_it_has_a_key(services, ask, fake_hosts, site):
    keys = {"BRANDFETCH_API_KEY": "k", "BRANDFETCH_BASE_URL": site.url}
    services.settings = Settings.read(dict(services.settings.environ) | keys)
    brand = {
        "name": "Acme Corporation",
        "colors": [{"hex": "#0000ff", "type": "brand"}, {"hex": "#00ff00", "type": "accent"}],
        "fonts": [{"name": "Lora", "type": "title"}],
        "logos": [
            {"type": "logo", "theme": "dark", "formats": [{"src": "https://cdn.example/l.svg", "format": "svg"}]}
        ],
    }
    site.says("/v2/brands/acme.example", json.dumps(brand), kind="application/json")
    context = {"identity": {"tagline": "It falls."}, "brand": {"voice": {"summary": "Plain.", "attributes": ["plain"]}}}
    site.says("/v2/context/acme.example", json.dumps(context), kind="application/json")
    wire = (await ask("brand_research", url=f"http://{WWW}/")).wire
    assert wire["identity"]["name"] == "Acme Corporation"
    assert wire["identity"]["description"] == "Anvils since 1949."
    assert (wire["colors"]["primary"], wire["colors"]["accent"]) == ("#0000ff", "#00ff00")
    assert wire["tone_of_voice"] == {"summary": "Plain.", "attributes": ["plain"]}
    assert [tier["name"] for tier in wire["sources"]] == ["brandfetch_api", "brandfetch_api", "homepage_meta"]
    assert {one.headers["authorization"] for one in site.requests} == {"Bearer k"}


async def test_brandfetch_out_of_order_takes_nothing_away(services, ask, fake_hosts, site):
    keys = {"BRANDFETCH_API_KEY": "k", "BRANDFETCH_BASE_URL": site.url}
    services.settings = Settings.read(dict(services.settings.environ) | keys)
    site.says("/v2/brands/acme.example", "no", 500)
    wire = (await ask("brand_research", url=f"http://{WWW}/", depth="quick")).wire
    assert wire["identity"]["name"] == "Acme"
    assert "brandfetch" in wire["warnings"][0]


async def test_equal_questions_at_once_are_one_piece_of_work(research, fake_hosts):
    import asyncio

    fake_hosts.seconds = 0.02
    replies = await asyncio.gather(*(research(depth="quick") for _ in range(10)))
    assert fake_hosts.list_requests() == [f"{WWW}/"]
    assert all(reply.wire["identity"]["name"] == "Acme" for reply in replies)
