"""A call of every tool, and one world that answers them all: with something, with nothing, or not at all.

The sample of a tool is `SAMPLE` in its own test module, arguments or a coroutine that makes them, or a line of `SAMPLES`
here, where it shares the world of other tools. A test module may define `says_sample(world)`: what an upstream that no
other tool asks says.
"""

import base64
import io
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.conftest import ARTICLE, Site
from tests.support.fake_hosts import FakeHosts
from tests.support.fake_scholarly_apis import FakeScholarlyApis, paper, record, work
from tests.support.fake_scholarly_apis import addresses as scholarly

from assay.provider_base.provider_lookup import list_provider_names
from assay.services import Services
from assay.state import artifacts
from assay.workspaces.workspace_store import WorkspaceMembers

type Arguments = dict[str, Any]
type Call = Callable[[str, Arguments], Awaitable[Any]]

HOST = "river.example"
PAGE = f"http://{HOST}/otters"
DOI = "10.1234/otters.1"
ARCHIVED = "http://93.184.215.14/otters"  # public by its number: no name is asked for
SERIES = {"id": "GDP", "title": "Gross Domestic Product", "units": "Billions", "frequency": "Quarterly", "notes": "x",
          "last_updated": "2026-09-26 07:46:06-05", "popularity": 93}  # fmt: skip
STUDY = {
    "protocolSection": {
        "identificationModule": {"nctId": "NCT04280705", "briefTitle": "Otter trial"},
        "statusModule": {"overallStatus": "COMPLETED", "startDateStruct": {"date": "2020-02-21"}},
        "designModule": {"phases": ["PHASE3"]},
    },
    "hasResults": True,
}
CASE = {"absolute_url": "/opinion/1/otter-v-weir/", "caseName": "Otter v. Weir", "citation": ["1 U.S. 1"],
        "citeCount": 1, "court": "Supreme Court", "court_id": "scotus", "dateFiled": "1966-06-13", "docketNumber": "7"}  # fmt: skip
FILINGS = {
    "accessionNumber": ["0000320193-25-000002"], "filingDate": ["2025-10-31"], "reportDate": ["2025-10-31"],
    "form": ["10-K"], "items": [""], "primaryDocument": ["d2.htm"], "primaryDocDescription": ["10-K"],
}  # fmt: skip
PATENT = {"patent_id": "patent/US10165245B2/en", "title": "Comb for otters", "snippet": "A comb.",
          "filing_date": "2013-07-03", "inventor": "Ada Stream", "assignee": "Brook Laboratories, Inc."}  # fmt: skip
POI = {"id": "loc1=", "title": "Café Otter", "coordinates": [47.37, 8.54], "url": "https://cafe.example/"}
FOUND_BY_EXA = {"title": "Otters", "url": "https://o.example/", "publishedDate": "2026-07-01T00:00:00.000Z",
                "summary": '{"name": "Otter"}', "highlights": ["Otters float."]}  # fmt: skip
FEED = f"""<rss version="2.0"><channel><title>Otters</title><link>http://{HOST}/</link><item><title>One</title>
<link>{PAGE}</link></item></channel></rss>"""
HOME = """<html><head><title>River</title><meta property="og:site_name" content="River"><meta name="theme-color"
content="#e4002b"></head><body><h1>River</h1><p>We write of otters.</p></body></html>"""


LONG_TEXT = 'The "otters" of the river hold hands while they sleep, so that nothing parts them before morning. ' * 30
LONG_FIELDS = {"content", "snippet", "summary", "abstract", "extract", "description", "answer", "text"}


