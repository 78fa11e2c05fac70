"""What somebody else tries with the names of Ada's data: a row for each tool, endpoint, MCP method and resource."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from starlette.routing import Route
from tests.support.belongings import STEP, WORKSPACE, Belongings
from tests.support.sample_calls import DOI, PAGE, find_samples

from assay.entrypoints.http import rest
from assay.sessions.session_keys import build_key
from assay.toolkit import tool_registry

type Requests = Callable[[Belongings], list[dict[str, Any]]]


@dataclass(frozen=True)
class Row:
    """`build` makes arguments of a tool, or requests of an endpoint.

    `owner` is who the data belongs to: a colleague of Ada's sees nothing of a "person", and what is of the "tenant" if
    they know its name. `changes` says that Ada's own call would change her data.
    """

    build: Requests
    owner: str = "person"
    changes: bool = False
    differs: bool = True  # whether Ada herself gets another answer


def list_samples(tool: str, ada: Belongings) -> list[dict[str, Any]]:
    """Return the sample call of the tool, with Ada's session if it takes one."""
    sample = find_samples()[tool]
    assert isinstance(sample, dict), f"{tool} needs a row of its own: its sample rests on stored data"
    takes_session = "sessionId" in tool_registry.find_tool(tool).input_schema["properties"]
    return [sample, *([{**sample, "sessionId": ada.session}] if takes_session else [])]


