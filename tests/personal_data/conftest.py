"""People with data of every kind, in the stores of a laptop."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.table_instances import in_engine  # noqa: F401  a fixture

from assay.context import Caller, Context
from assay.crawl.job import CRAWLS
from assay.crawl.start import start_crawl
from assay.document_audit.audit_job import AUDITS, AuditJob, save_result
from assay.entrypoints.idempotency import call_once
from assay.invoke import Reply, invoke
from assay.jobs import job_report, results_log, watched_urls
from assay.jobs.job_timing import DEFAULT_TIMING
from assay.jobs.task import load_tasks_by_owner
from assay.oauth.browser_sessions import start_session
from assay.oauth.consents import remember_consent
from assay.oauth.grants import Authorization, create_grant
from assay.oauth.principals import Principal
from assay.oauth.sign_in_requests import SignInRequest
from assay.sessions.session_keys import build_owner
from assay.state.key_store import build_key, save_key
from assay.tool_calls.call_job import save_answer
from assay.tool_calls.call_start import start_call
from assay.toolkit.tool_registry import find_tool
from assay.webhooks.webhook_endpoints import register_endpoint
from assay.webhooks.webhook_outbox import queue_delivery
from assay.workspaces.workspace_store import WorkspaceMembers


@pytest.fixture
def environ(environ):
    return environ | {
        "MEMORY_ENABLED": "true",
        "WORKSPACES_ENABLED": "true",
        "USER_ANALYTICS_ENABLED": "true",
        "MONITORING_ENABLED": "true",
    }


@pytest.fixture
def give_data(services, ask, site):
    """`await give_data(caller)`: the person gets two memories, two scheduled tasks, and one item of every other kind."""
    news = {"results": [{"title": "Otters", "url": "https://otters.example/", "content": "They sleep."}]}
    site.says("/searxng/search", json.dumps(news), kind="application/json")

    async def give(caller: Caller) -> None:
        ctx, now = Context(services, caller), services.clock()
        await ctx.consents.decide("memory", granted=True, decided_from="test")
        await ask("memory_save", caller, note="Otters hold hands.", topic="Otters")
        await ask("memory_save", caller, note="Otters eat crabs.")
        step = {"sequenceNumber": 1, "thought": "Otters?", "nextStepNeeded": True}
        session = await ctx.sessions.begin("Otters", step, completed=False, head={})
        await ctx.sessions.note(session.id, [{"url": "https://otters.example/", "title": "Otters"}])
        await ctx.sessions.watch(session.id)
        await ctx.store_artifact(f'{{"of": "{caller.user}"}}'.encode())
        await call_once("key-1", "memory_save", {"note": "x"}, ctx, _reply)
        await WorkspaceMembers(services.table, "river").add(caller.tenant, caller.user)
        await ctx.open_workspace("river").contribute("Otters sleep.")
        for _ in range(8):
            await ctx.usage.count("web_search")
        await invoke("web_search", {}, Context(services, caller, entrypoint="mcp"))
        await ctx.consents.decide("monitoring", granted=True, decided_from="test")
        await ask("monitor_query_save", caller, query="otters", kind="news", feed="new")
        await _give_access(services, caller, now)
        await _give_work(services, ctx, caller, now)

    return give


async def _reply() -> Reply:
    return Reply({"large": "x" * 400_000}, "text")


async def _give_access(services, caller, now):
    _, key = build_key(f"key-of-{caller.user}", now, tenant=caller.tenant, user=caller.user)
    await save_key(services.table, key)
    principal = Principal(caller.tenant, caller.user, frozenset({"*"}))
    where = {"client": "https://app.example/client", "resource": "https://assay.example"}
    allowed = Authorization(principal, client_name="App", host="app.example", scopes=frozenset({"tool:*"}), **where)
    await create_grant(services.table, allowed, now)
    await start_session(services.table, principal, now)
    request = SignInRequest(
        "code", "browser", {"id": where["client"]}, ("tool:*",), where["resource"], "https://app.example/back"
    )
    await remember_consent(services.table, principal, request, now)


async def _give_work(services, ctx, caller, now):
    crawl = await start_crawl(ctx, "https://otters.example/", max_pages=3, include=(), exclude=(), max_depth=1)
    body = f"crawl/{crawl.id}/page-1"
    await services.bucket.put(body, b"# Otters", until=crawl.until)
    await services.table.put(CRAWLS.key_of(crawl.id), "page/000000", f'{{"body": "{body}"}}'.encode())
    limits = {"total": 2, "max_claims": 1, "max_quotations": 1}
    owner = {"tenant": caller.tenant, "user": caller.user}
    audit = AuditJob(id=f"{abs(hash(caller)):032x}", created=now, until=now + 1000, **owner, **limits)
    await AUDITS.create(services.table, audit)
    await save_result(services, audit, 1, {"found": "an otter"})
    services.runs_workers = False  # the jobs stay as they are
    call = await start_call(ctx, find_tool("audit_bibliography"), {"entries": [{"title": f"Otters of {caller.user}"}]})
    await save_answer(services, call, {"of": caller.user})
    await watched_urls.watch(services, caller, ["https://otters.example/"])
    [(task, _)] = (await load_tasks_by_owner(services.table, "link_check", build_owner(*owner.values()))).values()
    services.runs_workers = False
    endpoint, _ = await register_endpoint(services, caller, "https://127.0.0.1/hook")
    await queue_delivery(services, caller, endpoint, "watch.changed", {"of": "otters"}, name="event-1")
    found = task.model_copy(update={"finding": {"outcome": "live", "endedAt": now}})
    await results_log.record_result(services, DEFAULT_TIMING, found)
    [mark] = [m for m in await results_log.list_stale_pages(services, "link_check") if m.owner == task.owner]
    await job_report.write_report(services, DEFAULT_TIMING, mark)


@pytest.fixture
def list_stored(services):
    """`list_stored()`: the keys of all rows, and the names of all files of objects."""

    def list_names() -> set[tuple[str, str]]:
        home: Path = services.settings.home
        with closing(sqlite3.connect(home / "assay.sqlite3")) as database:
            rows = {(key.decode(), sort.decode()) for key, sort in database.execute("SELECT key, sort FROM rows")}
        files = {("file", str(path)) for path in (home / "bucket").rglob("*") if path.is_file()}
        return rows | files

    return list_names