@dataclass
class SampleServices:
    """The services under test, the upstreams they ask (`site`) and the pages of the web (`town`)."""

    services: Services
    site: Site
    fake_hosts: FakeHosts

    def answers(self) -> None:
        """Every upstream finds something."""
        self.site.pages.clear()
        self._web()
        self._works()
        self._records()
        for module in _own_modules().values():
            getattr(module, "says_sample", lambda _: None)(self)

    def finds_nothing(self) -> None:
        """Every upstream is well and knows nothing of what it is asked."""
        self.answers()
        for path, response in self.site.pages.items():
            if response.headers["content-type"] == "application/json":
                response.body = json.dumps(_without_results(json.loads(response.body))).encode()
            if "/works/" in path or "/paper/" in path:
                response.status, response.body = 404, b"{}"

    def says_much(self) -> None:
        """Every upstream finds many things with long texts, and the pages are long."""
        self.answers()
        for response in self.site.pages.values():
            if response.headers["content-type"] == "application/json":
                response.body = json.dumps(_lengthen(json.loads(response.body))).encode()
        paragraphs = "".join(f"<p>{number}: {LONG_TEXT}</p>" for number in range(150))
        page = ARTICLE.replace("</article>", f"{paragraphs}</article>")
        self.fake_hosts.says(HOST, "/otters", page, content_type="text/html; charset=utf-8")
        items = "".join(
            f"<item><title>{number}</title><link>{PAGE}?{number}</link><description>{LONG_TEXT}</description></item>"
            for number in range(200)
        )
        self.fake_hosts.says(HOST, "/feed", FEED.replace("</channel>", f"{items}</channel>"), content_type="text/xml")

    def is_out(self) -> None:
        """No upstream answers with anything that can be used."""
        for response in self.site.pages.values():
            response.status, response.body = 503, b"down"

    def _says(self, path: str, body: Any) -> None:
        text = isinstance(body, str)
        self.site.says(path, body if text else json.dumps(body), kind="text/plain" if text else "application/json")

    def _web(self) -> None:
        for path, body, kind in (
            ("/", HOME, "text/html; charset=utf-8"),
            ("/otters", ARTICLE, "text/html; charset=utf-8"),
            ("/feed", FEED, "application/rss+xml"),
            ("/robots.txt", "User-agent: *\nDisallow: /private\nCrawl-delay: 2\n", "text/plain"),
        ):
            self.fake_hosts.says(HOST, path, body, content_type=kind)
        result = {"title": "On otters", "url": PAGE, "content": "A snippet.", "engine": "x", "score": 1.0}
        picture = {"img_src": f"http://{HOST}/o.jpg", "thumbnail_src": f"http://{HOST}/o.jpg", "resolution": "9 x 9"}
        self._says("/searxng/search", {"results": [result | picture | {"publishedDate": "2026-01-01T00:00:00"}]})
        self._says("/exa/search", {"results": [FOUND_BY_EXA], "costDollars": {"total": 0.008}})
        answer = {"answer": "Otters hold hands.", "citations": [FOUND_BY_EXA], "costDollars": {"total": 0.005}}
        self._says("/exa/answer", answer)
        message = {"role": "assistant", "content": '{"data": {"name": "Otters"}, "evidence": {"name": "Otters"}}'}
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        self._says("/llm/chat/completions", {"choices": [{"message": message}], "usage": usage})
        self._says("/brave/web/search", {"type": "search", "locations": {"results": [{"id": POI["id"]}]}})
        self._says("/brave/local/pois", {"type": "local_pois", "results": [POI]})
        self._says("/brave/local/descriptions", {"results": []})

    def _works(self) -> None:
        scholarly_apis = FakeScholarlyApis(self.site)
        scholarly_apis.openalex(work(1), work(2))
        scholarly_apis.crossref(record(1), record(2))
        scholarly_apis.says("crossref", f"/works/{DOI.replace('/', '%2F')}", {"message": record(1)})
        scholarly_apis.says("openalex", f"/works/doi:{DOI.replace('/', '%2F')}", work(1))
        scholarly_apis.copies(DOI, PAGE)
        edges = {"intents": ["background"], "isInfluential": True}
        seed = f"/paper/DOI:{DOI.replace('/', '%2F')}"
        scholarly_apis.says("semanticscholar", f"{seed}/citations", {"data": [edges | {"citingPaper": paper(2)}]})
        scholarly_apis.says("semanticscholar", f"{seed}/references", {"data": [edges | {"citedPaper": paper(3)}]})
        self._says("/doi/api/handles/" + DOI, {"responseCode": 1, "values": []})

    def _records(self) -> None:
        now = time.strftime("%Y%m%d%H%M%S", time.gmtime(self.services.clock()))
        copy = {"available": True, "url": f"http://web.archive.org/web/{now}/{PAGE}", "timestamp": now}
        self._says("/wayback/available", {"archived_snapshots": {"closest": copy}})
        self.site.says("/wayback/save/", b"", 302, headers={"location": f"/web/{now}/{ARCHIVED}"})
        self.site.says(f"/web/{now}/{ARCHIVED}", "<html>the copy")
        self._says("/clinicaltrials/api/v2/studies", {"studies": [STUDY]})
        self._says("/courtlistener/api/rest/v4/search/", {"count": 1, "results": [CASE]})
        self._says("/fred/fred/series/search", {"seriess": [SERIES]})
        self._says("/github/search/repositories", {"items": [{"full_name": "a/b", "html_url": "u"}]})
        self._says("/mediawiki/w/api.php", {"query": {"pages": {"1": {"title": "Otter", "extract": "An animal."}}}})
        self._says("/searchapi/search", {"search_metadata": {}, "organic_results": [PATENT]})
        listed = {"cik": "320193", "name": "Otter Works Inc.", "filings": {"recent": FILINGS, "files": []}}
        self._says("/sec/files/company_tickers.json", {"0": {"cik_str": 320193, "ticker": "OTTR", "title": "Otter"}})
        self._says("/sec/submissions/CIK0000320193.json", listed)
        self._says("/sec/LATEST/search-index", {"hits": {"total": {"value": 0}, "hits": []}})