NEXT = {"searchStep": "Go on", "stepNumber": 2, "nextStepNeeded": True}
AUDITED = {"text": "Otters hold hands [1].\n\n# References\n\n[1] Brook A. Otters. 2021.\n", "wait_seconds": 0}
WITHOUT_PERSONAL_DATA = frozenset({
    "academic_search", "answer", "archive_source", "brand_research", "cinder_extract",
    "cinder_scrape", "cinder_search", "cinder_search_and_scrape", "citation_graph", "citation_pack", "clinical_search",
    "crossref_search", "dedupe_rank", "econ_search", "fetch", "filing_search", "format_bibliography", "github_search",
    "http_fetch", "image_search", "legal_search", "local_search", "news_search", "openalex_search",
    "paper_fulltext", "patent_search", "robots_check", "rss_fetch", "scrape_page",
    "search", "search_and_scrape", "searxng_search", "structured_search", "verify_citation", "verify_recommendation",
    "wayback_lookup", "web_search", "wiki_query",
})  # fmt: skip
PACED_OR_PUBLIC = {
    "archive_source": "Save Page Now takes one request every 20 seconds from all callers together.",
    "citation_graph": "Semantic Scholar takes one request a second from all callers together.",
    "filing_search": "The list of all companies is the same for everybody, and read once a day.",
}
TOOLS: Mapping[str, Row] = {
    "audit_document": Row(
        lambda ada: [
            {"audit_id": ada.audit, "wait_seconds": 0},
            {"audit_id": ada.audit, "wait_seconds": 0, "format": "markdown"},
            {"audit_id": ada.audit, "wait_seconds": 0, "cancel": True},
            {"artifact": ada.artifact, "wait_seconds": 0},
            {"upload_id": ada.upload, "wait_seconds": 0},
            AUDITED,  # Ada has as many audits as a tenant may
        ],
        owner="tenant",
        changes=True,
    ),
    "create_upload": Row(lambda ada: [{"size": 9}], owner="tenant", differs=False),
    "audit_bibliography": Row(  # without a claim, whose check counts in the budget of the tenant
        lambda ada: [{"upload_id": ada.upload}, {"entries": [{"doi": DOI}], "sessionId": ada.session}]
    ),
    "metadata_extract": Row(
        lambda ada: [{"upload_id": ada.upload, "base_url": PAGE}, find_samples()["metadata_extract"]]
    ),
    "pdf_extract": Row(lambda ada: [{"upload_id": ada.upload}, find_samples()["pdf_extract"]]),
    "readability_extract": Row(
        lambda ada: [{"upload_id": ada.upload, "base_url": PAGE}, find_samples()["readability_extract"]]
    ),
    "cancel_tool_call": Row(lambda ada: [{"id": ada.tool_call}], changes=True),
    "cinder_cancel_crawl": Row(lambda ada: [{"id": ada.crawl}], owner="tenant", changes=True),
    "cinder_crawl": Row(lambda ada: [{"url": PAGE, "maxPages": 1}], owner="tenant"),  # Ada has as many as a tenant may
    "cinder_get_crawl_status": Row(
        lambda ada: [{"id": ada.crawl}, {"id": ada.crawl, "includeContent": True}], owner="tenant"
    ),
    "get_my_analytics": Row(lambda ada: [{}]),
    "get_tool_call": Row(lambda ada: [{"id": ada.tool_call, "waitSeconds": 0}]),
    "get_research_session": Row(lambda ada: [{"sessionId": ada.session}]),
    "memory_export": Row(lambda ada: [{}]),
    "memory_forget": Row(
        lambda ada: [
            {"ids": [ada.memory], "dryRun": False},
            {"topic": "Otters"},
            {"topic": "Otters", "dryRun": False},
            {"everything": True, "dryRun": False},
        ],
        changes=True,
    ),
    "memory_recall": Row(lambda ada: [{}, {"query": "otters"}, {"topic": "Otters"}]),
    "memory_save": Row(
        lambda ada: [
            {"id": ada.memory, "note": "Mine."},
            {"note": "Otters hold hands.", "topic": "Otters", "sessionId": ada.session},
        ],
        changes=True,
    ),
    "monitor_delete": Row(lambda ada: [{"ids": [ada.watch]}, {"everything": True}], changes=True),
    "monitor_list": Row(lambda ada: [{}]),
    "monitor_query_check": Row(
        lambda ada: [{"id": ada.watch}, {"query": f"otters {ada.mark}", "kind": "news"}], changes=True
    ),
    "monitor_query_save": Row(  # also the query that Ada watches, with her session
        lambda ada: [
            {"query": f"otters {ada.mark}", "kind": "news", "everyHours": 5},
            {"query": "otters", "sessionId": ada.session},
        ],
        changes=True,
    ),
    "read_artifact": Row(
        lambda ada: [{"id": ada.artifact}, {"id": f"research://artifact/{ada.artifact}"}], owner="tenant"
    ),
    "research_export": Row(lambda ada: [{"sessionId": ada.session}]),
    "sequential_search": Row(
        lambda ada: [STEP, {**NEXT, "sessionId": ada.session}, {**NEXT, "sessionId": ada.session, "isComplete": True}],
        changes=True,
    ),
    "start_tool_call": Row(
        lambda ada: [
            {"tool": "audit_bibliography", "arguments": {"entries": [{"title": "Otters"}], "sessionId": ada.session}}
        ],
        owner="tenant",
        differs=False,
    ),
    "workspace_contribute": Row(lambda ada: [{"workspace_id": ada.workspace, "note": "Mine."}], changes=True),
    "workspace_read": Row(lambda ada: [{"workspace_id": ada.workspace}]),
    "workspace_withdraw": Row(lambda ada: [{"workspace_id": ada.workspace, "id": ada.contribution}], changes=True),
}

RESOURCES: Mapping[str, Callable[[Belongings], str]] = {
    "audit-view": lambda ada: "ui://assay/audit",
    "crawl": lambda ada: f"research://crawl/{ada.crawl}",
    "crawl-view": lambda ada: "ui://assay/crawl",
    "lenses": lambda ada: "lenses://catalog",
    "provider-health": lambda ada: "diagnostics://health",
    "providers": lambda ada: "stats://providers",
    "rate-limits": lambda ada: "stats://rate-limits",
    "recent-errors": lambda ada: "diagnostics://errors/recent",
    "research-artifact": lambda ada: f"research://artifact/{ada.artifact}",
    "research-session": lambda ada: f"research://session/{ada.session}",
    "session-view": lambda ada: "ui://assay/session",
    "session-statistics": lambda ada: "stats://sessions",
    "tool-statistics": lambda ada: "stats://tools",
}


