"""One person with data of every kind in the stores of a laptop, and the names that it is found by."""

import secrets
from dataclasses import dataclass, replace
from typing import Any

from assay.caller import Caller
from assay.consent.consent_records import PURPOSES
from assay.context import Context
from assay.crawl.job import CRAWLS
from assay.crawl.start import start_crawl
from assay.document_audit.audit_job import AUDITS, AuditJob, save_manuscript, save_result
from assay.entrypoints.idempotency import call_once
from assay.invoke import Reply, invoke
from assay.jobs import job_report, results_log, watched_urls
from assay.jobs.job_timing import DEFAULT_TIMING
from assay.jobs.task import load_tasks_by_owner
from assay.local.local_uploads import PART_BYTES, LocalUploads
from assay.manuscripts.manuscript import Manuscript
from assay.oauth.browser_sessions import start_session
from assay.oauth.client_metadata import OAuthClient
from assay.oauth.consents import remember_consent
from assay.oauth.grants import Authorization, TokenPair, create_grant
from assay.oauth.principals import Principal
from assay.oauth.secret_values import digest
from assay.oauth.sign_in_requests import SignInRequest, save_request
from assay.services import Services
from assay.sessions.session_keys import build_owner
from assay.state.key_store import build_key, save_key
from assay.state.uploads import list_object_names
from assay.tool_calls.call_job import CALLS, save_answer
from assay.tool_calls.call_start import start_call
from assay.toolkit.tool_registry import find_tool
from assay.webhooks.webhook_endpoints import register_endpoint
from assay.webhooks.webhook_outbox import queue_delivery
from assay.workspaces.workspace_store import WorkspaceMembers

WORKSPACE = "river"
WATCHED = "https://otters.example/"
SETTINGS = {
    "MEMORY_ENABLED": "true",
    "WORKSPACES_ENABLED": "true",
    "USER_ANALYTICS_ENABLED": "true",
    "MONITORING_ENABLED": "true",
}
STEP = {"searchStep": "Where do otters sleep?", "stepNumber": 1, "nextStepNeeded": True}
SAMPLE_CLIENT = {"client": "https://app.example/client", "resource": "https://assay.example"}


@dataclass(frozen=True)
class Belongings:
    """What a person has: names that others may learn, and secrets."""

    caller: Caller
    mark: str  # in all texts of the person
    session: str
    memory: str
    contribution: str
    crawl: str
    audit: str
    tool_call: str
    webhook: str
    webhook_endpoint: str
    watch: str
    feed: str  # a secret path
    artifact: str
    upload: str
    key: str  # the secret
    idempotency_key: str
    tokens: TokenPair
    cookie: str
    sign_in_request: str
    workspace: str = WORKSPACE
    watched: str = WATCHED


async def fill(
    services: Services, caller: Caller, *, consents: tuple[str, ...] = ("memory", "monitoring"), mark: str = ""
) -> Belongings:
    """Give the person two memories and one item of every other kind, with the `mark` in all texts."""
    ctx, mark = Context(services, caller), mark or f"zander-{secrets.token_hex(6)}"
    for purpose in PURPOSES:
        if purpose in consents:
            await ctx.own.consents.decide(purpose, granted=True, decided_from="test")
    memory = await _call(ctx, "memory_save", note="Otters hold hands.", topic="Otters", url=f"{WATCHED}{mark}")
    await _call(ctx, "memory_save", note="Otters eat crabs.", url=f"{WATCHED}{mark}")
    await WorkspaceMembers(services.table, WORKSPACE).add(caller.tenant, caller.user)
    shared = await ctx.own.open_workspace(WORKSPACE).contribute(f"Otters sleep. {mark}")
    for _ in range(8):
        await ctx.own.usage.count("web_search")
    await invoke("web_search", {"query": ""}, Context(services, caller, entrypoint="mcp"))  # a recent error
    watch = await _call(ctx, "monitor_query_save", query=f"otters {mark}", kind="news", feed="new")
    crawl, audit, call = await _give_jobs(ctx, mark)
    await _give_watch(ctx)
    endpoint, _ = await register_endpoint(services, caller, f"https://127.0.0.1/{mark}")
    delivery = await queue_delivery(services, caller, endpoint, "watch.changed", {"of": mark}, name="event-1")
    access = await _give_access(ctx)
    answer = {"large": mark + "x" * 400_000}

    async def reply() -> Reply:
        return Reply(answer, "text")

    await call_once("key-1", "sequential_search", STEP, ctx, reply)
    return Belongings(
        caller=caller,
        mark=mark,
        session=await _give_session(ctx, mark),
        memory=memory["id"],
        contribution=shared.id,
        crawl=crawl,
        audit=audit,
        tool_call=call,
        webhook=delivery,
        webhook_endpoint=endpoint.id,
        watch=watch["id"],
        feed=watch["feed"]["atom"],
        artifact=(await ctx.store_artifact(f'{{"of": "{mark}"}}'.encode())).id,
        upload=await give_upload(ctx, f"{mark}.txt", [mark.encode()] * 2),
        idempotency_key="key-1",
        **access,
    )


