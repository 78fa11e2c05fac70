"""Upstreams that fail and repeat what they were asked: no key, token or address of the operator's is told by us."""

import base64
import json
import logging
from collections.abc import Iterator

import pytest
import pytest_asyncio

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient
from assay.verification.web_archive import archive

WORD = "canary"
KEYS = (
    "BRAVE_API_KEY", "COURTLISTENER_API_TOKEN", "CORE_API_KEY", "EPO_OPS_CONSUMER_KEY", "EPO_OPS_CONSUMER_SECRET",
    "EXA_API_KEY", "FRED_API_KEY", "IA_ACCESS_KEY", "IA_SECRET_KEY", "LENS_API_TOKEN", "LLM_API_KEY",
    "OPENALEX_API_KEY", "PUBMED_API_KEY", "SEARCHAPI_API_KEY", "SEMANTIC_SCHOLAR_API_KEY", "USPTO_API_KEY",
)  # fmt: skip
MAILS = ("OPENALEX_EMAIL", "CROSSREF_MAILTO", "EDGAR_CONTACT_EMAIL", "PUBMED_EMAIL", "UNPAYWALL_EMAIL")
UPSTREAMS = (
    "arxiv", "brave", "clinicaltrials", "core", "courtlistener", "crossref", "doi", "edgar", "epo", "eurostat", "exa",
    "fred", "google_patents", "lens", "oecd", "openalex", "pubmed", "searchapi", "semanticscholar", "unpaywall",
    "uspto", "wayback", "worldbank",
)  # fmt: skip
DOI = "10.1234/otters.1"
CALLS = {
    "epo": ("patent_search", {"query": "stone", "provider": "epo"}, "epo"),
    "lens": ("patent_search", {"query": "stone", "provider": "lens"}, "lens"),
    "uspto": ("patent_search", {"query": "stone", "provider": "uspto"}, "uspto"),
    "searchapi": ("patent_search", {"query": "stone", "provider": "searchapi"}, "searchapi"),
    "patents": ("patent_search", {"query": "stone"}, "lens"),
    "openalex": ("academic_search", {"query": "otters", "provider": "openalex"}, "openalex"),
    "crossref": ("academic_search", {"query": "otters", "provider": "crossref"}, "crossref"),
    "pubmed": ("academic_search", {"query": "otters", "provider": "pubmed"}, "pubmed"),
    "scholar": ("academic_search", {"query": "otters", "provider": "semanticscholar"}, "semanticscholar"),
    "core": ("academic_search", {"query": "otters", "provider": "core"}, "core"),
    "works": ("academic_search", {"query": "otters"}, "openalex"),
    "graph": ("citation_graph", {"paper": DOI, "provider": "semanticscholar"}, "semanticscholar"),
    "counts": ("citation_graph", {"paper": DOI, "provider": "openalex"}, "openalex"),
    "fulltext": ("paper_fulltext", {"identifier": DOI}, "unpaywall"),
    "ticker": ("filing_search", {"ticker": "OTTR"}, "edgar"),
    "filings": ("filing_search", {"query": "stones that otters keep"}, "edgar"),
    "cases": ("legal_search", {"query": "otters"}, "courtlistener"),
    "series": ("econ_search", {"query": "otters", "provider": "fred"}, "fred"),
    "values": ("econ_search", {"series_id": "OTTR", "provider": "fred"}, "fred"),
    "citation": ("verify_citation", {"citation": DOI, "claim": "Otters keep stones."}, "crossref"),
    "reference": ("verify_citation", {"citation": "Brook, A. (2021). Otters and their stones."}, "openalex"),
    "audit": ("audit_bibliography", {"entries": [{"doi": DOI, "claim": "Otters keep stones."}]}, "crossref"),
    "extract": ("cinder_extract", {"urls": ["http://river.example/otters"], "prompt": "the stone"}, "llm"),
}
ANSWERS = {
    "words": (200, lambda said: json.dumps({"error": {"message": said, "code": "bad"}})),
    "unauthorised": (401, lambda said: json.dumps({"error": f"invalid key in {said}"})),
    "refused": (400, lambda said: json.dumps({"error_message": said, "message": said, "detail": said})),
    "forbidden": (403, lambda said: f"<html><title>{said}</title></html>"),
    "missing": (404, lambda said: json.dumps({"error": said})),
    "moved": (302, lambda said: said),
    "slow": (429, lambda said: json.dumps({"message": said})),
    "broken": (500, lambda said: said),
    "odd": (200, lambda said: said),
}