def _list_resources(ada: Belongings) -> list[dict[str, Any]]:
    return [{"uri": build(ada)} for build in RESOURCES.values()]


def _list_completions(ada: Belongings) -> list[dict[str, Any]]:
    names = (("artifact", ada.artifact), ("session", ada.session), ("crawl", ada.crawl))
    return [
        {
            "ref": {"type": "ref/resource", "uri": f"research://{kind}/{{id}}"},
            "argument": {"name": "id", "value": beginning},
        }
        for kind, identity in names
        for beginning in ("", identity[:4])
    ]


MCP_METHODS: Mapping[str, Requests] = {
    "initialize": lambda ada: [
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    ],
    "server/discover": lambda ada: [{}],
    "ping": lambda ada: [{}],
    "tools/list": lambda ada: [{}],
    "tools/call": lambda ada: [
        {"name": tool, "arguments": arguments} for tool, row in TOOLS.items() for arguments in row.build(ada)
    ],
    "completion/complete": _list_completions,
    "prompts/list": lambda ada: [{}],
    "prompts/get": lambda ada: [{"name": "comprehensive-research", "arguments": {"topic": "otters"}}],
    "tasks/get": lambda ada: [{"taskId": ada.tool_call}],
    "tasks/result": lambda ada: [{"taskId": ada.tool_call}],
    "tasks/list": lambda ada: [{}],
    "tasks/update": lambda ada: [{"taskId": ada.tool_call, "inputResponses": {}}],
    "tasks/cancel": lambda ada: [{"taskId": ada.tool_call}],
    "resources/list": lambda ada: [{}],
    "resources/templates/list": lambda ada: [{}],
    "resources/read": _list_resources,
}

CLIENT = "client of Eve"  # stands for the application that she registered


def _get(path: str, **more: Any) -> Requests:
    return lambda ada: [{"path": path, **more}]


