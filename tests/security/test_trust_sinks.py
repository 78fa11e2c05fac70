"""Addresses that citations, sources, records and recommendations name: none of them is asked for inside."""

import json
from itertools import product

import pytest

from assay.caller import Caller

ADA, BOB, EVE = Caller("acme", "ada"), Caller("acme", "bob"), Caller("evil", "eve")
HOSTS = ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "inward.example", "0x7f.1"]
DOI = "10.1234/otters.1"


@pytest.fixture
def environ(environ, site) -> dict[str, str]:
    names = ("crossref", "openalex", "doi", "unpaywall", "semanticscholar", "pubmed", "wayback", "courtlistener")
    there = {f"{name.upper()}_BASE_URL": f"{site.url}/{name}" for name in names}
    return environ | there | {"OPENALEX_EMAIL": "ada@river.example", "CROSSREF_MAILTO": "ada@river.example"}


@pytest.fixture(params=HOSTS)
def inward(request, canary) -> str:
    return f"http://{request.param}:{canary.url.rpartition(':')[2]}/secret"


def records_name(site, inward: str) -> None:
    """Every index says that the work lies at `inward`."""
    at = {"url": inward, "url_for_pdf": inward, "url_for_landing_page": inward, "host_type": "repository"}
    response = {
        "/crossref/works/10.1234%2Fotters.1": {
            "message": {
                "DOI": DOI, "URL": inward, "title": ["Otters"], "resource": {"primary": {"URL": inward}},
                "link": [{"URL": inward, "content-type": "application/pdf"}],
            }
        },
        "/openalex/works/doi:10.1234%2Fotters.1": {
            "id": "https://openalex.org/W1", "doi": f"https://doi.org/{DOI}", "display_name": "Otters",
            "primary_location": {"landing_page_url": inward, "pdf_url": inward},
            "best_oa_location": {"pdf_url": inward}, "open_access": {"is_oa": True, "oa_url": inward},
        },
        "/unpaywall/10.1234%2Fotters.1": {"is_oa": True, "best_oa_location": at, "oa_locations": [at]},
        "/doi/api/handles/10.1234/otters.1": {
            "responseCode": 1, "values": [{"type": "URL", "data": {"format": "string", "value": inward}}]
        },
    }  # fmt: skip
    for path, body in response.items():
        site.says(path, json.dumps(body), kind="application/json")


CALLS = {
    "citation": lambda url: ("verify_citation", {"citation": url, "claim": "Otters keep stones."}),
    "reference": lambda url: ("verify_citation", {"citation": f"Brook (2021). Otters. {url}", "claim": "Otters keep."}),
    "entry": lambda url: ("audit_bibliography", {"entries": [{"url": url, "claim": "Otters keep stones."}]}),
    "document": lambda url: ("audit_bibliography", {"bibliography": f"@misc{{a, title={{Otters}}, url={{{url}}}}}"}),
    "manuscript": lambda url: ("audit_document", {"url": url}),
    "linked": lambda url: (
        "audit_document",
        {"text": f"Otters keep stones [1], see <{url}>.\n\n# References\n\n[1] Brook A. Otters. 2021. {url}\n"},
    ),
    "recommended": lambda url: ("verify_recommendation", {"recommendations": [{"title": "The best", "url": url}]}),
    "archived": lambda url: ("archive_source", {"url": url}),
    "paper": lambda url: ("paper_fulltext", {"identifier": url}),
    "crawl": lambda url: ("cinder_crawl", {"url": url}),
}


@pytest.mark.parametrize("call", CALLS)
async def test_what_a_caller_names_inside_is_not_asked(call, inward, ask, canary):
    tool, arguments = CALLS[call](inward)
    reply = await ask(tool, **arguments)
    assert canary.requests == []
    output = json.dumps(reply.wire)
    assert '"linkLive": true' not in output
    assert '"linkLive": false' not in output, "what was not asked is not dead"
    assert "dead_link" not in output