def _secrets() -> dict[str, str]:
    named = {name: f"{WORD}-{name.lower().replace('_', '-')}-73hq" for name in KEYS}
    return named | {name: f"{WORD}.{name.lower().replace('_', '.')}@operator.example" for name in MAILS}


class EchoPages(dict):
    """Pages of a site on which every address answers with the request itself; `here` is what stands there besides."""

    def __init__(self, site, status, shape, here) -> None:
        self._site, self._status, self._shape, self._here, self._said = site, status, shape, here, type(here)

    def get(self, path, default=None):
        if path == "/otters":
            return self._here
        if path == "/robots.txt":
            return None
        request = self._site.requests[-1]
        headers = " ".join(f"{name}: {value}" for name, value in request.headers.items())
        said = f"{request.method} {self._site.url}{request.path} {headers} {request.body.decode(errors='replace')}"
        if "accesstoken" in path and self._status != 401:  # so that the question itself is asked, too
            return self._said(json.dumps({"access_token": f"{WORD}-lent", "expires_in": "1200"}).encode(), 200, {})
        kind = "application/json" if self._status != 403 else "text/html"
        headers = {"content-type": kind, "location": f"{self._site.url}{request.path}", "x-rejection-reason": "Quota"}
        return self._said(self._shape(said).encode(), self._status, headers)


@pytest.fixture
def environ(environ, site) -> dict[str, str]:
    there = {f"{name.upper()}_BASE_URL": f"{site.url}/{name}" for name in UPSTREAMS}
    model = {"LLM_BASE_URL": f"{site.url}/llm/v1", "LLM_MODEL": "otter-1"}
    return environ | there | model | _secrets()


@pytest_asyncio.fixture
async def impatient_services(services):
    """Second tries come at once."""
    services.http = ProviderClient(services.settings, pause=0)
    yield services


def find_secrets(text: str) -> Iterator[str]:
    """The secrets in a text, plain, in base64 or in an address."""
    secrets = _secrets()
    pair = base64.b64encode(f"{secrets['EPO_OPS_CONSUMER_KEY']}:{secrets['EPO_OPS_CONSUMER_SECRET']}".encode())
    yield from (name for name, value in secrets.items() if value in text or value.replace("@", "%40") in text)
    yield from (what for what in (pair.decode(), f"{WORD}-lent") if what in text)
    if WORD in text:
        yield text[max(0, text.index(WORD) - 60) :][:160]


def echoes(site, answer: str) -> None:
    """Let the site have one page, and repeat everything else that it is asked."""
    site.says("/otters", "<article><h1>Otters</h1>" + "<p>Otters keep a favourite stone all their lives.</p>" * 20)
    site.pages = EchoPages(site, *ANSWERS[answer], site.pages["/otters"])


def was_secret_sent(site, upstream: str) -> bool:
    """Whether the upstream was asked with something that is nobody else's business."""
    request_texts = [f"{one.path} {one.headers}" for one in site.requests if f"/{upstream}" in one.path]
    return any(WORD in one or "Basic " in one for one in request_texts)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("call", CALLS)
async def test_what_an_upstream_repeats_of_our_keys_is_never_disclosed(
    call, answer, impatient_services, site, audit, caplog
):
    caplog.set_level(logging.DEBUG)
    tool, arguments, upstream = CALLS[call]
    echoes(site, answer)
    reply = await invoke(tool, arguments, Context(impatient_services, Caller()))
    assert was_secret_sent(site, upstream)
    assert reply.error is None or reply.error.kind != "internal"
    failure = reply.error.text() if reply.error else ""
    for output in (json.dumps([reply.body(), reply.meta], ensure_ascii=False), reply.text, failure, caplog.text):
        assert list(find_secrets(output)) == []
    assert list(find_secrets(json.dumps(audit()))) == []


@pytest.mark.parametrize("answer", ANSWERS)
async def test_what_the_archive_repeats_of_our_keys_is_never_disclosed(answer, impatient_services, site, caplog):
    caplog.set_level(logging.DEBUG)
    echoes(site, answer)
    ctx = Context(impatient_services, Caller(), deadline=None)
    output = await archive(ctx, "http://river.example/otters", seconds=5.5, pauses=(0, 0), poll=0.05)
    assert was_secret_sent(site, "wayback")
    assert list(find_secrets(repr(output))) == []
    assert list(find_secrets(caplog.text)) == []