ENDPOINTS: dict[str, Requests] = {
    **{
        f"{method} {path}": _get(path)
        for path in ("/", "/health/live", "/health/ready", "/tools", "/openapi.json")
        for method in ("GET", "HEAD")
    },
    "GET /.well-known/oauth-protected-resource": _get("/.well-known/oauth-protected-resource"),
    "GET /.well-known/oauth-protected-resource/{path:path}": _get("/.well-known/oauth-protected-resource/mcp"),
    "GET /.well-known/oauth-authorization-server": _get("/.well-known/oauth-authorization-server"),
    "GET /.well-known/openid-configuration": _get("/.well-known/openid-configuration"),
    "GET /oauth/authorize": _get("/oauth/authorize", params={"client_id": CLIENT}, form={}),
    "POST /oauth/sign-in": lambda ada: [{"form": {"request": ada.sign_in_request, "key": "assaykey_" + "x" * 43}}],
    "POST /oauth/consent": lambda ada: [{"form": {"request": ada.sign_in_request, "decision": "allow"}}],
    "GET /oauth/sso": lambda ada: [{"params": {"request": ada.sign_in_request}, "form": {}}],
    "GET /oauth/callback": lambda ada: [{"params": {"state": ada.sign_in_request, "code": "x"}, "form": {}}],
    "POST /oauth/token": lambda ada: [
        {
            "data": {
                "grant_type": "refresh_token",
                "refresh_token": f"assayrt_{ada.tokens.grant}.x",
                "client_id": CLIENT,
            }
        }
    ],
    "POST /oauth/revoke": lambda ada: [
        {"data": {"token": token, "client_id": CLIENT}}
        for token in (ada.tokens.access, ada.tokens.refresh, ada.tokens.grant, ada.key)
    ],
    "POST /oauth/device_authorization": lambda ada: [{"data": {"client_id": CLIENT}}],
    "POST /oauth/register": lambda ada: [{"json": {"client_name": "Otter", "redirect_uris": ["https://eve.example/"]}}],
    "GET /oauth/grants": lambda ada: [{"form": {}}],
    "GET /oauth/device": lambda ada: [{"params": {"user_code": "BCDF-GHJK"}, "form": {}}],
    "POST /oauth/device": lambda ada: [{"form": {"user_code": "BCDF-GHJK"}}],
    "POST /tools/{name}": lambda ada: [
        {"path": "/tools/sequential_search", "json": STEP, "headers": {"idempotency-key": ada.idempotency_key}}
    ],
    "POST /v1/scrape": lambda ada: [{"json": {"url": PAGE}}],
    "POST /v1/search": lambda ada: [{"json": {"query": "otters"}}],
    "POST /v1/extract": lambda ada: [
        {"json": {"urls": [PAGE], "schema": {"properties": {"name": {"type": "string"}}}}}
    ],
    "POST /v1/crawl": lambda ada: [{"json": {"url": PAGE, "maxPages": 1}}],
    "GET /v1/crawl/{id}": lambda ada: [{"path": f"/v1/crawl/{ada.crawl}"}],
    "DELETE /v1/crawl/{id}": lambda ada: [{"path": f"/v1/crawl/{ada.crawl}"}],
    "POST /v1/uploads": lambda ada: [{"json": {"size": 9}}],
    "POST /oauth/sign-out": lambda ada: [{"form": {}}],
    "GET /feeds/{name}": lambda ada: [{"path": f"/feeds/{ada.watch}.atom"}, {"path": f"/feeds/{ada.watch}.json"}],
    "HEAD /feeds/{name}": lambda ada: [{"path": f"/feeds/{ada.watch}.atom"}],
    "GET /oauth/personal-data": lambda ada: [{"form": {}}],
    "POST /oauth/personal-data": lambda ada: [{"form": {"purpose": "memory", "decision": "withdraw"}}],
    "POST /mcp": lambda ada: [{"path": "/mcp", "json": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}],
    "GET /console/": lambda ada: [{"form": {}}],
    "GET /console/{path:path}": lambda ada: [{"path": f"/console/sessions-of/{ada.session}", "form": {}}],
    "GET /console/image": _get("/console/image", params={"url": PAGE, "signature": "0" * 32}, form={}),
    "GET /console/assets/{digest}/{name}": _get("/console/assets/0/console.css"),
}
# Every page of the console, and every form of one: the first request is also what the tests of all pages send as Ada.
CONSOLE_PAGES: dict[str, Requests] = {
    "GET /console": lambda ada: [{"form": {}}],
    "GET /console/tools": lambda ada: [{"form": {}}, {"params": {"q": ada.mark}, "form": {}}],
    "GET /console/tools/{name}": lambda ada: [{"path": "/console/tools/web_search", "form": {}}],
    "POST /console/tools/{name}": lambda ada: [
        {"path": "/console/tools/get_research_session", "form": {"in-sessionId": ada.session}}
    ],
    "GET /console/calls": _get("/console/calls"),
    "GET /console/calls/{id}": lambda ada: [{"path": f"/console/calls/{ada.tool_call}", "form": {}}],
    "GET /docs": lambda ada: [{"form": {}}],
    "GET /docs/operations/{id}": lambda ada: [{"path": "/docs/operations/web_search", "form": {}}],
    "GET /docs/connect": lambda ada: [{"form": {}}],
    "POST /console/calls/{id}": lambda ada: [{"path": f"/console/calls/{ada.tool_call}", "form": {}}],
    "GET /console/operations": lambda ada: [{"params": {"grain": "hour"}}],
    "GET /console/operations/providers": _get("/console/operations/providers"),
    "POST /console/operations/breaker": lambda ada: [{"form": {"provider": "searxng"}}],
    "GET /console/operations/work": _get("/console/operations/work"),
    "POST /console/operations/work": lambda ada: [
        {"form": {"about": "job", "action": "drop", "confirmed": "yes", "kind": "crawl", "id": ada.crawl}},
        {"form": {"about": "webhook", "action": "drop", "confirmed": "yes", "id": ada.webhook}},
    ],
    "GET /console/operations/errors": _get("/console/operations/errors"),
    "GET /console/operations/settings": _get("/console/operations/settings"),
    "GET /console/account": _get("/console/account"),
    "POST /console/account/keys": lambda ada: [{"form": {"name": "another"}}],
    "POST /console/account/keys/revoke": lambda ada: [{"form": {"id": sha256(ada.key.encode()).hexdigest()[:16]}}],
    "POST /console/account/grants/revoke": lambda ada: [{"form": {"id": ada.tokens.grant}}],
    "GET /console/memory": lambda ada: [{"params": {"query": "otters"}}, {}],
    "POST /console/memory": lambda ada: [{"form": {"id": ada.memory, "note": "taken over"}}],
    "POST /console/memory/forget": lambda ada: [{"form": {"id": ada.memory}}],
    "POST /console/memory/export": lambda ada: [{"form": {}}],
    "GET /console/workspaces": _get("/console/workspaces"),
    "GET /console/workspaces/{name}": lambda ada: [{"path": f"/console/workspaces/{ada.workspace}"}],
    "POST /console/workspaces/{name}": lambda ada: [
        {"path": f"/console/workspaces/{ada.workspace}", "form": {"id": ada.contribution}}
    ],
    "GET /console/audits": _get("/console/audits"),
    "POST /console/audits": lambda ada: [{"form": {"text": "Otters hold hands."}}],
    "GET /console/audits/{id}": lambda ada: [{"path": f"/console/audits/{ada.audit}"}],
    "POST /console/audits/{id}": lambda ada: [{"path": f"/console/audits/{ada.audit}", "form": {}}],
    "POST /console/audits/{id}/report": lambda ada: [
        {"path": f"/console/audits/{ada.audit}/report", "form": {"format": form}} for form in ("html", "json")
    ],
    "GET /console/sessions": _get("/console/sessions"),
    "GET /console/sessions/{id}": lambda ada: [{"path": f"/console/sessions/{ada.session}"}],
    "POST /console/sessions/{id}": lambda ada: [{"path": f"/console/sessions/{ada.session}", "form": {}}],
    "GET /console/crawls": _get("/console/crawls"),
    "POST /console/crawls": lambda ada: [{"form": {"url": PAGE, "maxPages": "1"}}],
    "GET /console/crawls/{id}": lambda ada: [{"path": f"/console/crawls/{ada.crawl}"}],
    "POST /console/crawls/{id}": lambda ada: [{"path": f"/console/crawls/{ada.crawl}", "form": {}}],
    "GET /console/crawls/{id}/pages/{place}": lambda ada: [{"path": f"/console/crawls/{ada.crawl}/pages/0"}],
    "GET /console/watches": _get("/console/watches"),
    "POST /console/watches": lambda ada: [{"form": {"query": f"otters {ada.mark}", "kind": "news", "everyHours": "5"}}],
    "POST /console/watches/check": lambda ada: [{"form": {"id": ada.watch}}],
    "POST /console/watches/delete": lambda ada: [{"form": {"id": ada.watch, "confirmed": "yes"}}],
    "GET /console/data": _get("/console/data"),
    "GET /console/data/export": lambda ada: [{"path": "/console/data/export"}],
    "POST /console/data/export": lambda ada: [{"form": {"after": ""}}],
    "GET /console/data/erase": _get("/console/data/erase"),
    "POST /console/data/erase": lambda ada: [{"form": {"word": "ERASE"}}],
    "GET /console/activity": _get("/console/activity"),
}


