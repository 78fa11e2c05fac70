"""A person's crawls, audits and background calls are listed page by page, the newest first, for them alone."""

import pytest

from assay.administration.admin_call import AdminCall, Administrator, OwnAccess
from assay.administration.admin_endpoints import ENDPOINTS, run_endpoint
from assay.administration.job_admin import KINDS
from assay.caller import Caller
from assay.context import Context
from assay.crawl.job import CRAWLS
from assay.crawl.start import start_crawl
from assay.document_audit.audit_job import AUDITS, save_result
from assay.document_audit.audit_start import start_audit
from assay.errors import InvalidInput
from assay.manuscripts.manuscript import Manuscript
from assay.own_stores import OwnStores
from assay.personal_data.erasure import erase_person
from assay.personal_data.namespaces import Person
from assay.tool_calls.call_start import start_call
from assay.toolkit.tool_registry import find_tool
from assay.work_queue.job_kinds import MODULES

ADA, BOB, EVE = Caller("acme", "ada"), Caller("acme", "bob"), Caller("burrow", "ada")


@pytest.fixture
def begin(services, clock):
    """`await begin(kind, caller)`: the id of a job that no worker has taken up, a second after the one before."""
    services.runs_workers = False

    async def start(kind, caller=ADA):
        clock.forward(1)
        ctx = Context(services, caller)
        if kind == "crawl":
            limits = {"max_pages": 3, "max_depth": 1, "include": (), "exclude": ()}
            return (await start_crawl(ctx, "https://otters.example/", **limits)).id
        if kind == "audit":
            manuscript = Manuscript("text", "Weirs and salmon")
            return (await start_audit(ctx, manuscript, max_claims=1, max_quotations=1)).id
        return (await start_call(ctx, find_tool("audit_bibliography"), {"entries": []})).id

    return start


@pytest.fixture
def list_jobs(services):
    """`await list_jobs(caller, kind="crawl")`: the answer to the person about themselves."""
    [endpoint] = [one for one in ENDPOINTS if one.command == "list-user-jobs"]

    async def run(caller=ADA, **arguments):
        own = Administrator(caller.user, caller.tenant, False, OwnAccess(caller.user, frozenset({"*"})))
        return (await run_endpoint(endpoint, arguments, AdminCall(services, own, "console"))).wire()

    return run


async def test_the_newest_comes_first_whatever_its_kind_and_pages_follow_each_other(begin, list_jobs):
    started = [await begin(kind) for kind in (*KINDS, *KINDS)]
    listed, after = [], {}
    while True:
        page = await list_jobs(limit=2, **after)
        listed += page["jobs"]
        assert len(page["jobs"]) <= 2
        if "next" not in page:
            break
        after = {"after": page["next"]}
    assert [job["id"] for job in listed] == started[::-1]
    assert [job["kind"] for job in listed] == [*KINDS, *KINDS][::-1]
    crawls = (await list_jobs(kind="crawl"))["jobs"]
    assert [job["id"] for job in crawls] == [started[3], started[0]]
    assert {job["subject"] for job in crawls} == {"https://otters.example/"}
    for wrong in ({"after": "crawl/x"}, {"kind": "webhook"}, {"limit": 101}):
        with pytest.raises(InvalidInput):
            await list_jobs(**wrong)


async def test_jobs_of_others_are_not_among_them(begin, list_jobs):
    own = await begin("crawl")
    for caller in (BOB, EVE):
        await begin("crawl", caller)
    assert [job["id"] for job in (await list_jobs())["jobs"]] == [own]


async def test_it_is_said_how_far_each_of_them_is(begin, list_jobs, services):
    crawl, audit, call = [await begin(kind) for kind in KINDS]
    job = await AUDITS.load(services.table, audit)
    await save_result(services, job, 0, {"kind": "links"})
    await CRAWLS.end(services.table, await CRAWLS.load(services.table, crawl), "completed", services.clock(), units=2)
    found = {job["id"]: job for job in (await list_jobs())["jobs"]}
    assert (found[crawl]["status"], found[crawl]["unitsDone"], found[crawl]["unit"]) == ("completed", 2, "page")
    assert "completedAt" in found[crawl]
    assert (found[audit]["status"], found[audit]["unitsDone"], found[audit]["unitsPlanned"]) == ("queued", 1, job.total)
    assert found[audit]["subject"] == "Weirs and salmon"
    assert (found[call]["subject"], "unitsDone" in found[call]) == ("audit_bibliography", False)


async def test_a_call_that_started_a_job_has_the_state_of_the_job(begin, list_jobs, services):
    audit = await begin("audit")
    call = await start_call(Context(services, ADA), find_tool("audit_document"), {}, followed=audit)
    [listed] = (await list_jobs(kind="tool-call"))["jobs"]
    assert (listed["id"], listed["startedKind"], listed["startedId"]) == (call.id, "audit", audit)
    assert listed["status"] == "queued"
    await AUDITS.end(services.table, await AUDITS.load(services.table, audit), "failed", services.clock(), units=0)
    assert (await list_jobs(kind="tool-call"))["jobs"][0]["status"] == "failed"


async def test_an_administrator_sees_the_jobs_of_a_person_without_what_they_are_about(begin, administer):
    await begin("crawl")
    await begin("audit")
    found = await administer("GET", "/admin/user-jobs", tenant_id="acme", user_id="ada")
    assert [job["kind"] for job in found["jobs"]] == ["audit", "crawl"]
    assert "otters.example" not in str(found)
    assert "Weirs" not in str(found)


async def test_an_erasure_leaves_none_of_them(begin, list_jobs, services):
    for kind in KINDS:
        await begin(kind)
    await erase_person(services, Person("acme", "ada"), OwnStores(services, ADA).consents)
    assert (await list_jobs())["jobs"] == []


def test_every_kind_of_job_of_a_person_is_listed():
    assert set(MODULES) - set(KINDS) == {"webhook"}  # which has an endpoint of its own