@pytest.mark.parametrize("call", [name for name in CALLS if name not in ("archived", "crawl")])
@pytest.mark.parametrize("status", [302, 307])
async def test_what_redirects_inside_is_not_followed(call, status, inward, ask, site, canary):
    site.says("/otters", "", status, headers={"location": inward})
    tool, arguments = CALLS[call]("http://river.example/otters")
    await ask(tool, **arguments)
    assert any(one.path == "/otters" for one in site.requests)
    assert canary.requests == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("paper_fulltext", {"identifier": DOI}),
        ("verify_citation", {"citation": DOI, "claim": "Otters keep stones."}),
        ("audit_bibliography", {"entries": [{"doi": DOI, "claim": "Otters keep stones."}]}),
    ],
    ids=["fulltext", "citation", "entry"],
)
async def test_what_a_record_names_inside_is_not_asked(tool, arguments, inward, ask, site, canary):
    records_name(site, inward)
    await ask(tool, **arguments)
    assert any("otters.1" in one.path for one in site.requests)
    assert canary.requests == []


async def test_sources_of_a_session_that_lie_inside_are_not_asked(inward, ask, site, canary, services):
    begun = await ask("sequential_search", searchStep="otters", stepNumber=1, nextStepNeeded=True)
    session = begun.wire["sessionId"]
    row = {"url": inward, "title": "Otters", "content": "Otters", "engine": "x"}
    site.says("/searxng/search", json.dumps({"query": "otters", "results": [row]}), kind="application/json")
    result = await ask("web_search", query="otters", provider="searxng", sessionId=session)
    assert result.wire["urls"]
    for tool, more in (("research_export", {"verify_links": True}), ("audit_bibliography", {})):
        reply = await ask(tool, sessionId=session, **more)
        assert reply.error is None
    assert canary.requests == []


ODD = ["../x", "x#STEP#1", "*", "%2e%2e", "x\nSTEP", "session/x", "crawl/../x", "\u202ex", "x" * 128]


@pytest.mark.parametrize("odd", ODD)
async def test_no_text_is_a_way_to_somebody_elses_session_or_crawl(odd, ask):
    mine = await ask("sequential_search", ADA, searchStep="otters", stepNumber=1, nextStepNeeded=True)
    crawl = await ask("cinder_crawl", ADA, url="http://river.example/")
    session, job = mine.wire["sessionId"], crawl.wire["crawlId"]
    for name in (odd, f"../{session}", f"{session}/", session.upper(), f"acme/ada/{session}", f"{session}#{odd}"[:128]):
        for tool in ("get_research_session", "research_export", "audit_bibliography", "format_bibliography"):
            reply = await ask(tool, EVE, sessionId=name)
            assert reply.error.kind == "session_not_found", (tool, name)
    for name in (job, odd, f"../{job}", f"acme/{job}", f"{job}/"):
        for tool in ("cinder_get_crawl_status", "cinder_cancel_crawl"):
            assert (await ask(tool, EVE, id=name[:128])).error.kind in ("not_found", "validation"), (tool, name)
    assert (await ask("cinder_get_crawl_status", ADA, id=job)).error is None
    for who in (BOB, EVE):
        for tool in ("get_research_session", "research_export", "audit_bibliography", "format_bibliography"):
            assert (await ask(tool, who, sessionId=session)).error.kind == "session_not_found"


@pytest.mark.parametrize("odd", ODD)
async def test_no_text_is_a_way_to_somebody_elses_call(odd, ask):
    arguments = {"query": "otters", "num_results": 1}
    call = (await ask("start_tool_call", ADA, tool="search_and_scrape", arguments=arguments)).wire["callId"]
    for name in (call, odd, f"../{call}", f"acme/{call}", f"{call}/", call.upper()):
        for tool, who in product(("get_tool_call", "cancel_tool_call"), (BOB, EVE)):
            assert (await ask(tool, who, id=name[:128])).error.kind in ("not_found", "validation"), (tool, name)


async def test_ids_of_sessions_carry_enough_chance(ask):
    import uuid

    ids = {
        (await ask("sequential_search", searchStep=f"{n}", stepNumber=1, nextStepNeeded=True)).wire["sessionId"]
        for n in range(20)
    }
    assert len(ids) == 20
    assert {uuid.UUID(one).version for one in ids} == {4}
