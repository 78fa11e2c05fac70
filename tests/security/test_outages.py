"""Upstreams that are down, in every way there is: an outage is never an empty answer, and says nothing of what exists."""

import json

import pytest
import pytest_asyncio

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient

DOI = "10.1234/otters.1"
REFERENCE = "Brook, A. (2021). Otters and their stones, part 1. River Letters."
UPSTREAMS = (
    "arxiv", "clinicaltrials", "core", "courtlistener", "crossref", "doi", "edgar", "epo", "eurostat", "exa", "fred",
    "google_patents", "lens", "oecd", "openalex", "pubmed", "searchapi", "semanticscholar", "unpaywall", "uspto",
    "wayback", "worldbank",
)  # fmt: skip
KEYS = (
    "CORE_API_KEY", "EPO_OPS_CONSUMER_KEY", "EPO_OPS_CONSUMER_SECRET", "EXA_API_KEY", "FRED_API_KEY", "LENS_API_TOKEN",
    "SEARCHAPI_API_KEY", "USPTO_API_KEY", "OPENALEX_EMAIL",
)  # fmt: skip
CALLS = {
    **{f"works-{name}": ("academic_search", {"query": "otters", "provider": name})
       for name in ("core", "crossref", "exa", "openalex", "pubmed", "semanticscholar")},
    "works": ("academic_search", {"query": "otters"}),
    "work": ("academic_search", {"query": DOI}),
    **{f"patents-{name}": ("patent_search", {"query": "stone", "provider": name})
       for name in ("epo", "lens", "searchapi", "searxng", "uspto")},
    "patents": ("patent_search", {"query": "stone"}),
    "graph": ("citation_graph", {"paper": DOI}),
    "ticker": ("filing_search", {"ticker": "OTTR"}),
    "cik": ("filing_search", {"query": "0000320193"}),
    "filings": ("filing_search", {"query": "stones that otters keep"}),
    "cases": ("legal_search", {"query": "otters"}),
    "trials": ("clinical_search", {"query": "otters"}),
    **{f"series-{name}": ("econ_search", {"query": "otters", "provider": name})
       for name in ("eurostat", "fred", "oecd", "worldbank")},
    **{f"values-{name}": ("econ_search", {"series_id": series, "provider": name})
       for name, series in (("eurostat", "une_rt_m"), ("fred", "GDP"), ("oecd", "A,B,1.0"), ("worldbank", "NY.GDP"))},
    "search": ("cinder_search", {"query": "otters"}),
    "read": ("cinder_search_and_scrape", {"query": "otters"}),
}  # fmt: skip
WAYS = {
    "500": (500, "{}"),
    "503 page": (503, "<html><title>Down for maintenance</title></html>"),
    "login": (200, "<html><title>Sign in</title><form>password</form></html>"),
    "nothing": (200, ""),
    "null": (200, "null"),
    "list": (200, "[]"),
    "word": (200, '"ok"'),
    "object": (200, "{}"),
    "error": (200, '{"error": "internal"}'),
    "half": (200, '{"results": [{"title": '),
    "moved": (301, ""),
}
GONE = {"404": (404, "<html><title>No such service</title></html>")}
OUTAGES = {"upstream_unavailable", "network", "blocked", "auth_required"}


class DownPages(dict):
    """Every address answers the same."""

    def __init__(self, said) -> None:
        self._said = said

    def get(self, path, default=None):
        return self._said


@pytest.fixture
def environ(environ, site) -> dict[str, str]:
    there = {f"{name.upper()}_BASE_URL": f"{site.url}/{name}" for name in UPSTREAMS}
    return environ | there | dict.fromkeys(KEYS, "ada@river.example")


@pytest_asyncio.fixture
async def impatient_services(services):
    """Second tries come at once."""
    services.http = ProviderClient(services.settings, pause=0)
    yield services


def down(site, status: int, body: str) -> None:
    site.says("/", body, status, "text/html" if "<html" in body else "application/json")
    site.pages = DownPages(site.pages["/"])


@pytest.mark.parametrize("way", [*WAYS, *GONE])
@pytest.mark.parametrize("call", CALLS)
async def test_an_outage_is_an_error_and_never_an_empty_answer(call, way, impatient_services, site):
    if way in GONE and call in ("graph", "work", "cik"):
        pytest.skip("there, this is how nothing is found")
    down(site, *(WAYS | GONE)[way])
    tool, arguments = CALLS[call]
    reply = await invoke(tool, arguments, Context(impatient_services, Caller()))
    assert site.requests
    assert reply.error, reply.text
    assert reply.error.kind in OUTAGES, reply.error.text()


@pytest.mark.parametrize("way", [*WAYS, *GONE])
@pytest.mark.parametrize("citation", [DOI, REFERENCE])
async def test_an_outage_does_not_accuse_a_citation(citation, way, impatient_services, site):
    down(site, *(WAYS | GONE)[way])
    reply = await invoke("verify_citation", {"citation": citation}, Context(impatient_services, Caller()))
    assert reply.wire["verificationStatus"] == "uncertain"
    assert reply.wire["retractionCheck"] == "unchecked"
    assert "exists" not in reply.wire
    entry = {"doi": citation} if citation == DOI else {"title": "Otters and their stones, part 1", "author": "Brook"}
    audit = await invoke("audit_bibliography", {"entries": [entry]}, Context(impatient_services, Caller()))
    [output] = audit.wire["entries"]
    assert output["flags"] == ["unchecked"], json.dumps(output)
    assert "exists" not in output