def environ(url: str) -> dict[str, str]:
    """The settings under which every tool asks the site at `url`."""
    bases = {f"{name.upper()}_BASE_URL": f"{url}/{name}" for name in list_provider_names()}
    keys = {f"{name}_API_KEY": "k" for name in ("EXA", "BRAVE", "FRED", "SEARCHAPI")}
    return bases | scholarly(url) | keys | {
        "SEARXNG_BASE_URL": f"{url}/searxng",
        "SEARCH_ROUTING": '{"default": "searxng", "local": "brave"}',
        "LLM_BASE_URL": f"{url}/llm", "LLM_MODEL": "test-model", "LLM_API_KEY": "k",
        "EDGAR_BASE_URL": f"{url}/sec", "EDGAR_CONTACT_EMAIL": "ada@river.example",
        "CROSSREF_MAILTO": "ada@river.example", "OPENALEX_EMAIL": "ada@river.example",
        "COURTLISTENER_API_TOKEN": "k", "MEMORY_ENABLED": "true", "WORKSPACES_ENABLED": "true",
        "ASSAY_CONSENT": "memory,workspace,analytics,monitoring", "USER_ANALYTICS_ENABLED": "true",
        "MONITORING_ENABLED": "true",
    }  # fmt: skip


def _without_results(value: Any) -> Any:
    """The same shape with every list empty and every number 0."""
    if isinstance(value, dict):
        return {name: _without_results(inner) for name, inner in value.items()}
    return [] if isinstance(value, list) else 0 if isinstance(value, int | float) else value


def _lengthen(value: Any, name: str = "", number: int = 0) -> Any:
    """The same shape with 60 items in every list of objects, and long texts."""
    if isinstance(value, dict):
        return {key: _lengthen(inner, key, number) for key, inner in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_lengthen(value[at % len(value)], name, at) for at in range(60)]
    if name in LONG_FIELDS and isinstance(value, str):
        return f"{value} {LONG_TEXT}"
    if name in ("url", "html_url", "img_src") and number:
        return f"{value}?{number}"
    return f"{value} {number}" if name == "title" and number else value


