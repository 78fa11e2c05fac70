"""What the path does for every tool, shown with the tools there are."""

import asyncio
import json
import threading

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.sessions import recording
from assay.sessions.session_keys import build_key
from assay.settings import Settings
from assay.state import artifacts
from assay.state.table_rows import query_all


async def test_an_answer_carries_its_source_and_its_trust(ask, article):
    reply = await ask("scrape_page", url=article)
    assert reply.error is None
    assert "Otters hold hands" in reply.wire["content"]
    assert reply.wire["trust"] == "untrusted-external-content"
    assert reply.wire["url"] == article


async def test_a_second_question_is_answered_from_the_cache_and_says_so(ask, article, site):
    first = await ask("scrape_page", url=article)
    second = await ask("scrape_page", url=article)
    assert len(site.requests) == 1
    assert "cached" not in first.meta
    assert second.meta["cached"] is True
    assert second.meta["maxAgeSeconds"] == 3600
    assert second.wire == first.wire


async def test_a_preview_is_cut_from_the_page_that_is_kept(ask, article, site):
    await ask("scrape_page", url=article)
    reply = await ask("scrape_page", url=article, mode="preview", max_length="700")
    assert len(site.requests) == 1
    assert reply.meta["cached"] is True


async def test_equal_questions_in_flight_ask_the_site_once(ask, article, site):
    release = threading.Event()
    site.pages["/otters"].before = lambda: release.wait(30)
    flights = [asyncio.create_task(ask("scrape_page", url=article)) for _ in range(20)]
    while not site.requests:
        await asyncio.sleep(0.01)
    release.set()
    replies = await asyncio.gather(*flights)
    assert len(site.requests) == 1
    assert all(reply.error is None for reply in replies)


async def test_one_impatient_caller_does_not_spoil_the_flight_for_the_others(ask, article, site):
    release = threading.Event()
    site.pages["/otters"].before = lambda: release.wait(30)
    impatient = asyncio.create_task(ask("scrape_page", url=article))
    while not site.requests:
        await asyncio.sleep(0.01)
    patient = asyncio.create_task(ask("scrape_page", url=article))
    await asyncio.sleep(0.5)  # until it waits for the same request
    impatient.cancel()
    release.set()
    assert (await patient).error is None
    assert len(site.requests) == 1
    with pytest.raises(asyncio.CancelledError):
        await impatient


async def test_what_is_kept_is_kept_for_its_time(ask, article, site, clock):
    await ask("scrape_page", url=article)
    clock.forward(2000)
    assert (await ask("scrape_page", url=article)).meta["freshness"] == "aging"
    clock.forward(1700)
    assert "cached" not in (await ask("scrape_page", url=article)).meta
    assert len(site.requests) == 2


async def test_a_failure_is_not_kept(ask, site):
    url = site.says("/moody", "busy", status=500)
    assert (await ask("scrape_page", url=url)).error is not None
    site.says("/moody", "<article><p>" + "All is well again on the river. " * 20 + "</p></article>")
    assert (await ask("scrape_page", url=url)).error is None


async def test_one_tenant_never_meets_another_tenants_copy(ask, article, site):
    await ask("scrape_page", Caller("acme", "ada"), url=article)
    reply = await ask("scrape_page", Caller("rival", "bob"), url=article)
    assert "cached" not in reply.meta
    assert len(site.requests) == 2


async def test_sources_are_noted_for_the_session_even_from_the_cache(ask, article, services, new_session):
    for session in (await new_session(), await new_session()):
        await ask("scrape_page", url=article, sessionId=session)
    [source] = await recording.list_sources(services.table, "local", "local", session)
    assert source["url"] == article
    assert source["relevance"] == "scraped"
    assert source["author"] == "Ada Brook"


async def test_a_session_belongs_to_one_person(ask, article, services, new_session):
    session = await new_session(Caller("acme", "ada"))
    await ask("scrape_page", Caller("acme", "ada"), url=article, sessionId=session)
    assert await recording.list_sources(services.table, "acme", "bob", session) == []


async def test_a_session_that_is_not_there_is_reported_and_nothing_is_stored_for_it(
    ask, article, services, new_session
):
    session = await new_session(Caller("acme", "ada"))
    mine = await ask("scrape_page", Caller("acme", "ada"), url=article, sessionId=session)
    assert "sessionNotFound" not in mine.meta
    for caller, lost in ((Caller("acme", "bob"), session), (Caller("acme", "ada"), "lost")):
        reply = await ask("scrape_page", caller, url=article, sessionId=lost)
        assert reply.error is None
        assert reply.meta["sessionNotFound"] is True
        assert await query_all(services.table, build_key(caller.tenant, caller.user, lost)) == []


async def test_a_large_raw_body_is_kept_aside_and_read_in_pages(ask, site):
    body = json.dumps({"rows": ["otter " * 10] * 1000})
    url = site.says("/rows.json", body, kind="application/json")
    reply = await ask("scrape_page", url=url, mode="raw", max_length=5_000_000)
    assert reply.wire["linked"] is True
    assert reply.linked.uri == reply.wire["resource"]
    text, offset = "", 0
    while offset is not None:
        page = (await ask("read_artifact", id=reply.wire["resource"], offset=offset)).wire
        text += page["content"]
        offset = page.get("nextOffset")
    assert json.loads(text)["content"] == body


async def test_an_artifact_of_another_tenant_is_as_good_as_unknown(ask, services):
    artifact = await artifacts.store(services.bucket, "acme", b'{"a":1}', services.clock())
    assert (await ask("read_artifact", Caller("acme"), id=artifact.id)).error is None
    foreign = (await ask("read_artifact", Caller("rival"), id=artifact.id)).error
    unknown = (await ask("read_artifact", Caller("rival"), id="0" * 64)).error
    assert foreign.kind == unknown.kind == "not_found"
    assert foreign.message.replace(artifact.id, "") == unknown.message.replace("0" * 64, "")