def _send_from_browser(build: Requests) -> Requests:
    """The requests with the cookie of the sign-in: pages ignore the keys of programs."""
    return lambda ada: [{"form": {}, **request} for request in build(ada)]


ENDPOINTS = ENDPOINTS | {page: _send_from_browser(build) for page, build in CONSOLE_PAGES.items()}
ENDPOINTS = ENDPOINTS | {
    endpoint.replace("GET", "HEAD"): build
    for endpoint, build in ENDPOINTS.items()
    if endpoint.startswith(("GET /console", "GET /docs", "GET /.well-known/"))
}


def _list_jobs(ada: Belongings) -> list[dict[str, Any]]:
    jobs = {"crawl": ada.crawl, "audit": ada.audit, "tool-call": ada.tool_call, "webhook": ada.webhook}
    return [{"kind": kind, "id": identity} for kind, identity in jobs.items()]


PERSON = {"user_id": "ada"}
MEMBER = {**PERSON, "workspace_id": WORKSPACE}
ADMINISTRATION: Mapping[str, Requests] = {  # each is also tried with the name of Ada's tenant
    "GET /admin/data": lambda ada: [PERSON],
    "DELETE /admin/data": lambda ada: [PERSON],
    "POST /admin/consent": lambda ada: [{**PERSON, "purpose": "memory", "granted": False}],
    "GET /admin/consent": lambda ada: [{**PERSON, "purpose": "memory"}],
    "GET /admin/consents": lambda ada: [PERSON],
    "GET /admin/workspaces": lambda ada: [PERSON],
    "GET /admin/research-sessions": lambda ada: [PERSON],
    "GET /admin/user-jobs": lambda ada: [PERSON],
    "GET /admin/audit-events": lambda ada: [PERSON],
    "GET /admin/missing-settings": lambda ada: [{}],
    "GET /admin/workspace/members": lambda ada: [{"workspace_id": WORKSPACE}],
    "POST /admin/workspace/members": lambda ada: [MEMBER, {**MEMBER, "user_id": "eve"}],
    "DELETE /admin/workspace/members": lambda ada: [MEMBER],
    "DELETE /admin/cache": lambda ada: [{}],
    "GET /admin/sessions": lambda ada: [{}, PERSON],
    "DELETE /admin/sessions": lambda ada: [{}, PERSON],
    "DELETE /admin/session": lambda ada: [{"id": build_key("acme", "ada", ada.session).removeprefix("session/")}],
    "GET /admin/keys": lambda ada: [{}],
    "POST /admin/keys": lambda ada: [{**PERSON, "name": "new"}],
    "DELETE /admin/keys": lambda ada: [{"id": sha256(ada.key.encode()).hexdigest()[:16]}],
    "GET /admin/grants": lambda ada: [PERSON],
    "DELETE /admin/grants": lambda ada: [{**PERSON, "id": ada.tokens.grant}],
    "GET /admin/quotas": lambda ada: [{}, PERSON],
    "GET /admin/analytics": lambda ada: [{}],
    "GET /admin/call-history": lambda ada: [{}, {"grain": "hour"}],
    "GET /admin/errors": lambda ada: [{}],
    "GET /dashboard/data": lambda ada: [{}],
    "GET /metrics": lambda ada: [{}],
    "GET /admin/jobs": lambda ada: [{}],
    "POST /admin/jobs/retry": _list_jobs,
    "DELETE /admin/jobs": _list_jobs,
    "GET /admin/dead-letters": lambda ada: [{}],
    "POST /admin/dead-letters/retry": lambda ada: [{"id": ada.crawl}],
    "DELETE /admin/dead-letters": lambda ada: [{"id": ada.crawl}],
    "GET /admin/webhook-messages": lambda ada: [{}],
    "POST /admin/webhook-messages/retry": lambda ada: [{"id": ada.webhook}],
    "DELETE /admin/webhook-messages": lambda ada: [{"id": ada.webhook}],
    "GET /admin/providers": lambda ada: [{}],
    "DELETE /admin/breaker": lambda ada: [{"provider": "searxng"}],
    "GET /admin/settings": lambda ada: [{}],
}
DISPATCHED = ("/v1/", "/admin/", "/dashboard/", "/metrics")  # by tables of their own, behind one route


REPORTING_JOBS = frozenset({"archive", "link_check"})  # which write a report to each person
OTHER_JOBS = frozenset({"query_watch"})  # which stores what it finds with the watch


def list_endpoints(routes: Iterable[Route]) -> Iterator[str]:
    """Yield the method and path of each of the routes, and of those that are dispatched otherwise."""
    for route in routes:
        if not route.path.startswith(DISPATCHED):
            yield from (f"{method} {route.path}" for method in route.methods)
    yield from (f"{route.method} {route.path}" for route in rest.ROUTES)
    yield "POST /mcp"  # which is dispatched before any route