async def _session(world: SampleServices, call: Call) -> Arguments:
    first = {"searchStep": "Look for otters", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": "Otters"}
    output = await call("sequential_search", first)
    await call("scrape_page", {"url": PAGE, "sessionId": output["sessionId"]})
    return {"sessionId": output["sessionId"]}


async def _crawl(world: SampleServices, call: Call) -> Arguments:
    begun = (await call("cinder_crawl", {"url": PAGE, "maxPages": 1}))["crawlId"]
    await call("cinder_get_crawl_status", {"id": begun, "waitSeconds": 20})
    return {"id": begun}


async def _artifact(world: SampleServices, call: Call) -> Arguments:
    stored = await artifacts.store(world.services.bucket, "local", b'{"otters": 2}', world.services.clock())
    return {"id": stored.uri}


def _pdf() -> str:
    from reportlab.pdfgen.canvas import Canvas

    body = io.BytesIO()
    canvas = Canvas(body)
    canvas.drawString(50, 700, "Otters hold hands")
    canvas.save()
    return base64.b64encode(body.getvalue()).decode()


async def _memory(world: SampleServices, call: Call) -> Arguments:
    await call("memory_save", SAMPLES["memory_save"])
    return {"topic": "Otters"}


async def _watch(world: SampleServices, call: Call) -> Arguments:
    return {"id": (await call("monitor_query_save", SAMPLES["monitor_query_save"]))["id"]}


async def _watches(world: SampleServices, call: Call) -> Arguments:
    return {"ids": [(await _watch(world, call))["id"]]}


async def _workspace(world: SampleServices, call: Call) -> Arguments:
    await WorkspaceMembers(world.services.table, "river").add("local", "local")
    return {"workspace_id": "river"}


async def _contribution(world: SampleServices, call: Call) -> Arguments:
    return await _workspace(world, call) | {"note": "Otters hold hands.", "url": PAGE, "tags": ["sleep"]}


async def _shared(world: SampleServices, call: Call) -> Arguments:
    await call("workspace_contribute", await _contribution(world, call))
    return {"workspace_id": "river"}


async def _withdrawal(world: SampleServices, call: Call) -> Arguments:
    output = await call("workspace_contribute", await _contribution(world, call))
    return {"workspace_id": "river", "id": output["id"]}


async def _counted(world: SampleServices, call: Call) -> Arguments:
    await call("format_bibliography", SAMPLES["format_bibliography"] | {"style": "bibtex"})  # the fastest style
    return {}


async def _no_arguments(before: Awaitable[Arguments]) -> Arguments:
    await before
    return {}


async def _background_call(world: SampleServices, call: Call) -> Arguments:
    started = await call("start_tool_call", SAMPLES["start_tool_call"])
    await call("get_tool_call", {"id": started["callId"], "waitSeconds": 20})
    return {"id": started["callId"]}


type Sample = Arguments | Callable[[SampleServices, Call], Awaitable[Arguments]]
SAMPLES: Mapping[str, Sample] = {
    "academic_search": {"query": "otters"},
    "answer": {"query": "Why do otters hold hands?"},
    "archive_source": {"url": ARCHIVED},
    "audit_bibliography": {"entries": [{"doi": DOI, "title": "Otters and their stones, part 1", "claim": "Otters"}]},
    "brand_research": {"url": f"http://{HOST}/", "depth": "quick"},
    "cancel_tool_call": _background_call,
    "cinder_cancel_crawl": _crawl,
    "cinder_crawl": {"url": PAGE, "maxPages": 1},
    "cinder_extract": {"urls": [PAGE], "prompt": "The animal", "schema": {"properties": {"name": {"type": "string"}}}},
    "cinder_get_crawl_status": _crawl,
    "cinder_scrape": {"url": PAGE},
    "cinder_search": {"query": "otters"},
    "cinder_search_and_scrape": {"query": "otters"},
    "citation_graph": {"paper": DOI},
    "citation_pack": {"doc": {"url": PAGE, "title": "On otters"}, "archive": {"wayback": True}},
    "clinical_search": {"query": "otters"},
    "crossref_search": {"q": "otters"},
    "dedupe_rank": {"docs": [{"id": "a", "text": "Otters hold hands"}, {"id": "b", "text": "Otters hold hands"}]},
    "econ_search": {"query": "gdp"},
    "filing_search": {"ticker": "OTTR"},
    "format_bibliography": {"sources": [{"url": PAGE, "title": "On otters"}]},
    "get_my_analytics": _counted,
    "get_research_session": _session,
    "get_tool_call": _background_call,
    "github_search": {"q": "otters", "type": "repositories"},
    "http_fetch": {"url": PAGE},
    "image_search": {"query": "otters"},
    "legal_search": {"query": "otters"},
    "local_search": {"query": "cafés", "latitude": 47.37, "longitude": 8.54},
    "memory_export": lambda world, call: _no_arguments(_memory(world, call)),
    "memory_forget": _memory,
    "memory_recall": _memory,
    "memory_save": {"note": "Otters hold hands while they sleep.", "topic": "Otters", "url": PAGE, "tags": ["sleep"]},
    "metadata_extract": {"html": ARTICLE, "base_url": PAGE},
    "monitor_delete": _watches,
    "monitor_list": lambda world, call: _no_arguments(_watch(world, call)),
    "monitor_query_check": _watch,
    "monitor_query_save": {"query": "otters", "kind": "news", "ttlDays": 7},
    "news_search": {"query": "otters"},
    "openalex_search": {"q": "otters"},
    "paper_fulltext": {"identifier": DOI},
    "patent_search": {"query": "otter comb"},
    "pdf_extract": {"pdf_base64": _pdf()},
    "read_artifact": _artifact,
    "readability_extract": {"html": ARTICLE, "base_url": PAGE},
    "research_export": _session,
    "robots_check": {"url": PAGE},
    "rss_fetch": {"url": f"http://{HOST}/feed"},
    "scrape_page": {"url": PAGE},
    "search_and_scrape": {"query": "otters", "claim": "Otters hold hands"},
    "searxng_search": {"q": "otters"},
    "sequential_search": {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": "Otters"},
    "start_tool_call": {"tool": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}},
    "structured_search": {"query": "otters"},
    "verify_citation": {"citation": DOI, "claim": "Otters keep stones"},
    "verify_recommendation": {"recommendations": [{"title": "Otter Lamp", "url": PAGE}], "claim": "The best lamp"},
    "wayback_lookup": {"url": PAGE},
    "web_search": {"query": "otters"},
    "wiki_query": {"titles": "Otter"},
    "workspace_contribute": _contribution,
    "workspace_read": _shared,
    "workspace_withdraw": _withdrawal,
}


@cache
def _own_modules() -> Mapping[str, Any]:
    """The test modules that define the sample of their tool, by the name of the tool."""
    paths = sorted((Path(__file__).parents[1] / "tools").glob("test_*.py"))
    names = [path.stem for path in paths if re.search(r"^SAMPLE\b", path.read_text(), re.MULTILINE)]
    return {name.removeprefix("test_"): import_module(f"tests.tools.{name}") for name in names}


@cache
def find_samples() -> Mapping[str, Sample]:
    """The sample call of every tool that has one."""
    return {**SAMPLES, **{tool: module.SAMPLE for tool, module in _own_modules().items()}}


async def arguments_of(tool: str, world: SampleServices, call: Call) -> Arguments:
    """The arguments of the tool's sample, after the calls that it rests on."""
    sample = find_samples()[tool]
    return dict(sample) if isinstance(sample, dict) else await sample(world, call)