async def test_an_unknown_field_is_refused_and_the_nearest_is_named(ask):
    error = (await ask("scrape_page", url="https://example.org/", max_lenght=5)).error
    assert error.kind == "validation"
    assert error.field == "max_lenght"
    assert "'max_length'" in error.message


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "near"),
    [
        ("get_research_session", {"session_id": "x"}, "session_id", "'sessionId'"),
        ("cinder_get_crawl_status", {"nummer": "x"}, "nummer", "id, offset"),
        (
            "verify_recommendation",
            {"recommendations": [{"author_bio": "y"}]},
            "recommendations.0.author_bio",
            "'authorBio'",
        ),
        ("format_bibliography", {"sources": [{}, {"titel": "y"}]}, "sources.1.titel", "'title'"),
    ],
)
async def test_a_name_that_is_wrong_is_reported_before_the_one_that_is_missing(ask, tool, arguments, field, near):
    """Wherever it stands, the nearest is one of the names that are known there."""
    error = (await ask(tool, **arguments)).error
    assert (error.kind, error.field) == ("validation", field)
    assert near in error.message


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "url"),
        ({"url": ""}, "url"),
        ({"url": "https://example.org/", "mode": "fast"}, "mode"),
        ({"url": "https://example.org/", "max_length": 5_000_001}, "max_length"),
        ({"url": "https://example.org/", "max_length": "many"}, "max_length"),
        ({"url": ["https://example.org/"]}, "url"),
        ({"url": "https://example.org/\x00"}, "url"),
        ({"url": "https://example.org/\ud800"}, "url"),
    ],
)
async def test_a_wrong_argument_is_named_with_the_way_out(ask, arguments, field):
    error = (await ask("scrape_page", **arguments)).error
    assert error.kind == "validation"
    assert error.field == field
    assert len(error.text().encode()) < 1024


async def test_types_are_read_leniently(ask, article):
    reply = await ask("scrape_page", url=article, max_length="200")
    assert reply.wire["truncated"] is True
    assert reply.wire["contentLength"] <= 230


async def test_arguments_that_are_not_an_object_are_refused(services):
    for arguments in ([], "x", 5, None):
        reply = await invoke("scrape_page", arguments, Context(services, Caller()))
        assert reply.error.kind == "validation"


async def test_an_unknown_tool_is_not_found_and_near_names_are_reported(ask):
    error = (await ask("scrape_pages")).error
    assert error.kind == "not_found"
    assert error.alternatives == ("scrape_page",)


async def test_scopes_are_the_reach_of_a_key(ask, article):
    allowed = Caller("acme", "ada", frozenset({"tool:scrape_page"}))
    assert (await ask("scrape_page", allowed, url=article)).error is None
    assert (await ask("read_artifact", allowed, id="0" * 64)).error.status == 403


async def test_a_tenant_that_calls_too_often_is_told_when_to_come_back(environ, article):
    from assay.bootstrap import local_services

    services = local_services(Settings.read(environ | {"RATE_LIMIT_PER_TENANT": "2"}), lambda: 1_000_000_020.0)
    ctx = lambda tenant: Context(services, Caller(tenant))
    for _ in range(2):
        assert (await invoke("scrape_page", {"url": article}, ctx("acme"))).error is None
    refused = (await invoke("scrape_page", {"url": article}, ctx("acme"))).error
    assert refused.kind == "rate_limited"
    assert 0 < refused.retry_after <= 60
    assert (await invoke("scrape_page", {"url": article}, ctx("other"))).error is None
    await services.close()


async def test_the_doors_deadline_ends_a_call_that_hangs(services, article, site):
    release = threading.Event()
    site.pages["/otters"].before = lambda: release.wait(120)
    loop = asyncio.get_running_loop()
    began = loop.time()
    ctx = Context(services, Caller(), deadline=began + 0.3)
    reply = await invoke("scrape_page", {"url": article}, ctx)
    release.set()
    assert reply.error.kind == "network"
    assert reply.error.retryable
    assert loop.time() - began < 90


async def test_every_call_is_told_to_the_observers_without_the_question(ask, article, services, settings):
    await ask("scrape_page", Caller("acme", "ada"), url=article)
    await ask("scrape_page", Caller("acme", "ada"), url="ftp://secret.example/")
    lines = (settings.home / "audit.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["success"] for event in events] == [True, False]
    assert events[1]["error_code"] == "validation"
    assert {event["tenant_id"] for event in events} == {"acme"}
    assert "secret.example" not in "".join(lines)


async def test_a_broken_tool_is_one_error_and_its_trace_stays_in_the_log(services, caplog):
    def raise_error(_: str) -> None:
        raise RuntimeError("a secret of the machine room")

    reply = await invoke("scrape_page", {}, Context(services, Caller()), find=raise_error)
    assert reply.error.kind == "internal"
    assert "machine room" not in reply.error.text()
    assert "machine room" in caplog.text


@pytest.mark.parametrize(
    ("tool", "arguments", "way"),
    [
        ("web_search", {"country": "Germany"}, "DE"),
        ("web_search", {"language": "german"}, "pt-BR"),
        ("legal_search", {"jurisdiction": "The Supreme Court!"}, "scotus"),
    ],
)
async def test_a_value_of_another_form_is_refused_with_the_expected_form(tool, arguments, way, services):
    reply = await invoke(tool, {"query": "otters"} | arguments, Context(services, Caller()))
    assert reply.error.kind == "validation"
    assert way in reply.error.message
    assert "^" not in reply.error.message