async def _call(ctx: Context, tool: str, **arguments: Any) -> dict[str, Any]:
    reply = await invoke(tool, arguments, ctx)
    assert reply.error is None, reply.error
    return reply.wire


async def give_upload(ctx: Context, filename: str, parts: list[bytes]) -> str:
    """Store an upload of these parts for the caller; return its id."""
    services = ctx.services
    store = replace(ctx.own.uploads, target=LocalUploads(services.table, "http://127.0.0.1:8787"))
    upload, _, _ = await store.open(filename, "text/plain", len(parts) * PART_BYTES, services.limit_counters, 50)
    for name, part in zip(list_object_names(ctx.caller.tenant, ctx.caller.user, upload), parts, strict=True):
        await services.bucket.put(name, part, until=upload.until)
    return upload.id


async def _give_session(ctx: Context, mark: str) -> str:
    begun = await _call(ctx, "sequential_search", **STEP, researchGoal=f"Otters {mark}")
    session: str = begun["sessionId"]
    await ctx.own.sessions.note(session, [{"url": "https://otters.example/", "title": f"Otters {mark}"}])
    await ctx.own.sessions.watch(session)
    return session


async def _give_access(ctx: Context) -> dict[str, Any]:
    table, caller, now = ctx.services.table, ctx.caller, ctx.services.clock()
    secret, key = build_key(f"key-of-{caller.user}", now, tenant=caller.tenant, user=caller.user)
    await save_key(table, key)
    principal = Principal(caller.tenant, caller.user, frozenset({"*"}), key.name, key.digest)
    allowed = Authorization(
        principal, client_name="App", host="app.example", scopes=frozenset({"tool:*"}), **SAMPLE_CLIENT
    )
    tokens = await create_grant(table, allowed, now)
    cookie = await start_session(table, principal, now)
    request = SignInRequest(
        "code",
        digest(cookie),
        OAuthClient(SAMPLE_CLIENT["client"], "App", ("https://app.example/back",)).to_document(),
        ("tool:*",),
        SAMPLE_CLIENT["resource"],
        "https://app.example/back",
    )
    await remember_consent(table, principal, request, now)
    opened = await save_request(table, request, now)
    return {"key": secret, "tokens": tokens, "cookie": cookie, "sign_in_request": opened.id}


async def _give_jobs(ctx: Context, mark: str) -> tuple[str, str, str]:
    services, now = ctx.services, ctx.services.clock()
    crawl = await start_crawl(ctx, "https://otters.example/", max_pages=3, include=(), exclude=(), max_depth=1)
    body, log = f"crawl/{crawl.id}/page-1", "page/000000"
    await services.bucket.put(body, f"# Otters {mark}".encode(), until=crawl.until)
    page = f'{{"url": "https://otters.example/", "title": "{mark}", "status": 200, "depth": 1, "body": "{body}", "length": 9, '
    count = '"count": {"tried": 1, "crawled": 1, "found": 1, "progress": 50}}'
    await services.table.put(CRAWLS.key_of(crawl.id), log, (page + count).encode(), until=crawl.until)
    owner = {"tenant": ctx.caller.tenant, "user": ctx.caller.user}
    limits = {"total": 2, "max_claims": 1, "max_quotations": 1}
    audit = AuditJob(id=secrets.token_hex(16), created=now, until=now + 1000, **owner, **limits)
    await save_manuscript(services, audit, Manuscript("text", mark))
    await AUDITS.create(services.table, audit)
    call = await start_call(ctx, find_tool("audit_bibliography"), {"entries": [{"title": mark}]})
    await save_answer(
        services, call, {"wire": {"of": mark}, "text": mark, "short": ["", {}], "meta": {}, "is_heavy": False}
    )
    await CALLS.end(services.table, call, "completed", now, units=1)
    await save_result(services, audit, 1, {"kind": "links", "problem": mark})
    return crawl.id, audit.id, call.id


async def _give_watch(ctx: Context) -> None:
    services, owner = ctx.services, build_owner(ctx.caller.tenant, ctx.caller.user)
    await watched_urls.watch(services, ctx.caller, [WATCHED])
    [(task, _)] = (await load_tasks_by_owner(services.table, "link_check", owner)).values()
    finding = {"outcome": "live", "endedAt": services.clock()}
    await results_log.record_result(services, DEFAULT_TIMING, task.model_copy(update={"finding": finding}))
    [mark] = [m for m in await results_log.list_stale_pages(services, "link_check") if m.owner == task.owner]
    await job_report.write_report(services, DEFAULT_TIMING, mark)
